"""Check bodies and fill in answers with the generated models, so that the mock follows the spec automatically."""

import json
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any, Protocol

import attrs
import httpx

from packhouse_client import models
from packhouse_client.testing.problems import Refused, wrong_field


class Model(Protocol):
    """Interface of the generated models."""

    def to_dict(self) -> dict[str, Any]:
        """Return the document."""

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any], /) -> "Model":
        """Read a document."""


def checked_body(request: httpx.Request, model: type[Model]) -> dict[str, Any]:
    """Return a request's body.

    Raises:
        Refused: not JSON, a field is missing, or one is not in the model (at any depth).
    """
    try:
        document = json.loads(request.content)
    except ValueError:
        raise Refused("unreadable", "the body is not JSON") from None
    if not isinstance(document, dict):
        raise wrong_field("", "the body has to be an object", document)
    try:
        understood = model.from_dict(document).to_dict()
    except KeyError as error:
        raise wrong_field(f"/{error.args[0]}", "the field is needed") from None
    except (TypeError, ValueError, AttributeError) as error:
        raise wrong_field("", str(error)) from None
    for pointer in _lost(document, understood, ""):
        raise wrong_field(pointer, "unknown field")
    return document


def filled(model: type[Any], document: Mapping[str, Any]) -> dict[str, Any]:
    """Return an answer of a model: the given fields, and empty values for its other required ones."""
    empty = {
        field.name: _empty(str(field.type))
        for field in attrs.fields(model)
        if field.name != "additional_properties" and "Unset" not in str(field.type)
    }
    return empty | dict(document)


def _lost(given: Mapping[str, Any], understood: Mapping[str, Any], where: str) -> Iterator[str]:
    for name, value in given.items():
        if name not in understood:
            yield f"{where}/{name}"
        elif isinstance(value, Mapping) and isinstance(understood[name], Mapping):
            yield from _lost(value, understood[name], f"{where}/{name}")


def _empty(annotation: str) -> Any:
    kind = getattr(models, annotation, None)
    if "None" in annotation.split(" | "):
        return None
    if isinstance(kind, type) and issubclass(kind, Enum):
        values = [member.value for member in kind]
        return "normal" if "normal" in values else values[0]
    for start, value in (("list", []), ("bool", False), ("int", 0), ("float", 0.0), ("str", "")):
        if annotation.startswith(start):
            return value
    return {}
