"""The description has types wherever Packhouse decides what is sent; a lint of openapi.yaml, as a client reads it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from engine.domain.runs.run import Operation

SPEC: Final = Path(__file__).parents[3] / "openapi.yaml"
OPEN: Final = {
    "AuditEntry.before": "an object of any kind as it was stored then, in any version",
    "AuditEntry.after": "as `before`",
    "DeclaredOperation.example": "a value of the setting, whose type differs by operation",
    "Problem.details": "facts by problem type; a client decides by `code`",
    "RunEvent.details": "facts by kind of event, for people and logs; any version adds kinds",
    "/v1/policy-schema": "a JSON Schema, whose form is not Packhouse's",
}
"""Objects of any form, each with the reason; maps of labels and counts have typed values and are none of these."""
PARTITIONS: Final = ("partition", "partitions")


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    found: dict[str, Any] = yaml.load(SPEC.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    return found


def schemas_in(schema: Any, place: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every schema in a schema with its place: model and field, or path."""
    if isinstance(schema, list):
        for each in schema:
            yield from schemas_in(each, place)
    if not isinstance(schema, dict):
        return
    yield place, schema
    for name, inner in schema.get("properties", {}).items():
        yield from schemas_in(inner, f"{place}.{name}")
    for keyword in ("items", "additionalProperties", "anyOf", "oneOf", "prefixItems"):
        yield from schemas_in(schema.get(keyword), place)


def every_schema(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, schema in document["components"]["schemas"].items():
        yield from schemas_in(schema, name)
    for path, item in document["paths"].items():
        for operation in item.values():
            bodies = [operation.get("requestBody", {}), *operation["responses"].values()]
            for content in (each for body in bodies for each in body.get("content", {}).values()):
                yield from schemas_in(content.get("schema", {}), path)
            for parameter in operation.get("parameters", ()):
                yield from schemas_in(parameter["schema"], f"{path}?{parameter['name']}")


def is_open(schema: dict[str, Any]) -> bool:
    """Return whether a schema lets objects of any form through."""
    is_bare = not schema.keys() & {"properties", "additionalProperties", "oneOf", "anyOf", "$ref"}
    return schema.get("additionalProperties") is True or (schema.get("type") == "object" and is_bare)


def test_objects_of_any_form_are_those_with_a_reason(document: dict[str, Any]) -> None:
    assert {place for place, schema in every_schema(document) if is_open(schema)} == OPEN.keys()


def test_the_lint_finds_an_open_object_at_any_depth() -> None:
    loose = {"type": "object", "additionalProperties": True}
    nested = {"properties": {"example": {"anyOf": [{"type": "array", "items": loose}, {"type": "null"}]}}}
    assert [place for place, schema in schemas_in(nested, "Model") if is_open(schema)] == ["Model.example"]
    assert is_open({"type": "object"})
    assert not is_open({"type": "object", "additionalProperties": {"type": "string"}})


def test_a_model_that_is_sent_and_answered_has_one_schema(document: dict[str, Any]) -> None:
    assert [name for name in document["components"]["schemas"] if name.endswith(("-Input", "-Output"))] == []


def test_the_description_is_in_the_order_of_reading(document: dict[str, Any]) -> None:
    assert list(document) == ["openapi", "info", "servers", "security", "tags", "paths", "components"]
    assert list(document["components"]) == ["securitySchemes", "schemas", "responses", "examples"]
    for part in ("schemas", "examples"):
        assert list(document["components"][part]) == sorted(document["components"][part])


@pytest.mark.parametrize("union", ["RunPlan", "RunResult", "StoredRequest"])
def test_documents_of_runs_have_a_model_for_each_operation(document: dict[str, Any], union: str) -> None:
    schemas = document["components"]["schemas"]
    mapping = schemas[union]["discriminator"]["mapping"]
    assert mapping.keys() == set(Operation)
    for operation, reference in mapping.items():
        assert schemas[reference.rpartition("/")[2]]["properties"]["operation"]["const"] == operation


def test_a_partition_is_no_text(document: dict[str, Any]) -> None:
    """The parameter of write-locations has texts of keys and values, not of whole partitions."""
    found = [
        place
        for place, schema in every_schema(document)
        if place.rpartition(".")[2] in PARTITIONS and schema.get("type") == "string"
    ]
    assert found == []
    parameters = document["paths"]["/v1/tables/{table_id}/write-locations"]["get"]["parameters"]
    assert next(each["schema"]["type"] for each in parameters if each["name"] == "partition") == "array"
