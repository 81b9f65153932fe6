/** Waiting that ends early when it is no longer wanted. Durations are milliseconds. */
import { wholeAnswer } from "./answers.js";

/** Wait, or throw the signal's reason as soon as it is aborted. */
export async function sleep(ms: number, signal?: AbortSignal | null): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/**
 * Return the answer, or throw the signal's reason as soon as it is aborted; an answer that comes later is discarded.
 * See `parts.ts` for why the signal that `fetch` has is not enough.
 */
export async function unlessAborted(signal: AbortSignal, answer: Promise<Response>): Promise<Response> {
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
  });
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await Promise.race([answer, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
    if (signal.aborted) answer.then((late) => late.body?.cancel()).catch(() => {});
  }
}

/**
 * Send a request and read its whole answer within a time: an answer cut off on its way is not an answer. `outer`: the
 * caller's signal. Throws a `TimeoutError` (DOMException) when the time is over, and what `wholeAnswer` throws.
 */
export async function answerWithin(
  ms: number,
  request: Request,
  outer: AbortSignal,
  send: (request: Request) => Promise<Response>,
): Promise<Response> {
  const deadline = new AbortController();
  const stop = () => deadline.abort(outer.reason);
  const timer = setTimeout(() => deadline.abort(new DOMException(`none within ${ms} ms`, "TimeoutError")), ms);
  if (outer.aborted) stop();
  outer.addEventListener("abort", stop, { once: true });
  try {
    const sent = send(new Request(request, { signal: deadline.signal }));
    return await wholeAnswer(request, await unlessAborted(deadline.signal, sent), deadline.signal);
  } finally {
    clearTimeout(timer);
    outer.removeEventListener("abort", stop);
  }
}
