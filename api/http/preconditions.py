"""ETags of objects with versions, and the conditions of writes on them.

An ETag has the object's version, which the database compares, so that a stale write is refused. The ETag of a read also
has a digest of the answer after it (`representations`), which writes ignore: `"3"` and `"3-5f0c1a7e9b3d4c21"` name
the same version.
"""

import re
from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import Depends, Header
from starlette.responses import Response

from engine.domain.errors import FieldProblem, InvalidInput, PreconditionFailed, PreconditionRequired

_TAG: Final = re.compile(r'(W/)?"([^"]{0,250})"')
_VERSION: Final = re.compile(r"([0-9]{1,9})(-[0-9a-f]{16})?", re.ASCII)
_SHOWN: Final = 80
_READ_FIRST: Final = 'send the ETag that GET answered, in its quotes: If-Match: "3"'


@dataclass(frozen=True, slots=True)
class Preconditions:
    """Condition of a write: the version that it replaces, or that the object does not exist yet."""

    if_match: int | None
    if_none_match: bool

    def version(self) -> int:
        """Return the version of If-Match, or raise `PreconditionRequired`."""
        if self.if_match is None:
            raise PreconditionRequired(f"a write must name the version that it changes: {_READ_FIRST}")
        return self.if_match


IfMatch = Annotated[
    str | None,
    Header(
        description="ETag of the version that was read.",
        examples=['"3"'],
        json_schema_extra={"pattern": r'^"[0-9]{1,9}(-[0-9a-f]{16})?"$'},
    ),
]


async def version_read(if_match: IfMatch = None) -> Preconditions:
    """Read the condition of a request on an existing object: only If-Match is accepted.

    Raises:
        InvalidInput, PreconditionFailed: as `preconditions`.
    """
    return await preconditions(if_match)


async def preconditions(
    if_match: IfMatch = None,
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
        InvalidInput: a header is malformed, or its condition makes no sense for a write.
        PreconditionFailed: a well-formed tag that no version can have.
    """
    if if_none_match is not None and if_none_match.strip() != "*":
        raise _malformed("If-None-Match", if_none_match, "only * is supported: write if there is none yet")
    return Preconditions(None if if_match is None else _version(if_match), if_none_match is not None)


Conditions = Annotated[Preconditions, Depends(preconditions)]
VersionRead = Annotated[Preconditions, Depends(version_read)]


def set_etag(response: Response, version: int) -> None:
    """Put an object's version on its answer."""
    response.headers["ETag"] = f'"{version}"'


def _version(header: str) -> int:
    match = _TAG.fullmatch(header.strip())
    if match is None:
        raise _malformed("If-Match", header, f"give exactly one ETag: {_READ_FIRST}")
    version = _VERSION.fullmatch(match[2])
    if match[1] or version is None:
        raise PreconditionFailed(f"{header} is not an ETag of this object: {_READ_FIRST}")
    return int(version[1])


def _malformed(name: str, value: str, hint: str) -> InvalidInput:
    problem = FieldProblem(f"header:{name}", "malformed", value[:_SHOWN], hint)
    return InvalidInput(f"the header {name} can't be read", problems=(problem,))
