"""Options of Paimon 1.4 whose values the core parses: with another value it opens no table, commits and merges nothing.

A test compares this list with the core's own classes of options. Of options that are texts or maps, the core parses
those in `_TEXTS`. Those of ORC and Parquet are read by their libraries.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

_UNITS: Final = r"b|bytes|k|kb|kibibytes|m|mb|mebibytes|g|gb|gibibytes|t|tb|tebibytes"
_TIMES: Final = (
    r"ns|nanos?|nanoseconds?|µs|micros?|microseconds?|ms|millis?|milliseconds?|s|secs?|seconds?|m|min|mins|minutes?|"
    r"h|hours?|d|days?"
)
_NUMBER: Final = r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?[df]?"
_FORMS: Final[Mapping[str, str]] = {
    "INTEGER": r"[+-]?\d{1,10}",
    "LONG": r"[+-]?\d{1,19}",
    "BOOLEAN": "true|false",
    "NUMBER": _NUMBER,
    "SIZE": rf"\s*\d+\s*({_UNITS})?\s*",
    "DURATION": rf"\s*\d+\s*({_TIMES})?\s*",
}
_WORDS: Final[Mapping[str, str]] = {
    "INTEGER": "a whole number",
    "LONG": "a whole number",
    "BOOLEAN": "true or false",
    "NUMBER": "a number",
    "SIZE": "a size such as 128 mb",
    "DURATION": "a duration such as 1 h",
}
_NAMES: Final[Mapping[str, str]] = {
    "INTEGER": """
        btree-index.build.max-parallelism btree-index.compression-level bucket changelog.num-retained.max
        changelog.num-retained.min clustering.history-partition.limit commit.max-retries compaction.file-num-limit
        compaction.max-size-amplification-percent compaction.min.file-num compaction.offpeak-ratio
        compaction.offpeak.end.hour compaction.offpeak.start.hour compaction.size-ratio
        cross-partition-upsert.bootstrap-parallelism delete-file.thread-num dynamic-bucket.assigner-parallelism
        dynamic-bucket.initial-buckets dynamic-bucket.max-buckets file-operation.thread-num
        file.compression.zstd-level full-compaction.delta-commits global-index.build.max-parallelism
        global-index.build.max-shard global-index.thread-num local-sort.max-num-file-handles
        lookup-compact.max-interval lookup.merge-records-threshold lookup.remote-file.level-threshold
        manifest.merge-min-count metadata.iceberg.compaction.max.file-num metadata.iceberg.compaction.min.file-num
        metadata.iceberg.format-version metadata.iceberg.previous-versions-max metadata.stats-keep-first-n-columns
        num-levels num-sorted-run.compaction-trigger num-sorted-run.stop-trigger partition.expiration-batch-size
        partition.expiration-max-num postpone.batch-write-fixed-bucket.max-parallelism postpone.default-bucket-num
        read.batch-size scan.manifest.parallelism scan.max-splits-per-task snapshot.expire.limit
        snapshot.num-retained.max snapshot.num-retained.min sort-compaction.local-sample.magnification
        sort-spill-threshold spill-compression.zstd-level tag.num-retained-max variant.shredding.maxInferBufferRow
        variant.shredding.maxSchemaDepth variant.shredding.maxSchemaWidth write-max-writers-to-spill write.batch-size
        zorder.var-length-contribution
    """,
    "LONG": """
        btree-index.records-per-range commit.strict-mode.last-safe-snapshot dynamic-bucket.target-row-num
        global-index.row-count-per-shard log.scan.timestamp-millis scan.bounded.watermark scan.creation-time-millis
        scan.file-creation-time-millis scan.snapshot-id scan.timestamp-millis scan.watermark
    """,
    "BOOLEAN": """
        add-column-before-partition aggregation.remove-record-on-delete alter-column-null-to-not-null.disabled
        async-file-write auto-create blob-as-descriptor blob.split-by-file-size bucket-append-ordered
        chain-table.enabled changelog-producer.lookup-wait changelog-producer.row-deduplicate clustering.incremental
        clustering.incremental.optimize-write commit.discard-duplicate-files commit.force-compact
        commit.force-create-snapshot compaction.force-rewrite-all-files compaction.force-up-level-0
        consumer.changelog-only consumer.ignore-progress csv.include-header data-evolution.enabled data-file.thin-mode
        deduplicate.ignore-delete delete.force-produce-changelog deletion-vectors.bitmap64 deletion-vectors.enabled
        deletion-vectors.modifiable disable-explicit-type-casting dynamic-partition-overwrite
        end-input.check-partition-expire file-index.read.enabled file.suffix.include.compression
        first-row.ignore-delete force-lookup format-table.partition-path-only-value global-index.enabled header
        ignore-delete ignore-update-before incremental-between-tag-to-snapshot index-file-in-data-file-dir
        json.ignore-parse-errors key-value.sequence_number.enabled lookup-wait lookup.cache.bloom.filter.enabled
        lookup.remote-file.enabled manifest.delete-file-drop-stats metadata.iceberg.delete-after-commit.enabled
        metadata.iceberg.glue.skip-archive metadata.iceberg.hive-skip-update-stats
        metadata.iceberg.manifest-legacy-version metadata.stats-dense-store metastore.partitioned-table
        overwrite-upgrade partial-update.ignore-delete partial-update.remove-record-on-delete
        partition.end-input-to-done partition.legacy-name partition.timestamp-format.strict pk-clustering-override
        postpone.batch-write-fixed-bucket query-auth.enabled row-tracking.enabled scan.ignore-corrupt-files
        scan.ignore-lost-files scan.plan-sort-partition snapshot.clean-empty-directories
        snapshot.expire.clean-empty-directories snapshot.ignore-empty-commit streaming-read-append-overwrite
        streaming-read-overwrite table-read.sequence-number.enabled tag.automatic-completion tag.create-success-file
        tag.time-expire-enabled variant.inferShreddingSchema visibility-callback.enabled write-buffer-for-append
        write-buffer-spillable write-only write.compaction-skip
    """,
    "NUMBER": """
        btree-index.high-priority-pool-ratio compaction.delete-ratio-threshold lookup.cache.bloom.filter.fpp
        lookup.cache.high-priority-pool-ratio lookup.hash-load-factor variant.shredding.minFieldCardinalityRatio
    """,
    "SIZE": """
        blob.target-file-size btree-index.block-size btree-index.cache-size cache-page-size
        compaction.incremental-size-threshold compaction.total-size-threshold deletion-vector.index-file.target-size
        file-index.in-manifest-threshold file-reader-async-threshold file.block-size local-merge-buffer-size
        lookup.cache-max-disk-size lookup.cache-max-memory-size lookup.merge-buffer-size
        manifest.full-compaction-threshold-size manifest.target-file-size page-size sort-spill-buffer-size
        source.split.open-file-cost source.split.target-size target-file-size vector.target-file-size
        write-buffer-size write-buffer-spill.max-disk-size write.batch-memory
    """,
    "DURATION": """
        changelog.time-retained clustering.history-partition.idle-to-full-sort commit.max-retry-wait
        commit.min-retry-wait commit.timeout compaction.optimization-interval consumer.expiration-time
        continuous.discovery-interval cross-partition-upsert.index-ttl lookup.cache-file-retention
        partition.expiration-check-interval partition.expiration-time partition.idle-time-to-report-statistic
        record-level.expire-time snapshot.time-retained snapshot.watermark-idle-timeout streaming.read.snapshot.delay
        tag.creation-delay tag.creation-period-duration tag.default-time-retained visibility-callback.check-interval
        visibility-callback.timeout
    """,
}
KINDS: Final = {name: kind for kind, names in _NAMES.items() for name in names.split()}
"""Options by name, with the kind of their values."""

CHOICES: Final[Mapping[str, str]] = {
    "batch-scan-mode": "none compact",
    "bucket-function.type": "default mod hive",
    "changelog-producer": "none input full-compaction lookup",
    "clustering.incremental.mode": "global-sort local-sort",
    "consumer.mode": "exactly-once at-least-once",
    "csv.mode": "permissive dropmalformed failfast",
    "mode": "permissive dropmalformed failfast",
    "data-file.external-paths.strategy": "none specific-fs round-robin entropy-inject weight-robin",
    "format-table.implementation": "paimon engine",
    "global-index.column-update-action": "throw_error drop_partition_index",
    "incremental-between-scan-mode": "auto delta changelog diff",
    "json.map-null-key-mode": "fail drop literal",
    "log.scan": (
        "default latest-full full latest compacted-full from-timestamp from-creation-timestamp "
        "from-file-creation-time from-snapshot from-snapshot-full incremental"
    ),
    "scan.mode": (
        "default latest-full full latest compacted-full from-timestamp from-creation-timestamp "
        "from-file-creation-time from-snapshot from-snapshot-full incremental"
    ),
    "lookup-compact": "radical gentle",
    "materialized-table.interval-freshness.time-unit": "second minute hour day",
    "materialized-table.logical-refresh-mode": "continuous full automatic",
    "materialized-table.refresh-mode": "continuous full automatic",
    "materialized-table.refresh-status": "initializing activated suspended",
    "merge-engine": "deduplicate partial-update aggregation first-row",
    "metadata.iceberg.storage": "disabled table-location hadoop-catalog hive-catalog rest-catalog",
    "metadata.iceberg.storage-location": "table-location catalog-location",
    "metastore.tag-to-partition.preview": "none process-time watermark batch",
    "tag.automatic-creation": "none process-time watermark batch",
    "partition.sink-strategy": "none hash",
    "sequence.field.sort-order": "ascending descending",
    "snapshot.expire.execution-mode": "sync async",
    "sort-compaction.range-strategy": "size quantity",
    "sort-engine": "min-heap loser-tree",
    "stream-scan-mode": "none compact-bucket-table file-monitor",
    "tag.creation-period": "daily hourly two-hours",
    "tag.period-formatter": "with_dashes without_dashes without_dashes_and_spaces",
    "type": "table format-table materialized-table object-table lance-table iceberg-table",
}
"""Options by name, with the words of which their value is one."""

_LEVELS: Final = r"\s*\d+\s*:\s*\w+\s*(,\s*\d+\s*:\s*\w+\s*)*"
_STATISTICS: Final = r"none|counts|full|truncate\(0*[1-9]\d{0,8}\)"
_LEVEL: Final = (r"-\d{1,5}|\+?([01]?\d|2[0-2])", "a level up to 22")
_TEXTS: Final[Mapping[str, tuple[str, str]]] = {
    "file.compression.zstd-level": _LEVEL,
    "spill-compression.zstd-level": _LEVEL,
    "parquet.compression.codec.zstd.level": _LEVEL,
    "metadata.stats-mode": (_STATISTICS, "none, counts, full or truncate(16)"),
    "file.compression.per.level": (_LEVELS, "codecs by level such as 0:lz4,1:zstd"),
    "file.format.per.level": (_LEVELS, "formats by level such as 0:avro,5:parquet"),
    "manifest.compression": ("zstd|zstandard|snappy|deflate|bzip2|xz|null", "zstd, snappy, deflate or null"),
}
_MOST_INTEGER: Final = 2**31
_LONGEST: Final = 1000
"""Most characters of a value: the time to compare one with its form grows with the square of them."""
_SHOWN: Final = 100


def unparsed(given: Mapping[str, str]) -> Iterator[str]:
    """Yield a clause for each option of a table whose value the core can't parse, with what it has to be."""
    for name, value in sorted(given.items()):
        form, words = _form(name)
        if form is None:
            continue
        is_of_form = len(value) <= _LONGEST and re.fullmatch(form, value, re.IGNORECASE | re.ASCII) is not None
        if not is_of_form or (KINDS.get(name) == "INTEGER" and int(value) >= _MOST_INTEGER):
            yield f"{name} is {value[:_SHOWN]!r}, which Paimon's core can't read: set it to {words}"


def _form(name: str) -> tuple[str | None, str]:
    """Return the form of an option's values as a pattern, and in words; None for any text."""
    if name in _TEXTS:
        return _TEXTS[name]
    if name in CHOICES:
        choices = CHOICES[name].split()
        return "|".join(map(re.escape, choices)), f"one of {', '.join(choices)}"
    kind = KINDS.get(name)
    return (None, "") if kind is None else (_FORMS[kind], _WORDS[kind])
