/** File groups of a run: their states as loaded, brought up to date by the events that came since. */
import type { Schemas } from "../../../api/client";
import type { RunEvent } from "../live/history";

export type FileGroup = Schemas["FileGroup"];
export type GroupState = Schemas["GroupState"];

export const GROUP_STATES: readonly GroupState[] = ["planned", "running", "written", "committed", "dropped"];

/** What events say of a group. */
export interface GroupNews {
  readonly state: GroupState;
  readonly reason: string | null;
}

/** Return the groups that an event moved, with their new states; an empty list for other events. */
export function newsOf(event: RunEvent): readonly (readonly [number, GroupNews])[] {
  const { details } = event;
  if (event.kind === "group_written" && typeof details["group"] === "number") {
    return [[details["group"], { state: "written", reason: null }]];
  }
  if (event.kind === "committed" && Array.isArray(details["groups"])) {
    const ordinals = details["groups"].filter((each): each is number => typeof each === "number");
    return ordinals.map((ordinal) => [ordinal, { state: "committed", reason: null }] as const);
  }
  const reasons = details["reasons"];
  if (event.kind === "group_dropped" && typeof reasons === "object" && reasons !== null) {
    return Object.entries(reasons).map(([ordinal, why]) => [Number(ordinal), { state: "dropped", reason: String(why) }]);
  }
  return [];
}

/** Return the groups with the newer of their loaded state and that of events; a group never goes back. */
export function merged(loaded: readonly FileGroup[], news: ReadonlyMap<number, GroupNews>): readonly FileGroup[] {
  if (news.size === 0) return loaded;
  return loaded.map((group) => {
    const newer = news.get(group.ordinal);
    if (newer === undefined || rank(newer.state) <= rank(group.state)) return group;
    return { ...group, state: newer.state, reason: newer.reason ?? group.reason };
  });
}

export function counts(groups: readonly FileGroup[]): Readonly<Record<GroupState, number>> {
  const found = { planned: 0, running: 0, written: 0, committed: 0, dropped: 0 };
  for (const group of groups) found[group.state] += 1;
  return found;
}

const rank = (state: GroupState): number => Math.min(GROUP_STATES.indexOf(state), 3);
