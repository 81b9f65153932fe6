/**
 * Sends a request again when that is safe: nothing is ever done twice.
 *
 * A lost answer leaves open whether the request was carried out, so only reads and POSTs with an `Idempotency-Key` are
 * sent again after one. 429 says that nothing was done: then any request is. Event streams are left to their reader.
 */
import { isEventStream, wholeAnswer } from "./answers.js";
import { ConnectionError, PackhouseError, problemOf, retryAfterSeconds } from "./errors.js";
import { answerWithin, sleep, unlessAborted } from "./time.js";

export type Fetch = (request: Request) => Promise<Response>;

export interface RetryOptions {
  /** How often a request is sent in all; 1 sends it once. */
  readonly attempts: number;
  /** Longest first wait; each further one may be twice as long. Milliseconds. */
  readonly firstDelayMs: number;
  /** Longest wait. An answer whose `Retry-After` asks for more is handed on as an error. Milliseconds. */
  readonly longestDelayMs: number;
}

const UNAVAILABLE: ReadonlySet<number> = new Set([502, 503, 504]);

/** Return a fetch that gives each try `timeoutMs` and sends again as the options say. Throws `ConnectionError`. */
export function retrying(send: Fetch, options: RetryOptions, timeoutMs: number): Fetch {
  return async (request) => {
    if (isStream(request)) return once(send, request, request.signal, undefined);
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await once(send, request.clone(), request.signal, timeoutMs).catch((error: unknown) => error);
      const isLast = attempt >= options.attempts;
      const delay = isLast ? undefined : await delayBefore(request, outcome, attempt, options);
      if (delay === undefined) {
        if (outcome instanceof Response) return outcome;
        throw outcome;
      }
      await sleep(delay, request.signal);
    }
  };
}

/** Return how long to wait before the same request may be sent again, undefined when it may not. Milliseconds. */
export async function delayBefore(
  request: Request,
  outcome: unknown,
  attempt: number,
  options: RetryOptions,
): Promise<number | undefined> {
  const backoff = Math.random() * Math.min(options.longestDelayMs, options.firstDelayMs * 2 ** (attempt - 1));
  if (!(outcome instanceof Response)) {
    return outcome instanceof ConnectionError && isRepeatable(request) ? backoff : undefined;
  }
  if (!(await mayBeSentAgain(request, outcome))) return undefined;
  const asked = (retryAfterSeconds(outcome.headers) ?? 0) * 1000;
  return asked > options.longestDelayMs ? undefined : Math.max(asked, backoff);
}

async function mayBeSentAgain(request: Request, response: Response): Promise<boolean> {
  if (response.status === 429) return true;
  if (!isRepeatable(request)) return false;
  return UNAVAILABLE.has(response.status) || (response.status === 409 && (await isSuperseded(request, response)));
}

/** Return whether another attempt with the same idempotency key was refused first, so that this one changed nothing. */
async function isSuperseded(request: Request, response: Response): Promise<boolean> {
  if (!request.headers.has("idempotency-key")) return false;
  const problem = await problemOf(request, response.clone());
  return problem.details?.["constraint"] === "superseded";
}

function isRepeatable(request: Request): boolean {
  return request.method === "GET" || request.method === "HEAD" || request.headers.has("idempotency-key");
}

function isStream(request: Request): boolean {
  return request.headers.get("accept") === "text/event-stream";
}

/** Send a request once. `signal`: the caller's, as a clone of a request may miss its abort. */
async function once(send: Fetch, request: Request, signal: AbortSignal, timeoutMs: number | undefined): Promise<Response> {
  try {
    return await (timeoutMs === undefined
      ? openStream(send, request, signal)
      : answerWithin(timeoutMs, request, signal, send));
  } catch (error) {
    if (signal.aborted) throw signal.reason; // aborted by the caller
    if (error instanceof PackhouseError) throw error;
    throw new ConnectionError(`${request.method} ${request.url}: no answer (${reasonOf(error)})`, { cause: error });
  }
}

/** Send a request for a stream. An answer without one is read to its end; the caller's signal limits the time. */
async function openStream(send: Fetch, request: Request, signal: AbortSignal): Promise<Response> {
  const response = await unlessAborted(signal, send(request));
  return isEventStream(response) ? response : wholeAnswer(request, response, signal);
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
