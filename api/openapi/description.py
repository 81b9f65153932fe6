"""Build the API's description from the app: deterministic, without network or services.

`python -m api openapi` writes `openapi.yaml`; with `--check` it compares only.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import yaml
from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute, iter_route_contexts

from api.deps import RequiredRole
from api.openapi import rules
from api.openapi.examples.composition import add_examples
from api.problems.catalogue import PROBLEM_TYPES
from api.problems.responses import MEDIA_TYPE, add
from api.schemas.problems import Problem
from engine.domain.access.callers import Role

_SECTIONS: Final = ("openapi", "info", "title", "servers", "security", "tags", "paths", "components")
_COMPONENTS: Final = ("securitySchemes", "schemas", "responses", "examples")
_FRAMEWORK_SCHEMAS: Final = ("HTTPValidationError", "ValidationError")


class _Plain(yaml.SafeDumper):
    """Writes values that occur twice in full, without anchors."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - the interface
        """Return True."""
        return True


def describe(app: FastAPI) -> dict[str, Any]:
    """Return the OpenAPI document of an app; built once."""
    if app.openapi_schema is None:
        document = get_openapi(
            title=app.title,
            version=app.version,
            summary=app.summary,
            description=app.description,
            routes=app.routes,
            tags=app.openapi_tags,
            license_info=app.license_info,
            contact=app.contact,
        )
        _add_problems(document)
        _add_roles(document, app)
        _drop_nulls(document)
        rules.declare_credentials(document)
        rules.require_preconditions(document)
        rules.declare_headers(document)
        rules.limit_lists(document)
        rules.declare_refused_parameters(document, _declared("invalid_input"))
        rules.declare_large_headers(document, _declared("headers_too_large"))
        rules.restore_examples(document)
        rules.drop_unused_examples(document)
        add_examples(document)
        rules.describe_answers(document)
        for part in (document["components"]["schemas"], document["paths"]):
            _tidy(part)
        rules.declare_not_modified(document)
        rules.describe_fields(document)
        app.openapi_schema = document
    return app.openapi_schema


def to_yaml(document: dict[str, Any]) -> str:
    """Return the document as YAML in the order of reading; schemas and examples are sorted by name."""
    shown = _in_order(document, _SECTIONS)
    if "components" in shown:
        components = {name: dict(sorted(part.items())) for name, part in shown["components"].items()}
        shown["components"] = _in_order(components, _COMPONENTS)
    text: str = yaml.dump(
        shown, Dumper=_Plain, sort_keys=False, allow_unicode=True, width=120, default_flow_style=False
    )
    return "# Generated from the app by `make openapi`; do not edit.\n" + text


def _in_order(part: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return dict(sorted(part.items(), key=lambda item: names.index(item[0])))


def _add_problems(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    problem = Problem.model_json_schema(mode="serialization", ref_template="#/components/schemas/{model}")
    schemas.update(problem.pop("$defs", {}))
    schemas["Problem"] = problem
    document["components"]["examples"] = {code: {"value": kind.example()} for code, kind in PROBLEM_TYPES.items()}
    for name in _FRAMEWORK_SCHEMAS:
        schemas.pop(name, None)
    for path in document["paths"].values():
        for operation in path.values():
            _replace_validation_errors(operation["responses"])


def _add_roles(document: dict[str, Any], app: FastAPI) -> None:
    """Add the role that each operation needs; operations above the lowest role can answer 403."""
    for context in iter_route_contexts(app.routes):
        route = context.original_route
        if not isinstance(route, APIRoute) or not route.include_in_schema:
            continue
        for role in _roles_of(route.dependant):
            for method in route.methods or ():
                operation = document["paths"][context.path_format][method.lower()]
                operation["x-packhouse-role"] = role.value
                if role is not Role.VIEWER:
                    operation["responses"]["403"] = _declared("forbidden")


def _drop_nulls(document: dict[str, Any]) -> None:
    """Remove null from the types of optional parameters: a query can't have it, and absent ones are left out."""
    for path in document["paths"].values():
        for operation in path.values():
            for parameter in operation.get("parameters", ()):
                schema = parameter["schema"]
                kinds = [kind for kind in schema.get("anyOf", ()) if kind != {"type": "null"}]
                if len(kinds) == 1:
                    del schema["anyOf"]
                    parameter["schema"] = kinds[0] | schema


def _roles_of(dependant: Dependant) -> Iterator[Role]:
    for inner in dependant.dependencies:
        if isinstance(inner.call, RequiredRole):
            yield inner.call.role
        yield from _roles_of(inner)


def _replace_validation_errors(responses: dict[str, Any]) -> None:
    """Replace the framework's own 422, which this API never answers, by Packhouse's."""
    declared = responses.get("422", {}).get("content", {})
    if "application/json" in declared and MEDIA_TYPE not in declared:
        responses["422"] = _declared("invalid_input")


def _declared(code: str) -> dict[str, Any]:
    ours: dict[int | str, dict[str, Any]] = {}
    add(ours, code)
    (entry,) = ours.values()
    return entry


def _tidy(node: Any) -> None:
    """Remove titles derived from field names, which are redundant; name bounds as JSON Schema does.

    Pydantic keeps `ge` and `le` if a bound is outside of a validator, as on sizes. For maps with a key pattern it
    describes the values of matching keys only; other keys are refused, which is added here.
    """
    if isinstance(node, list):
        for item in node:
            _tidy(item)
    elif isinstance(node, dict):
        if isinstance(node.get("title"), str):
            del node["title"]
        for written, name in (("ge", "minimum"), ("le", "maximum")):
            if isinstance(node.get(written), int | float):
                node[name] = node.pop(written)
        if len(node.get("patternProperties", {})) == 1 and "additionalProperties" not in node:
            [(pattern, node["additionalProperties"])] = node.pop("patternProperties").items()
            node["propertyNames"] = node.get("propertyNames", {}) | {"pattern": pattern}
        _join_texts(node)
        for name, value in node.items():
            if name not in {"example", "examples", "default", "const", "enum"}:
                _tidy(value)


def _join_texts(node: dict[str, Any]) -> None:
    """Write a union of constant words and one pattern as a single pattern; code generators make a class of a union."""
    members = node.get("anyOf", ())
    words = [each["const"] for each in members if each.get("type") == "string" and "const" in each]
    patterns = [each["pattern"] for each in members if each.get("type") == "string" and "pattern" in each]
    if len(patterns) == 1 and words and len(words) + 1 == len(members):
        del node["anyOf"]
        node["type"] = "string"
        node["pattern"] = f"^({'|'.join(words)}|{patterns[0].removeprefix('^').removesuffix('$')})$"
