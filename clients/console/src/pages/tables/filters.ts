/** The filters of the list of tables: in the URL, as a query of the API, and as a command. */
import { commandLine } from "../../format/commands";

/** Defaults; a filter that equals its default is not in the URL. */
export const DEFAULTS = {
  search: "",
  catalog: "",
  team: "",
  label: [] as readonly string[],
  verdict: [] as readonly string[],
  hold: [] as readonly string[],
  run: [] as readonly string[],
  paused: "",
  frozen: "",
  sort: "-avoidable_file_count",
} as const;

export type TablesState = { readonly [Name in keyof typeof DEFAULTS]: (typeof DEFAULTS)[Name] extends string ? string : readonly string[] };
export type FleetTablesQuery = Record<string, string | boolean | readonly string[]>;

export const VERDICTS = {
  new: "Not looked at yet",
  not_due: "Not due",
  held: "Held back",
  submitted: "Run submitted",
  unreachable: "Unreachable",
  disabled: "Disabled",
} as const;


/** What holds a due table back, by code. Other codes of the server are shown as they are. */
export const HOLDS: Readonly<Record<string, string>> = {
  quiet_hours: "Quiet hours",
  blackout: "Blackout",
  latency_backoff: "Queries are slow",
  new_table: "Newly registered",
  min_interval: "Minimum interval",
  bytes_per_day: "Bytes per day used up",
  conflict_backoff: "After a conflict",
  cooling_down: "Partitions cool down",
  not_sealed: "Partitions not sealed",
  nothing_to_do: "No file worth a rewrite",
  runs_in_vain: "Runs without effect",
  run_at_work: "A run is at work",
  run_waits: "A run waits already",
  table_paused: "Table paused",
  catalog_paused: "Catalog paused",
  fleet_paused: "Fleet paused",
  fleet_full: "Limit of runs of the fleet",
  catalog_full: "Limit of runs of the catalog",
  table_frozen: "Frozen",
  not_eligible: "Cannot be rewritten",
  not_possible: "Setting not supported",
  catalog_fails: "Failures in its catalog",
  no_endpoint: "No Spark endpoint",
  spark_unsuitable: "Spark endpoint unsuitable",
  grace: "A deletion is announced",
  acknowledgement: "A deletion waits for a person",
};

export const SORTS = {
  "-avoidable_file_count": "Most files to save first",
  "-benefit_per_cost": "Most worthwhile first",
  score: "Lowest score first",
  "-last_run": "Newest run first",
  next_look_at: "Next look first",
  due_since: "Due for longest first",
  "-history_bytes": "Most bytes of old snapshots first",
  verdict: "By verdict",
  hold: "By hold",
} as const;

export const holdWords = (code: string): string => HOLDS[code] ?? code.replaceAll("_", " ");

/** Return the query of `/v1/fleet/tables`; labels are written `key:value`, incomplete ones are left out. */
export function queryOf(state: TablesState): FleetTablesQuery {
  const labels = state.label.filter((label) => /^[^:]+:/.test(label));
  const flag = (text: string) => (text === "yes" ? true : text === "no" ? false : undefined);
  const all = {
    search: state.search.trim().slice(0, 200) || undefined,
    catalog: state.catalog || undefined,
    owner_team: state.team || undefined,
    label: labels.length > 0 ? labels : undefined,
    verdict: state.verdict.length > 0 ? state.verdict : undefined,
    hold: state.hold.length > 0 ? state.hold : undefined,
    last_run_state: state.run.length > 0 ? state.run : undefined,
    paused: flag(state.paused),
    frozen: flag(state.frozen),
    sort: state.sort,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as FleetTablesQuery;
}

export function isFiltered(state: TablesState): boolean {
  return Object.keys(queryOf(state)).some((name) => name !== "sort");
}

/** Return the path of the API with its query. */
export function pathOf(state: TablesState): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(queryOf(state))) {
    for (const one of Array.isArray(value) ? value : [value]) query.append(name, String(one));
  }
  return `/v1/fleet/tables?${query}`;
}

/** Return the command with the same list; null where the command has no such filter. */
export function commandOf(state: TablesState): string | null {
  const query = queryOf(state);
  if (["label", "paused", "frozen"].some((name) => name in query)) return null;
  const repeated = (option: string, values: readonly string[]) => values.flatMap((value) => [option, value]);
  return commandLine(
    ["packhouse", "fleet", "tables"],
    "search" in query && ["--search", String(query.search)],
    state.catalog !== "" && ["--catalog", state.catalog],
    state.team !== "" && ["--team", state.team],
    repeated("--verdict", state.verdict),
    repeated("--hold", state.hold),
    repeated("--last-run", state.run),
    `--sort=${state.sort}`,
  );
}
