"""The URI schemes of stores, with their aliases."""

from collections.abc import Mapping
from typing import Final

FILE: Final = "file"
S3: Final = "s3"
GOOGLE: Final = "gs"
AZURE: Final = "abfs"
HDFS: Final = "hdfs"

SCHEMES: Final[Mapping[str, str]] = {
    FILE: FILE,
    **dict.fromkeys(("s3", "s3a", "s3n"), S3),
    **dict.fromkeys(("gs", "gcs"), GOOGLE),
    **dict.fromkeys(("abfs", "abfss", "wasb", "wasbs"), AZURE),
    HDFS: HDFS,
    **{name: name for name in ("oss", "cosn", "obs")},
}
"""Every scheme with the one that stands for all of its aliases. `viewfs` is left out: its mount table, which only its
clients have, maps a path to any other store, so that it can't be compared with other locations."""

OBJECT_STORES: Final = frozenset({S3, GOOGLE, AZURE, "oss", "cosn", "obs"})
"""Stores in which `a//b` and `a/b` are the names of two objects."""

S3_PROTOCOL: Final = frozenset({S3, "oss", "cosn", "obs"})
"""Stores whose buckets are also reached as `s3:`, at an endpoint with the protocol of S3."""
