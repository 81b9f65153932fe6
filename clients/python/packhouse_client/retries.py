"""Which requests are sent again, when, and how often.

After a lost answer or a passing refusal (502, 503, 504) only what can't be done twice is sent again: reading, a PUT or
DELETE that says which version it replaces, a POST with an `Idempotency-Key`. Everything else is sent again only when it
surely was not carried out: the connection was never made, or the server said 429.

`Retry-After` is honoured; a server that asks for more patience than `longest_wait_seconds` is believed at once.
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
    """How patient a client is. `Retries(attempts=1)` never sends twice."""

    attempts: int = 5
    longest_wait_seconds: float = 30.0

    def stop(self, state: tenacity.RetryCallState) -> bool:
        """Tell tenacity to give up: the attempts are used, or the server wants to be left alone for long."""
        return state.attempt_number >= self.attempts or _retry_after(state) > self.longest_wait_seconds

    def wait(self, state: tenacity.RetryCallState) -> float:
        """Return seconds until the next attempt: what the server asked for, else exponential with jitter."""
        grown = min(_FIRST_WAIT_SECONDS * 2.0**state.attempt_number, self.longest_wait_seconds)
        return max(_retry_after(state), random.uniform(grown / 2, grown))  # noqa: S311 - jitter


def may_repeat(request: httpx.Request, state: tenacity.RetryCallState) -> bool:
    """Tell whether a request that ended in an error may be sent again."""
    error = _error(state)
    if isinstance(error, RateLimited) or (isinstance(error, NoAnswer) and _never_sent(error)):
        return True
    if not is_repeatable(request.method, request.headers):
        return False
    if isinstance(error, StateConflict):  # the first sending, whose answer was lost, is still being carried out
        return request.method == "POST" and state.attempt_number > 1
    return isinstance(error, NoAnswer | Unavailable)


def is_repeatable(method: str, headers: Mapping[str, str]) -> bool:
    """Tell whether sending a request twice does what sending it once does."""
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
