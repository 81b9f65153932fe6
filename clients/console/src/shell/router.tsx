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

/** A page, and its texts after `?` with their defaults. */
interface PageModule {
  readonly default: RouteComponent;
  readonly SEARCH?: object;
}
type TextsOf<Module> = Module extends { SEARCH: infer Search } ? { [name in keyof Search]?: string } : Record<string, never>;

/** The route of a page: a link with texts that the page does not read does not compile. */
const page = <Path extends string, Module extends PageModule>(path: Path, load: () => Promise<Module>) =>
  createRoute({
    getParentRoute: () => root,
    path,
    component: lazyRouteComponent(load as never),
    validateSearch: (search: Record<string, unknown> & TextsOf<Module>): TextsOf<Module> => search,
  });

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/fleet" });
  },
});

const routes = [
  home,
  page("/fleet", () => import("../pages/fleet/FleetPage")),
  page("/tables", () => import("../pages/tables/TablesPage")),
  page("/tables/$tableId", () => import("../pages/table/TablePage")),
  page("/tables/$tableId/policy", () => import("../pages/policy/TablePolicyPage")),
  page("/policies", () => import("../pages/policy/PoliciesPage")),
  page("/policies/$name", () => import("../pages/policy/ScopedPolicyPage")),
  page("/runs", () => import("../pages/runs/RunsPage")),
  page("/runs/$runId", () => import("../pages/run/RunPage")),
  page("/deletions", () => import("../pages/deletions/DeletionsPage")),
  page("/catalogs", () => import("../pages/catalogs/CatalogsPage")),
  page("/catalogs/$name", () => import("../pages/catalogs/CatalogPage")),
  page("/keys", () => import("../pages/access/KeysPage")),
  page("/audit", () => import("../pages/access/AuditPage")),
  page("/signals", () => import("../pages/signals/SignalsPage")),
  page("/system", () => import("../pages/system/SystemPage")),
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
