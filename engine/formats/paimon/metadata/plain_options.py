"""Options of Paimon 1.4 that forbid no operation, whatever their value; see `known_options`."""

from typing import Final

from engine.formats.intake.parameters import known

_FOLLOWED: Final = "Packhouse follows it, or names it in a condition"
_MERGING: Final = "how rows of a key are merged, by the core in a rewrite as well"
_WRITING: Final = "settings of writers; readers go by each file"
_COMPACTING: Final = "when and how writers and the core compact"
_READING: Final = "settings of readers, which change no row of a snapshot"
_MEMORY: Final = "memory, threads and local disks of a program"
_COMMITTING: Final = "how often and in which form commits are tried and written"
_KEEPING: Final = "how long Paimon keeps snapshots; Packhouse keeps them at least as long"
_DROPPING: Final = "when writers drop partitions; commits of Packhouse drop none"
_DONE: Final = "when writers mark a partition as done"
_TAGGING: Final = "which tags writers make, and for how long"
_CLUSTERING: Final = "how writers sort rows; a rewrite keeps the rows and can leave files for them to sort"
_INDEXING: Final = "indexes of tables with row tracking"
_TEXTS: Final = "form of text files, which the core follows when it reads and writes"
_ICEBERG: Final = "form of metadata for readers of Iceberg"
_TASKS: Final = "how tables are made and refreshed"
_FORMER: Final = "nothing any more"
_OLD_LOG: Final = "a log that writers also wrote to, before Paimon 1.0"
_OPERATORS: Final = "how jobs are arranged"

PLAIN: Final = (
    *known(
        "Paimon",
        _FOLLOWED,
        *("bucket", "bucket-key", "deletion-vectors.enabled", "merge-engine", "changelog-producer", "write-only"),
        *("write.compaction-skip", "file.format", "partition.default-name", "partition.legacy-name"),
        *("data-file.path-directory", "data-file.prefix", "changelog-file.prefix", "index-file-in-data-file-dir"),
        *("snapshot.time-retained", "snapshot.num-retained.min", "primary-key", "partition", "num-levels"),
        "target-file-size",
    ),
    *known(
        "Paimon",
        _MERGING,
        *("sequence.field", "sequence.field.sort-order", "rowkind.field", "ignore-delete", "first-row.ignore-delete"),
        *("deduplicate.ignore-delete", "partial-update.ignore-delete", "ignore-update-before"),
        *("aggregation.remove-record-on-delete", "partial-update.remove-record-on-delete"),
        *("partial-update.remove-record-on-sequence-group", "fields.default-aggregate-function"),
        *("fields.*.aggregate-function", "fields.*.sequence-group", "fields.*.ignore-retract", "fields.*.nested-key"),
        *("fields.*.nested-key-null-strategy", "fields.*.nested-sequence-field", "fields.*.count-limit"),
        *("fields.*.distinct", "fields.*.list-agg-delimiter", "fields.*.ts-field"),
        *("record-level.expire-time", "record-level.time-field", "pk-clustering-override", "upsert-key"),
        *("changelog-producer.row-deduplicate", "changelog-producer.row-deduplicate-ignore-fields"),
        *("delete.force-produce-changelog", "force-lookup", "key-value.sequence_number.enabled"),
    ),
    *known("Paimon", "the default of new rows, which writers store", "fields.*.default-value"),
    *known(
        "Paimon",
        _WRITING,
        *("file.block-size", "page-size", "cache-page-size", "file.compression"),
        *("file.compression.per.level", "file.compression.zstd-level", "file.format.per.level"),
        *("file.suffix.include.compression", "changelog-file.compression", "changelog-file.format"),
        *("changelog-file.stats-mode", "metadata.stats-mode", "metadata.stats-mode.per.level", "fields.*.stats-mode"),
        *("metadata.stats-dense-store", "metadata.stats-keep-first-n-columns", "data-file.thin-mode"),
        *("data-file.external-paths.specific-fs", "data-file.external-paths.strategy"),
        *("data-file.external-paths.weights", "bucket-append-ordered", "bucket-function.type"),
        *("dynamic-bucket.initial-buckets", "dynamic-bucket.max-buckets", "dynamic-bucket.target-row-num"),
        *("dynamic-bucket.assigner-parallelism", "cross-partition-upsert.bootstrap-parallelism"),
        *("cross-partition-upsert.index-ttl", "postpone.batch-write-fixed-bucket", "postpone.default-bucket-num"),
        *("postpone.batch-write-fixed-bucket.max-parallelism", "dynamic-partition-overwrite", "overwrite-upgrade"),
        *("deletion-vectors.bitmap64", "deletion-vectors.modifiable", "deletion-vector.index-file.target-size"),
        *("blob-as-descriptor", "blob.split-by-file-size", "blob.target-file-size", "vector.target-file-size"),
        *("variant.inferShreddingSchema", "variant.shreddingSchema", "variant.shredding.maxInferBufferRow"),
        *("variant.shredding.maxSchemaDepth", "variant.shredding.maxSchemaWidth"),
        *("variant.shredding.minFieldCardinalityRatio", "write.batch-size", "orc.write.batch-size"),
        *("orc.column.encoding.direct", "orc.dictionary.key.threshold", "orc.timestamp-ltz.legacy.type"),
        *("orc.bloom.filter.columns", "orc.bloom.filter.fpp", "orc.compress", "orc.compress.size", "orc.stripe.size"),
        *("orc.row.index.stride", "orc.create.index", "orc.block.padding", "orc.compression.zstd.level"),
        *("avro.codec", "avro.row-name-mapping", "add-column-before-partition", "disable-explicit-type-casting"),
        *("alter-column-null-to-not-null.disabled", "sink.process-time-zone", "sink.watermark-time-zone"),
        *("partition.sink-strategy", "file-index.in-manifest-threshold"),
    ),
    *known(
        "Paimon",
        _COMPACTING,
        *("compaction.delete-ratio-threshold", "compaction.file-num-limit", "compaction.force-rewrite-all-files"),
        *("compaction.force-up-level-0", "compaction.incremental-size-threshold", "compaction.min.file-num"),
        *("compaction.max-size-amplification-percent", "compaction.offpeak-ratio", "compaction.offpeak.end.hour"),
        *("compaction.offpeak.start.hour", "compaction.optimization-interval", "compaction.size-ratio"),
        *("compaction.total-size-threshold", "full-compaction.delta-commits", "lookup-compact", "lookup-wait"),
        *("lookup-compact.max-interval", "changelog-producer.lookup-wait", "num-sorted-run.compaction-trigger"),
        *("num-sorted-run.stop-trigger", "lookup.merge-records-threshold", "lookup.remote-file.level-threshold"),
    ),
    *known(
        "Paimon",
        _READING,
        *("consumer-id", "consumer.changelog-only", "consumer.expiration-time"),
        *("consumer.ignore-progress", "consumer.mode", "continuous.discovery-interval", "file-index.read.enabled"),
        *("incremental-between-scan-mode", "incremental-between-tag-to-snapshot", "query-auth.enabled"),
        *("read.batch-size", "scan.bounded.watermark", "scan.manifest.parallelism", "scan.max-splits-per-task"),
        *("scan.mode", "log.scan", "scan.plan-sort-partition", "source.split.open-file-cost", "stream-scan-mode"),
        *("source.split.target-size", "streaming-read-append-overwrite", "streaming-read-overwrite"),
        *("streaming.read.snapshot.delay", "table-read.sequence-number.enabled", "chain-table.chain-partition-keys"),
    ),
    *known(
        "Paimon",
        _MEMORY,
        *("async-file-write", "file-operation.thread-num", "delete-file.thread-num", "file-reader-async-threshold"),
        *("local-merge-buffer-size", "local-sort.max-num-file-handles", "lookup.cache-file-retention"),
        *("lookup.cache-max-disk-size", "lookup.cache-max-memory-size", "lookup.cache-spill-compression"),
        *("lookup.cache.bloom.filter.enabled", "lookup.cache.bloom.filter.fpp", "lookup.hash-load-factor"),
        *("lookup.cache.high-priority-pool-ratio", "lookup.merge-buffer-size", "rocksdb.*", "sort-engine"),
        *("sort-spill-buffer-size", "sort-spill-threshold", "spill-compression", "spill-compression.zstd-level"),
        *("write-buffer-for-append", "write-buffer-size", "write-buffer-spill.max-disk-size"),
        *("write-buffer-spillable", "write-max-writers-to-spill", "write.batch-memory"),
    ),
    *known(
        "Paimon",
        _COMMITTING,
        *("commit.discard-duplicate-files", "commit.force-compact", "commit.force-create-snapshot"),
        *("commit.max-retries", "commit.max-retry-wait", "commit.min-retry-wait", "commit.timeout"),
        *("commit.user-prefix", "manifest.compression", "manifest.delete-file-drop-stats"),
        *("manifest.full-compaction-threshold-size", "manifest.merge-min-count", "manifest.target-file-size"),
        *("snapshot.ignore-empty-commit", "snapshot.watermark-idle-timeout", "metastore.partitioned-table"),
        *("visibility-callback.check-interval", "visibility-callback.timeout"),
    ),
    *known(
        "Paimon",
        _KEEPING,
        *("snapshot.num-retained.max", "snapshot.expire.limit", "snapshot.expire.execution-mode"),
        *("snapshot.clean-empty-directories", "snapshot.expire.clean-empty-directories"),
    ),
    *known(
        "Paimon",
        _DROPPING,
        *("partition.expiration-batch-size", "partition.expiration-check-interval", "partition.expiration-max-num"),
        *("partition.expiration-strategy", "partition.expiration-time", "partition.timestamp-format.strict"),
        *("partition.timestamp-formatter", "partition.timestamp-pattern", "end-input.check-partition-expire"),
    ),
    *known(
        "Paimon, Flink",
        _DONE,
        *("partition.end-input-to-done", "partition.idle-time-to-report-statistic", "partition.mark-done-action"),
        *("partition.mark-done-action.http.params", "partition.mark-done-action.http.url"),
        *("partition.mark-done-action.mode", "partition.idle-time-to-done", "partition.time-interval"),
        "partition.mark-done.recover-from-state",
    ),
    *known(
        "Paimon, Flink",
        _TAGGING,
        *("tag.automatic-completion", "tag.automatic-creation", "tag.batch.customized-name", "tag.creation-delay"),
        *("tag.creation-period", "tag.creation-period-duration", "tag.default-time-retained"),
        *("tag.num-retained-max", "tag.period-formatter", "tag.time-expire-enabled", "sink.savepoint.auto-tag"),
        "metastore.tag-to-partition.preview",
    ),
    *known(
        "Paimon, Flink",
        _CLUSTERING,
        *("clustering.columns", "sink.clustering.by-columns", "clustering.strategy", "sink.clustering.strategy"),
        *("clustering.history-partition.idle-to-full-sort", "clustering.history-partition.limit"),
        *("clustering.incremental", "clustering.incremental.mode", "clustering.incremental.optimize-write"),
        *("sort-compaction.local-sample.magnification", "sort-compaction.range-strategy"),
        *("sink.clustering.sort-in-cluster", "sink.clustering.sample-factor", "zorder.var-length-contribution"),
    ),
    *known(
        "Paimon",
        _INDEXING,
        *("global-index.build.max-parallelism", "global-index.build.max-shard", "global-index.column-update-action"),
        *("global-index.enabled", "global-index.row-count-per-shard", "global-index.thread-num"),
        *("btree-index.block-size", "btree-index.build.max-parallelism", "btree-index.cache-size"),
        *("btree-index.compression", "btree-index.compression-level", "btree-index.high-priority-pool-ratio"),
        "btree-index.records-per-range",
    ),
    *known(
        "Paimon",
        _TEXTS,
        *("csv.escape-character", "escape", "csv.field-delimiter", "field-delimiter", "seq", "csv.include-header"),
        *("header", "csv.line-delimiter", "lineSep", "csv.null-literal", "nullvalue", "csv.quote-character", "quote"),
        *("json.line-delimiter", "json.map-null-key-literal", "json.map-null-key-mode", "text.line-delimiter"),
    ),
    *known(
        "Paimon",
        _ICEBERG,
        *("metadata.iceberg.compaction.max.file-num", "metadata.iceberg.compaction.min.file-num"),
        *("metadata.iceberg.database", "metadata.iceberg.table", "metadata.iceberg.format-version"),
        *("metadata.iceberg.delete-after-commit.enabled", "metadata.iceberg.previous-versions-max"),
        *("metadata.iceberg.glue.skip-archive", "metadata.iceberg.hive-skip-update-stats"),
        *("metadata.iceberg.manifest-compression", "metadata.iceberg.manifest-legacy-version"),
    ),
    *known(
        "Paimon, Flink",
        _TASKS,
        *("auto-create", "format-table.commit-hive-sync-url", "format-table.file.compression"),
        *("format-table.implementation", "format-table.partition-path-only-value"),
        *("materialized-table.definition-query", "materialized-table.interval-freshness"),
        *("materialized-table.interval-freshness.time-unit", "materialized-table.logical-refresh-mode"),
        *("materialized-table.refresh-handler-bytes", "materialized-table.refresh-handler-description"),
        *("materialized-table.refresh-mode", "materialized-table.refresh-status"),
    ),
    *known("Flink", "computed columns and watermarks, from other columns at each read", "schema.*"),
    *known(
        "Flink",
        _OPERATORS,
        *("sink.parallelism", "scan.parallelism", "scan.infer-parallelism", "scan.infer-parallelism.max"),
        *(
            "unaware-bucket.compaction.parallelism",
            "unaware-bucket.no-shuffle",
            "compaction.bucket-distribution-strategy",
        ),
        *("changelog-producer.compaction-interval", "scan.watermark.emit.strategy", "scan.watermark.alignment.group"),
        *("scan.watermark.idle-timeout", "scan.watermark.alignment.max-drift", "scan.max-snapshot.count"),
        *("scan.watermark.alignment.update-interval", "scan.split-enumerator.batch-size", "scan.split-enumerator.mode"),
        *("sink.use-managed-memory-allocator", "scan.remove-normalize", "read.shuffle-bucket-with-partition"),
        *("sink.managed.writer-buffer-memory", "sink.cross-partition.managed-memory", "scan.partitions"),
        *("source.checkpoint-align.enabled", "source.checkpoint-align.timeout", "lookup.async", "lookup.cache"),
        *("lookup.async-thread-number", "lookup.bootstrap-parallelism", "lookup.dynamic-partition"),
        *("lookup.dynamic-partition.refresh-interval", "lookup.dynamic-partition.refresh.async"),
        *("lookup.refresh.async", "lookup.refresh.async.pending-snapshot-count", "lookup.refresh.full-load-threshold"),
        *("lookup.refresh.time-periods-blacklist", "sink.writer-cpu", "sink.writer-memory", "sink.committer-cpu"),
        *("sink.committer-memory", "sink.committer-operator-chaining", "end-input.watermark", "precommit-compact"),
        *("changelog.precommit-compact", "changelog.precommit-compact.thread-num", "scan.bounded"),
        *("changelog.precommit-compact.buffer-size", "source.operator-uid.suffix", "sink.operator-uid.suffix"),
        *("scan.dedicated-split-generation", "sink.coordinator-commit.enabled", "sink.writer-coordinator.enabled"),
        *("sink.writer-coordinator.cache-memory", "sink.writer-coordinator.cache-expire-after-access"),
        *("sink.writer-coordinator.cache-soft-values", "sink.writer-coordinator.page-size"),
        *("sink.writer-coordinator.prefetch-manifests", "sink.key-only-deletes.enabled"),
        *("filesystem.job-level-settings.enabled", "sink.writer-refresh-detectors"),
    ),
    *known("Flink", _OLD_LOG, "log.*", "kafka.*"),
    *known(
        "Paimon before 1.4",
        _FORMER,
        *("write-manifest-cache", "compaction.max.file-num", "compaction.early-max.file-num", "streaming-read-mode"),
        *("lookup.local-file-type", "partition.mark-done-action.http.timeout", "record-level.time-field-type"),
        *("sequence.auto-padding", "append-only.assert-disorder"),
    ),
    *known(
        "Spark",
        _OPERATORS,
        *("write.merge-schema", "write.merge-schema.explicit-cast", "write.use-v2-write", "read.changelog"),
        *("read.stream.maxFilesPerTrigger", "read.stream.maxBytesPerTrigger", "read.stream.maxRowsPerTrigger"),
        *("read.stream.minRowsPerTrigger", "read.stream.maxTriggerDelayMs", "read.allow.fullScan"),
        *("requiredSparkConfsCheck.enabled", "source.split.target-size-with-column-pruning"),
    ),
    *known("all", "a description, or the owner of the table", "comment", "owner"),
    *known("Hive, REST catalogs", "whether dropping the table deletes its files", "external", "is-external"),
)
"""Options that forbid no operation."""
