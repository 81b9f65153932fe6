"""What the health of a table's files says."""

from collections.abc import Sequence

from engine.planning.measures.health import TableHealth, health
from tests.support.digests import DigestFile, digest_of

MIB = 2**20


def measured(files: Sequence[DigestFile], top: int = 20) -> TableHealth:
    return health(digest_of(files), small_bytes=96 * MIB, large_bytes=230 * MIB, current_spec_id=0, top=top)


def test_empty_tables_well_sized_files_and_one_small_file_in_each_partition_are_healthy() -> None:
    found = measured([])
    assert (found.score, found.file_count, found.worst_partitions) == (100, 0, ())
    assert measured([DigestFile(128 * MIB)] * 10).score == 100
    found = measured([DigestFile(MIB, f"p{at}") for at in range(10)])
    assert (found.small_file_count, found.avoidable_file_count, found.score) == (10, 0, 100)


def test_only_partitions_with_avoidable_files_have_bytes_to_rewrite_and_size_classes_hold_every_file_once() -> None:
    small = [DigestFile(MIB, "a"), DigestFile(2 * MIB, "a"), DigestFile(4 * MIB, "b"), DigestFile(128 * MIB, "a")]
    assert measured(small).avoidable_bytes == 3 * MIB
    found = measured([DigestFile(size) for size in (1, MIB, 40 * MIB, 128 * MIB, 2000 * MIB)])
    assert [one.file_count for one in found.size_classes] == [1, 1, 0, 1, 1, 0, 1]
    assert sum(one.total_bytes for one in found.size_classes) == found.total_bytes
    files = [DigestFile(MIB, name) for name, count in (("a", 2), ("b", 9), ("c", 5)) for _ in range(count)]
    assert [one.partition for one in measured(files, top=2).worst_partitions] == ["b", "c"]
    found = measured([DigestFile(MIB, spec_id=spec) for spec in (0, 0, 1, 1, 1)])
    assert [(one.spec_id, one.file_count) for one in found.worst_partitions] == [(1, 3), (0, 2)]


def test_files_under_any_other_spec_than_the_current_one_are_counted_and_keep_the_score() -> None:
    specs = [DigestFile((1 + at) * 128 * MIB, spec_id=at) for at in (0, 2, 1, 2)]
    one, none = (health(digest_of(specs), small_bytes=1, large_bytes=None, current_spec_id=at) for at in (2, 3))
    assert (one.old_spec_file_count, one.old_spec_bytes) == (2, (1 + 2) * 128 * MIB)
    assert (none.old_spec_file_count, none.old_spec_bytes) == (4, none.total_bytes)
    assert one.score == none.score == 100


def test_many_small_files_deletes_and_bytes_in_over_large_files_lower_the_score() -> None:
    found = measured([DigestFile(MIB)] * 1000)
    assert (found.score_parts["file_sizes"], found.score) == (0.1, 40)
    found = measured([DigestFile(128 * MIB, record_count=100, deleted_rows=50, delete_files=1)])
    assert (found.score_parts["deletes"], found.files_with_deletes) == (50.0, 1)
    assert measured([DigestFile(128 * MIB, equality_deletes=1)]).score_parts["deletes"] == 0.0
    assert measured([DigestFile(300 * MIB), DigestFile(100 * MIB)]).score_parts["large_files"] == 25.0


def test_l24_files_count_whatever_bytes_they_hold() -> None:
    """The cost of opening a file does not depend on its size."""
    tiny, larger = (measured([DigestFile(size)] * 30 + [DigestFile(128 * MIB)] * 70) for size in (1024, 90 * MIB))
    assert tiny.score_parts["file_sizes"] == larger.score_parts["file_sizes"] == 71.0
