"""Parameters of tables, partitions and serdes in a Metastore, with the programs that write them and their meaning.

A file is not all that a reader knows: a parameter can change what readers find in a file, or which files they read. A
table is therefore rewritten only if every parameter is listed here with a value that a rewrite keeps true. The table in
docs/reference/hive-parameters.md is generated from it. Other parameters are unknown: the table is left alone
until the catalog's property `meaningless-parameters` names them. Names that begin with `glue:` are parts of an entry of
AWS Glue that a Metastore's does not have.
"""

from dataclasses import replace
from typing import Final

from engine.formats.intake.parameters import Parameters, known, only

_STATISTICS: Final = "statistics; a rewrite keeps the number of rows and updates those of files"
_TIMES: Final = "who changed the entry, and when"
_WRITERS_ONLY: Final = "settings of writers; readers go by each file"
_OF_TEXT: Final = "form of text and Avro files, which Parquet's serde ignores"
_OF_SPARK: Final = "the table's columns in Spark, which are checked for defaults and field ids"
_NOT_READ: Final = "Spark reads only some of the files by it, chosen by name or time"
_IGNORED_FILES: Final = ("ignoreCorruptFiles", "ignoreMissingFiles")
_OF_WRITES: Final = ("maxRecordsPerFile", "partitionOverwriteMode")
_PROJECTED: Final = "values and folders of partitions for `projection.enabled`"
_PLAIN_COPY: Final = "register a plain copy"
_ENTRY: Final = "Hive takes it in place of what the entry states of columns and classes"
_OTHER_SYSTEM: Final = "the rows are those of another system, or of another format"

TABLE: Final = (
    *known(
        "Hive, Spark, Impala, Trino",
        _STATISTICS,
        *("numFiles", "numRows", "totalSize", "rawDataSize", "numPartitions", "numFilesErasureCoded"),
        *("COLUMN_STATS_ACCURATE", "STATS_GENERATED", "STATS_GENERATED_VIA_STATS_TASK", "DO_NOT_UPDATE_STATS"),
    ),
    *known("Spark", _STATISTICS, "spark.sql.statistics.*"),
    *known(
        "Impala",
        _STATISTICS,
        *("impala.lastComputeStatsTime", "impala.computeStatsSnapshotIds", "impala_intermediate_stats_*"),
        "impala.enable.stats.extrapolation",
    ),
    *known(
        *("Impala", "whether folders below those of partitions are read, see the condition `flat_partitions`"),
        "impala.disable.recursive.listing",
    ),
    *known("Hive, Trino, Impala", _TIMES, "transient_lastDdlTime", "last_modified_by", "last_modified_time"),
    *known("all", "a description", "comment"),
    *known("all", "an external table; the condition `external` requires one", "EXTERNAL"),
    *known("Hive", "whether dropping the table deletes files, see the condition `external`", "external.table.purge"),
    *known("Hive, Trino", "whether deleted files skip the trash", "auto.purge"),
    *known("Hive 4", "a managed table that was created as an external one", "TRANSLATED_TO_EXTERNAL"),
    *known("Hive 4", "features that a client must have to use the table", "OBJCAPABILITIES"),
    *known("Hive", "INSERT INTO is refused if the table has rows", "immutable"),
    *known("Hive 3", "the hash function of buckets; without buckets it says nothing", "bucketing_version"),
    *known("Hive 4", "age at which `discover.partitions` drops a partition", "partition.retention.period"),
    only(
        *("discover.partitions", "Hive 4, by default for external tables"),
        "the Metastore drops partitions whose folder is not in its usual place, as after a rewrite",
        *(("false",), "set it to false"),
    ),
    only(
        *("transactional", "Hive"),
        "rows are in base and delta folders",
        *(("false",), "rewrites of such tables are Hive's own compaction"),
    ),
    only(
        *("transactional_properties", "Hive"),
        "with `insert_only`, rows are in base and delta folders",
        *(("default",), "rewrites of such tables are Hive's own compaction"),
    ),
    *known(
        *("Hive", "how transactional tables are compacted, see `transactional`"),
        *("no_auto_compaction", "no_cleanup", "compactor.*", "compactorthreshold.*"),
    ),
    *known(
        *("Hive", "the statement that created the table"),
        *("created_with_ctas", "created_with_ctlt", "create_table_as_external", "defaultTableType"),
    ),
    only("is_archived", "Hive", "the files are in a Hadoop archive", ("false",), "unarchive the partition"),
    *known("Hive", "the folder before it was archived, see `is_archived`", "original_location"),
    only("PROTECT_MODE", "Hive before 2", "the entry must not be read or changed", (), "remove it"),
    *(
        only(name, "Hive", _ENTRY, (), "remove it")
        for name in (
            *("columns", "columns.types", "column.name.delimiter", "partition_columns", "partition_columns.types"),
            *("serialization.lib", "serialization.class", "serialization.ddl", "file.inputformat", "file.outputformat"),
            *("bucket_count", "bucket_field_name"),
        )
    ),
    only(
        "storage_handler", "Hive", "the rows are not those of the files", (), "register it in a catalog of its format"
    ),
    *(
        only(name, "Hive, Impala", _OTHER_SYSTEM, (), "register it in a catalog of its format")
        for name in (
            *("hive.sql.*", "druid.*", "kudu.*", "iceberg.*", "paimon.*", "partition_transform_spec"),
            "__IMPALA_DATA_SOURCE_*",
        )
    ),
    *(
        only(name, "Hive, Spark", "files are encrypted: without keys, rewritten rows would be lost", (), _PLAIN_COPY)
        for name in ("parquet.encryption.*", "parquet.crypto.*")
    ),
    *(
        only(*(name, "Hive, Trino"), "rows at an end of each file are left out by readers", *(("0", ""), "remove it"))
        for name in ("skip.header.line.count", "skip.footer.line.count")
    ),
    *known("Hive, Spark, Impala, Trino", "the codec of writers, also of rewrites", "parquet.compression"),
    *known(
        "Hive, Spark, Trino",
        _WRITERS_ONLY,
        *("parquet.block.size", "parquet.page.size", "parquet.dictionary.page.size", "parquet.enable.dictionary"),
        *("parquet.enable.dictionary#*", "parquet.writer.version", "parquet.writer.max-padding"),
        *("parquet.page.row.count.limit", "parquet.page.size.*", "parquet.page.write-checksum.enabled"),
        *("parquet.compression.codec.zstd.*", "parquet.columnindex.truncate.length", "parquet.memory.pool.ratio"),
        *("parquet.statistics.truncate.length", "parquet.bloom.filter.*", "orc.*"),
        *("compression", "write.compression", "parquet.compress", "sort.columns", "sort.order", "clusteringColumns"),
    ),
    only(
        *("parquet.column.index.access", "Hive"),
        "columns are found by their position in each file",
        *(("false",), "write every file with the table's columns in order, and set it to false"),
    ),
    *known(
        "Hive, Spark, Impala, Trino",
        _OF_TEXT,
        *("serialization.format", "serialization.null.format", "field.delim", "line.delim", "escape.delim"),
        *("colelction.delim", "collection.delim", "mapkey.delim", "quote.delim", "serialization.encoding"),
        *("serialization.escape.crlf", "serialization.last.column.takes.rest", "serialization.sort.order"),
        *("serialization.sort.order.null", "serialization.use.json.object", "timestamp.formats", "separatorChar"),
        *("quoteChar", "escapeChar", "input.regex", "input.regex.case.insensitive", "avro.schema.url"),
        "avro.schema.literal",
    ),
    *known("Spark", "the version that created the table", "spark.sql.create.version"),
    *known("Spark 4", "how texts of new columns are compared, not what they are", "collation"),
    *known("Spark", "the reader of the table, which must be Parquet's", "spark.sql.sources.provider"),
    *known(
        "Spark",
        _OF_SPARK,
        *("spark.sql.sources.schema", "spark.sql.sources.schema.numParts", "spark.sql.sources.schema.part.*"),
        *("spark.sql.sources.schema.numPartCols", "spark.sql.sources.schema.partCol.*"),
    ),
    *known(
        "Spark",
        "buckets of Spark, see the condition `not_bucketed`",
        *("spark.sql.sources.schema.numBuckets", "spark.sql.sources.schema.numBucketCols"),
        *("spark.sql.sources.schema.bucketCol.*", "spark.sql.sources.schema.numSortCols"),
        "spark.sql.sources.schema.sortCol.*",
    ),
    only(
        *("spark.sql.partitionProvider", "Spark"),
        "where Spark finds partitions; not in the Metastore unless it is `catalog`",
        *(("catalog",), "run MSCK REPAIR TABLE in Spark"),
    ),
    *known(
        "Trino, Presto",
        "the version, and the query that made the entry",
        *("trino_version", "trino_query_id", "trino_created_by", "presto_version", "presto_query_id"),
    ),
    *known("StarRocks", "the version, and the query that made the entry", "starrocks_version", "starrocks_query_id"),
    *known("Doris", "the version that made the entry", "doris.version", "tag"),
    *known("Impala", "whether files are cached by HDFS", "cache_directive_id", "cache_replication"),
    *known("Hive", "the newest event of a replica of the table", "repl.last.id"),
    *known("Impala", "events of the Metastore that Impala caused", "impala.events.*", "impala.disableHmsSync"),
    only(
        *("classification", "Glue crawlers, Athena"),
        "the format of the files",
        *(("parquet", "glueparquet"), "register it in a catalog of its format"),
    ),
    *known(
        "Glue crawlers",
        "counts and versions of the crawler",
        *("compressionType", "averageRecordSize", "recordCount", "objectCount", "sizeKey", "exclusions"),
        *("CrawlerSchemaDeserializerVersion", "CrawlerSchemaSerializerVersion", "UPDATED_BY_CRAWLER"),
        *("DEPRECATED_BY_CRAWLER", "CRAWL_RUN_ID", "connectionName"),
    ),
    only("typeOfData", "Glue crawlers", "the kind of the location", ("file",), "register a table of files"),
    *known("Glue jobs", "how jobs group files into tasks", "groupFiles", "groupSize", "useGlueParquetWriter"),
    *known(
        "Glue jobs",
        "jobs that created and changed the entry",
        *("CreatedByJob", "CreatedByJobRun", "UpdatedByJob", "UpdatedByJobRun"),
    ),
    *known("Athena", "use of an index of partitions", "partition_filtering.enabled"),
    only("has_encrypted_data", "Athena", "files are encrypted by the client", ("false",), _PLAIN_COPY),
    only(
        *("projection.enabled", "Athena, Trino"),
        "partitions are computed, and their locations in the Metastore are ignored",
        *(("false",), "remove it and add the partitions to the Metastore"),
    ),
    *known("Athena, Trino", _PROJECTED, "projection.*", "storage.location.template"),
    *known("Trino", "whether Trino ignores `projection.enabled`", "trino.partition_projection.ignore"),
    *known(
        "Flink",
        "when writers close files and announce partitions; how lookups cache the table",
        *("sink.partition-commit.*", "sink.rolling-policy.*", "sink.shuffle-by-partition.enable", "sink.parallelism"),
        *("partition.time-extractor.*", "auto-compaction", "compaction.file-size", "lookup.join.cache.ttl"),
    ),
    only("is_generic", "Flink", "a table of another connector", ("false",), "register a table of files"),
    only(
        *("streaming-source.enable", "Flink"),
        "readers wait for new folders and files, and would read rewritten rows again",
        *(("false",), "set it to false, and give it to readers as a hint"),
    ),
    *known("Flink", "how readers wait for rows with `streaming-source.enable`", "streaming-source.*"),
    *known("Packhouse", "the newest rewrite of a partition", "packhouse.compaction"),
    replace(
        only(
            *("glue:crawler", "Glue crawlers, as `UPDATED_BY_CRAWLER`"),
            "a crawler changes tables and partitions by the folders that it finds, and may drop those without files",
            (),
            "exclude `_compacted/**` from its target, let it only log deleted objects, and name glue:crawler in the "
            "catalog's property meaningless-parameters",
        ),
        can_be_declared=True,
    ),
    *(
        only(
            *(name, "Lake Formation", "it decides which columns and rows a client gets"),
            *(("false",), "take the table's location out of Lake Formation"),
        )
        for name in ("glue:IsRegisteredWithLakeFormation", "glue:RLSProperties")
    ),
    only(
        *("glue:StoredAsSubDirectories", "Glue", "files are in folders below those of partitions"),
        *(("false",), "set it to false if they are not"),
    ),
    only("glue:AdditionalLocations", "Glue", "files are in further folders", (), "register a table of one location"),
    only(
        *("glue:SchemaReference", "Glue schema registry", "the columns are those of a registry, not of the entry"),
        *((), "state them in the entry"),
    ),
    only("glue:FederatedTable", "Glue", _OTHER_SYSTEM, (), "register it in a catalog of its metastore"),
    *(
        only(name, "Athena, Redshift, Spark on EMR", "the entry is a view", ("false",), "register its tables")
        for name in ("glue:IsMultiDialectView", "glue:IsMaterializedView", "glue:ViewDefinition")
    ),
)
"""Parameters of tables, partitions and storage descriptors."""

SERDE: Final = (
    *known("Spark", "the table's location", "path"),
    *known("Spark", "whether columns of all files are read to infer a schema", "mergeSchema"),
    *known("Spark", "whether Spark leaves out files that it can't read; with one, a rewrite fails", *_IGNORED_FILES),
    *known("Spark", "which rows of a write are in one file, and what it replaces", *_OF_WRITES),
    *known(
        "Spark",
        "calendar of files that do not state theirs; rewritten files state what their inputs did",
        *("datetimeRebaseMode", "int96RebaseMode"),
    ),
    *(
        only(name, "Spark", _NOT_READ, (), "create the table without it")
        for name in ("pathGlobFilter", "modifiedBefore", "modifiedAfter")
    ),
    only("recursiveFileLookup", "Spark", "partitions are not read from the Metastore", ("false",), "set it to false"),
)
"""Parameters of serdes, where Spark keeps the options of a table, in addition to those of `TABLE`."""

METADATA: Final = (
    *known("Spark", "a description", "comment"),
    *known("Spark", "the default of new rows, which writers store", "CURRENT_DEFAULT"),
    *known("Spark", "the value of rows in files without the column; such files are not merged", "EXISTS_DEFAULT"),
    *known("Spark", "the declared type of a text", "__CHAR_VARCHAR_TYPE_STRING", "HIVE_TYPE_STRING"),
    *known("Spark", "how texts are compared, not what they are", "__COLLATIONS"),
    *known("Spark ML", "attributes of features", "ml_attr"),
    only(
        *("parquet.field.id", "Spark"),
        "columns are found by numbers, which rewritten files do not have",
        *((), "create the table without it"),
    ),
)
"""Keys of the metadata of columns in `spark.sql.sources.schema`."""

OF_TABLES: Final = Parameters(TABLE)
OF_SERDES: Final = Parameters((*TABLE, *SERDE))
OF_COLUMNS: Final = Parameters(METADATA)
