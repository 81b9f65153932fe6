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
 * Send a request and read its whole answer within a time: an answer cut off on its way is no answer.
 * Throws a `TimeoutError` (DOMException) when the time is over, and what `wholeAnswer` throws.
 */
export async function answerWithin(
  ms: number,
  request: Request,
  send: (request: Request) => Promise<Response>,
): Promise<Response> {
  const deadline = new AbortController();
  const stop = () => deadline.abort(request.signal.reason);
  const timer = setTimeout(() => deadline.abort(new DOMException(`none within ${ms} ms`, "TimeoutError")), ms);
  if (request.signal.aborted) stop();
  request.signal.addEventListener("abort", stop, { once: true });
  try {
    const response = await send(new Request(request, { signal: deadline.signal }));
    return await wholeAnswer(request, response);
  } finally {
    clearTimeout(timer);
    request.signal.removeEventListener("abort", stop);
  }
}
