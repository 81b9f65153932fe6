"""Options of a table that decide how its files are arranged and read; defaults are those of Paimon 1.4."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from engine.formats.intake.limits import NEWER_WRITER, Unsupported
from engine.formats.paimon.metadata.schemas import TableSchema

_ON_DEMAND: Final = -1
_POSTPONED: Final = -2
_AVRO: Final = "avro"
MERGE_ENGINES: Final = ("deduplicate", "partial-update", "aggregation", "first-row")
CHANGELOG_PRODUCERS: Final = ("none", "input", "full-compaction", "lookup")
_DIGITS: Final = 10
"""Of the largest number that Java's int has."""


class BucketMode(StrEnum):
    """The distribution of rows to the buckets of a partition."""

    FIXED = "fixed"
    """By a hash of the bucket key, to a fixed number."""

    UNAWARE = "unaware"
    """All to bucket 0: an append table without buckets."""

    DYNAMIC = "dynamic"
    """By an index of primary keys, to a growing number."""

    CROSS_PARTITION = "cross_partition"
    """As `DYNAMIC`, with primary keys that can move between partitions."""

    POSTPONE = "postpone"
    """To a bucket for new files, which a compaction distributes."""


@dataclass(frozen=True, slots=True)
class TableOptions:
    """Options as the table has them.

    `buckets`: the number of buckets, None where it is not fixed. `last_level`: of each bucket of a table with a primary
    key, None for other tables.
    """

    bucket_mode: BucketMode
    buckets: int | None
    has_deletion_vectors: bool
    changelog_producer: str
    merge_engine: str | None
    is_write_only: bool
    default_partition: str
    data_directory: str
    data_prefix: str
    changelog_prefix: str
    external_paths: tuple[str, ...]
    has_legacy_partition_names: bool
    last_level: int | None

    @property
    def looks_up(self) -> bool:
        """Whether the core compares new rows with old ones when it compacts, `CoreOptions.needLookup`.

        Files of level 0 then have no changelog, or are not read, until they are compacted.
        """
        is_asked = self.changelog_producer == "lookup" or self.has_deletion_vectors
        return self.merge_engine is not None and (is_asked or self.merge_engine == "first-row")

    @property
    def hides_level0(self) -> bool:
        """Whether readers skip files of level 0, `CoreOptions.batchScanSkipLevel0`."""
        return self.merge_engine is not None and (self.has_deletion_vectors or self.merge_engine == "first-row")

    def described(self) -> Mapping[str, Any]:
        """Return the options that decide how the table can be compacted, JSON-ready."""
        return {
            "bucket_mode": self.bucket_mode.value,
            "buckets": self.buckets,
            "deletion_vectors": self.has_deletion_vectors,
            "changelog_producer": self.changelog_producer,
            "merge_engine": self.merge_engine,
            "write_only": self.is_write_only,
        }


def options_of(schema: TableSchema) -> TableOptions:
    """Return the options of a table.

    Raises:
        Unsupported: a value is not one of its option, or not known.
    """
    given = schema.options
    mode, buckets = _buckets(schema)
    paths = given.get("data-file.external-paths", "")
    return TableOptions(
        bucket_mode=mode,
        buckets=buckets,
        has_deletion_vectors=_switch(given, "deletion-vectors.enabled", default=False),
        changelog_producer=_one_of(given, "changelog-producer", CHANGELOG_PRODUCERS),
        merge_engine=_one_of(given, "merge-engine", MERGE_ENGINES) if schema.primary_keys else None,
        is_write_only=_switch(given, "write-only", default=False),
        default_partition=given.get("partition.default-name", "__DEFAULT_PARTITION__"),
        data_directory=given.get("data-file.path-directory", "").strip("/"),
        data_prefix=given.get("data-file.prefix", "data-"),
        changelog_prefix=given.get("changelog-file.prefix", "changelog-"),
        external_paths=tuple(path for each in paths.split(",") if (path := each.strip())),
        has_legacy_partition_names=_switch(given, "partition.legacy-name", default=True),
        last_level=_last_level(given) if schema.primary_keys else None,
    )


def check_manifest_format(schema: TableSchema) -> None:
    """Raise `Unsupported` if the manifests of a table are in another format than Avro."""
    if (found := schema.options.get("manifest.format", _AVRO).strip().lower()) != _AVRO:
        remedy = "set it to avro, and let Paimon compact the table's manifests (sys.compact_manifest)"
        raise Unsupported(f"the option manifest.format is {found[:40]!r}: only manifests in Avro are read; {remedy}")


def _buckets(schema: TableSchema) -> tuple[BucketMode, int | None]:
    written = schema.options.get("bucket", str(_ON_DEMAND)).strip()
    try:
        number = int(written[:20])
    except ValueError:
        number = 0
    if number > 0:
        return BucketMode.FIXED, number
    if number == _POSTPONED and schema.primary_keys:
        return BucketMode.POSTPONE, None
    if number != _ON_DEMAND:
        possible = "a number of buckets, -1 or (with a primary key) -2"
        raise Unsupported(f"the option bucket is {written[:80]!r}: set it to {possible}")
    if not schema.primary_keys:
        return BucketMode.UNAWARE, None
    is_within = set(schema.partition_keys) <= set(schema.primary_keys)
    return (BucketMode.DYNAMIC if is_within else BucketMode.CROSS_PARTITION), None


def _last_level(given: Mapping[str, str]) -> int:
    """Return the last level, `CoreOptions.numLevels` - 1: by default there is one more than the trigger's runs."""
    levels = _number(given, "num-levels", default=1 + _number(given, "num-sorted-run.compaction-trigger", default=5))
    return max(0, levels - 1)


def _one_of(given: Mapping[str, str], name: str, known: Sequence[str]) -> str:
    """Return the value of an option, the first of those that are known by default."""
    value = given.get(name, known[0]).lower()
    if value not in known:
        raise Unsupported(f"the option {name} is {value[:40]!r}, none of {', '.join(known)}: {NEWER_WRITER}")
    return value


def _number(given: Mapping[str, str], name: str, *, default: int) -> int:
    value = given.get(name, str(default)).strip()
    if not value[:20].isascii() or not value[:20].isdigit() or len(value) > _DIGITS:
        raise Unsupported(f"the option {name} is {value[:80]!r}: set it to a whole number")
    return int(value)


def _switch(given: Mapping[str, str], name: str, *, default: bool) -> bool:
    value = given.get(name, str(default)).strip().lower()
    if value not in ("true", "false"):
        raise Unsupported(f"the option {name} is {value[:80]!r}: set it to true or false")
    return value == "true"
