/**
 * Lists as async iterators: pages are fetched as they are reached.
 *
 * A list whose page token has expired (410 `list_expired`) begins again. Items of lists with a key come once: after such
 * a beginning, and if an item moves in the order of the list while it is read.
 */
import { ApiError } from "./errors.js";

/** One page of any list of the API. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next_page_token: string | null;
}

/** Most beginnings in a row without a new item; after one more the error is thrown. */
const MOST_BEGINNINGS = 10;

/** The fields that identify an item, by the path of a list that may begin again or whose items may move. */
export const ITEM_KEYS: Readonly<Record<string, readonly string[]>> = {
  "/v1/fleet/tables": ["table_id"],
  "/v1/tables/{table_id}/partitions": ["spec_id", "partition"],
};

/** A list: iterate over its items with `for await`, or over whole pages with `pages()`. Each iteration starts at the first page. */
export class Listing<Item> implements AsyncIterable<Item> {
  readonly #fetch: (token: string | undefined) => Promise<Page<Item>>;
  readonly #key: readonly string[];

  constructor(fetch: (token: string | undefined) => Promise<Page<Item>>, key: readonly string[] = []) {
    this.#fetch = fetch;
    this.#key = key;
  }

  async *pages(): AsyncGenerator<readonly Item[], void, undefined> {
    const given = new Set<string>();
    let token: string | undefined;
    let beginnings = 0;
    for (;;) {
      let page: Page<Item>;
      try {
        page = await this.#fetch(token);
      } catch (error) {
        if (!isExpired(error) || token === undefined || ++beginnings > MOST_BEGINNINGS) throw error;
        token = undefined;
        continue;
      }
      const items = this.#new(page.items, given);
      if (items.length > 0) beginnings = 0;
      yield items;
      token = page.next_page_token ?? undefined;
      if (token === undefined) return;
    }
  }

  /** Return the items that were not given before, and add their keys to those given. */
  #new(items: readonly Item[], given: Set<string>): readonly Item[] {
    if (this.#key.length === 0) return items;
    return items.filter((item) => {
      const key = JSON.stringify(this.#key.map((name) => (item as Readonly<Record<string, unknown>>)[name]));
      return !given.has(key) && given.add(key);
    });
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const items of this.pages()) yield* items;
  }

  /** Return the first items, at most `limit`; no page is fetched beyond them. */
  async take(limit: number): Promise<Item[]> {
    const taken: Item[] = [];
    if (limit <= 0) return taken;
    for await (const item of this) {
      taken.push(item);
      if (taken.length >= limit) break;
    }
    return taken;
  }
}

function isExpired(error: unknown): boolean {
  return error instanceof ApiError && error.code === "list_expired";
}
