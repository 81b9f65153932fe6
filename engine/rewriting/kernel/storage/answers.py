"""Classification of a store's refusals by the text of Arrow's errors, which have one class for all of them.

S3 answers expired credentials with status 400. A HEAD request has no response body with the reason, and Arrow often
cannot read the body of a refused ranged read. Both are treated as expired credentials, because opening the table again
gets new ones and a second refusal ends the group. Status 403 is a refusal of valid credentials.
"""

import re
from typing import Final

_EXPIRED: Final = re.compile(
    r"ExpiredToken|TokenRefreshRequired|RequestExpired|(?:token|credentials?) (?:has|is|have|are) expired"
    r"|\(HTTP status 400\) during (?:Head|Get)(?!.*ExceptionName)|INTERNAL_FAILURE during Get"
)
_REFUSED: Final = re.compile(
    r"AccessDenied|ACCESS_DENIED|InvalidAccessKeyId|INVALID_ACCESS_KEY_ID|SignatureDoesNotMatch|SIGNATURE_DOES_NOT_MATCH"
    r"|InvalidToken|\(HTTP status 40[13]\)"
)


def is_expired(text: str) -> bool:
    """Return whether a store refused credentials because they expired, or for a reason that Arrow does not show."""
    return _EXPIRED.search(text) is not None


def is_refused(text: str) -> bool:
    """Return whether a store refused credentials that did not expire."""
    return _REFUSED.search(text) is not None
