"""The API's description: made without services, and complete."""

from pathlib import Path
from typing import Any

import pytest

from api.__main__ import main
from api.app import create_app
from api.openapi import describe, to_yaml
from api.problems import PROBLEM_TYPES

ROOT = Path(__file__).parents[3]
METHODS = {"get", "post", "put", "patch", "delete"}


def _never() -> Any:
    raise AssertionError


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return describe(create_app(_never))


def operations(document: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [(path, op) for path, item in document["paths"].items() for method, op in item.items() if method in METHODS]


def test_the_committed_file_is_what_the_app_says(document: dict[str, Any]) -> None:
    assert (ROOT / "openapi.yaml").read_text(encoding="utf-8") == to_yaml(document)


def test_a_file_that_differs_is_noticed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "openapi.yaml"
    assert main(["openapi", "--output", str(path)]) == 0
    assert main(["openapi", "--check", "--output", str(path)]) == 0
    path.write_text("other", encoding="utf-8")
    assert main(["openapi", "--check", "--output", str(path)]) == 1
    assert "make openapi" in capsys.readouterr().err


def test_every_operation_has_a_summary_a_tag_and_an_id_of_its_own(document: dict[str, Any]) -> None:
    listed = operations(document)
    assert all(op["summary"] and len(op["tags"]) == 1 for _, op in listed)
    assert len({op["operationId"] for _, op in listed}) == len(listed)


def test_every_operation_under_v1_needs_a_key_and_says_so(document: dict[str, Any]) -> None:
    assert document["components"]["securitySchemes"]["apiKey"]["scheme"] == "bearer"
    for path, op in operations(document):
        assert ("security" in op) == path.startswith("/v1/")
        assert ("401" in op["responses"]) == path.startswith("/v1/")


def test_every_error_is_a_problem_with_an_example(document: dict[str, Any]) -> None:
    examples = document["components"]["examples"]
    for path, op in operations(document):
        for status, response in op["responses"].items():
            if int(status) >= 400 and path.startswith("/v1/"):
                shown = response["content"]["application/problem+json"]
                assert shown["schema"] == {"$ref": "#/components/schemas/Problem"}
                for code in shown["examples"]:
                    assert examples[code]["value"]["status"] == int(status)


def test_operations_with_a_body_declare_what_can_be_wrong_with_it(document: dict[str, Any]) -> None:
    for _, op in operations(document):
        if "requestBody" in op:
            assert {"400", "413", "415", "422"} <= op["responses"].keys()


def test_creating_operations_take_an_idempotency_key(document: dict[str, Any]) -> None:
    for path in ("/v1/catalogs", "/v1/tables", "/v1/runs"):
        names = [parameter["name"] for parameter in document["paths"][path]["post"]["parameters"]]
        assert names == ["idempotency-key"]


def test_every_problem_type_has_a_status_and_an_explanation() -> None:
    assert all(400 <= kind.status < 600 and kind.explanation.endswith(".") for kind in PROBLEM_TYPES.values())
