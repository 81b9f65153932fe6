"""How long the files of a partition can have kept deleted or replaced rows: `blocking_age`."""

import math
from typing import Any

import pytest

from engine.planning.measures.digest import TableMeasures
from engine.planning.measures.partition_metrics import RewriteHistory, measure_partitions
from engine.planning.measures.partitions import partition_files
from tests.support.digests import DigestFile, digest_of

HOUR_MS = 3_600_000
NOW_MS = 1000 * HOUR_MS
LEVELS = TableMeasures(has_levels=True, last_level=5, known_since_ms=NOW_MS - 90 * HOUR_MS)


def file(hours: float, *, level: int | None = None, partition: str = "a", **given: Any) -> DigestFile:
    """Return a file that was added so many hours ago; with a level it is in bucket 0 unless another is given."""
    bucket = given.pop("bucket", None if level is None else 0)
    added = NOW_MS - int(hours * HOUR_MS)
    return DigestFile(1000, partition, added_at_ms=added, level=level, bucket=bucket, **given)


def hours(*files: DigestFile, figures: TableMeasures) -> list[float | None]:
    """Return the hours of each partition, None where nothing blocks."""
    digest = digest_of(files)
    sizes: dict[str, Any] = {"now_ms": NOW_MS, "small_bytes": 1, "large_bytes": None}
    measured = measure_partitions(digest, partition_files(digest), figures, RewriteHistory(), **sizes)
    found = dict(zip(measured.files.names, measured.values["blocking_age"], strict=True))
    return [None if math.isnan(found[name]) else found[name] / 3600 for name in sorted(found)]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ([file(9, level=5)], None),  # compacted in full
        ([file(9, level=5), file(2, level=0), file(1, level=0)], 2),
        ([file(9, level=5), file(1, level=4)], 9),  # its rows can be as old as the base
        ([file(9, level=5), file(3, level=5), file(1, level=4)], 3),
        ([file(1, level=3)], 90),  # without a base: as old as the oldest known commit
        ([file(9, level=5), file(8, level=5, bucket=1), file(1, level=2, bucket=1)], 8),  # each bucket has its own
        ([file(9, level=5, delete_files=1, deleted_rows=1)], 9),  # a deletion vector of unknown age
        ([file(-1, level=5), file(-2, level=0)], 0),  # a writer's clock is ahead
    ],
)
def test_m15_m17_files_of_a_key_table_block_until_they_are_at_the_last_level(
    files: list[DigestFile], expected: float | None
) -> None:
    assert hours(*files, figures=LEVELS) == [expected]


def test_m15_deletes_block_since_their_commit_or_else_since_their_file() -> None:
    """Of Iceberg the time of the oldest delete file is known, of deletion vectors of Paimon it is not."""
    known = TableMeasures(delete_files={(0, "b"): 1}, deletes_since_ms={(0, "b"): NOW_MS - 4 * HOUR_MS})
    files = [
        *(file(20, partition="a"), file(20, partition="b", delete_files=1)),
        *(file(20, partition="c", delete_files=1), file(30, partition="c"), file(10, partition="c", delete_files=2)),
    ]
    assert hours(*files, figures=known) == [None, 4, 20]
    assert hours(*files, figures=TableMeasures()) == [None, 20, 20]
