"""Check bodies and fill in answers with the generated models, so that the mock follows the spec automatically."""

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin

import httpx
from pydantic import ValidationError
from pydantic.fields import FieldInfo

from packhouse_client.bases import Model
from packhouse_client.not_answered import NotAnswered
from packhouse_client.open_enums import OpenEnum
from packhouse_client.testing.problems import Refused, wrong_field

_EMPTY: Final[Mapping[object, Any]] = {
    bool: False,
    int: 0,
    float: 0.0,
    str: "",
    datetime: "1970-01-01T00:00:00Z",
}


def checked_body(
    request: httpx.Request, model: type[Model] | Mapping[str, type[Model]], tag: str = ""
) -> dict[str, Any]:
    """Return a request's body; of several models the one that its field `tag` names.

    Raises:
        Refused: not JSON; or a field is missing, unknown or has a wrong value (at any depth).
    """
    try:
        document = json.loads(request.content)
    except ValueError:
        raise Refused("unreadable", "the body is not JSON") from None
    if not isinstance(document, dict):
        raise wrong_field("", "the body has to be an object", document)
    if isinstance(model, Mapping):
        model = _chosen(document, model, tag)
    try:
        understood = model.model_validate(document)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        message = "the field is needed" if first["type"] == "missing" else first["msg"]
        raise wrong_field(_pointer(document, first["loc"]), message, first["input"]) from None
    for pointer, message in _unknown(understood, ""):
        raise wrong_field(pointer, message)
    return document


def _is_answered(field: FieldInfo) -> bool:
    """Return whether every answer has a field."""
    return field.is_required() or isinstance(field.default, NotAnswered)


def _chosen(document: Mapping[str, Any], models: Mapping[str, type[Model]], tag: str) -> type[Model]:
    if tag not in document:
        raise wrong_field(f"/{tag}", "the field is needed")
    if document[tag] not in models:
        raise wrong_field(f"/{tag}", f"{document[tag]!r} is none of {', '.join(models)}", document[tag])
    return models[document[tag]]


def filled(model: type[Model], document: Mapping[str, Any]) -> dict[str, Any]:
    """Return an answer of a model: the given fields, and empty values for its other required ones."""
    fields = {field.alias or name: field for name, field in model.model_fields.items() if _is_answered(field)}
    empty = {name: _empty(field.annotation) for name, field in fields.items() if name not in document}
    return empty | dict(document)


def _pointer(document: object, location: tuple[int | str, ...]) -> str:
    """Return the JSON pointer of a location, without the names of types that pydantic adds inside of unions."""
    pointer = ""
    for number, part in enumerate(location):
        match document:
            case {**fields} if part in fields:
                document = fields[part]
            case [*items] if isinstance(part, int):
                document = items[part]
            case _ if number < len(location) - 1 or not isinstance(document, dict):
                continue
        pointer += f"/{part}"
    return pointer


def _unknown(value: object, pointer: str) -> Iterator[tuple[str, str]]:
    """Yield the pointers of fields and of enums' values that the models do not know, each with a message."""
    match value:
        case Model():
            for name in value.model_extra or ():
                yield f"{pointer}/{name}", "unknown field"
            for name, field in type(value).model_fields.items():
                yield from _unknown(getattr(value, name), f"{pointer}/{field.validation_alias or name}")
        case list():
            for number, item in enumerate(value):
                yield from _unknown(item, f"{pointer}/{number}")
        case OpenEnum() if not value.is_known:
            yield pointer, f"{value} is none of {', '.join(type(value))}"


def _empty(annotation: Any) -> Any:
    """Return the empty value of a field's type: null where it may be null, otherwise zero, or no items."""
    if get_origin(annotation) in (Union, UnionType):
        return None if NoneType in get_args(annotation) else _empty(get_args(annotation)[0])
    if get_origin(annotation) is Literal:
        return get_args(annotation)[0]
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        values = [member.value for member in annotation]
        return "normal" if "normal" in values else values[0]
    if isinstance(annotation, type) and issubclass(annotation, Model):
        return filled(annotation, {})
    return [] if get_origin(annotation) is list else _EMPTY.get(annotation, {})
