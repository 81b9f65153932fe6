/** Lists as async iterators: pages are fetched as they are reached, and each item comes once. */

/** One page of any list of the API. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next_page_token: string | null;
}

/** A list: iterate over its items with `for await`, or over whole pages with `pages()`. Each iteration starts at the first page. */
export class Listing<Item> implements AsyncIterable<Item> {
  readonly #fetch: (token: string | undefined) => Promise<Page<Item>>;

  constructor(fetch: (token: string | undefined) => Promise<Page<Item>>) {
    this.#fetch = fetch;
  }

  async *pages(): AsyncGenerator<readonly Item[], void, undefined> {
    let token: string | undefined;
    do {
      const page: Page<Item> = await this.#fetch(token);
      yield page.items;
      token = page.next_page_token ?? undefined;
    } while (token !== undefined);
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
