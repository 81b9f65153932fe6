/**
 * Every error that this SDK throws, split by what the caller can do.
 *
 *     PackhouseError
 *     ├── ApiError               the server answered with a problem (RFC 9457); `code` is stable
 *     │   ├── UnauthenticatedError  401: no valid key
 *     │   ├── ForbiddenError        403: the key's role may not do this
 *     │   ├── NotFoundError         404: no such object, or not for this key
 *     │   ├── ConflictError         409: the object's state forbids it
 *     │   ├── PreconditionError     412, 428: read the object again and send its ETag
 *     │   ├── InvalidInputError     422: `errors` names each wrong field
 *     │   ├── RateLimitedError      429: too much at once; `retryAfterSeconds` says when
 *     │   └── UnavailableError      5xx: the same request may work later
 *     ├── ConnectionError        no answer; whether the request was carried out is not known
 *     ├── UnreadableAnswerError  a redirect, an answer above its limit, or text that is not JSON: not a Packhouse
 *     └── WaitTimeoutError       a run did not end in the time given; it goes on
 */
import type { components } from "./generated/schema.js";

/** The body of an error answer. */
export type Problem = components["schemas"]["Problem"];
/** One wrong field of a request. */
export type ProblemField = components["schemas"]["ProblemField"];
/** The operation that ends a problem or a wait. */
export type Remedy = components["schemas"]["Remedy"];

/** Root of all errors of this SDK. */
export class PackhouseError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The server answered, and refused or failed. */
export class ApiError extends PackhouseError {
  readonly problem: Problem;
  /** Seconds of the answer's `Retry-After`, if it has one. */
  readonly retryAfterSeconds: number | undefined;

  constructor(problem: Problem, retryAfterSeconds?: number) {
    super(`${problem.title}: ${problem.detail}`);
    this.problem = problem;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  get status(): number {
    return this.problem.status;
  }

  /** Stable name of the problem type, such as `state_conflict`. */
  get code(): string {
    return this.problem.code;
  }

  /** Names the request in the server's log. */
  get requestId(): string | null {
    return this.problem.request_id;
  }

  /** The operation that ends the problem, if there is one. */
  get remedy(): Remedy | null {
    return this.problem.remedy ?? null;
  }

  /** The wrong fields; empty unless the answer is about fields. */
  get errors(): readonly ProblemField[] {
    return this.problem.errors ?? [];
  }
}

export class UnauthenticatedError extends ApiError {}
export class ForbiddenError extends ApiError {}
export class NotFoundError extends ApiError {}
export class ConflictError extends ApiError {}
export class PreconditionError extends ApiError {}
export class InvalidInputError extends ApiError {}
export class RateLimitedError extends ApiError {}
export class UnavailableError extends ApiError {}

/** No answer came: the connection failed, or the time for one request was over. `cause` says which. */
export class ConnectionError extends PackhouseError {}

/** The answer is none of a Packhouse: a redirect, larger than its limit, or not JSON. Check `baseUrl`. */
export class UnreadableAnswerError extends PackhouseError {}

/** A run did not end in the time given. */
export class WaitTimeoutError extends PackhouseError {}

const BY_STATUS: Readonly<Record<number, typeof ApiError>> = {
  401: UnauthenticatedError,
  403: ForbiddenError,
  404: NotFoundError,
  409: ConflictError,
  412: PreconditionError,
  422: InvalidInputError,
  428: PreconditionError,
  429: RateLimitedError,
};

/** Return the error for an answer that is not successful; reads its body. */
export async function errorOf(request: Request, response: Response): Promise<ApiError> {
  const kind = BY_STATUS[response.status] ?? (response.status >= 500 ? UnavailableError : ApiError);
  return new kind(await problemOf(request, response), retryAfterSeconds(response.headers));
}

/** Return the problem document of an answer, or one made from its status when something between answered. */
export async function problemOf(request: Request, response: Response): Promise<Problem> {
  const text = await response.text().catch(() => "");
  if (/^application\/problem\+json\b/.test(response.headers.get("content-type") ?? "")) {
    try {
      return JSON.parse(text) as Problem;
    } catch {
      // cut off on its way: the status has to do
    }
  }
  return {
    type: "about:blank",
    title: response.statusText || `Status ${response.status}`,
    status: response.status,
    detail: `${request.method} ${request.url} was answered ${response.status} without a problem document`,
    instance: new URL(request.url).pathname,
    code: "unknown",
    request_id: response.headers.get("x-request-id"),
  };
}

/** Return the seconds of `Retry-After` (a number or a date), undefined where there is none that can be read. */
export function retryAfterSeconds(headers: Headers, now: number = Date.now()): number | undefined {
  const written = headers.get("retry-after")?.trim();
  if (!written) return undefined;
  if (/^\d+$/.test(written)) return Number(written);
  const at = Date.parse(written);
  return Number.isNaN(at) ? undefined : Math.max(0, (at - now) / 1000);
}
