"""Properties of Iceberg tables that are known, with the programs that write them.

Users and other programs keep properties of their own in a table, and Iceberg gives a meaning only to names in its own
namespaces (`NAMESPACES`). There, a property that is not listed is refused; outside, only those listed have a meaning.
The table in docs/reference/iceberg-features.md has the same rows, and a test compares them with Iceberg's own class.
"""

from typing import Final

from engine.formats.iceberg.features.rows import ALL, Activity, forbid, plain

_BLOOM: Final = "bloom filters, which the kernel does not write"
_FORMAT: Final = "form of new files; readers go by each file"
_COMMITS: Final = "how writers try commits again"
_READERS: Final = "how readers divide and read files, not which rows they find"
_WRITERS: Final = "how writers distribute and check rows"
_METRICS: Final = "statistics of columns, which rewritten files have too"
_RESERVED: Final = "a reserved name, which writers do not store"
_DELETE_FILES: Final = "form of delete files; a rewrite of them writes Parquet files by position"
_PLACES: Final = "where new files go; a rewrite follows it"
_GENERATED: Final = "the metadata is generated from a table of another format, whose readers would miss a commit"

PROPERTIES: Final = (
    *plain("all", "a description", "comment"),
    *plain(
        *("Iceberg", _RESERVED),
        *("format-version", "uuid", "snapshot-count", "current-snapshot-id", "current-snapshot-summary"),
        *("current-snapshot-timestamp-ms", "current-schema", "default-partition-spec", "default-sort-order"),
    ),
    *plain(
        *("Iceberg", "a rewrite follows it"),
        *("write.target-file-size-bytes", "write.parquet.compression-codec", "write.parquet.compression-level"),
        *("write.parquet.row-group-size-bytes", "write.parquet.page-size-bytes", "write.parquet.dict-size-bytes"),
    ),
    *plain("Iceberg", "the format of new files, see the condition `parquet_only`", "write.format.default"),
    *plain(
        *("Iceberg", _FORMAT),
        *("write.parquet.page-version", "write.parquet.page-row-limit", "write.parquet.row-group-limit"),
        *("write.parquet.row-group-check-min-record-count", "write.parquet.row-group-check-max-record-count"),
        *("write.parquet.row-group-size-track-uncompressed", "write.parquet.shred-variants"),
        *("write.parquet.variant-inference-buffer-size", "write.parquet.stats-enabled.column.*"),
        *("write.parquet.content-defined-chunking.enabled", "write.parquet.content-defined-chunking.min-chunk-size"),
        *("write.parquet.content-defined-chunking.max-chunk-size", "write.parquet.content-defined-chunking.norm-level"),
        *("write.parquet.dict-encoding-enabled.column.*", "write.avro.compression-level"),
        *("write.orc.stripe-size-bytes", "write.orc.block-size-bytes", "write.orc.vectorized.batch-size"),
        *("write.orc.compression-codec", "write.orc.compression-strategy", "write.orc.bloom.filter.columns"),
        "write.orc.bloom.filter.fpp",
    ),
    *forbid(
        *(
            (Activity.KERNEL,),
            "Iceberg",
            _BLOOM,
            ("false",),
            "remove it, or let Iceberg's procedure rewrite the table",
        ),
        "write.parquet.bloom-filter-enabled.column.*",
    ),
    *plain(
        *("Iceberg", "form of bloom filters, where those are written"),
        *("write.parquet.bloom-filter-max-bytes", "write.parquet.bloom-filter-adaptive-enabled"),
        *("write.parquet.bloom-filter-fpp.column.*", "write.parquet.bloom-filter-ndv.column.*"),
    ),
    *plain(
        *("Iceberg", _DELETE_FILES),
        *("write.delete.format.default", "write.delete.target-file-size-bytes", "write.delete.granularity"),
        *("write.delete.parquet.row-group-size-bytes", "write.delete.parquet.page-size-bytes"),
        *("write.delete.parquet.page-version", "write.delete.parquet.page-row-limit"),
        *("write.delete.parquet.dict-size-bytes", "write.delete.parquet.compression-codec"),
        *("write.delete.parquet.compression-level", "write.delete.parquet.row-group-check-min-record-count"),
        *("write.delete.parquet.row-group-check-max-record-count", "write.delete.avro.compression-codec"),
        *("write.delete.avro.compression-level", "write.delete.orc.stripe-size-bytes"),
        *("write.delete.orc.block-size-bytes", "write.delete.orc.vectorized.batch-size"),
        *("write.delete.orc.compression-codec", "write.delete.orc.compression-strategy"),
    ),
    *plain(
        *("Iceberg", _PLACES),
        *("write.data.path", "write.metadata.path", "write.folder-storage.path", "write.object-storage.enabled"),
        *("write.object-storage.path", "write.object-storage.partitioned-paths"),
    ),
    *plain(
        *("Iceberg", "a class that names new files, see the condition `default_location_provider`"),
        *("write.location-provider.impl", "write.py-location-provider.impl"),
    ),
    *plain("Iceberg", "classes that open files, which Packhouse never loads", "io-impl", "py-io-impl"),
    *plain(
        *("Iceberg", _METRICS),
        *("write.metadata.metrics.default", "write.metadata.metrics.column.*"),
        "write.metadata.metrics.max-inferred-column-defaults",
    ),
    *plain(
        *("Iceberg", "form of manifests and metadata files, or how many are kept"),
        *("write.avro.compression-codec", "write.manifest.compression-codec", "write.manifest.compression-level"),
        *("write.manifest-lists.enabled", "write.summary.partition-limit", "write.metadata.compression-codec"),
        *("write.metadata.previous-versions-max", "write.metadata.delete-after-commit.enabled"),
        *("commit.manifest.target-size-bytes", "commit.manifest.min-count-to-merge", "commit.manifest-merge.enabled"),
        "compatibility.snapshot-id-inheritance.enabled",
    ),
    *plain(
        *("Iceberg", _COMMITS),
        *("commit.retry.num-retries", "commit.retry.min-wait-ms", "commit.retry.max-wait-ms"),
        *("commit.retry.total-timeout-ms", "commit.status-check.num-retries", "commit.status-check.min-wait-ms"),
        *("commit.status-check.max-wait-ms", "commit.status-check.total-timeout-ms"),
    ),
    *plain(
        *("Iceberg, Spark", _WRITERS),
        *("write.distribution-mode", "write.delete.distribution-mode", "write.update.distribution-mode"),
        *("write.merge.distribution-mode", "write.delete.mode", "write.update.mode", "write.merge.mode"),
        *("write.delete.isolation-level", "write.update.isolation-level", "write.merge.isolation-level"),
        *("write.spark.fanout.enabled", "write.spark.accept-any-schema", "write.spark.auto-schema-evolution.enabled"),
        *("write.spark.advisory-partition-size-bytes", "write.upsert.enabled", "identifier-fields.rely"),
    ),
    *plain("Iceberg in Rust", "how writers keep files open", "write.datafusion.fanout.enabled"),
    *plain("Iceberg", "snapshots are staged, and not on main until they are published", "write.wap.enabled"),
    *plain(
        *("Iceberg", _READERS),
        *("read.split.target-size", "read.split.metadata-target-size", "read.split.planning-lookback"),
        *("read.split.open-file-cost", "read.split.adaptive-size.enabled", "read.parquet.vectorization.enabled"),
        *("read.parquet.vectorization.batch-size", "read.orc.vectorization.enabled"),
        *("read.orc.vectorization.batch-size", "read.data-planning-mode", "read.delete-planning-mode"),
    ),
    *plain(
        *("Iceberg", "the columns of files without field ids; rewrites follow it"),
        "schema.name-mapping.default",
    ),
    *plain("Iceberg", "whether files may be deleted; an expiry follows it", "gc.enabled"),
    *plain(
        *("Iceberg", "how long snapshots are kept; Packhouse keeps them at least as long"),
        *("history.expire.max-snapshot-age-ms", "history.expire.min-snapshots-to-keep"),
        "history.expire.max-ref-age-ms",
    ),
    *plain(
        *("Iceberg", "the key of an encrypted table, see the condition `not_encrypted`"),
        *("encryption.key-id", "encryption.data-key-length"),
    ),
    *plain("Hive", "how the Metastore shows and locks the table", "engine.hive.enabled", "engine.hive.lock-enabled"),
    *forbid(
        *(ALL, "Delta Lake (UniForm)", _GENERATED, (), "register the Delta table in a catalog of its format"),
        *("delta-version", "delta-timestamp", "base-delta-version", "delta-high-water-mark"),
    ),
    *forbid(
        *(ALL, "XTable, OneLake", _GENERATED, (), "register the source table in a catalog of its format"),
        "XTABLE_METADATA",
    ),
)
"""Table properties, with the programs that write them."""

NAMESPACES: Final = (
    *("write.", "read.", "commit.", "history.", "schema.", "gc.", "encryption.", "compatibility."),
    *("engine.", "identifier-fields."),
)
"""Prefixes of the properties that Iceberg's own readers and writers go by."""
