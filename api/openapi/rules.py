"""Rules that complete the API's description, so that routes need not repeat them.

Each function changes an OpenAPI document in place: servers and credentials, preconditions that are always needed,
refusals that every operation can answer, descriptions of fields and answers, unused examples.
"""

import json
from collections.abc import Collection, Iterator
from copy import deepcopy
from typing import Any, Final

from pydantic import BaseModel

from api.http.auth import needs_credential
from api.http.downloads import CSV
from api.http.representations import CONDITIONAL
from api.http.streaming import EVENT_STREAM
from api.openapi.field_descriptions import description_of
from api.schemas.common import Answer, Request

SERVERS: Final = [
    {"url": "/", "description": "The installation that serves this description."},
    {"url": "http://127.0.0.1:8080", "description": "`packhouse-server up` on this machine."},
]
_METHODS: Final = frozenset({"get", "put", "post", "patch", "delete"})
_LOCATION: Final = {"description": "Path of what was made.", "required": True, "schema": {"type": "string"}}
_ETAG: Final = {
    "description": "Version of what is answered, for `If-Match` of a later write.",
    "required": True,
    "schema": {"type": "string"},
}
_OF_FRAMEWORK: Final = "Successful Response"

Document = dict[str, Any]


def operations(document: Document) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield path, method and operation."""
    for path, item in document["paths"].items():
        for method, operation in item.items():
            if method in _METHODS:
                yield path, method, operation


def declare_credentials(document: Document) -> None:
    """Require a key by default, and declare for each operation without that rule that it is not needed or optional."""
    document["servers"] = SERVERS
    (scheme,) = document["components"]["securitySchemes"]
    document["security"] = [{scheme: []}]
    for path, _, operation in operations(document):
        if not needs_credential(path):
            operation["security"] = [{}, {scheme: []}] if "security" in operation else []


def limit_lists(document: dict[str, Any]) -> None:
    """State the limit of a list in the query as one of items; the framework writes it as that of a text."""
    for path in document["paths"].values():
        for operation in path.values():
            for parameter in operation.get("parameters", ()):
                schema = parameter.get("schema", {})
                if schema.get("type") == "array" and "maxLength" in schema:
                    schema["maxItems"] = schema.pop("maxLength")


def require_preconditions(document: Document) -> None:
    """Make If-Match required if a request without it is always refused (428 `precondition_required`).

    It stays optional if If-None-Match can replace it.
    """
    for _, _, operation in operations(document):
        by_name = {parameter["name"]: parameter for parameter in operation.get("parameters", ())}
        is_refused = "precondition_required" in _examples(operation["responses"].get("428", {}))
        if is_refused and "if-none-match" not in by_name:
            by_name["if-match"]["required"] = True


def _examples(answer: dict[str, Any]) -> Collection[str]:
    """Return the codes of the problems that an answer declares."""
    return {name for content in answer.get("content", {}).values() for name in content.get("examples", ())}


def declare_refused_parameters(document: Document, problem: dict[str, Any]) -> None:
    """Declare 422 everywhere: every operation refuses query parameters that it does not have."""
    for _, _, operation in operations(document):
        operation["responses"].setdefault("422", problem)


def declare_large_headers(document: Document, problem: dict[str, Any]) -> None:
    """Declare 431 everywhere: a long path, query or header is refused before it is known what was asked for."""
    document["components"].setdefault("responses", {})["HeadersTooLarge"] = problem
    for _, _, operation in operations(document):
        operation["responses"].setdefault("431", {"$ref": "#/components/responses/HeadersTooLarge"})


def declare_headers(document: Document) -> None:
    """Declare `Location` of what was made, and `ETag` of what a later write names with If-Match."""
    versioned = {
        path
        for path, _, operation in operations(document)
        if any(parameter["name"] == "if-match" for parameter in operation.get("parameters", ()))
    }
    collections = {path.rpartition("/{")[0] for path in versioned if path.endswith("}")}
    for path, method, operation in operations(document):
        has_version = path in versioned or (method == "post" and path in collections)
        for status, answer in operation["responses"].items():
            if status == "201":
                answer.setdefault("headers", {})["Location"] = _LOCATION
            if status in ("200", "201") and has_version:
                answer.setdefault("headers", {})["ETag"] = _ETAG


def declare_not_modified(document: Document) -> None:
    """Declare 304 for the reads that get an ETag from `ConditionalReads`: all except those that answer streams only."""
    shown = document["components"].setdefault("responses", {})
    shown["NotModified"] = {
        "description": "Not modified: `If-None-Match` has the `ETag` that the answer would have. No content.",
        "headers": {"ETag": {"description": "The ETag of the read.", "schema": {"type": "string"}}},
    }
    for _, method, operation in operations(document):
        media_types = operation["responses"].get("200", {}).get("content", {}).keys()
        if method.upper() == CONDITIONAL and media_types - {CSV, EVENT_STREAM}:
            operation["responses"]["304"] = {"$ref": "#/components/responses/NotModified"}


def describe_fields(document: Document) -> None:
    """Describe fields that have no description of their own."""
    for model, schema in document["components"]["schemas"].items():
        for name, field in schema.get("properties", {}).items():
            text = description_of(model, name)
            if text is not None:
                field.setdefault("description", text)


def describe_answers(document: Document) -> None:
    """Replace the framework's text for successful answers by the description of the answered model."""
    schemas = document["components"]["schemas"]
    for _, _, operation in operations(document):
        for response in operation["responses"].values():
            if response.get("description") == _OF_FRAMEWORK:
                response["description"] = _summary_of(response, schemas)


def restore_examples(document: Document) -> None:
    """Restore the declared examples of models: the framework drops nulls, which answers always have."""
    schemas = document["components"]["schemas"]
    for model in _models_below(Request, Answer):
        extra = model.model_config.get("json_schema_extra")
        if model.__name__ in schemas and isinstance(extra, dict) and "examples" in extra:
            schemas[model.__name__]["examples"] = deepcopy(extra["examples"])


def _models_below(*bases: type[BaseModel]) -> Iterator[type[BaseModel]]:
    for base in bases:
        for model in base.__subclasses__():
            yield model
            yield from _models_below(model)


def drop_unused_examples(document: Document) -> None:
    """Remove examples of problems that no operation declares."""
    used = json.dumps([document["paths"], document["components"].get("responses")])
    examples = document["components"]["examples"]
    document["components"]["examples"] = {
        code: example for code, example in examples.items() if f'"#/components/examples/{code}"' in used
    }


def _summary_of(response: dict[str, Any], schemas: dict[str, Any]) -> str:
    contents: list[dict[str, Any]] = list(response.get("content", {}).values())
    schema = contents[0].get("schema", {}) if contents else {}
    named = [each.get("$ref", "").rpartition("/")[2] for each in schema.get("anyOf", [schema])]
    described = [schemas[name]["description"].partition("\n")[0] for name in named if name in schemas]
    return " Or: ".join(described) or ("Done; no content." if not schema else "Done.")
