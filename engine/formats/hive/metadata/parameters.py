"""Parameters of tables, partitions and serdes in a Metastore, with the programs that write them and their meaning.

A file is not all that a reader knows: a parameter can change what readers find in a file, or which files they read. A
table is therefore rewritten only if every parameter is listed here with a value that a rewrite keeps true. The table in
docs/hive-parameters.md has the same rows. Other parameters are unknown: the table is left alone until the catalog's
property `meaningless-parameters` names them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Final

MEANINGLESS: Final = "meaningless-parameters"
"""Catalog property with the names of further parameters that change nothing for any reader."""

_LONGEST: Final = 100
_MOST_NAMED: Final = 5


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter by its name, as it is usually written; case does not matter, and `*` stands for any text.

    Attributes:
        name: the name, or a pattern of names.
        writers: programs that write it.
        meaning: a clause: what it says, to whom.
        accepted: values, in lower case, with which tables are rewritten; None: any value, empty: no value.
        remedy: a clause; empty if every value is accepted.
    """

    name: str
    writers: str
    meaning: str
    accepted: frozenset[str] | None = None
    remedy: str = ""

    def accepts(self, value: str) -> bool:
        """Return whether a table with this value can be rewritten."""
        return self.accepted is None or value.strip().lower() in self.accepted

    @property
    def decision(self) -> str:
        """The values with which tables are rewritten, as the documentation shows them."""
        if self.accepted is None:
            return "any"
        return ", ".join(f"`{each}`" for each in sorted(self.accepted) if each) or "none"


def _known(writers: str, meaning: str, *names: str) -> Iterator[Parameter]:
    """Yield parameters that change nothing for readers of a rewritten table, whatever their value."""
    for name in names:
        yield Parameter(name, writers, meaning)


def _only(name: str, writers: str, meaning: str, accepted: Sequence[str], remedy: str) -> Parameter:
    """Return a parameter with which tables are rewritten for some values only."""
    return Parameter(name, writers, meaning, frozenset(accepted), remedy)


_STATISTICS: Final = "statistics; a rewrite keeps the number of rows and updates those of files"
_TIMES: Final = "who changed the entry, and when"
_WRITERS_ONLY: Final = "settings of writers; readers go by each file"
_OF_TEXT: Final = "form of text files, which Parquet's serde ignores"
_OF_SPARK: Final = "the table's columns in Spark, which are checked for defaults and field ids"
_NOT_READ: Final = "Spark reads only some of the files by it, chosen by name or time"
_PROJECTED: Final = "values and folders of partitions for `projection.enabled`"

TABLE: Final = (
    *_known(
        "Hive, Spark, Impala, Trino",
        _STATISTICS,
        *("numFiles", "numRows", "totalSize", "rawDataSize", "numPartitions", "numFilesErasureCoded"),
        *("COLUMN_STATS_ACCURATE", "STATS_GENERATED", "STATS_GENERATED_VIA_STATS_TASK", "DO_NOT_UPDATE_STATS"),
    ),
    *_known("Spark", _STATISTICS, "spark.sql.statistics.*"),
    *_known(
        "Impala",
        _STATISTICS,
        *("impala.lastComputeStatsTime", "impala.computeStatsSnapshotIds", "impala.intermediate_stats_*"),
        "impala.enable.stats.extrapolation",
    ),
    *_known("Hive, Trino, Impala", _TIMES, "transient_lastDdlTime", "last_modified_by", "last_modified_time"),
    *_known("all", "a description", "comment"),
    *_known("all", "an external table; the condition `external` requires one", "EXTERNAL"),
    *_known("Hive", "whether dropping the table deletes files, see the condition `external`", "external.table.purge"),
    *_known("Hive, Trino", "whether deleted files skip the trash", "auto.purge"),
    *_known("Hive 4", "a managed table that was created as an external one", "TRANSLATED_TO_EXTERNAL"),
    *_known("Hive 4", "features that a client must have to use the table", "OBJCAPABILITIES"),
    *_known("Hive", "INSERT INTO is refused if the table has rows", "immutable"),
    *_known("Hive 3", "the hash function of buckets; without buckets it says nothing", "bucketing_version"),
    *_known("Hive 4", "age at which `discover.partitions` drops a partition", "partition.retention.period"),
    _only(
        *("discover.partitions", "Hive 4, by default for external tables"),
        "the Metastore drops partitions whose folder is not in its usual place, as after a rewrite",
        *(("false",), "set it to false"),
    ),
    _only(
        *("transactional", "Hive"),
        "rows are in base and delta folders",
        *(("false",), "rewrites of such tables are Hive's own compaction"),
    ),
    _only(
        "storage_handler", "Hive", "the rows are not those of the files", (), "register it in a catalog of its format"
    ),
    *(
        _only(*(name, "Hive, Trino"), "rows at an end of each file are left out by readers", *(("0", ""), "remove it"))
        for name in ("skip.header.line.count", "skip.footer.line.count")
    ),
    *_known("Hive, Spark, Impala, Trino", "the codec of writers, also of rewrites", "parquet.compression"),
    *_known(
        "Hive, Spark, Trino",
        _WRITERS_ONLY,
        *("parquet.block.size", "parquet.page.size", "parquet.dictionary.page.size", "parquet.enable.dictionary"),
        *("parquet.writer.version", "parquet.page.row.count.limit", "parquet.bloom.filter.*", "orc.*"),
        *("compression", "write.compression", "parquet.compress", "sort.columns", "sort.order", "clusteringColumns"),
    ),
    _only(
        *("parquet.column.index.access", "Hive"),
        "columns are found by their position in each file",
        *(("false",), "write every file with the table's columns in order, and set it to false"),
    ),
    *_known(
        "Hive, Spark, Impala",
        _OF_TEXT,
        *("serialization.format", "serialization.null.format", "field.delim", "line.delim", "escape.delim"),
        *("colelction.delim", "collection.delim", "mapkey.delim"),
    ),
    *_known("Spark", "the version that created the table", "spark.sql.create.version"),
    *_known("Spark", "the reader of the table, which must be Parquet's", "spark.sql.sources.provider"),
    *_known(
        "Spark",
        _OF_SPARK,
        *("spark.sql.sources.schema", "spark.sql.sources.schema.numParts", "spark.sql.sources.schema.part.*"),
        *("spark.sql.sources.schema.numPartCols", "spark.sql.sources.schema.partCol.*"),
    ),
    *_known(
        "Spark",
        "buckets of Spark, see the condition `not_bucketed`",
        *("spark.sql.sources.schema.numBuckets", "spark.sql.sources.schema.numBucketCols"),
        *("spark.sql.sources.schema.bucketCol.*", "spark.sql.sources.schema.numSortCols"),
        "spark.sql.sources.schema.sortCol.*",
    ),
    _only(
        *("spark.sql.partitionProvider", "Spark"),
        "where Spark finds partitions; not in the Metastore unless it is `catalog`",
        *(("catalog",), "run MSCK REPAIR TABLE in Spark"),
    ),
    *_known(
        "Trino, Presto",
        "the version, and the query that made the entry",
        *("trino_version", "trino_query_id", "presto_version", "presto_query_id"),
    ),
    *_known("Impala", "events of the Metastore that Impala caused", "impala.events.*", "impala.disableHmsSync"),
    _only(
        *("classification", "Glue crawlers, Athena"),
        "the format of the files",
        *(("parquet", "glueparquet"), "register it in a catalog of its format"),
    ),
    *_known(
        "Glue crawlers",
        "counts and versions of the crawler",
        *("compressionType", "averageRecordSize", "recordCount", "objectCount", "sizeKey", "exclusions"),
        *("CrawlerSchemaDeserializerVersion", "CrawlerSchemaSerializerVersion", "UPDATED_BY_CRAWLER"),
    ),
    _only("typeOfData", "Glue crawlers", "the kind of the location", ("file",), "register a table of files"),
    *_known("Glue jobs", "how jobs group files into tasks", "groupFiles", "groupSize", "useGlueParquetWriter"),
    *_known("Athena", "use of an index of partitions", "partition_filtering.enabled"),
    _only("has_encrypted_data", "Athena", "files are encrypted by the client", ("false",), "register a plain copy"),
    _only(
        *("projection.enabled", "Athena, Trino"),
        "partitions are computed, and their locations in the Metastore are ignored",
        *(("false",), "remove it and add the partitions to the Metastore"),
    ),
    *_known("Athena, Trino", _PROJECTED, "projection.*", "storage.location.template"),
    *_known("Packhouse", "the newest rewrite of a partition", "packhouse.compaction"),
)
"""Parameters of tables, partitions and storage descriptors."""

SERDE: Final = (
    *_known("Spark", "the table's location", "path"),
    *_known("Spark", "whether columns of all files are read to infer a schema", "mergeSchema"),
    *_known(
        "Spark",
        "calendar of files that do not state theirs; rewritten files state what their inputs did",
        *("datetimeRebaseMode", "int96RebaseMode"),
    ),
    *(
        _only(name, "Spark", _NOT_READ, (), "create the table without it")
        for name in ("pathGlobFilter", "modifiedBefore", "modifiedAfter")
    ),
    _only("recursiveFileLookup", "Spark", "partitions are not read from the Metastore", ("false",), "set it to false"),
)
"""Parameters of serdes, where Spark keeps the options of a table, in addition to those of `TABLE`."""

METADATA: Final = (
    *_known("Spark", "a description", "comment"),
    *_known("Spark", "the default of new rows, which writers store", "CURRENT_DEFAULT"),
    *_known("Spark", "the value of rows in files without the column; such files are not merged", "EXISTS_DEFAULT"),
    *_known("Spark", "the declared type of a text", "__CHAR_VARCHAR_TYPE_STRING", "HIVE_TYPE_STRING"),
    *_known("Spark", "how texts are compared, not what they are", "__COLLATIONS"),
    *_known("Spark ML", "attributes of features", "ml_attr"),
    _only(
        *("parquet.field.id", "Spark"),
        "columns are found by numbers, which rewritten files do not have",
        *((), "create the table without it"),
    ),
)
"""Keys of the metadata of columns in `spark.sql.sources.schema`."""

_REMEDY: Final = (
    f"if no reader goes by it, name it in the catalog's property {MEANINGLESS} (an admin's), otherwise remove it"
)


@dataclass(frozen=True)
class Parameters:
    """Parameters that are known in one place of an entry."""

    rows: Sequence[Parameter]

    @cached_property
    def _exact(self) -> Mapping[str, Parameter]:
        return {each.name.lower(): each for each in self.rows}

    @cached_property
    def _patterns(self) -> Sequence[Parameter]:
        return [replace(each, name=each.name.lower()) for each in self.rows if "*" in each.name]

    def find(self, name: str) -> Parameter | None:
        """Return the parameter of a name in any case, an exact name before patterns; None if it is unknown."""
        lowered = name.lower()
        exact = self._exact.get(lowered)
        return exact or next((each for each in self._patterns if fnmatchcase(lowered, each.name)), None)

    def problems(self, given: Mapping[str, str], meaningless: Sequence[str], where: str = "") -> Iterator[str]:
        """Yield a clause for each parameter with which a table is not rewritten: its name, its meaning and the remedy.

        Args:
            given: values by name.
            meaningless: patterns of further names, in lower case, that an administrator declared to change nothing.
            where: a clause before the names.
        """
        for name, value in sorted(given.items()):
            shown = f"{where}{name[:_LONGEST]}"
            found = self.find(name)
            if found is None and not any(fnmatchcase(name.lower(), each) for each in meaningless):
                yield f"{shown} is not a known parameter: {_REMEDY}"
            elif found is not None and not found.accepts(value):
                yield f"{shown} is {value[:_LONGEST]!r} ({found.meaning}): {found.remedy}"


def listed(problems: Sequence[str]) -> str:
    """Return the first problems as one text, with the number of the others."""
    shown = "; ".join(problems[:_MOST_NAMED])
    return f"{shown}; and {len(problems) - _MOST_NAMED} more" if len(problems) > _MOST_NAMED else shown


OF_TABLES: Final = Parameters(TABLE)
OF_SERDES: Final = Parameters((*TABLE, *SERDE))
OF_COLUMNS: Final = Parameters(METADATA)
