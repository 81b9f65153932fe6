/** Filters of the list of runs: as they are in the URL, as a query of the API, and as words of the CLI. */
import type { Schemas } from "../../api/client";

export interface Filters {
  readonly state: readonly string[];
  readonly operation: readonly string[];
  readonly catalog: string;
  readonly team: string;
  readonly table: string;
  /** Instants in ISO 8601, or empty. */
  readonly since: string;
  readonly until: string;
}

export interface RunsQuery {
  state?: Schemas["RunState"][];
  operation?: Schemas["Operation"][];
  catalog?: string;
  owner_team?: string;
  table_id?: string;
  since?: string;
  until?: string;
}

export function queryOf(filters: Filters): RunsQuery {
  const since = isoOf(filters.since);
  const until = isoOf(filters.until);
  return {
    ...(filters.state.length > 0 ? { state: filters.state as Schemas["RunState"][] } : {}),
    ...(filters.operation.length > 0 ? { operation: filters.operation as Schemas["Operation"][] } : {}),
    ...(filters.catalog === "" ? {} : { catalog: filters.catalog }),
    ...(filters.team === "" ? {} : { owner_team: filters.team }),
    ...(filters.table === "" ? {} : { table_id: filters.table }),
    ...(since === null ? {} : { since }),
    ...(until === null ? {} : { until }),
  };
}

export function isFiltered(filters: Filters): boolean {
  return Object.keys(queryOf(filters)).length > 0;
}

/** Return the path of the same list for curl. */
export function pathOf(filters: Filters): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(queryOf(filters))) query.set(name, String(value));
  const text = query.toString();
  return text === "" ? "/v1/runs" : `/v1/runs?${text}`;
}

/** Return the words of the CLI's command for the same list; its times are local. */
export function wordsOf(filters: Filters): readonly string[] {
  const [since, until] = [localOf(filters.since), localOf(filters.until)];
  return [
    ...["packhouse", "runs", "list"],
    ...filters.state.flatMap((state) => ["--state", state]),
    ...filters.operation.flatMap((operation) => ["--operation", operation]),
    ...(filters.catalog === "" ? [] : ["--catalog", filters.catalog]),
    ...(filters.team === "" ? [] : ["--team", filters.team]),
    ...(filters.table === "" ? [] : ["--table", filters.table]),
    ...(since === "" ? [] : ["--since", `${since}:00`]),
    ...(until === "" ? [] : ["--until", `${until}:00`]),
  ];
}

/** Return an instant for a field of date and time: local, to the minute; empty if it is none. */
export function localOf(iso: string): string {
  const at = new Date(iso);
  if (iso === "" || Number.isNaN(at.getTime())) return "";
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Return the instant of a field of date and time, or of a URL, in ISO 8601; null if it is none. */
export function isoOf(text: string): string | null {
  const at = new Date(text);
  return text === "" || Number.isNaN(at.getTime()) ? null : at.toISOString();
}
