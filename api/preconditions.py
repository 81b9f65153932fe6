"""Strong ETags and the conditions on them. An ETag is the object's version, so the database finds a stale write."""

import re
from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import Depends, Header
from starlette.responses import Response

from engine.domain.errors import FieldProblem, InvalidInput, PreconditionFailed, PreconditionRequired

_TAG: Final = re.compile(r'(W/)?"([^"]{0,250})"')
_VERSION: Final = re.compile(r"[0-9]{1,9}")
_SHOWN: Final = 80
_READ_FIRST: Final = 'send the ETag that GET answered, in its quotes: If-Match: "3"'


@dataclass(frozen=True, slots=True)
class Preconditions:
    """What a write demands: the version it replaces, or that there is none yet."""

    if_match: int | None
    if_none_match: bool

    def version(self) -> int:
        """Return the version that the caller read, or raise `PreconditionRequired`."""
        if self.if_match is None:
            raise PreconditionRequired(f"this is written only as you know it: {_READ_FIRST}")
        return self.if_match


async def preconditions(
    if_match: Annotated[
        str | None,
        Header(
            description="ETag of the object as it was read.",
            examples=['"3"'],
            json_schema_extra={"pattern": r'^"[0-9]{1,9}"$'},
        ),
    ] = None,
    if_none_match: Annotated[
        str | None,
        Header(
            description="`*`: only if there is none yet.",
            examples=["*"],
            json_schema_extra={"pattern": r"^\*$"},
        ),
    ] = None,
) -> Preconditions:
    """Read the conditions of a request.

    Raises:
        InvalidInput: a header is malformed, or asks what makes no sense for a write.
        PreconditionFailed: a well-formed tag that no version can have.
    """
    if if_none_match is not None and if_none_match.strip() != "*":
        raise _malformed("If-None-Match", if_none_match, "only * is understood: write if there is none yet")
    return Preconditions(None if if_match is None else _version(if_match), if_none_match is not None)


Conditions = Annotated[Preconditions, Depends(preconditions)]


def set_etag(response: Response, version: int) -> None:
    """Put an object's version on its answer."""
    response.headers["ETag"] = f'"{version}"'


def _version(header: str) -> int:
    match = _TAG.fullmatch(header.strip())
    if match is None:
        raise _malformed("If-Match", header, f"give exactly one ETag: {_READ_FIRST}")
    if match[1] or not _VERSION.fullmatch(match[2]):
        raise PreconditionFailed(f"{header} is not an ETag of this object: {_READ_FIRST}")
    return int(match[2])


def _malformed(name: str, value: str, hint: str) -> InvalidInput:
    problem = FieldProblem(f"header:{name}", "malformed", value[:_SHOWN], hint)
    return InvalidInput(f"the header {name} can't be read", problems=(problem,))
