"""Places and names of the files that writers of Iceberg tables write, by kind: only these can be orphans.

A table can be registered on a wide location in which other programs keep files. So a file counts only directly in the
metadata folder, or below a folder of data, and only with a name that writers of Iceberg give: Iceberg's library (Spark,
Flink, Hive, Kafka Connect), PyIceberg and Iceberg for Go, Trino and Athena, Packhouse.

Names that writers of other tables give as well are not among them: those of Impala (`….0.parq`) and DuckDB
(`<uuid>.parquet`). Their orphans stay.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from pyiceberg.table.metadata import TableMetadata

from engine.formats.iceberg.catalog.paths import all_locations, metadata_location
from engine.formats.removal.file_lists import FileKind

_UUID: Final = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_FORMATS: Final = r"\.(?:parquet|orc|avro|puffin)"
_DATA: Final = (
    # partition, task and operation: `OutputFileFactory` of Iceberg, and PyIceberg's `WriteTask`; with
    # `write.object-storage.partitioned-paths` false, the last bits of the path's hash precede them
    rf"(?:[01]{{8}}-)?[0-9]{{5}}-[0-9]+-[0-9A-Za-z_-]*{_UUID}[0-9A-Za-z_-]*{_FORMATS}",
    r"merged-dvs-[0-9]+-[0-9]+\.puffin",  # `MergingSnapshotProducer`
    # the id of the query: `IcebergPageSink` of Trino; in its Hive tables an underscore precedes the UUID
    rf"[0-9]{{8}}_[0-9]{{6}}_[0-9]{{5}}_[0-9a-z]{{5}}-{_UUID}{_FORMATS}",
    # Packhouse: see `domain.runs.output_names`
    r"run_[0-9a-z]+-[0-9]+-[0-9A-Za-z_-]+\.(?:parquet|orc|avro)",
)
_METADATA: Final = (
    # manifests and their lists: `SnapshotProducer`, `BaseRewriteManifests`
    rf"(?:run_[0-9a-z]+-[0-9]+-)?{_UUID}-m[0-9]+\.avro",
    rf"optimized-m-{_UUID}\.avro",
    rf"snap-[0-9]+-[0-9]+-{_UUID}\.avro",
    # manifests that a checkpoint of Flink has and no snapshot yet: `ManifestOutputFileFactory`
    r"[0-9a-f]{32}-[0-9A-Za-z_-]+-[0-9]{5}-[0-9]+-[0-9]+-[0-9]{5}(?:-[0-9A-Za-z_-]+)?\.avro",
    # statistics of Spark, Flink and Trino, and of partitions
    rf"[0-9A-Za-z_-]*{_UUID}\.stats",
    rf"partition-stats-[0-9]+-{_UUID}\.(?:parquet|orc|avro)",
)


def orphan_kinds(metadata: TableMetadata) -> Sequence[tuple[FileKind, str]]:
    """Return each kind of files with a regular expression of their paths, for Arrow; the first that matches counts."""
    location = metadata.location.rstrip("/")
    written = [each for each in all_locations(metadata) if each != metadata.location]
    data = [each.rstrip("/") for each in (f"{location}/data", *written)]
    folders = [metadata_location(metadata), f"{location}/metadata"]
    return [
        (FileKind.METADATA, f"^{_one_of(map(re.escape, folders))}/{_one_of(_METADATA)}$"),
        (FileKind.DATA, f"^{_one_of(map(re.escape, data))}/(?:.*/)?{_one_of(_DATA)}$"),
    ]


def _one_of(patterns: Iterable[str]) -> str:
    return f"(?:{'|'.join(dict.fromkeys(patterns))})"
