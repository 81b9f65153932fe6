"""Writes the module of requests: one function for each operation, which returns the arguments for httpx.

Its parameters and docstring are those of the SDK's method. Path parameters come first and may be positional; the body,
filters and headers are given by name. An optional parameter is None unless the API has a default for it.
"""

import keyword
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sdk_generator.schemas import Schema, Schemas, class_name

_HEAD: Final = '''"""One function for each operation of the API: the arguments of its request, for httpx."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

from packhouse_client import models
from packhouse_client.arguments import arguments, quoted
'''
_TYPES: Final = {"string": "str", "integer": "int", "boolean": "bool"}
_TEXT_WIDTH: Final = 100
_PARAMETER_WIDTH: Final = 90


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of an operation: its place (`path`, `query`, `header`), name on the wire, type, default and text."""

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
                *_body(described.get("requestBody"), spec),
                *(each for place in ("query", "header") for each in found if each.place == place),
            ]
            summary, description = described["summary"], described.get("description", "")
            yield Operation(name, method, path, summary, description, parameters)


def _parameter(described: Schema, operation: str, schemas: Schemas) -> Parameter:
    schema, place, name = described["schema"], described["in"], described["name"]
    annotation, default = _annotation(schema, f"{operation}_{name}", schemas), None
    if not described.get("required"):
        annotation, default = f"{annotation} | None", _literal(schema.get("default"))
    text = described.get("description") or schema.get("description") or "See the description of the API."
    return Parameter(place, name, annotation, default, text)


def _annotation(schema: Schema, name: str, schemas: Schemas) -> str:
    """Return the type of a parameter: plain text is accepted for enums, instants and lists of one value."""
    match schema:
        case {"$ref": reference}:
            return f"models.{class_name(reference.rpartition('/')[2])} | str"
        case {"enum": _}:
            return f"models.{schemas.enum(schema, name)} | str"
        case {"type": "array", "items": items}:
            return f"Sequence[{_annotation(items, name, schemas)}] | str"
        case {"format": "date-time"}:
            return "datetime.datetime | str"
        case _:
            return _TYPES[schema["type"]]


def _body(described: Schema | None, spec: Mapping[str, Any]) -> list[Parameter]:
    if described is None:
        return []
    schema = described["content"]["application/json"]["schema"]
    members = schema.get("anyOf") or schema.get("oneOf") or [schema]
    names = [member["$ref"].rpartition("/")[2] for member in members if "$ref" in member]
    annotation = " | ".join([*(f"models.{class_name(name)}" for name in names), "Mapping[str, Any]"])
    texts, default = [spec["components"]["schemas"][name]["description"] for name in names], None
    if not described.get("required"):
        annotation, default = f"{annotation} | None", "None"
    text = schema.get("description") or " Or: ".join(texts)
    return [Parameter("body", "body", annotation, default, text)]


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
    call += ["body=body"] if operation.at("body") else []
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
