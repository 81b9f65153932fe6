"""A table's entry in the Metastore: its columns, its partition keys, and whether it is a table of Parquet files."""

import re
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from hive_metastore.ttypes import FieldSchema, Table

from engine.formats.hive.metadata.parameters import OF_TABLES
from engine.formats.hive.metadata.spark_schemas import SparkSchema
from engine.formats.hive.metadata.storage import INPUT_FORMATS, StorageEntry, texts_of
from engine.formats.intake.limits import Malformed, check_schema

PROVIDER: Final = "spark.sql.sources.provider"
PARTITION_PROVIDER: Final = "spark.sql.partitionProvider"

_PARQUET: Final = "parquet"
_COMPRESSION: Final = "parquet.compression"
CODECS: Final = {
    "snappy": "snappy",
    "gzip": "gzip",
    "zstd": "zstd:3",
    "uncompressed": "uncompressed",
    "none": "uncompressed",
}
"""Codecs of `rewrite.compression`; `lz4` is left out, as Hadoop's form of it is not the one that outputs have."""
_BRACKETS: Final = re.compile("[<>]")
_PARAMETERS: Final = re.compile(r"\([^()]*\)")
VIEWS: Final = frozenset({"VIRTUAL_VIEW", "MATERIALIZED_VIEW"})
TABLES: Final = frozenset({"EXTERNAL_TABLE", "MANAGED_TABLE"})
_NESTED: Final = ("array<", "map<", "struct<", "uniontype<")
_HIVE_TYPES: Final = frozenset(
    ["byte", "short", "integer", "long", "float", "double", "boolean", "string", "binary", "date", "timestamp"]
)
"""Types of columns in Spark's schemas that Hive has as well; decimals have parameters."""
_LARGEST_SECONDS: Final = 2**31 - 1


@dataclass(frozen=True, slots=True)
class HiveColumn:
    """A column or a partition key; `type` is Hive's text in lower case, such as `decimal(10,2)`."""

    name: str
    type: str

    @property
    def is_nested(self) -> bool:
        """Whether it is an array, map, struct or union."""
        return self.type.startswith(_NESTED)


@dataclass(frozen=True, slots=True)
class TableEntry:
    """The entry of one table.

    `columns` are those of the files, without the partition keys. `parameters` include the provider (`PROVIDER`): the
    data source by which Spark reads it, absent in tables of Hive. `spark`: its columns as Spark keeps them.
    """

    kind: str
    location: str
    columns: tuple[HiveColumn, ...]
    keys: tuple[HiveColumn, ...]
    storage: StorageEntry
    parameters: Mapping[str, str]
    created_at_s: int
    spark: SparkSchema

    @staticmethod
    def of(table: Table) -> "TableEntry":
        """Return the entry of an answer.

        Raises:
            Malformed: it lacks what every table has.
        """
        stored = table.sd
        if stored is None:
            raise Malformed("its entry has no storage descriptor")
        columns, keys = list(stored.cols or ()), list(table.partitionKeys or ())
        sizes = [_size_of(str(each.type)) for each in (*columns, *keys)]
        check_schema(
            "its schema", fields=sum(fields for fields, _ in sizes), depth=max((deep for _, deep in sizes), default=0)
        )
        repeated, times = next(iter(Counter(str(each.name) for each in keys).most_common(1)), ("", 1))
        if times > 1:
            raise Malformed(f"it has two columns named {repeated[:200]}")
        parameters = texts_of(table.parameters)
        return TableEntry(
            kind=str(table.tableType or ""),
            location=str(stored.location or "").rstrip("/"),
            columns=tuple(map(_column, columns)),
            keys=tuple(map(_column, keys)),
            storage=StorageEntry.of(stored),
            parameters=parameters,
            created_at_s=min(max(0, int(table.createTime or 0)), _LARGEST_SECONDS),
            spark=SparkSchema.of(parameters),
        )

    @property
    def schema_id(self) -> int:
        """A checksum of the columns and partition keys."""
        text = "\n".join(f"{each.name} {each.type}" for each in (*self.columns, *self.keys))
        return zlib.crc32(text.encode()) & 0x7FFF_FFFF

    @property
    def keeps_dropped_files(self) -> bool:
        """Whether the Metastore leaves the files of a dropped partition where they are."""
        purges = self.parameters.get("external.table.purge", "").lower() == "true"
        return self.kind == "EXTERNAL_TABLE" and not purges

    @property
    def codec(self) -> str | None:
        """The codec that Hive and Spark write by the table's property; None if it has none that outputs can have."""
        return CODECS.get(self.parameters.get(_COMPRESSION, "").lower())

    @property
    def problem(self) -> str | None:
        """The reason why it is not a table of Parquet files in its folders; None if it is one."""
        provider = self.parameters.get(PROVIDER, "").lower()
        other = self.parameters.get("table_type", "").lower()
        if self.kind in VIEWS:
            return "it is a view"
        if self.kind not in TABLES:
            return f"its kind is {self.kind[:80]!r}, which is neither a table nor a view"
        if other or (provider and provider != _PARQUET):
            return f"it is a table of {other or provider}: register it in a catalog of that format"
        if not provider and self.storage.input_format not in INPUT_FORMATS:
            return self.storage.problem
        if self.parameters.get("transactional", "").lower() == "true":
            return "it is a transactional table of Hive"
        return self._spark_only

    @property
    def _spark_only(self) -> str | None:
        """The reason why other readers than Spark can't read it: Spark has put placeholders into its entry."""
        known, keys = {each.name.lower() for each in self.columns}, {each.name.lower() for each in self.keys}
        own = [each for each in self.spark.columns if each not in keys]
        if self.storage.input_format in INPUT_FORMATS or not own or known.intersection(own):
            return None
        found = [f"{name[:100]} {of[:40]}" for name, of in self.spark.types.items() if of and _is_sparks(of)]
        named = f" ({', '.join(found)[:300]})" if found else ""
        return (
            f"only Spark reads it: Hive has no such types as its columns{named}, so that its entry has placeholders "
            "for columns and location; write its rows to a table with types of Hive"
        )

    @property
    def buckets(self) -> str:
        """The buckets by which Hive or Spark divided the rows of each partition into files; empty without any."""
        return ", ".join(self.storage.buckets) or self.spark.buckets

    def storage_problems(self, meaningless: Sequence[str]) -> Sequence[str]:
        """Return a clause for each statement about files with which the table is not rewritten.

        `meaningless`: as in `Parameters.problems`.
        """
        problem = self.storage.problem
        known = {each.name.lower() for each in (*self.columns, *self.keys)}
        unknown = [each for each in self.spark.columns if each not in known]
        only = f"Spark alone has the column {unknown[0][:100]}: other readers do not know it" if unknown else None
        return [*filter(None, [problem, only]), *self.storage.problems(meaningless)]

    def parameter_problems(self, meaningless: Sequence[str]) -> Sequence[str]:
        """Return a clause for each parameter with which the table is not rewritten: its name, why, and the remedy."""
        found = [*OF_TABLES.problems(self.parameters, meaningless), *self.spark.problems(meaningless)]
        if PROVIDER in self.parameters and self.keys and PARTITION_PROVIDER not in self.parameters:
            found.append(
                f"{PARTITION_PROVIDER} is absent: Spark finds partitions by their folders, not in the Metastore"
            )
        return found


def is_parquet_table(table: Table) -> bool:
    """Return whether an answer describes a table of Parquet files; True also for one that can't be read.

    Such a table is listed and not passed over: opening it reports what is wrong with its entry.
    """
    try:
        return TableEntry.of(table).problem is None
    except Malformed:
        return True


def _size_of(text: str) -> tuple[int, int]:
    """Return the number of fields and of levels of a column with this type.

    Each field inside of another one follows a bracket or a comma; the comma of a decimal's scale does not count.
    """
    text = _PARAMETERS.sub("", text)
    depth = deepest = 1
    for sign in _BRACKETS.findall(text):
        depth += 1 if sign == "<" else -1
        deepest = max(deepest, depth)
    return 1 + text.count("<") + text.count(","), deepest


def _is_sparks(of: str) -> bool:
    return of not in _HIVE_TYPES and not of.startswith(("decimal(", "char(", "varchar("))


def _column(stored: FieldSchema) -> HiveColumn:
    return HiveColumn(str(stored.name), str(stored.type).strip().lower())


def names_of(columns: Sequence[HiveColumn]) -> list[dict[str, Any]]:
    """Return columns as JSON-ready values."""
    return [{"name": each.name, "type": each.type} for each in columns]
