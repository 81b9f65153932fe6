"""Classification of a store's refusals by the text of errors: Arrow has one class for all of them, `obstore` few.

S3 answers expired credentials with status 400. A HEAD request has no response body with the reason, and Arrow often
cannot read the body of a refused ranged read. Both are treated as expired credentials, because opening the table again
gets new ones and a second refusal ends the group. Status 403 is a refusal of valid credentials.
"""

import re
from typing import Final

_EXPIRED: Final = re.compile(
    r"ExpiredToken|TokenRefreshRequired|RequestExpired|(?:token|credentials?) (?:has|is|have|are) expired"
    r"|\(HTTP status 400\) during (?:Head|Get)(?!.*ExceptionName)|INTERNAL_FAILURE during Get"
    r"|performing HEAD .*status code: 400"
)
_REFUSED: Final = re.compile(
    r"AccessDenied|ACCESS_DENIED|InvalidAccessKeyId|INVALID_ACCESS_KEY_ID|SignatureDoesNotMatch|SIGNATURE_DOES_NOT_MATCH"
    r"|InvalidToken|\(HTTP status 40[13]\)|status code: 40[13]"
)


_BUSY: Final = re.compile(
    r"status code: (?:429|500|502|503|504)|SlowDown|ServerBusy|TooManyRequests|RequestTimeout"
    r"|HTTP error|error sending request|operation timed out|connection (?:closed|reset)|error decoding response body"
)
_NO_FAULT_OF_THE_STORE: Final = re.compile(r"HTTP status 404|status code: (?:404|416)")


class StoreError(OSError):
    """An object store refused a request or did not answer; the text is its own, without debugging output."""


def is_of_a_store(error: OSError) -> bool:
    """Return whether an error is a remote store's, and not about one file: a missing one, or one that ends early."""
    if isinstance(error, FileNotFoundError) or _NO_FAULT_OF_THE_STORE.search(str(error)):
        return False
    return isinstance(error, StoreError) or "AWS Error" in str(error)


def is_busy(error: OSError) -> bool:
    """Return whether the same request may succeed later; Arrow repeats such requests on its own."""
    return isinstance(error, StoreError) and _BUSY.search(str(error)) is not None


def is_expired(text: str) -> bool:
    """Return whether a store refused credentials because they expired, or for a reason that Arrow does not show."""
    return _EXPIRED.search(text) is not None


def is_refused(text: str) -> bool:
    """Return whether a store refused credentials that did not expire."""
    return _REFUSED.search(text) is not None
