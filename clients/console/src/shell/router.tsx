/** Addresses of the pages. Each page is a file of its own that is fetched when it is opened. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
  type RouteComponent,
} from "@tanstack/react-router";
import { Problem } from "../parts/Problem";
import { Waiting } from "../parts/states";
import { NotFound } from "./NotFound";
import { Shell } from "./Shell";
import { StaleBuild } from "./StaleBuild";

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

type Page = () => Promise<{ default: RouteComponent }>;
type Texts<Name extends string> = [Name] extends [never] ? Record<string, never> : { [name in Name]?: string };

/** A page, with the names of the texts after `?` that it reads: a link with another name does not compile. */
const page = <Path extends string, Name extends string = never>(path: Path, load: Page, ..._names: Name[]) =>
  createRoute({
    getParentRoute: () => root,
    path,
    component: lazyRouteComponent(load as never),
    validateSearch: (search: Record<string, unknown> & Texts<Name>): Texts<Name> => search,
  });

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/fleet" });
  },
});

const EDITOR = ["find", "only", "as", "zone", "version", "apply", "scope"] as const;

const routes = [
  home,
  page("/fleet", () => import("../pages/fleet/FleetPage"), "days", "show"),
  page("/tables", () => import("../pages/tables/TablesPage"), "search", "catalog", "team", "label", "verdict", "hold", "run", "paused", "frozen", "sort"),
  page("/tables/$tableId", () => import("../pages/table/TablePage"), "tab", "dialog", "operation", "sort", "since", "until", "settings"),
  page("/tables/$tableId/policy", () => import("../pages/policy/TablePolicyPage"), ...EDITOR),
  page("/policies", () => import("../pages/policy/PoliciesPage"), "kind", "find", "create", "preset"),
  page("/policies/$name", () => import("../pages/policy/ScopedPolicyPage"), ...EDITOR),
  page("/runs", () => import("../pages/runs/RunsPage"), "state", "operation", "catalog", "team", "table", "since", "until", "view", "hours"),
  page("/runs/$runId", () => import("../pages/run/RunPage"), "groups", "events", "event"),
  page("/catalogs", () => import("../pages/catalogs/CatalogsPage"), "create"),
  page("/catalogs/$name", () => import("../pages/catalogs/CatalogPage"), "part", "check", "pattern", "team", "labels", "paused"),
  page("/keys", () => import("../pages/access/KeysPage"), "show", "create"),
  page("/audit", () => import("../pages/access/AuditPage"), "caller", "action", "object", "since", "until", "entry"),
  page("/signals", () => import("../pages/signals/SignalsPage"), "kind", "table", "since", "until"),
  page("/formats", () => import("../pages/formats/FormatsPage")),
] as const;

export const router = createRouter({
  routeTree: root.addChildren(routes),
  basepath: "/console",
  defaultPreload: "intent",
  scrollRestoration: true,
  defaultPendingComponent: () => <Waiting height={400} />,
  defaultErrorComponent: ({ error, reset }) =>
    /dynamically imported module|Importing a module/.test(String(error)) ? (
      <StaleBuild />
    ) : (
      <Problem error={error} onRetry={reset} />
    ),
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const texts = Object.entries(search).filter(([, value]) => value !== undefined && value !== "");
    const query = new URLSearchParams(texts.map(([name, value]) => [name, String(value)])).toString();
    return query === "" ? "" : `?${query}`;
  },
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
