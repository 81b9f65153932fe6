"""Partitions in the order of a key, and pages of them."""

import time

import pytest

from engine.planning.measures.partition_health import PartitionColumns, PartitionKey, SizeRules
from engine.planning.measures.partitions import partition_files
from tests.support.digests import DigestFile, digest_of, random_digest

MIB = 2**20
BOUNDS = SizeRules(96 * MIB, 230 * MIB, MIB)
FILES = [
    *[DigestFile(MIB, "a")] * 3,
    *[DigestFile(2 * MIB, "b", spec_id=1)] * 5,
    *[DigestFile(100 * MIB, "c", delete_files=1)] * 2,
    DigestFile(300 * MIB, "d"),
]


def columns() -> PartitionColumns:
    files = partition_files(digest_of(FILES))
    return PartitionColumns.of(files, BOUNDS.flags(files))


@pytest.mark.parametrize(
    ("key", "descending", "names"),
    [
        (PartitionKey.SMALL_FILE_COUNT, True, "bacd"),
        (PartitionKey.SMALL_FILE_COUNT, False, "cdab"),
        (PartitionKey.AVOIDABLE_FILE_COUNT, True, "bacd"),
        (PartitionKey.FILE_COUNT, False, "dcab"),
        (PartitionKey.TOTAL_BYTES, True, "dcba"),
        (PartitionKey.AVERAGE_FILE_BYTES, False, "abcd"),
        (PartitionKey.FILES_WITH_DELETES, True, "cadb"),
        (PartitionKey.PARTITION, False, "abcd"),
        (PartitionKey.PARTITION, True, "dcba"),
    ],
)
def test_partitions_are_in_the_order_of_a_key(key: PartitionKey, descending: bool, names: str) -> None:
    found = columns()
    assert "".join(one.partition for one in found.pick(found.order(key, descending=descending))) == names


def test_a_partition_has_the_figures_of_its_files_and_a_table_without_files_none() -> None:
    found = columns()
    small, _, large, *_ = found.pick(found.order(PartitionKey.PARTITION, descending=False))
    assert (small.spec_id, small.file_count, small.small_file_count, small.avoidable_file_count) == (0, 3, 3, 2)
    assert (small.total_bytes, small.average_file_bytes) == (3 * MIB, MIB)
    assert small.largest_small_file_share == pytest.approx(1 / 3)
    assert (large.largest_small_file_share, large.files_with_deletes) == (None, 2)
    files = partition_files(digest_of([]))
    found = PartitionColumns.of(files, BOUNDS.flags(files))
    assert [len(found.order(key, descending=True)) for key in PartitionKey] == [0] * len(PartitionKey)


def test_a_page_of_forty_thousand_partitions_takes_milliseconds() -> None:
    files = partition_files(random_digest(files=400_000, partitions=40_000, mean_bytes=8 * MIB, seed=1))
    found = PartitionColumns.of(files, BOUNDS.flags(files))
    started = time.process_time()
    page = found.pick(found.order(PartitionKey.SMALL_FILE_COUNT, descending=True)[:500])
    assert len(page) == 500
    assert time.process_time() - started < 0.1
