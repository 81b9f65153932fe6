/** Documents of the API for tests, complete as the types demand. */
import type { components } from "@packhouse/client";

type Schemas = components["schemas"];
const AT = "2026-11-01T09:30:00Z";

export function table(id: string): Schemas["Table"] {
  return { id, name: id } as Schemas["Table"];
}

export function progress(finished: number): Schemas["Progress"] {
  return {
    groups_total: 4,
    groups_finished: finished,
    bytes_total: 400,
    bytes_finished: finished * 100,
    bytes_per_second: null,
    eta_seconds: null,
    throttled_seconds: 0,
    budget_bytes_per_second: null,
  };
}

export function run(state: Schemas["RunState"], finished = 4): Schemas["RunDetail"] {
  const isTerminal = ["succeeded", "skipped", "failed", "cancelled"].includes(state);
  return { id: "run_1", state, is_terminal: isTerminal, progress: progress(finished) } as Schemas["RunDetail"];
}

export function event(sequence: number, toState: Schemas["RunState"] | null = null): Schemas["RunEvent"] {
  return { run_id: "run_1", sequence, at: AT, kind: "transition", to_state: toState } as Schemas["RunEvent"];
}

/** A page of a list. */
export function page<Item>(items: Item[], next: string | null = null): { items: Item[]; next_page_token: string | null } {
  return { items, next_page_token: next };
}

/** All that an async iterable yields. */
export async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of source) items.push(item);
  return items;
}
