"""Columns of a digest by partition."""

from engine.planning.measures.partitions import ABSENT, partition_files
from tests.support.digests import DigestFile, digest_of


def test_buckets_and_levels_are_kept_and_absent_where_the_format_has_none() -> None:
    files = partition_files(digest_of([DigestFile(1, bucket=3, level=5), DigestFile(1, bucket=0, level=0)]))
    assert (files.bucket.tolist(), files.level.tolist()) == ([3, 0], [5, 0])
    files = partition_files(digest_of([DigestFile(1), DigestFile(1)]))
    assert (files.bucket.tolist(), files.level.tolist()) == ([ABSENT] * 2, [ABSENT] * 2)
