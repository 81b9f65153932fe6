"""Writes the module of requests: one function for each operation, which returns the arguments for httpx.

Its parameters and docstring are those of the SDK's method. Path parameters come first and may be positional; the body,
filters and headers are given by name. An optional parameter is None unless the API has a default for it. Instead of
the body its fields can be given: one that was not is `ABSENT` and is not sent, as None is sent as null.
"""

import keyword
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sdk_generator.schemas import Schema, Schemas, class_name

_HEAD: Final = '''"""One function for each operation of the API: the arguments of its request, for httpx."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from packhouse_client import models
from packhouse_client.arguments import ABSENT, Absent, arguments, body_of, quoted
'''
_TYPES: Final = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
_TEXT_WIDTH: Final = 100
_PARAMETER_WIDTH: Final = 90


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of an operation: its place, name on the wire, type, default and text.

    Places are `path`, `query`, `header`, `body` for the body as a whole, and `field` for one of its fields.
    """

    place: str
    name: str
    annotation: str
    default: str | None
    description: str

    @property
    def argument(self) -> str:
        """The name in Python: that on the wire, with `_` behind it if it is a keyword."""
        name = self.name.lower().replace("-", "_")
        return f"{name}_" if keyword.iskeyword(name) else name

    @property
    def declaration(self) -> str:
        """The parameter as the signature has it."""
        return f"{self.argument}: {self.annotation}" + (f" = {self.default}" if self.default else "")


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation of the API; its parameters are in the order of the signature."""

    name: str
    method: str
    path: str
    summary: str
    description: str
    parameters: Sequence[Parameter]
    has_required_body: bool

    def at(self, place: str) -> list[Parameter]:
        """Return the parameters of one place."""
        return [parameter for parameter in self.parameters if parameter.place == place]


def requests_module(spec: Mapping[str, Any], schemas: Schemas) -> str:
    """Return the module of requests. Enums inside of parameters are added to the enums of `schemas`."""
    return "\n\n".join([_HEAD, *(_function(operation) for operation in operations(spec, schemas))])


def operations(spec: Mapping[str, Any], schemas: Schemas) -> Iterator[Operation]:
    """Yield the operations in the order of the description."""
    for path, methods in spec["paths"].items():
        for method, described in methods.items():
            name = described["operationId"]
            found = [_parameter(each, name, schemas) for each in described.get("parameters", ())]
            parameters = [
                *sorted((each for each in found if each.place == "path"), key=lambda each: path.find(each.name)),
                *_body(described.get("requestBody"), spec, schemas),
                *(each for place in ("query", "header") for each in found if each.place == place),
            ]
            summary, description = described["summary"], described.get("description", "")
            is_required = described.get("requestBody", {}).get("required", False)
            yield Operation(name, method, path, summary, description, parameters, is_required)


def _parameter(described: Schema, operation: str, schemas: Schemas) -> Parameter:
    schema, place, name = described["schema"], described["in"], described["name"]
    annotation, default = _annotation(schema, f"{operation}_{name}", schemas), None
    if not described.get("required"):
        annotation, default = f"{annotation} | None", _literal(schema.get("default"))
    text = described.get("description") or schema.get("description") or "See the description of the API."
    return Parameter(place, name, annotation, default, text)


def _annotation(schema: Schema, name: str, schemas: Schemas) -> str:
    """Return the type of a parameter: plain text is accepted for enums, instants and lists of one value."""
    if schema.get("type") == "array":
        return f"Sequence[{_annotation(schema['items'], name, schemas)}] | str"
    return _value(schema, name, schemas)


def _value(schema: Schema, name: str, schemas: Schemas) -> str:
    """Return the type of a value: documents are accepted as models or mappings, enums and instants also as text."""
    return _union(_members(schema, name, schemas))


def _members(schema: Schema, name: str, schemas: Schemas) -> list[str]:
    match schema:
        case {"$ref": reference}:
            cls = class_name(reference.rpartition("/")[2])
            return [f"models.{cls}", "str" if cls in schemas.enums else "Mapping[str, Any]"]
        case {"anyOf": members} | {"oneOf": members}:
            return [each for member in members for each in _members(member, name, schemas)]
        case {"enum": _}:
            return [f"models.{schemas.enum(schema, name)}", "str"]
        case {"const": str(value)}:
            return [f'Literal["{value}"]', "str"]
        case _:
            return [_plain(schema, name, schemas)]


def _plain(schema: Schema, name: str, schemas: Schemas) -> str:
    match schema:
        case {"type": "array", "items": items}:
            return f"Sequence[{_value(items, name, schemas)}]"
        case {"type": "object", "additionalProperties": dict(values)}:
            return f"Mapping[str, {_value(values, name, schemas)}]"
        case {"format": "date-time"}:
            return "datetime.datetime | str"
        case {"type": str(kind)}:
            return _TYPES[kind]
        case _:
            return "Any"


def _union(members: Iterable[str]) -> str:
    """Return the union of types, each named once, None last."""
    return " | ".join(sorted(dict.fromkeys(members), key="None".__eq__))


def _body(described: Schema | None, spec: Mapping[str, Any], schemas: Schemas) -> list[Parameter]:
    """Return the parameters for a body: all of it, and its fields, which are those of all members of a union."""
    if described is None:
        return []
    schema = described["content"]["application/json"]["schema"]
    members = schema.get("anyOf") or schema.get("oneOf") or [schema]
    names = [member["$ref"].rpartition("/")[2] for member in members if "$ref" in member]
    models = [spec["components"]["schemas"][name] for name in names]
    annotation = " | ".join([*(f"models.{class_name(name)}" for name in names), "Mapping[str, Any]", "None"])
    text = schema.get("description") or " Or: ".join(model["description"] for model in models)
    whole = Parameter("body", "body", annotation, "None", f"{text} Or give its fields by name:")
    return [whole, *_fields(names, models, schemas)]


def _fields(names: Sequence[str], models: Sequence[Schema], schemas: Schemas) -> Iterator[Parameter]:
    found: dict[str, list[tuple[str, Schema]]] = {}
    for name, model in zip(names, models, strict=True):
        for field, schema in model["properties"].items():
            found.setdefault(field, []).append((f"{name}_{field}", schema))
    for field, described in found.items():
        annotation = _union(each for name, schema in described for each in _members(schema, name, schemas))
        texts = dict.fromkeys(schema.get("description", "See the description of the API.") for _, schema in described)
        yield Parameter("field", field, f"{annotation} | Absent", "ABSENT", " Or: ".join(texts))


def _literal(value: str | float | None) -> str:
    """Return a default as source; enums are compared and sent as the text that they are."""
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _function(operation: Operation) -> str:
    named = [each.declaration for each in operation.parameters if each.place != "path"]
    signature = [*(each.declaration for each in operation.at("path")), *(["*", *named] if named else [])]
    path = re.sub(r"\{(\w+)\}", r"{quoted(\1)}", operation.path)
    call = [f'"{operation.method.upper()}"', ("f" if "{" in path else "") + f'"{path}"']
    for place, passed_as in (("query", "query"), ("header", "headers")):
        if found := operation.at(place):
            pairs = ", ".join(f'"{each.name}": {each.argument}' for each in found)
            call.append(f"{passed_as}={{{pairs}}}")
    if fields := operation.at("field"):
        pairs = ", ".join(f'"{each.name}": {each.argument}' for each in fields)
        required = "" if operation.has_required_body else ", is_required=False"
        call.append(f"body=body_of(body, {{{pairs}}}{required})")
    return "\n".join(
        [
            f"def {operation.name}({', '.join(signature)}) -> dict[str, Any]:",
            textwrap.indent(_docstring(operation), "    "),
            f"    return arguments({', '.join(call)})\n",
        ]
    )


def _docstring(operation: Operation) -> str:
    blocks = [f"{operation.summary}.", *map(_wrapped, operation.description.split("\n\n"))]
    if operation.parameters:
        blocks.append("\n".join(["Args:", *map(_argument_text, operation.parameters)]))
    text = "\n\n".join(block for block in blocks if block)
    return f'"""{text}\n"""' if "\n" in text else f'"""{text}"""'


def _argument_text(parameter: Parameter) -> str:
    lines = textwrap.wrap(f"{parameter.argument}: {parameter.description}", _PARAMETER_WIDTH)
    return textwrap.indent("\n    ".join(lines), "    ")


def _wrapped(text: str) -> str:
    return textwrap.fill(" ".join(text.split()), _TEXT_WIDTH)
