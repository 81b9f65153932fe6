"""Compose an example of every model that a successful answer has, and refer to it from each operation.

The value of a field is the first of these: that of `OF_MODELS`, the example next to the field, the composed example of
its model, that of `BY_NAME`. A field that may be null is null without a value; a field that may be left out is left
out. Any other field without a value raises `LookupError`, which the tests of the description show before a release.
"""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any, Final

from api.openapi.examples import access, catalogs, explanations, fleet, policies, runs, tables
from api.openapi.examples.names import BY_NAME

OF_MODELS: Final[Mapping[str, Mapping[str, Any]]] = {
    **access.OF_MODELS,
    **catalogs.OF_MODELS,
    **explanations.OF_MODELS,
    **fleet.OF_MODELS,
    **policies.OF_MODELS,
    **runs.OF_MODELS,
    **tables.OF_MODELS,
}
"""Values by model and field."""

OF_ANSWERS: Final[Mapping[tuple[str, str], tuple[str, Mapping[str, Any]]]] = runs.OF_ANSWERS
"""Answers that differ from the example of their model: by operation and status, the model and the other values."""

_JSON: Final = "application/json"
_REFERENCE: Final = "#/components/examples/"

Document = dict[str, Any]


def add_examples(document: Document) -> None:
    """Add references from each successful JSON answer to the examples of its models in `components`.

    Raises:
        LookupError: a required field of such a model has no value.
    """
    schemas, shown = document["components"]["schemas"], document["components"]["examples"]
    for operation, status, content in _successes(document):
        if {"example", "examples"} & content.keys():
            continue
        other_model, others = OF_ANSWERS.get((operation, status), ("", {}))
        for model in _models(content["schema"]):
            is_other = model == other_model
            name = f"{operation}_{status}" if is_other else model
            if name not in shown:
                shown[name] = {"value": _example(model, schemas) | (deepcopy(dict(others)) if is_other else {})}
            content.setdefault("examples", {})[name] = {"$ref": f"{_REFERENCE}{name}"}
    for model in shown.keys() & schemas.keys():
        schemas[model].pop("examples", None)  # not twice in the document


def _successes(document: Document) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield operation, status and content of each successful JSON answer."""
    for path in document["paths"].values():
        for operation in path.values():
            for status, answer in operation["responses"].items():
                if status.startswith("2") and _JSON in answer.get("content", {}):
                    yield operation["operationId"], status, answer["content"][_JSON]


def _models(schema: Mapping[str, Any]) -> list[str]:
    """Return the models that a schema refers to directly, without null and lists."""
    return [option["$ref"].rpartition("/")[2] for option in _options(schema) if "$ref" in option]


def _options(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the alternatives of a schema except null; the schema itself if it has none."""
    return [each for each in schema.get("anyOf", schema.get("oneOf", [schema])) if each != {"type": "null"}]


def _example(model: str, schemas: Mapping[str, Any]) -> dict[str, Any]:
    """Return the example of a model: the declared one, or one that is composed from those of its fields."""
    schema = schemas[model]
    values = OF_MODELS.get(model, {})
    if "examples" in schema and not values:
        return deepcopy(dict(schema["examples"][0]))
    required = schema.get("required", ())
    return {
        name: deepcopy(values[name]) if name in values else _value(model, name, field, schemas)
        for name, field in schema["properties"].items()
        if name in required or name in values
    }


def _value(model: str, name: str, field: Mapping[str, Any], schemas: Mapping[str, Any]) -> Any:
    """Return the value of a field without a value in `OF_MODELS`."""
    if "examples" in field:
        return deepcopy(field["examples"][0])
    if "const" in field:
        return field["const"]
    first = _options(field)[0]
    for schema in (first, first.get("items", {})):
        composed = [each for each in _models(schema) if "properties" in schemas[each]]
        if composed:
            example = _example(composed[0], schemas)
            return example if schema is first else [example]
    if name in BY_NAME:
        return deepcopy(BY_NAME[name])
    if {"type": "null"} in field.get("anyOf", ()):
        return None
    raise LookupError(f"{model}.{name} has no example: add one in api/schemas or api/openapi/examples")
