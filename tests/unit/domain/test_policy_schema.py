"""The published JSON Schema takes what the service takes, and refuses what it refuses where a schema can."""

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, given, settings
from pydantic import ValidationError

from api.__main__ import main
from engine.domain.policies import PRESETS, PolicyDocument
from engine.domain.policies.documents.schema import DIALECT, policy_schema, policy_schema_text
from tests.unit.domain.policy_documents import documents

ROOT = Path(__file__).parents[3]
SCHEMA = policy_schema()
CHECK = jsonschema_rs.validator_for(SCHEMA)
SLOW = settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)


def test_the_published_file_is_a_schema_of_draft_2020_12_with_descriptions_and_valid_examples() -> None:
    assert (ROOT / "docs/policy.schema.json").read_text(encoding="utf-8") == policy_schema_text()
    assert SCHEMA["$schema"] == DIALECT
    jsonschema_rs.meta.validate(SCHEMA)
    assert _described(SCHEMA) == []
    for definition in [SCHEMA, *SCHEMA["$defs"].values()]:
        for name, field in definition.get("properties", {}).items():
            check = jsonschema_rs.validator_for({**field, "$defs": SCHEMA["$defs"]})
            assert [example for example in field.get("examples", []) if not check.is_valid(example)] == [], name


def test_the_command_writes_and_checks_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "policy.schema.json"
    assert main(["policy-schema", "--output", str(path)]) == 0
    assert main(["policy-schema", "--check", "--output", str(path)]) == 0
    path.write_text("{}")
    assert main(["policy-schema", "--check", "--output", str(path)]) == 1
    assert "make openapi" in capsys.readouterr().err


@SLOW
@given(documents)
def test_any_document_is_valid_as_written_and_as_answered(written: dict[str, Any]) -> None:
    CHECK.validate(json.loads(json.dumps(written)))
    CHECK.validate(json.loads(PolicyDocument.model_validate(written).model_dump_json()))


@pytest.mark.parametrize("name", list(PRESETS))
def test_presets_are_valid(name: str) -> None:
    CHECK.validate(json.loads(PRESETS[name].document.model_dump_json(exclude_none=True)))


@pytest.mark.parametrize(
    "wrong",
    [
        {"enable": True},
        {"preset": "ballanced"},
        {"rewrite": {"target_file_bytes": "96mb"}},
        {"rewrite": {"target_file_bytes": 1}},
        {"rewrite": {"small_file_bytes": "a lot"}},
        {"rewrite": {"full": {"intervall": "1d"}}},
        {"schedule": {"min_interval": "6 hours"}},
        {"schedule": {"min_interval": 600}},
        {"limits": {"bandwidth": "unlimitted"}},
        {"limits": {"parallel_groups": 65}},
        {"quiet_hours": [{"from": "9:00", "to": "17:00"}]},
        {"quiet_hours": [{"to": "17:00"}]},
        {"blackouts": [{"from": 1735689600, "to": "2026-12-27", "reason": "a number"}]},
        {"blackouts": [{"from": "2026-12-24", "to": "2026-12-27", "reason": "in which zone?"}]},
        {"blackouts": [{"from": "2026-12-24T10:00:00Z", "to": "2026-12-27", "time_zone": "UTC", "reason": "both"}]},
        {"blackouts": [{"from": "2026-13-01", "to": "2026-12-27", "time_zone": "UTC", "reason": "a 13th month"}]},
        {"seal": {}},
        {"seal": {"after": "1h", "quiet_for": "1h"}},
        {"rewrite": {"columns": [""]}},
        {"schedule": {"time_zone": ""}},
        {"backoff": {"signal": "query_latency_p95", "throttle_above": "2s"}},
        {"triggers": [{"name": "a", "all": [{"metric": "file_count", "below": "32MB"}]}]},
        {"triggers": [{"name": "a", "all": [{"metric": "small_file_share", "above": 20}]}]},
        {"triggers": [{"name": "a", "all": [{"metric": "file_count"}]}]},
        {"triggers": [{"name": "a", "all": [{"metric": "file_count", "above": 1, "below": 9}]}]},
    ],
    ids=str,
)
def test_an_editor_marks_what_the_service_refuses(wrong: dict[str, Any]) -> None:
    assert not CHECK.is_valid(wrong)
    with pytest.raises(ValidationError):
        PolicyDocument.model_validate(wrong)


def _described(node: Any) -> list[str]:
    """Properties without a description; rules over several of them stand in `allOf` and describe nothing."""
    if isinstance(node, list):
        return [name for item in node for name in _described(item)]
    if not isinstance(node, dict):
        return []
    bare = [
        name
        for name, field in node.get("properties", {}).items()
        if isinstance(field, dict) and not {"description", "enum", "const"} & field.keys()
    ]
    return bare + [name for key, value in node.items() if key != "allOf" for name in _described(value)]
