"""What each problem type means, for people who follow the `type` of an error answer."""

from typing import Annotated, Any, Final

from fastapi import APIRouter, Path
from fastapi.responses import PlainTextResponse

from api.problems import PROBLEM_TYPES
from api.responses import add
from engine.domain.errors import NotFound

router = APIRouter(prefix="/problems", tags=["operations"])
_ANSWERS: Final[dict[int | str, dict[str, Any]]] = {}
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
    kind = PROBLEM_TYPES.get(code)
    if kind is None:
        raise NotFound(f"no problem type {code!r}; there are {', '.join(PROBLEM_TYPES)}")
    return f"{kind.title} ({kind.code}, status {kind.status})\n\n{kind.explanation}\n"
