"""Pages that describe each problem type, for people who follow the `type` of an error answer."""

from typing import Annotated, Any, Final

from fastapi import APIRouter, Path
from fastapi.responses import PlainTextResponse

from api.problems.catalogue import PROBLEM_TYPES
from api.problems.responses import add
from engine.domain.errors import NotFound

router = APIRouter(prefix="/problems", tags=["operations"])


def _text(code: str) -> str:
    kind = PROBLEM_TYPES[code]
    return f"{kind.title} ({kind.code}, status {kind.status})\n\n{kind.explanation}\n"


_ANSWERS: Final[dict[int | str, dict[str, Any]]] = {
    200: {"content": {"text/plain": {"example": _text("invalid_input")}}}
}
add(_ANSWERS, "not_found")


@router.get(
    "/{code}",
    summary="Explain a problem type",
    response_class=PlainTextResponse,
    responses=_ANSWERS,
)
async def explain_problem(
    code: Annotated[str, Path(max_length=64, description="`code` of a problem.", examples=["invalid_input"])],
) -> str:
    """Explain a problem type in a paragraph."""
    if code not in PROBLEM_TYPES:
        raise NotFound(f"no problem type {code!r}; there are {', '.join(PROBLEM_TYPES)}")
    return _text(code)
