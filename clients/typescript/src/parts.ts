/**
 * Reads the parts of a body until it ends or is no longer wanted.
 *
 * A signal that was given to `fetch` does not end it for sure: Node's `Request` follows the signal by a weak reference,
 * and misses an abort once it was collected. So this listens to the signal itself.
 */

/** Number of parts after which timers get a turn: else a server that never pauses keeps a deadline from ending the call. */
const PARTS_TOGETHER = 1000;

/** Yield the parts as they arrive. Throws the signal's reason as soon as it is aborted, and ends the connection. */
export async function* partsOf(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body.getReader();
  const stop = () => void reader.cancel(signal.reason).catch(() => {}); // ends the `read` that is waiting
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    for (let count = 1; ; count += 1) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) return;
      yield value;
      if (count % PARTS_TOGETHER === 0) await new Promise((resolve) => setTimeout(resolve, 0));
    }
  } finally {
    signal.removeEventListener("abort", stop);
    await reader.cancel().catch(() => {});
  }
}
