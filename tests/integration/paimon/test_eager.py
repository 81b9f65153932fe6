"""Buckets below the trigger are compacted with `rewrite.key_tables.lookup: eager`, by the core's own rules."""

from typing import Any, Final

import pytest

from engine.formats.paimon.task.contract import CoreTask
from tests.support.paimon.lakes import PaimonLake
from tests.support.paimon.rewrites import committed, opened, planned, rewritten

pytestmark = pytest.mark.usefixtures("core_child")

EAGER: Final = {"key_tables": {"lookup": "eager"}}


def written(lake: PaimonLake, turns: int, **options: str) -> PaimonLake:
    lake.create([("id", "BIGINT NOT NULL"), ("v", "DOUBLE")], primary_keys=["id"], write_only="true", **options)
    for turn in range(turns):
        lake.write([[number, turn + 0.5] for number in range(turn, turn + 5)])
    return lake


def levels(lake: PaimonLake) -> list[int]:
    return sorted(lake.open().digest()["level"].to_pylist())


def compacted(lake: PaimonLake, rewrite: dict[str, Any]) -> int:
    """Compact as a run would; return the number of groups."""
    table = opened(lake)
    groups = rewritten(table, full=False, rewrite=rewrite)
    if groups:
        proof = committed(lake, table, groups)
        assert proof.ok, [each for each in proof.checks if not each.holds]
    return len(groups)


@pytest.mark.parametrize(
    "options",
    [
        {"bucket": "1", "deletion_vectors__enabled": "true"},
        {"bucket": "1", "merge_engine": "first-row"},
        {"bucket": "1", "changelog_producer": "lookup"},
    ],
    ids=["vectors", "first row", "lookup"],
)
@pytest.mark.parametrize("turns", [1, 3])
def test_p20_new_rows_are_read_after_an_eager_compaction(lake: PaimonLake, options: dict[str, str], turns: int) -> None:
    written(lake, turns, **options)
    is_hidden = "changelog_producer" not in options
    assert (lake.call("values") == []) is is_hidden
    assert (compacted(lake, {}), set(levels(lake))) == (0, {0})
    assert compacted(lake, EAGER) == 1
    assert 0 not in levels(lake)
    assert len(lake.call("values")) == turns + 4
    assert compacted(lake, EAGER) == 0  # nothing new


def test_p21_a_plain_bucket_is_merged_from_two_sorted_runs_on(lake: PaimonLake) -> None:
    written(lake, 1, bucket="1")
    assert compacted(lake, EAGER) == 0
    lake.write([[1, 9.5]])
    before = lake.call("values")
    assert compacted(lake, {}) == 0
    assert compacted(lake, EAGER) == 1
    assert (len(levels(lake)), lake.call("values")) == (1, before)
    assert compacted(lake, EAGER) == 0


def test_p21_the_mode_and_its_interval_are_passed_to_the_core(lake: PaimonLake) -> None:
    """A bucket below the trigger is compacted radically, with the policy's trigger: its old files stay."""
    trigger, mode, interval = "num-sorted-run.compaction-trigger", "lookup-compact", "lookup-compact.max-interval"
    written(lake, 5, bucket="1", deletion_vectors__enabled="true")
    above, waited = {"sorted_run_trigger": 9}, {"forced_every": 3}
    for key_tables, expected in (
        ({}, {trigger: "4", mode: "gentle", interval: "10"}),
        (waited, {trigger: "4", mode: "gentle", interval: "3"}),
        ({"lookup": "eager"}, {trigger: "4", mode: "radical"}),
        ({"lookup": "eager", **above}, {trigger: "9", mode: "radical"}),
        ({**waited, **above}, {trigger: "9", mode: "radical"}),
    ):
        ((_, task),) = planned(opened(lake), full=False, rewrite={"key_tables": key_tables})
        assert isinstance(task, CoreTask)
        assert {name: value for name, value in task.options.items() if name in (trigger, mode, interval)} == expected


def test_p22_a_bucket_whose_new_file_waited_for_so_many_commits_is_compacted(lake: PaimonLake) -> None:
    """Commits to one partition count for the other one, whose file nobody sees until then."""
    lake.create(
        [("id", "BIGINT NOT NULL"), ("day", "STRING NOT NULL")],
        primary_keys=["id", "day"],
        partition_keys=["day"],
        bucket="1",
        write_only="true",
        deletion_vectors__enabled="true",
    )
    lake.write([[1, "first"]])
    often = {"key_tables": {"forced_every": 3, "sorted_run_trigger": 9}}
    for number in range(2):
        lake.write([[number, "second"]])
        assert compacted(lake, often) == 0
    lake.write([[3, "second"]])
    assert compacted(lake, {}) == 0
    assert compacted(lake, often) == 1
    assert lake.call("values") == [[1, "first"]]
