/**
 * Reads whole answers within a limit of bytes, and refuses redirects.
 *
 * `fetch` reads an answer of any size into memory. A redirect is not followed: a request and its idempotency key would
 * go to a server that the caller did not name, and depending on the runtime the API key as well.
 */
import { UnreadableAnswerError } from "./errors.js";
import { partsOf } from "./parts.js";

/** Limit of an answer after decompression, in bytes. Lists have pages of at most 1,000 items. */
const MOST_BYTES = 64 * 2 ** 20;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Return whether the body is a stream of events, which is read as it arrives. */
export function isEventStream(response: Response): boolean {
  return response.ok && /^text\/event-stream\b/.test(response.headers.get("content-type") ?? "");
}

/**
 * Return the answer with all of its body. Throws `UnreadableAnswerError`: it is a redirect, or too large; and the
 * signal's reason as soon as it is aborted.
 */
export async function wholeAnswer(request: Request, response: Response, signal: AbortSignal): Promise<Response> {
  if (response.type === "opaqueredirect" || REDIRECTS.has(response.status)) {
    await response.body?.cancel();
    throw new UnreadableAnswerError(`${request.url} redirects elsewhere; give the address that it leads to as baseUrl`);
  }
  const body = response.body === null ? null : await readBody(request, response.body, signal);
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}

async function readBody(request: Request, body: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<Blob | null> {
  const parts: Uint8Array[] = [];
  let count = 0;
  for await (const part of partsOf(body, signal)) {
    parts.push(part);
    count += part.byteLength;
    if (count > MOST_BYTES) {
      throw new UnreadableAnswerError(`${request.url} answered more than ${MOST_BYTES} bytes; check baseUrl`);
    }
  }
  return count > 0 ? new Blob(parts as BlobPart[]) : null;
}
