/** Questions about deletions to the API. */
import { queryOptions } from "@tanstack/react-query";
import { packhouse } from "../../api/client";
import { REFRESH } from "../../api/queries";
import { byStart, type Deletion, ENDED, LIVE } from "./deletions";

/** Live deletions that are fetched at most. */
export const MOST_LIVE = 500;
const PAGE = 100;

export interface Filters extends Record<string, string> {
  /** Address or id of a table, or empty. */
  readonly table: string;
  readonly catalog: string;
  readonly team: string;
}

export const NO_FILTERS: Filters = { table: "", catalog: "", team: "" };

const queryOf = ({ table, catalog, team }: Filters) => ({
  ...(table === "" ? {} : { table_id: table }),
  ...(catalog === "" ? {} : { catalog }),
  ...(team === "" ? {} : { owner_team: team }),
});

/** Announced deletions and those at work, by their start; `isCut`: there are more. */
export const liveQuery = (filters: Filters) =>
  queryOptions({
    queryKey: ["deletions", "live", filters],
    queryFn: async ({ signal }) => {
      const query = { ...queryOf(filters), state: [...LIVE], page_size: MOST_LIVE };
      const found = (await packhouse.list("/v1/deletions", { params: { query }, signal }).take(MOST_LIVE + 1)) as Deletion[];
      return { deletions: byStart(found.slice(0, MOST_LIVE)), isCut: found.length > MOST_LIVE };
    },
    refetchInterval: REFRESH.live,
  });

/** A page of the deletions that have ended, newest first. */
export const endedPage = (filters: Filters) => (token: string | undefined, signal: AbortSignal) =>
  packhouse.get("/v1/deletions", {
    params: { query: { ...queryOf(filters), state: [...ENDED], page_size: PAGE, ...(token === undefined ? {} : { page_token: token }) } },
    signal,
  });

/** Return the path of the same list for curl. */
export function pathOf(filters: Filters): string {
  const text = new URLSearchParams(queryOf(filters)).toString();
  return text === "" ? "/v1/deletions" : `/v1/deletions?${text}`;
}
