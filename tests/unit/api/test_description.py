"""The API's description: made without services, and complete."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from api.__main__ import main
from api.http.auth import SIGN_IN
from api.openapi.description import to_yaml
from api.openapi.examples.composition import OF_ANSWERS, add_examples
from api.openapi.examples.composition import OF_MODELS as EXAMPLES
from api.openapi.examples.names import BY_NAME as EXAMPLE_BY_NAME
from api.openapi.examples.names import RUN_ID, TABLE_ID
from api.openapi.field_descriptions import BY_NAME, OF_MODELS
from api.problems.catalogue import PROBLEM_TYPES
from tests.support.apps import described_app

ROOT = Path(__file__).parents[3]
METHODS = {"get", "post", "put", "patch", "delete"}


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return described_app()


def operations(document: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [(path, op) for path, item in document["paths"].items() for method, op in item.items() if method in METHODS]


def test_the_committed_file_is_what_the_app_says(document: dict[str, Any]) -> None:
    assert (ROOT / "openapi.yaml").read_text(encoding="utf-8") == to_yaml(document)


def test_a_file_that_differs_is_noticed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The document is a small one: the real one takes seconds to write, and is compared above."""
    monkeypatch.setattr("api.commands.describe", lambda app: {"title": app.title})
    path = tmp_path / "openapi.yaml"
    assert main(["openapi", "--output", str(path)]) == 0
    assert path.read_text(encoding="utf-8") == to_yaml({"title": "Packhouse"})
    assert main(["openapi", "--check", "--output", str(path)]) == 0
    path.write_text("other", encoding="utf-8")
    assert main(["openapi", "--check", "--output", str(path)]) == 1
    assert "make openapi" in capsys.readouterr().err


def test_every_operation_has_a_summary_a_tag_and_an_id_of_its_own(document: dict[str, Any]) -> None:
    listed = operations(document)
    assert all(op["summary"] and len(op["tags"]) == 1 for _, op in listed)
    assert len({op["operationId"] for _, op in listed}) == len(listed)


def test_every_operation_under_v1_but_sign_in_needs_a_key_and_says_so(document: dict[str, Any]) -> None:
    assert document["components"]["securitySchemes"]["apiKey"]["scheme"] == "bearer"
    assert document["security"] == [{"apiKey": []}]
    for path, op in operations(document):
        is_needed, is_offered = path.startswith("/v1/") and path != SIGN_IN, path == "/metrics"
        expected = [{"apiKey": []}] if is_needed else [{}, {"apiKey": []}] if is_offered else []
        assert op.get("security", document["security"]) == expected
        assert ("401" in op["responses"]) == (is_needed or is_offered)


def test_every_error_is_a_problem_with_an_example(document: dict[str, Any]) -> None:
    examples = document["components"]["examples"]
    for path, op in operations(document):
        for status, response in op["responses"].items():
            if int(status) >= 400 and path.startswith("/v1/"):
                shared = document["components"]["responses"].get(response.get("$ref", "").rpartition("/")[2])
                shown = (shared or response)["content"]["application/problem+json"]
                assert shown["schema"] == {"$ref": "#/components/schemas/Problem"}
                for code in shown["examples"]:
                    assert examples[code]["value"]["status"] == int(status)


def test_operations_with_a_body_declare_what_can_be_wrong_with_it(document: dict[str, Any]) -> None:
    for _, op in operations(document):
        if "requestBody" in op:
            assert {"400", "413", "415", "422"} <= op["responses"].keys()


def test_creating_operations_take_an_idempotency_key(document: dict[str, Any]) -> None:
    for path in ("/v1/catalogs", "/v1/tables", "/v1/runs"):
        parameters = document["paths"][path]["post"]["parameters"]
        names = [parameter["name"] for parameter in parameters if parameter["in"] == "header"]
        assert names == ["idempotency-key"]


def test_every_problem_type_has_a_status_and_an_explanation() -> None:
    assert all(400 <= kind.status < 600 and kind.explanation.endswith(".") for kind in PROBLEM_TYPES.values())


def test_every_tag_operation_parameter_answer_and_field_is_described(document: dict[str, Any]) -> None:
    bare = [tag["name"] for tag in document["tags"] if not tag.get("description")]
    for path, op in operations(document):
        bare += [f"{op['operationId']} {path}"] if not op.get("description") else []
        bare += [
            f"{op['operationId']} {each['name']}" for each in op.get("parameters", ()) if "description" not in each
        ]
        bare += [
            f"{op['operationId']} {status}"
            for status, each in op["responses"].items()
            if "$ref" not in each and not each["description"]
        ]
    bare += [name for name, each in document["components"]["responses"].items() if not each["description"]]
    for model, schema in document["components"]["schemas"].items():
        bare += [model] if not schema.get("description") else []
        bare += [f"{model}.{name}" for name, each in schema.get("properties", {}).items() if "description" not in each]
    assert bare == []


def test_no_description_of_a_field_is_left_over(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"].items()
    described = [(model, *field) for model, schema in schemas for field in schema.get("properties", {}).items()]
    used = {(name, field["description"]) for _, name, field in described}
    assert BY_NAME.items() - used == set()
    assert OF_MODELS.items() - {(f"{model}.{name}", field["description"]) for model, name, field in described} == set()


def test_if_match_is_required_where_a_request_without_it_is_always_refused(document: dict[str, Any]) -> None:
    required = {
        op["operationId"]
        for _, op in operations(document)
        for parameter in op.get("parameters", ())
        if parameter["name"] == "if-match" and parameter["required"]
    }
    assert required == {
        "replace_catalog",
        "delete_catalog",
        "replace_catalog_grants",
        "replace_limits",
        "replace_policy",
        "delete_policy",
        "delete_table_policy",
        "replace_webhook",
        "delete_webhook",
        "delete_spark_endpoint",
    }


def test_every_operation_declares_that_unknown_parameters_are_refused(document: dict[str, Any]) -> None:
    assert all("422" in op["responses"] for _, op in operations(document))


def test_every_successful_answer_has_an_example(document: dict[str, Any]) -> None:
    bare = [
        f"{op['operationId']} {status} {media_type}"
        for _, op in operations(document)
        for status, answer in op["responses"].items()
        if status.startswith("2")
        for media_type, content in answer.get("content", {}).items()
        if not content.get("examples") and "example" not in content
    ]
    assert bare == []


def test_every_model_that_an_answer_may_have_is_shown(document: dict[str, Any]) -> None:
    preview, submit = (document["paths"][path]["post"]["responses"] for path in ("/v1/runs/preview", "/v1/runs"))
    assert preview["200"]["content"]["application/json"]["examples"].keys() == {"TablePlan", "UpkeepPlan"}
    assert submit["200"]["content"]["application/json"]["examples"].keys() == {"submit_run_200"}
    assert submit["202"]["content"]["application/json"]["examples"].keys() == {"RunAccepted"}


def test_examples_tell_of_one_table_and_one_run(document: dict[str, Any]) -> None:
    shown = json.dumps(document["components"]["examples"])
    assert set(re.findall(r"tbl_[0-9a-z]{26}", shown)) == {TABLE_ID}
    assert set(re.findall(r"run_[0-9a-z]{26}", shown)) == {RUN_ID}
    assert set(re.findall(r"lake\.\w+\.\w+", shown)) == {"lake.sales.orders"}


def test_no_value_of_an_example_is_left_over(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    assert [model for model in EXAMPLES if EXAMPLES[model].keys() - schemas[model]["properties"].keys()] == []
    assert {f"{operation}_{status}" for operation, status in OF_ANSWERS} <= document["components"]["examples"].keys()
    assert EXAMPLE_BY_NAME.keys() - {name for each in schemas.values() for name in each.get("properties", {})} == set()


def test_a_field_without_an_example_is_named() -> None:
    answer = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Box"}}}}
    box = {"properties": {"weight": {"type": "integer"}}, "required": ["weight"]}
    paths = {"/box": {"get": {"operationId": "get_box", "responses": {"200": answer}}}}
    with pytest.raises(LookupError, match=r"Box\.weight"):
        add_examples({"paths": paths, "components": {"schemas": {"Box": box}, "examples": {}}})


def test_examples_are_valid(document: dict[str, Any]) -> None:
    by_schema: dict[str, list[tuple[str, Any]]] = defaultdict(list)  # compiling a validator takes most of the time
    for where, schema, example in examples(document):
        by_schema[json.dumps(schema)].append((where, example))
    for text, shown in by_schema.items():
        validator = jsonschema_rs.validator_for(json.loads(text) | {"components": document["components"]})
        for where, example in shown:
            assert validator.is_valid(example), (where, example, next(iter(validator.iter_errors(example))).message)
    assert sum(map(len, by_schema.values())) > 400


def examples(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any], Any]]:
    """Yield every example with its schema: of schemas and fields, parameters, bodies and answers."""
    for model, schema in document["components"]["schemas"].items():
        yield from ((model, {"$ref": f"#/components/schemas/{model}"}, each) for each in schema.get("examples", ()))
        for name, field in schema.get("properties", {}).items():
            shown = [*field.get("examples", ()), *([field["default"]] if "default" in field else [])]
            yield from ((f"{model}.{name}", field, each) for each in shown)
    for _, op in operations(document):
        for parameter in op.get("parameters", ()):
            shown = [*parameter["schema"].get("examples", ()), parameter.get("example")]
            shown += [each["value"] for each in parameter.get("examples", {}).values()]
            yield from ((op["operationId"], parameter["schema"], each) for each in shown if each is not None)
        for answer in [op.get("requestBody", {}), *op["responses"].values()]:
            for media_type, content in answer.get("content", {}).items():
                if "example" in content:
                    yield f"{op['operationId']} {media_type}", content["schema"], content["example"]
                for code in content.get("examples", ()):
                    yield code, content["schema"], document["components"]["examples"][code]["value"]
