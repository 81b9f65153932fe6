"""Retry policy: which requests are sent again, when, and how often.

After a lost answer or a temporary refusal (502, 503, 504) only requests that can't take effect twice are sent again:
reads, a PUT or DELETE with the version it replaces, a POST with an `Idempotency-Key`. All others are sent again only if
they were certainly not executed: the connection was never made, or the server answered 429.

`Retry-After` is honoured; if it is longer than `longest_wait_seconds`, the request fails at once.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import httpx
import tenacity

from packhouse_client.errors import ApiError, NoAnswer, RateLimited, StateConflict, Unavailable

_FIRST_WAIT_SECONDS: Final = 0.25


@dataclass(frozen=True, slots=True)
class Retries:
    """Limits on retries of a client. `Retries(attempts=1)` never sends twice."""

    attempts: int = 5
    longest_wait_seconds: float = 30.0

    def stop(self, state: tenacity.RetryCallState) -> bool:
        """Return whether to give up: no attempts are left, or `Retry-After` is longer than `longest_wait_seconds`."""
        return state.attempt_number >= self.attempts or _retry_after(state) > self.longest_wait_seconds

    def wait(self, state: tenacity.RetryCallState) -> float:
        """Return seconds until the next attempt: exponential with jitter, and at least `Retry-After`."""
        grown = min(_FIRST_WAIT_SECONDS * 2.0**state.attempt_number, self.longest_wait_seconds)
        return max(_retry_after(state), random.uniform(grown / 2, grown))  # noqa: S311 - jitter


def may_repeat(request: httpx.Request, state: tenacity.RetryCallState) -> bool:
    """Return whether a request that ended in an error may be sent again."""
    error = _error(state)
    if isinstance(error, RateLimited) or (isinstance(error, NoAnswer) and _never_sent(error)):
        return True
    if not is_repeatable(request.method, request.headers):
        return False
    if isinstance(error, StateConflict):  # an earlier sending of this request was refused in between
        return (error.problem.get("details") or {}).get("constraint") == "superseded"
    return isinstance(error, NoAnswer | Unavailable)


def is_repeatable(method: str, headers: Mapping[str, str]) -> bool:
    """Return whether sending a request twice has the same effect as sending it once."""
    match method:
        case "GET" | "HEAD":
            return True
        case "PUT" | "DELETE":
            return "if-match" in headers or "if-none-match" in headers
        case _:
            return "idempotency-key" in headers


def _never_sent(error: NoAnswer) -> bool:
    return isinstance(error.__cause__, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout)


def _error(state: tenacity.RetryCallState) -> BaseException | None:
    return None if state.outcome is None else state.outcome.exception()


def _retry_after(state: tenacity.RetryCallState) -> float:
    error = _error(state)
    return (error.retry_after or 0.0) if isinstance(error, ApiError) else 0.0
