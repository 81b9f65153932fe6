/** Remedies of the server as links to the pages that have their actions; no text of the server is parsed. */
import { Code } from "@mantine/core";
import type { Remedy } from "@packhouse/client";
import { linkOptions } from "@tanstack/react-router";
import { PageLink } from "./links";

type Parameters = Remedy["parameters"];
const table = ({ table_id: tableId = "" }: Parameters, dialog = "") => linkOptions({ to: "/tables/$tableId", params: { tableId }, search: dialog === "" ? {} : { dialog } });
const catalog = ({ name = "" }: Parameters, part = "connection") => linkOptions({ to: "/catalogs/$name", params: { name }, search: { part } });
const FLEET = () => linkOptions({ to: "/fleet" });
const DELETIONS = () => linkOptions({ to: "/deletions" });
const KEYS = () => linkOptions({ to: "/keys" });
const POLICIES = () => linkOptions({ to: "/policies" });

/** The words of each operation, and the page that has its action. */
export const PLACES: Readonly<Record<string, readonly [words: string, link: (parameters: Parameters) => object]>> = {
  create_catalog: ["Create the catalog", () => linkOptions({ to: "/catalogs", search: { create: "yes" } })],
  create_key: ["Create a key", () => linkOptions({ to: "/keys", search: { create: "yes" } })],
  delete_table: ["Delete the registration", (of) => table(of, "unregister")],
  discover_tables: ["List the tables of the catalog", (of) => catalog(of, "discover")],
  get_deletion: ["See what it would delete", DELETIONS],
  list_formats: ["See what each format supports", () => linkOptions({ to: "/formats" })],
  list_keys: ["See all keys", KEYS],
  list_policies: ["See all policies", POLICIES],
  list_presets: ["See all presets", POLICIES],
  list_runs: ["See all runs", () => linkOptions({ to: "/runs" })],
  list_spark_endpoints: ["See the Spark endpoints", () => linkOptions({ to: "/system" })],
  list_tables: ["See all tables", () => linkOptions({ to: "/tables" })],
  preview_run: ["Preview the run", (of) => table(of, "run")],
  replace_catalog_grants: ["Open the grants", (of) => catalog(of, "grants")],
  replace_limits: ["Change the limits", FLEET],
  replace_policy: ["Open the policy", ({ name = "" }) => linkOptions({ to: "/policies/$name", params: { name } })],
  resume_catalog: ["Resume the catalog", (of) => catalog(of)],
  resume_fleet: ["Resume the fleet", FLEET],
  resume_table: ["Resume the table", (of) => table(of)],
  revoke_key: ["Revoke the key", KEYS],
  submit_run: ["Submit a run", (of) => table(of, "run")],
  undo_deletion: ["Undo the deletion", DELETIONS],
  unfreeze_table: ["Unfreeze the table", (of) => table(of)],
};

/** A link to the page that has the action; the request itself for an operation that the console does not know. */
export function RemedyLink({ remedy }: { remedy: Remedy }) {
  const place = PLACES[remedy.operation_id];
  if (place === undefined) return <Code>{remedy.request}</Code>;
  const [words, link] = place;
  return (
    <PageLink {...(link(remedy.parameters) as { to: "/fleet" })} underline="always" size="sm">
      {words}
    </PageLink>
  );
}
