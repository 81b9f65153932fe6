"""Fields of the metadata of Iceberg tables that are known.

PyIceberg leaves out a field that it does not know, also of the metadata that it writes. Each field of a document, as it
was read, is therefore compared with this list. The table in docs/reference/iceberg-features.md has the same rows, and a
test compares them with the parsers of Iceberg itself.
"""

from typing import Final

from engine.formats.iceberg.features.rows import ALL, WRITING, forbid, plain

_DEFAULT: Final = "the value of rows in files without the column, which a rewrite stores"
_ENCRYPTED: Final = "files are encrypted, and PyIceberg does not keep the keys"
_INLINE: Final = "manifests of a snapshot without a manifest list, which PyIceberg can't read"
_STATISTICS: Final = "statistics, which are removed with their snapshot"
_LINEAGE: Final = "ids of rows, in format version 3"
_OF_SCHEMA: Final = "columns; their types are in the condition `known_types`"
_OF_SPEC: Final = "how rows are divided into partitions"
_OF_ORDER: Final = "sort orders"

FIELDS: Final = (
    *plain("1", "the format version, see the condition `format_version`", "format-version"),
    *plain("1", "identity and place of the table", "table-uuid", "location", "last-updated-ms"),
    *plain("1", "table properties, see below", "properties"),
    *plain(
        *("1", _OF_SCHEMA),
        *("schema", "schemas", "current-schema-id", "last-column-id", "schemas.schema-id", "schemas.type"),
        *("schemas.fields", "schemas.id", "schemas.name", "schemas.required", "schemas.doc", "schemas.element-id"),
        *("schemas.element", "schemas.element-required", "schemas.key-id", "schemas.key", "schemas.value-id"),
        *("schemas.value", "schemas.value-required"),
    ),
    *plain("2", "columns that identify a row; a rewrite changes no row", "schemas.identifier-field-ids"),
    *plain("3", "the default of new rows, which writers store", "schemas.write-default"),
    *plain("3", _DEFAULT, "schemas.initial-default"),
    *plain(
        *("1", _OF_SPEC),
        *("partition-spec", "partition-specs", "default-spec-id", "last-partition-id", "partition-specs.spec-id"),
        *("partition-specs.fields", "partition-specs.source-id", "partition-specs.field-id"),
        *("partition-specs.name", "partition-specs.transform"),
    ),
    *plain(
        *("1", _OF_ORDER),
        *("sort-orders", "default-sort-order-id", "sort-orders.order-id", "sort-orders.fields"),
        *("sort-orders.source-id", "sort-orders.transform", "sort-orders.direction", "sort-orders.null-order"),
    ),
    *forbid(
        *(WRITING, "3", "a field of several columns", (), "use fields of one column"),
        *("partition-specs.source-ids", "sort-orders.source-ids"),
    ),
    *plain(
        *("1", "snapshots"),
        *("current-snapshot-id", "snapshots", "snapshots.snapshot-id", "snapshots.parent-snapshot-id"),
        *("snapshots.timestamp-ms", "snapshots.manifest-list", "snapshots.summary", "snapshots.schema-id"),
    ),
    *forbid(ALL, "1", _INLINE, (), "commit to the table with a newer version of Iceberg", "snapshots.manifests"),
    *plain("2", "the order of commits", "last-sequence-number", "snapshots.sequence-number"),
    *plain("3", _LINEAGE, "next-row-id", "snapshots.first-row-id", "snapshots.added-rows"),
    *plain(
        *("1", "earlier snapshots and metadata files"),
        *("snapshot-log", "snapshot-log.snapshot-id", "snapshot-log.timestamp-ms"),
        *("metadata-log", "metadata-log.metadata-file", "metadata-log.timestamp-ms"),
    ),
    *plain(
        *("2", "branches and tags, whose snapshots are kept"),
        *("refs", "refs.snapshot-id", "refs.type", "refs.min-snapshots-to-keep", "refs.max-snapshot-age-ms"),
        "refs.max-ref-age-ms",
    ),
    *plain(
        *("2", _STATISTICS),
        *("statistics", "statistics.snapshot-id", "statistics.statistics-path", "statistics.file-size-in-bytes"),
        *("statistics.file-footer-size-in-bytes", "statistics.blob-metadata", "statistics.type"),
        *("statistics.sequence-number", "statistics.fields", "statistics.properties"),
        *("partition-statistics", "partition-statistics.snapshot-id", "partition-statistics.statistics-path"),
        "partition-statistics.file-size-in-bytes",
    ),
    *forbid(
        *(ALL, "3", _ENCRYPTED, (), "copy the rows to a table without encryption"),
        *("encryption-keys", "encryption-keys.key-id", "encryption-keys.encrypted-key-metadata"),
        *("encryption-keys.encrypted-by-id", "encryption-keys.properties", "snapshots.key-id"),
        "statistics.key-metadata",
    ),
)
"""Fields of the metadata, with the format version that has them first; those below a section are named after it."""
