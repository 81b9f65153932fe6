"""Find the fields that a body may have at a location, for hints on unknown ones. Searches unions, lists and maps."""

import json
import types
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

from pydantic import BaseModel

from engine.domain.values.hints import nearest

_CONTAINERS: Final = (Annotated, Union, types.UnionType, list, tuple, dict, Sequence, Mapping)
Model = type[BaseModel]


def unknown_field_hint(annotation: Any, location: Sequence[str | int]) -> str | None:
    """Return a hint for the last part of a location, a field that no model there has.

    Args:
        annotation: the type of the whole body.
        location: names and indices from the body to the field.

    Returns:
        For a field of other members of a union their tags; otherwise the most similar name, the path of a nested field
        of this name, or all names; None if there is not a model.
    """
    name, models = str(location[-1]), models_at(annotation, location[:-1])
    known = [field for model in models for field, _ in _fields(model)]
    if name in known:
        return _only_with(models, name)
    if (near := nearest(name, known)) is not None:
        return f"did you mean {near!r}?"
    if (path := _further_in(models, name)) is not None:
        return f"did you mean {path!r}?"
    return f"known fields: {', '.join(sorted(set(known)))}" if known else None


def _only_with(models: Sequence[Model], name: str) -> str | None:
    """Return the tags of the members of a union that have a field."""
    words: dict[str, list[str]] = {}
    for model in models:
        fields = dict(_fields(model))
        tags = {field: get_args(kind) for field, kind in fields.items() if get_origin(kind) is Literal}
        for field, values in tags.items() if name in fields else ():
            words.setdefault(field, []).extend(map(str, values))
    shown = [f"{field} {', '.join(dict.fromkeys(values))}" for field, values in words.items()]
    return f"only with {'; '.join(shown)}" if shown else None


def example_hint(annotation: Any, location: Sequence[str | int]) -> str | None:
    """Return a hint with an example of an object at a location, None if the description has no example of one there."""
    fields = (
        field
        for model in models_at(annotation, location[:-1])
        for name, field in model.model_fields.items()
        if (field.alias or name) == location[-1]
    )
    examples = (each for field in fields for each in field.examples or () if isinstance(each, dict))
    return next((f"such as {json.dumps(each)}" for each in examples), None)


def missing_hint(annotation: Any, location: Sequence[str | int]) -> str | None:
    """Return what belongs into a required field: its values if they are words, otherwise its description."""
    fields = [
        field
        for model in models_at(annotation, location[:-1])
        for name, field in model.model_fields.items()
        if (field.alias or name) == location[-1] and field.is_required()
    ]
    words = [
        str(word) for field in fields if get_origin(field.annotation) is Literal for word in get_args(field.annotation)
    ]
    if words:
        return f"one of {', '.join(dict.fromkeys(words))}"
    return next((field.description for field in fields if field.description), None)


def models_at(annotation: Any, location: Sequence[str | int]) -> list[Model]:
    """Return the models that may be at a location."""
    models = _models_in(annotation)
    for part in location:
        if isinstance(part, str):
            models = [
                inner for model in models for name, kind in _fields(model) if name == part for inner in _models_in(kind)
            ]
    return models


def _fields(model: Model) -> Iterable[tuple[str, Any]]:
    """Yield the JSON names of a model's fields, with their types."""
    return ((field.alias or name, field.annotation) for name, field in model.model_fields.items())


def _models_in(annotation: Any) -> list[Model]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    if get_origin(annotation) in _CONTAINERS:
        return [model for part in get_args(annotation) for model in _models_in(part)]
    return []


def _further_in(models: Sequence[Model], name: str) -> str | None:
    """Return the dotted path of a field of this name inside the models, outermost first; lists are not searched."""
    seen: set[Model] = set()
    level = [("", model) for model in models]
    while level:
        inner = []
        for path, model in level:
            for field, kind in _fields(model):
                if field == name and path:
                    return path + field
                inner += [(f"{path}{field}.", each) for each in _models_in(kind) if each not in seen]
            seen.add(model)
        level = inner
    return None
