"""Classification of a store's refusals by the text of errors: Arrow has one class for all of them, `obstore` few.

S3 answers expired credentials with status 400. A HEAD request has no response body with the reason, and Arrow often
cannot read the body of a refused ranged read. Both are treated as expired credentials, because opening the table again
gets new ones and a second refusal ends the group. Status 403 is a refusal of valid credentials.
"""

import random
import re
from collections.abc import Iterator
from typing import Final

BUSY_SECONDS: Final = 60.0
SILENT_SECONDS: Final = 3.0
"""A task gives up after so long without an answer, and the run waits for the store without a task."""

_FIRST_WAIT: Final = 0.1
_LONGEST_WAIT: Final = 5.0

_EXPIRED: Final = re.compile(
    r"ExpiredToken|TokenRefreshRequired|RequestExpired|(?:token|credentials?) (?:has|is|have|are) expired"
    r"|\(HTTP status 400\) during (?:Head|Get)(?!.*ExceptionName)|INTERNAL_FAILURE during Get"
    r"|performing HEAD .*status code: 400|Signature not valid in the specified time frame|GCS error.*status code: 401"
)
_REFUSED: Final = re.compile(
    r"AccessDenied|ACCESS_DENIED|InvalidAccessKeyId|INVALID_ACCESS_KEY_ID|SignatureDoesNotMatch|SIGNATURE_DOES_NOT_MATCH"
    r"|InvalidToken|AccessControlException|\(HTTP status 40[13]\)|status code: 40[13]"
)


_BUSY: Final = re.compile(
    r"status code: (?:429|503)|SlowDown|ServerBusy|TooManyRequests|SafeModeException|StandbyException"
)
_NO_ANSWER: Final = re.compile(
    r"status code: (?:500|502|504)|RequestTimeout|HTTP error|error sending request|operation timed out"
    r"|connection (?:closed|reset)|error decoding response body|\(os error \d+\)"
)
_NO_FAULT_OF_THE_STORE: Final = re.compile(r"HTTP status 404|status code: (?:404|416)")


class StoreError(OSError):
    """An object store refused a request or did not answer; the text is its own, without debugging output."""


def is_of_a_store(error: OSError) -> bool:
    """Return whether an error is a remote store's, and not about one file: a missing one, or one that ends early."""
    if isinstance(error, FileNotFoundError) or _NO_FAULT_OF_THE_STORE.search(str(error)):
        return False
    return isinstance(error, StoreError) or "AWS Error" in str(error)


def ends_before(error: StoreError) -> bool:
    """Return whether an object ends before the range that was asked for (not every store answers 416 then)."""
    return "status code: 416" in str(error) or "but object was only" in str(error)


def patience(error: OSError) -> float:
    """Return for how many seconds a request is repeated: long for a busy store, briefly for one that does not answer.

    0.0 for all other errors, and for those of Arrow, which repeats requests on its own.
    """
    if not isinstance(error, StoreError):
        return 0.0
    if _BUSY.search(str(error)):
        return BUSY_SECONDS
    return SILENT_SECONDS if _NO_ANSWER.search(str(error)) else 0.0


def waits() -> Iterator[float]:
    """Yield the seconds to wait before each repetition of a request: twice as long each time, with jitter."""
    longest = _FIRST_WAIT
    while True:
        yield longest * random.uniform(0.5, 1.0)  # noqa: S311 - jitter
        longest = min(_LONGEST_WAIT, 2 * longest)


def is_expired(text: str) -> bool:
    """Return whether a store refused credentials because they expired, or for a reason that Arrow does not show."""
    return _EXPIRED.search(text) is not None


def is_stale(error: OSError) -> bool:
    """Return whether a store may have refused a request because its credentials expired.

    Azure answers 403 for an ended signature as for a missing right, and Google 401 for an ended token.
    """
    return isinstance(error, StoreError) and (is_expired(str(error)) or is_refused(str(error)))


def is_refused(text: str) -> bool:
    """Return whether a store refused credentials that did not expire."""
    return _REFUSED.search(text) is not None
