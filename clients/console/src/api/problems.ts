/** Errors of the API as a person reads them: what happened, what to do, and the request to ask about. */
import { ApiError, ConnectionError, ForbiddenError, NotFoundError, PreconditionError, RateLimitedError, type Remedy, UnauthenticatedError } from "@packhouse/client";

export interface Trouble {
  readonly title: string;
  readonly detail: string;
  /** What the person can do about it. */
  readonly remedy: string | null;
  /** The operation that ends the problem. */
  readonly operation: Remedy | null;
  readonly requestId: string | null;
  readonly fields: readonly { pointer: string; message: string; hint: string | null; remedy: Remedy | null; value: unknown }[];
}

/** A person did not acknowledge what a change deletes: nothing was sent again. */
export class NotAcknowledged extends Error {}

/** Return an error as a title, a detail and a remedy. */
export function troubleOf(error: unknown): Trouble {
  if (error instanceof ApiError) {
    return {
      title: error.problem.title,
      detail: error.problem.detail,
      remedy: error.remedy === null ? remedyOf(error) : null,
      operation: error.remedy,
      requestId: error.requestId,
      fields: error.errors.map(({ pointer, message, hint, remedy, value }) => ({ pointer, message, hint: hint ?? null, remedy: remedy ?? null, value })),
    };
  }
  if (error instanceof ConnectionError) {
    return {
      title: "The server did not answer",
      detail: "Whether the request was carried out is not known.",
      remedy: "Wait until the connection is back, look at the current state, and then try again.",
      operation: null,
      requestId: null,
      fields: [],
    };
  }
  if (error instanceof NotAcknowledged) return { title: "Nothing was saved", detail: error.message, remedy: null, operation: null, requestId: null, fields: [] };
  const detail = error instanceof Error ? error.message : String(error);
  return { title: "The page failed", detail, remedy: "Reload the page.", operation: null, requestId: null, fields: [] };
}

function remedyOf(error: ApiError): string | null {
  if (error instanceof ForbiddenError) return "Ask an admin for the role that it needs, or sign in with another key.";
  if (error instanceof NotFoundError) return "Check the address: the object may be deleted, or belong to another team.";
  if (error instanceof PreconditionError) return "Load the current version and apply the change to it.";
  if (error instanceof RateLimitedError) return `Try again in ${error.retryAfterSeconds ?? 10} seconds.`;
  if (error instanceof UnauthenticatedError) return "Sign in again.";
  return null;
}

export const isForbidden = (error: unknown): boolean => error instanceof ForbiddenError;
export const isNotFound = (error: unknown): boolean => error instanceof NotFoundError;
