"""What the metrics of partitions say, and how fast they say it."""

import json
import math
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from engine.planning.measures.digest import TableMeasures
from engine.planning.measures.health import health
from engine.planning.measures.partition_metrics import (
    NOT_APPLICABLE,
    PartitionRewrite,
    RewriteHistory,
    measure_partitions,
)
from engine.planning.measures.partitions import partition_files
from tests.support.digests import DigestFile, digest_of, random_digest
from tests.support.planning import measured

MIB = 2**20
HOUR_MS = 3_600_000
NOW_MS = 1_790_000_000_000
SMALL, LARGE = 96 * MIB, 230 * MIB


measure = partial(measured, now_ms=NOW_MS, small_bytes=SMALL, large_bytes=LARGE)


def one(files: Sequence[DigestFile], name: str, **arguments: object) -> float:
    """Return a metric of the only partition."""
    (value,) = measure(files, **arguments).values[name]  # type: ignore[arg-type]
    return float(value)


def hours_ago(hours: float) -> int:
    return NOW_MS - round(hours * HOUR_MS)


def test_counts_and_sizes_are_of_each_partition_in_each_spec():
    files = [DigestFile(size * MIB, name) for name, size in (("a", 1), ("a", 3), ("a", 200), ("b", 300))]
    found = measure(files).values
    assert found["file_count"].tolist() == [3, 1]
    assert found["small_file_count"].tolist() == [2, 0]
    assert found["small_file_share"].tolist() == [2 / 3, 0]
    assert found["average_file_bytes"].tolist() == [68 * MIB, 300 * MIB]
    assert found["total_bytes"].tolist() == [204 * MIB, 300 * MIB]
    assert found["large_file_count"].tolist() == [0, 1]
    found = measure([DigestFile(MIB, "{}", spec_id=0), DigestFile(MIB, "{}", spec_id=1)])
    assert found.values["file_count"].tolist() == [1, 1]
    found = measure([])
    assert all(len(values) == 0 for values in found.values.values())
    assert found.table["snapshot_count"] == 0


def test_ages_are_of_commits_the_oldest_of_small_files_and_never_negative():
    files = [DigestFile(MIB, added_at_ms=hours_ago(5)), DigestFile(MIB, added_at_ms=hours_ago(2))]
    assert one(files, "newest_file_age") == 2 * 3600
    files = [DigestFile(200 * MIB, added_at_ms=hours_ago(9)), DigestFile(MIB, added_at_ms=hours_ago(4))]
    assert one(files, "oldest_small_file_age") == 4 * 3600
    assert math.isnan(one([DigestFile(200 * MIB, added_at_ms=hours_ago(1))], "oldest_small_file_age"))
    assert one([DigestFile(MIB, added_at_ms=hours_ago(-1))], "newest_file_age") == 0


def test_a_file_whose_snapshot_is_gone_is_at_least_as_old_as_the_oldest_known_commit():
    figures = TableMeasures(known_since_ms=hours_ago(30))
    found = measure([DigestFile(MIB)], figures=figures)
    assert found.values["newest_file_age"].tolist() == [30 * 3600]
    assert found.bounds["newest_file_age"].tolist() == [True]
    assert found.bounds["oldest_small_file_age"].tolist() == [True]
    files = [DigestFile(MIB), DigestFile(MIB, added_at_ms=hours_ago(1))]
    found = measure(files, figures=TableMeasures(known_since_ms=hours_ago(30)))
    assert found.bounds["newest_file_age"].tolist() == [False]
    assert found.bounds["oldest_small_file_age"].tolist() == [True]


def test_delete_files_are_those_of_the_partition_and_rows_that_deletes_may_hide():
    """F19: delete files are counted by partition, also those that apply to no file any more."""
    files = [DigestFile(MIB, record_count=100, deleted_rows=30), DigestFile(MIB, record_count=100)]
    figures = TableMeasures(delete_files={(0, "{}"): 3, (0, "elsewhere"): 9})
    assert one(files, "delete_file_count", figures=figures) == 3
    assert one(files, "delete_ratio") == 0.15
    files = [DigestFile(MIB, record_count=100, equality_deletes=1), DigestFile(MIB, record_count=300)]
    assert one(files, "delete_ratio") == 0.25


def test_a_partition_was_rewritten_at_times_told_apart_or_never_beyond_what_was_read():
    history = RewriteHistory(
        [PartitionRewrite(0, "{}", hours_ago(3), is_full=False), PartitionRewrite(0, "{}", hours_ago(20), is_full=True)]
    )
    files = [DigestFile(MIB, added_at_ms=hours_ago(25)), DigestFile(7 * MIB, added_at_ms=hours_ago(2))]
    found = measure(files, history=history).values
    assert found["time_since_rewrite"].tolist() == [3 * 3600]
    assert found["time_since_full"].tolist() == [20 * 3600]
    assert found["bytes_since_full"].tolist() == [7 * MIB]
    found = measure([DigestFile(MIB, added_at_ms=hours_ago(1))]).values
    assert found["time_since_rewrite"].tolist() == [math.inf]
    assert found["time_since_full"].tolist() == [math.inf]
    assert found["bytes_since_full"].tolist() == [MIB]
    found = measure([DigestFile(MIB)], history=RewriteHistory((), known_since_ms=hours_ago(48)))
    assert found.values["time_since_rewrite"].tolist() == [48 * 3600]
    assert found.bounds["time_since_rewrite"].tolist() == [True]
    history = RewriteHistory([PartitionRewrite(0, "gone", hours_ago(1), is_full=False)])
    assert one([DigestFile(MIB)], "time_since_rewrite", history=history) == math.inf


def test_u16_the_outputs_of_the_last_rewrite_are_no_change_and_a_newer_file_is():
    history = RewriteHistory([PartitionRewrite(0, name, hours_ago(3), is_full=False) for name in ("a", "b")])
    files = [
        DigestFile(MIB, "a", added_at_ms=hours_ago(3)),
        DigestFile(MIB, "b", added_at_ms=hours_ago(2)),
        DigestFile(MIB, "c", added_at_ms=hours_ago(90)),
    ]
    assert measure(files, history=history).is_changed.tolist() == [False, True, True]


def test_avoidable_files_are_counted_over_all_partitions_and_the_largest_small_file_against_small_bytes():
    files = [
        DigestFile(size * MIB, name) for name, size in (("a", 1), ("a", 3), ("a", 200), ("b", 2), ("c", 4), ("c", 1))
    ]
    found = measure(files).table
    assert (found["avoidable_file_count"], found["avoidable_file_share"]) == (2, 2 / 6)
    assert health(digest_of(files), small_bytes=SMALL, large_bytes=LARGE, current_spec_id=0).avoidable_file_count == 2
    files = [DigestFile(size * MIB, name) for name, size in (("a", 6), ("a", 2), ("a", 200), ("b", 300))]
    largest = measure(files).values["largest_small_file_share"]
    assert largest[0] == 0.75
    assert math.isnan(largest[1])


def test_metrics_of_the_table_are_those_of_its_figures_and_those_that_no_table_has_say_why():
    figures = TableMeasures(snapshot_count=7, manifest_count=4, manifest_bytes=4000, metadata_bytes=900)
    figures = replace(figures, committed_at_ms={1: hours_ago(3), 2: hours_ago(2)})
    assert measure([DigestFile(MIB)], figures=figures).table == {
        "avoidable_file_count": 0,
        "avoidable_file_share": 0,
        "snapshot_count": 7,
        "manifest_count": 4,
        "average_manifest_bytes": 1000,
        "metadata_bytes": 900,
        "oldest_snapshot_age": 3 * 3600,
    }
    assert set(NOT_APPLICABLE) == {"sorted_run_count", "level0_file_count", "commits_since_level0"}
    assert all(NOT_APPLICABLE.values())


@pytest.mark.parametrize("files", [2_000_000])
def test_l1_two_million_files_in_forty_thousand_partitions_are_measured_in_seconds(files: int):
    digest = random_digest(files=files, partitions=40_000, mean_bytes=18 * MIB, seed=1)
    names = [json.dumps({"bucket": at}, separators=(",", ":")) for at in range(0, 40_000, 2)]
    history = RewriteHistory([PartitionRewrite(0, name, 1_000_000, is_full=True) for name in names])
    started = time.perf_counter()
    partitioned = partition_files(digest)
    found = measure_partitions(
        digest, partitioned, TableMeasures(), history, now_ms=NOW_MS, small_bytes=SMALL, large_bytes=LARGE
    )
    took = time.perf_counter() - started
    assert np.isfinite(found.values["bytes_since_full"]).all()
    assert int(found.values["file_count"].sum()) == files
    assert took < 10, f"{took:.2f} s"  # about 1 s on one idle core; the bound is for busy machines
