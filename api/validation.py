"""What pydantic found wrong, in the words of the API: one problem a field, with a pointer, the value and a remedy.

A union reports one error for each of its members, with the member's name in the location; those are folded into one.
"""

import difflib
import types
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, Union, get_args, get_origin

from fastapi import Request
from fastapi.dependencies.models import Dependant
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel

from engine.domain.errors import FieldProblem, InvalidInput

MAX_PROBLEMS: Final = 50
_PLACES: Final = {"query": "query", "path": "path", "header": "header", "cookie": "cookie"}
_ADDED_BY_PYDANTIC: Final = "Value error, "
Location = tuple[str | int, ...]


def unreadable_body(error: RequestValidationError) -> str | None:
    """Return why the body is no JSON at all, None when it is."""
    for found in error.errors():
        if found["type"] == "json_invalid":
            return f"the body is not JSON: {found['ctx']['error']} at character {found['loc'][-1]}"
    return None


async def refuse_unknown_parameters(request: Request) -> None:
    """Refuse query parameters that the route does not know: a misspelt filter must not pass as no filter.

    Raises:
        InvalidInput: one problem for each, with the nearest name.
    """
    known = _query_names(request.scope["route"].dependant)
    problems = tuple(
        FieldProblem(f"query:{name}", "unknown parameter", value, _nearest(name, known) or "it takes none")
        for name, value in request.query_params.multi_items()
        if name not in known
    )
    if problems:
        raise InvalidInput(f"{len(problems)} unknown query parameters; see errors", problems=problems[:MAX_PROBLEMS])


def _query_names(dependant: Dependant) -> list[str]:
    own = [field.alias for field in dependant.query_params]
    return own + [name for each in dependant.dependencies for name in _query_names(each)]


def problems_of(error: RequestValidationError, route: Any) -> tuple[FieldProblem, ...]:
    """Return one problem for each wrong field; `route` knows the body's model, for hints at unknown fields."""
    by_pointer: dict[tuple[str, Location], list[Mapping[str, Any]]] = defaultdict(list)
    for found in error.errors():
        place, *rest = found["loc"]
        location = tuple(rest) if place in _PLACES else _existing(error.body, tuple(rest), found["type"])
        by_pointer[str(place), location].append(found)
    model = _body_model(route)
    folded = [_fold(place, location, found, model) for (place, location), found in by_pointer.items()]
    return tuple(folded[:MAX_PROBLEMS])


def _existing(body: Any, location: Location, kind: str) -> Location:
    """Leave out of a location what is not in the body as it was sent: names of members of unions."""
    kept: list[str | int] = []
    node = body
    for part in location:
        match node:
            case dict() if part in node:
                node = node[part]
            case list() if isinstance(part, int) and part < len(node):
                node = node[part]
            case _:
                continue
        kept.append(part)
    if kind == "missing" and kept[-1:] != [location[-1]]:
        kept.append(location[-1])
    return tuple(kept)


def _fold(place: str, location: Location, found: Sequence[Mapping[str, Any]], model: Any) -> FieldProblem:
    pointer = _pointer(place, location)
    first = found[0]
    if first["type"] == "extra_forbidden":
        known = _fields_at(model, location[:-1])
        return FieldProblem(pointer, "unknown field", None, _nearest(str(location[-1]), known))
    if first["type"] == "missing":
        return FieldProblem(pointer, "this field is required")
    messages = dict.fromkeys(str(one["msg"]).removeprefix(_ADDED_BY_PYDANTIC) for one in found)
    value = None if "properties" in location else first.get("input")
    return FieldProblem(pointer, "; or: ".join(messages), value)


def _pointer(place: str, location: Location) -> str:
    if place in _PLACES:
        return f"{place}:{'.'.join(map(str, location))}"
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in location)


def _nearest(name: str, known: Sequence[str]) -> str | None:
    if not known:
        return None
    near = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {near[0]!r}?" if near else f"known fields: {', '.join(sorted(known))}"


def _body_model(route: Any) -> Any:
    parameters = getattr(getattr(route, "dependant", None), "body_params", None) or []
    return parameters[0].field_info.annotation if len(parameters) == 1 else None


def _fields_at(annotation: Any, location: Location) -> list[str]:
    """Return the field names of the model that a location leads to, over options and lists."""
    model = _model_in(annotation)
    for part in location:
        if model is None:
            break
        if isinstance(part, str) and part in model.model_fields:
            model = _model_in(model.model_fields[part].annotation)
    return [field.alias or name for name, field in model.model_fields.items()] if model else []


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    if get_origin(annotation) in (Annotated, Union, types.UnionType, list, tuple, Sequence):
        return next((model for part in get_args(annotation) if (model := _model_in(part)) is not None), None)
    return None
