"""Splits the schemas of the API into enums and models, and removes from the models what only a server checks.

Limits, patterns and conditions are the server's business: a client that checked them too would refuse answers of a
newer server with wider limits, and each limited field would become a class of its own.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

Schema = dict[str, Any]

ENUMS_FILE: Final = "enums.yaml"
"""Name by which references in the models point to the enums; the generator of the models maps it to their module."""
_CHECKS: Final = frozenset(
    {
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "pattern"),
        *("minItems", "maxItems", "uniqueItems", "maxProperties", "propertyNames", "not", "allOf"),
        *("discriminator", "examples", "title"),
    }
)
UNKNOWN: Final = "UnknownDocument"
_UNKNOWN: Final = {
    "type": "object",
    "description": "A document of a kind that this version does not know; its fields are in `model_extra`.",
}
_DATA: Final = frozenset({"const", "default", "enum", "required"})


def class_name(name: str) -> str:
    """Return the name of the class for a schema, such as `RunStateFilter` for `run_state_filter`."""
    return "".join(part[:1].upper() + part[1:] for part in name.replace("-", "_").split("_"))


class Schemas:
    """Enums by class name, with those that are written inside of models and parameters; and models by schema name."""

    def __init__(self, spec: Mapping[str, Any]) -> None:
        components: Mapping[str, Schema] = spec["components"]["schemas"]
        self.enums = {class_name(name): schema for name, schema in components.items() if "enum" in schema}
        self._unions = {name: schema for name, schema in components.items() if "discriminator" in schema}
        self.models = {
            name: self._model(schema, name)
            for name, schema in components.items()
            if "enum" not in schema and name not in self._unions
        } | {UNKNOWN: _UNKNOWN}
        self.answers = {class_name(name) for name in components} - {class_name(each) for each in _sent(spec)}
        """Classes of models that only answers have."""

    def enum(self, schema: Schema, name: str) -> str:
        """Return the class of an inline enum; one with equal values is used again, otherwise `name` makes a new one."""
        known = (cls for cls, enum in self.enums.items() if enum["enum"] == schema["enum"])
        found = next(known, class_name(name))
        self.enums.setdefault(found, schema)
        return found

    def _model(self, schema: Any, name: str) -> Any:
        if isinstance(schema, list):
            return [self._model(part, name) for part in schema]
        if not isinstance(schema, dict):
            return schema
        if "enum" in schema:
            return {"$ref": _enum_reference(self.enum(schema, name))}
        if (union := self._unions.get(str(schema.get("$ref")).rpartition("/")[2])) is not None:
            described = {"description": schema["description"]} if "description" in schema else {}
            return {**described, "anyOf": [*union["oneOf"], {"$ref": f"#/components/schemas/{UNKNOWN}"}]}
        return {key: self._keyword(key, value, name) for key, value in schema.items() if not _is_check(key, value)}

    def _keyword(self, key: str, value: Any, name: str) -> Any:
        if key == "properties":
            return {field: self._model(inner, f"{name}_{field}") for field, inner in value.items()}
        if key == "$ref" and class_name(target := value.rpartition("/")[2]) in self.enums:
            return _enum_reference(class_name(target))
        return value if key in _DATA else self._model(value, f"{name}_item" if key == "items" else name)


def _sent(spec: Mapping[str, Any]) -> set[str]:
    """Return the schemas that bodies of requests have, at any depth."""
    components, found = spec["components"]["schemas"], set()
    bodies = [each.get("requestBody") for item in spec["paths"].values() for each in item.values()]
    waiting = list(_references(bodies))
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += _references(components[name])
    return found


def _references(node: Any) -> Iterator[str]:
    """Yield the names of all schemas that a part of a description refers to."""
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"].rpartition("/")[2]
        for each in node.values():
            yield from _references(each)
    elif isinstance(node, list):
        for each in node:
            yield from _references(each)


def _is_check(key: str, value: object) -> bool:
    """Return whether a keyword restricts values without changing their type.

    Defaults that are lists or mappings count as such: a change of one in place would not be seen as given by the
    caller, and would not be sent.
    """
    is_closed = key == "additionalProperties" and value is False
    return key in _CHECKS or is_closed or (key == "default" and isinstance(value, list | dict))


def _enum_reference(name: str) -> str:
    return f"{ENUMS_FILE}#/components/schemas/{name}"
