/**
 * Reads whole answers within a limit of bytes, and refuses redirects.
 *
 * `fetch` reads an answer of any size into memory. A redirect is not followed: a request and its idempotency key would
 * go to a server that the caller did not name, and depending on the runtime the API key as well.
 */
import { UnreadableAnswerError } from "./errors.js";

/** Limit of an answer after decompression, in bytes. Lists have pages of at most 1,000 items. */
const MOST_BYTES = 64 * 2 ** 20;
/** Number of parts after which timers get a turn: else a server that never pauses keeps the deadline of a call from ending it. */
const PARTS_TOGETHER = 1000;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Return whether the body is a stream of events, which is read as it arrives. */
export function isEventStream(response: Response): boolean {
  return response.ok && /^text\/event-stream\b/.test(response.headers.get("content-type") ?? "");
}

/** Return the answer with all of its body. Throws `UnreadableAnswerError`: it is a redirect, or too large. */
export async function wholeAnswer(request: Request, response: Response): Promise<Response> {
  if (response.type === "opaqueredirect" || REDIRECTS.has(response.status)) {
    await response.body?.cancel();
    throw new UnreadableAnswerError(`${request.url} redirects elsewhere; give the address that it leads to as baseUrl`);
  }
  const body = response.body === null ? null : await readBody(request, response.body);
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}

async function readBody(request: Request, body: ReadableStream<Uint8Array>): Promise<Blob | null> {
  const parts: Uint8Array[] = [];
  const reader = body.getReader();
  for (let count = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return count > 0 ? new Blob(parts as BlobPart[]) : null;
    parts.push(value);
    count += value.byteLength;
    if (parts.length % PARTS_TOGETHER === 0) await new Promise((resolve) => setTimeout(resolve, 0));
    if (count <= MOST_BYTES) continue;
    await reader.cancel().catch(() => {});
    throw new UnreadableAnswerError(`${request.url} answered more than ${MOST_BYTES} bytes; check baseUrl`);
  }
}
