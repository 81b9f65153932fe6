"""Conditions of upkeep: measured on the whole table, and when ages alone make them hold."""

import math
from typing import Any

import pytest
from pydantic import ValidationError

from engine.domain.policies import PolicyDocument, TriggerCondition
from engine.planning.due.table_conditions import holds_in_seconds, measure_conditions, table_values
from engine.planning.measures.digest import TableMeasures

HOUR_MS = 3_600_000
FIGURES = TableMeasures(
    snapshot_count=7,
    manifest_count=4,
    manifest_bytes=4000,
    metadata_bytes=900,
    committed_at_ms={1: 2 * HOUR_MS, 2: 5 * HOUR_MS},
    delete_files={(0, "{}"): 3, (1, "a"): 2},
)
VALUES = table_values(FIGURES, 6 * HOUR_MS, unreferenced_bytes=500)


def conditions(*written: dict[str, Any]) -> list[TriggerCondition]:
    return [TriggerCondition.model_validate(each) for each in written]


def test_every_metric_is_measured_for_the_whole_table() -> None:
    assert VALUES == {
        "snapshot_count": 7,
        "manifest_count": 4,
        "average_manifest_bytes": 1000,
        "metadata_bytes": 900,
        "delete_file_count": 5,
        "oldest_snapshot_age": 4 * 3600,
        "unreferenced_bytes": 500,
    }


def test_a_table_without_snapshots_has_no_oldest_one_and_none_has_a_negative_age() -> None:
    (found,) = measure_conditions(
        conditions({"metric": "oldest_snapshot_age", "at_most": "9d"}), table_values(TableMeasures(), 0)
    )
    assert (found.measured, found.holds, found.is_met) == (None, False, False)
    assert found.detail == "not measured: the table has no snapshots"
    assert FIGURES.oldest_snapshot_age(0) == 0
    assert math.isnan(TableMeasures().oldest_snapshot_age(0))


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ([{"metric": "snapshot_count", "at_least": 7}], 0),
        ([{"metric": "snapshot_count", "above": 7}], None),
        ([{"metric": "oldest_snapshot_age", "at_least": "5h"}], 3600),
        ([{"metric": "oldest_snapshot_age", "above": "5h"}], 3601),
        ([{"metric": "oldest_snapshot_age", "below": "1h"}], None),
        ([{"metric": "oldest_snapshot_age", "at_least": "5h"}, {"metric": "metadata_bytes", "above": "1KB"}], None),
        ([{"metric": "oldest_snapshot_age", "at_least": "5h"}, {"metric": "manifest_count", "below": 5}], 3600),
    ],
)
def test_ages_alone_make_conditions_hold(written: list[dict[str, Any]], seconds: float | None) -> None:
    assert holds_in_seconds(conditions(*written), VALUES) == seconds


@pytest.mark.parametrize(
    ("when", "message"),
    [
        (
            [{"metric": "unreferenced_bytes", "above": "1GB"}],
            "unreferenced_bytes starts only remove_orphans: use one of ",
        ),
        ([{"metric": "small_file_count", "above": 1}], "small_file_count does not start upkeep: use one of snapshot_"),
        ([{"metric": "snapshot_count", "above": 1}] * 9, "at most 8"),
        ([{"metric": "metadata_bytes", "above": "many"}], "metadata_bytes is compared with a size"),
        ([{"metric": "snapshot_count"}], "exactly one of"),
    ],
)
def test_conditions_on_partitions_and_garbage_are_refused(when: list[Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        PolicyDocument.model_validate({"maintenance": {"rewrite_manifests": {"when": when}}})
