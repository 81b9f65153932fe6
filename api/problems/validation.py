"""Convert pydantic's validation errors to the API's: one problem per field, with a pointer, the value and a remedy.

A union has one error for each of its members, with the member's name in the location; these are merged into one.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from itertools import islice, zip_longest
from typing import Any, Final

from fastapi import Request
from fastapi.dependencies.models import Dependant
from fastapi.exceptions import RequestValidationError

from api.problems.field_names import example_hint, missing_hint, unknown_field_hint
from engine.domain.errors import FieldProblem, InvalidInput
from engine.domain.values.hints import Misread, nearest
from engine.domain.values.validation_messages import message_of

MAX_PROBLEMS: Final = 50
_MOST_READ: Final = 500
"""Errors of a body that are compared with one another; a hint for an unknown field takes half a millisecond."""
_PLACES: Final = {"query": "query", "path": "path", "header": "header", "cookie": "cookie"}
_WORDS: Final = ("literal_error", "enum")
_TAGS: Final = ("union_tag_not_found", "union_tag_invalid")
Location = tuple[str | int, ...]


async def refuse_unknown_parameters(request: Request) -> None:
    """Refuse query parameters that the route does not know: a misspelt filter must not be ignored.

    Raises:
        InvalidInput: one problem for each, with the most similar name.
    """
    known = _query_names(request.scope["route"].dependant)
    unknown = [(name, value) for name, value in request.query_params.multi_items() if name not in known]
    problems = tuple(
        FieldProblem(f"query:{name}", "unknown parameter", value, _parameter_hint(name, known))
        for name, value in unknown[:MAX_PROBLEMS]  # a hint is costly, and some routes need no key
    )
    if problems:
        count = "one query parameter is" if len(unknown) == 1 else f"{len(unknown)} query parameters are"
        raise InvalidInput(f"{count} unknown; see errors", problems=problems)


def _parameter_hint(name: str, known: Sequence[str]) -> str:
    accepted = f"accepted: {', '.join(sorted(known))}" if known else "it takes none"
    near = nearest(name, known)
    return accepted if near is None else f"did you mean {near!r}? {accepted}"


def _query_names(dependant: Dependant) -> list[str]:
    own = [field.alias for field in dependant.query_params]
    return own + [name for each in dependant.dependencies for name in _query_names(each)]


def problems_of(error: RequestValidationError, route: Any) -> tuple[FieldProblem, ...]:
    """Return one problem for each wrong field; `route` has the body's model, for hints on unknown fields."""
    by_pointer: dict[tuple[str, Location], list[Mapping[str, Any]]] = defaultdict(list)
    for found in error.errors()[:_MOST_READ]:
        place, *rest = found["loc"]
        tag = _tag_of(found)
        location = tuple(rest) if place in _PLACES else (*_existing(error.body, tuple(rest), found["type"]), *tag)
        by_pointer[str(place), location].append(found)
    model = _body_model(route)
    folded = (
        _fold(place, location, found, model)
        for (place, location), found in by_pointer.items()
        if not _follows_from_others(place, location, found, by_pointer.keys())
    )
    return tuple(islice(folded, MAX_PROBLEMS))


def _tag_of(found: Mapping[str, Any]) -> Location:
    """Return the field that chooses the member of a union, if that is what is wrong; nothing otherwise."""
    return (found["ctx"]["discriminator"].strip("'"),) if found["type"] in _TAGS else ()


def _follows_from_others(
    place: str, location: Location, found: Sequence[Mapping[str, Any]], all_places: Collection[tuple[str, Location]]
) -> bool:
    """Return whether problems inside a value explain this one, such as an object for a union's text, or a bad item."""
    inside = any(
        other == place and len(inner) > len(location) and inner[: len(location)] == location
        for other, inner in all_places
    )
    return inside and all(_is_about_structure(one) for one in found)


def _is_about_structure(found: Mapping[str, Any]) -> bool:
    return found["type"] in (*_WORDS, "too_short") and isinstance(found.get("input"), dict | list)


def _existing(body: Any, location: Location, kind: str) -> Location:
    """Return a location without the parts that are not in the sent body: names of members of unions."""
    kept: list[str | int] = []
    node = body
    for part, following in zip_longest(location, location[1:]):
        match node:
            case dict() if following in node and part in node and not isinstance(node[part], dict | list):
                continue  # the name of a member that is also the name of one of its fields
            case dict() if part in node:
                node = node[part]
            case list() if isinstance(part, int) and part < len(node):
                node = node[part]
            case _:
                continue
        kept.append(part)
    if kind == "missing" and kept[-1:] != list(location[-1:]):
        kept.append(location[-1])
    return tuple(kept)


def _fold(place: str, location: Location, found: Sequence[Mapping[str, Any]], model: Any) -> FieldProblem:
    pointer = _pointer(place, location)
    first = found[0]
    if first["type"] == "extra_forbidden":
        return FieldProblem(pointer, message_of(first), None, unknown_field_hint(model, location))
    if first["type"] in ("missing", "union_tag_not_found"):
        return FieldProblem(pointer, message_of(first), None, missing_hint(model, location) if location else None)
    telling = [one for one in found if not _is_about_structure(one)] or found
    messages = dict.fromkeys(message_of(one) for one in telling)
    value = None if "properties" in location else _value_of(first)
    hint = next((hint for one in found if (hint := _hint(one)) is not None), None)
    if hint is None and place == "path" and first["type"] == "string_pattern_mismatch":
        hint = "give the id or name that its list shows; a table may be named by its address, such as lake.shop.orders"
    if hint is None and location and any(one["type"] == "model_type" for one in found):
        hint = example_hint(model, location)
    return FieldProblem(pointer, ", or ".join(messages), value, hint)


def _value_of(found: Mapping[str, Any]) -> Any:
    return found["ctx"]["tag"] if found["type"] == "union_tag_invalid" else found.get("input")


def _hint(found: Mapping[str, Any]) -> str | None:
    context, given = found.get("ctx", {}), _value_of(found)
    if isinstance(context.get("error"), Misread):
        hint: str | None = context["error"].hint
        return hint
    if found["type"] in (*_WORDS, "union_tag_invalid") and isinstance(given, str):
        near = nearest(given, re.findall(r"'([^']*)'", context.get("expected") or context["expected_tags"]))
        return f"did you mean {near!r}?" if near is not None else None
    return None


def _pointer(place: str, location: Location) -> str:
    if place in _PLACES:
        return f"{place}:{'.'.join(map(str, location))}"
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in location)


def _body_model(route: Any) -> Any:
    parameters = getattr(getattr(route, "dependant", None), "body_params", None) or []
    return parameters[0].field_info.annotation if len(parameters) == 1 else None
