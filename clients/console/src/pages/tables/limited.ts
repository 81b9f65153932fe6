/** Work on many things with a bound on how many are under way at the same time. */

/** Return a function that runs tasks, at most `most` at a time and in order; a task whose signal is aborted is skipped. */
export function gate(most: number): <T>(task: () => Promise<T>, signal?: AbortSignal) => Promise<T> {
  let running = 0;
  const waiting: (() => void)[] = [];
  const next = () => {
    running -= 1;
    waiting.shift()?.();
  };
  return async (task, signal) => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    running += 1;
    try {
      signal?.throwIfAborted();
      return await task();
    } finally {
      next();
    }
  };
}

export type Outcome<Item> = { readonly item: Item; readonly error: unknown; readonly ok: boolean };

/**
 * Act on every item, at most `most` at a time, and report each outcome as it comes; one failure stops no other item.
 *
 * After `signal` is aborted no further item is begun.
 */
export async function actOnEach<Item>(
  items: readonly Item[],
  act: (item: Item) => Promise<unknown>,
  onOutcome: (outcome: Outcome<Item>) => void,
  { most = 4, signal }: { most?: number; signal?: AbortSignal } = {},
): Promise<void> {
  let at = 0;
  const work = async () => {
    while (at < items.length && signal?.aborted !== true) {
      const item = items[at++] as Item;
      try {
        await act(item);
        onOutcome({ item, error: null, ok: true });
      } catch (error) {
        onOutcome({ item, error, ok: false });
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, work));
}
