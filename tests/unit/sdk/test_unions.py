"""Settings that are a word or something else come through the SDK's models unharmed."""

from typing import Any

import pytest
from packhouse_client.models import HistoryEntry, PolicyDocument, PurgeResult, UnknownDocument
from packhouse_client.testing import MockPackhouse
from packhouse_client.testing.documents import filled

from engine.domain.policies import PRESETS

BACKOFF = {"signal": "query_latency_p95", "throttle_above": "2s", "pause_above": "5s", "resume_below": "1s"}


@pytest.mark.parametrize(
    "document",
    [
        {"backoff": "off"},
        {"backoff": BACKOFF},
        {"seal": {"after": "1h"}},
        {"limits": {"bandwidth": "unlimited"}},
        {"limits": {"bandwidth": 5_000_000}},
        {"rewrite": {"exclude_above_bytes": 1_000_000_000}},
        {"maintenance": {"rewrite_manifests": {"interval": "7d"}}},
    ],
)
def test_a_constant_beside_other_forms_is_no_obstacle(document: dict[str, Any]) -> None:
    read = PolicyDocument.model_validate(document).to_document()
    ((name, given),) = document.items()
    assert read[name] == given or given.items() <= read[name].items()


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_can_be_read(name: str) -> None:
    document = PRESETS[name].document.model_dump(mode="json", by_alias=True, exclude_none=True)
    PolicyDocument.model_validate(document)


def test_the_mock_ends_a_run_with_a_result_of_its_operation() -> None:
    mock = MockPackhouse(runs_end_as=None)
    with mock.client() as client:
        table = client.tables.register(body={"catalog": "lake", "namespace": ["sales"], "name": "orders"})
        purge = {"table_id": table.id, "operation": "purge", "plan_hash": "5f0c", "confirm": "lake.sales.orders"}
        run = client.runs.submit(body=purge)
        mock.end_run(run.id, result={"expired_snapshots": 2})
        ended = client.runs.get(run.id)
    assert isinstance(ended.result, PurgeResult)
    assert ended.result.expired_snapshots == 2


def test_a_result_has_the_model_of_its_operation_and_one_of_a_newer_server_is_kept() -> None:
    def read(result: dict[str, Any]) -> Any:
        return HistoryEntry.model_validate(filled(HistoryEntry, {"result": result})).result

    assert read({"operation": "rewrite", "rewritten_files": 60, "of_a_newer_server": 1}).rewritten_files == 60
    purged = read({"operation": "purge", "expired_snapshots": 2})
    assert isinstance(purged, PurgeResult)
    unknown = read({"operation": "defragment", "expired_snapshots": 2})
    assert isinstance(unknown, UnknownDocument)
    assert unknown.model_extra == {"operation": "defragment", "expired_snapshots": 2}
