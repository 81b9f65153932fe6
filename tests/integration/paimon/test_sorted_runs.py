"""Sorted runs are counted as Paimon's core counts them, on tables that the core wrote and compacted."""

from collections.abc import Mapping
from random import Random
from typing import Any, Final

import pytest

from engine.domain.policies.effective.merging import STOP_ABOVE_TRIGGER
from engine.planning.measures.partitions import partition_files
from engine.planning.measures.sorted_runs import SortedRuns
from tests.support.paimon.lakes import PaimonLake

KEYED: Mapping[str, Any] = {"partition_keys": ["day"], "primary_keys": ["id", "day"]}
OPTIONS: Mapping[str, Mapping[str, str]] = {
    "write-only": {"bucket": "2", "write_only": "true"},
    "compacted by its writers": {"bucket": "2", "num_sorted_run__compaction_trigger": "3"},
    "dynamic buckets": {"bucket": "-1", "write_only": "true"},
    "deletion vectors": {"bucket": "2", "deletion_vectors__enabled": "true"},
    "lookup": {"bucket": "2", "changelog_producer": "lookup"},
}


def write(chance: Random, lake: PaimonLake, *, is_dynamic: bool) -> None:
    rows = [[chance.randrange(40), chance.choice("ab"), 1.5] for _ in range(chance.randrange(1, 20))]
    lake.write(rows, buckets=3 if is_dynamic else 0)


def counted(lake: PaimonLake) -> dict[tuple[str, int], int]:
    runs = SortedRuns.of(partition_files(lake.open().digest()))
    places = zip(runs.partition_of.tolist(), runs.bucket.tolist(), runs.sorted_run_count.tolist(), strict=True)
    return {(runs.files.names[place], bucket): count for place, bucket, count in places}


SMOKE: Final = ("compacted by its writers", "deletion vectors")


@pytest.mark.parametrize(
    "kind", [pytest.param(each, marks=() if each in SMOKE else pytest.mark.deep) for each in OPTIONS]
)
def test_p24_sorted_runs_are_those_of_the_core(lake: PaimonLake, kind: str) -> None:
    chance = Random(kind)
    lake.create(**KEYED, **OPTIONS[kind])
    most = 0
    for step in range(12):
        write(chance, lake, is_dynamic=kind == "dynamic buckets")
        if step in (3, 7):
            lake.call("compact", full=step == 3, options={"write-only": "false"})
        true = {(f'{{"day":"{day}"}}', bucket): count for (day,), bucket, count in lake.call("sorted_runs")["buckets"]}
        assert counted(lake) == true
        most = max(most, *true.values())
    assert most >= 2
    assert lake.open().figures().has_levels


def test_p24_tables_without_a_key_have_no_levels(lake: PaimonLake) -> None:
    lake.create(bucket="2", bucket_key="id")
    lake.write([[1, "a", 1.5]])
    table = lake.open()
    assert table.figures().has_levels is False
    assert table.digest()["level"].to_pylist() == [0]


def test_p23_writers_of_the_core_stop_at_as_many_sorted_runs_above_the_trigger(lake: PaimonLake) -> None:
    found = lake.create(**KEYED, bucket="2").call("sorted_runs")
    assert (found["trigger"], found["stop_trigger"] - found["trigger"]) == (5, STOP_ABOVE_TRIGGER)
