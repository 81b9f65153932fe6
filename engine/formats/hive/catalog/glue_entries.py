"""Entries of AWS Glue as those of a Hive Metastore, whose data model they have.

What a Metastore's entry has no part for becomes a parameter whose name begins with `glue:`, so that `parameters` lists
every part of an entry with which a table is rewritten, and refuses any other by its name. Whatever botocore does not
know of an entry is not seen.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from hive_metastore.ttypes import FieldSchema, Order, Partition, SerDeInfo, SkewedInfo, StorageDescriptor, Table

Entry = Mapping[str, Any]
"""A part of an answer of Glue."""

PREFIX: Final = "glue:"

_OF_TABLES: Final = frozenset(
    {
        *("Name", "DatabaseName", "Description", "Owner", "CreateTime", "UpdateTime", "LastAccessTime"),
        *("LastAnalyzedTime", "Retention", "StorageDescriptor", "PartitionKeys", "TableType", "Parameters"),
        *("CreatedBy", "CatalogId", "VersionId", "ViewOriginalText", "ViewExpandedText"),
    }
)
"""Parts of a table that a Metastore's has as well, or that say nothing about files."""
_OF_STORAGE: Final = frozenset(
    {
        *("Columns", "Location", "InputFormat", "OutputFormat", "Compressed", "NumberOfBuckets", "SerdeInfo"),
        *("BucketColumns", "SortColumns", "Parameters", "SkewedInfo"),
    }
)
_CRAWLER: Final = "UPDATED_BY_CRAWLER"
_LONGEST: Final = 200


def table_of(entry: Entry) -> Table:
    """Return the entry of a table."""
    stored = entry.get("StorageDescriptor")
    parameters = _texts(entry.get("Parameters"))
    crawler = {f"{PREFIX}crawler": parameters[_CRAWLER]} if parameters.get(_CRAWLER) else {}
    columns = [*((stored or {}).get("Columns") or ()), *(entry.get("PartitionKeys") or ())]
    return Table(
        tableName=str(entry.get("Name", "")),
        dbName=str(entry.get("DatabaseName", "")),
        createTime=_seconds(entry.get("CreateTime")),
        sd=None if stored is None else _storage(stored),
        partitionKeys=_columns(entry.get("PartitionKeys")),
        parameters={**parameters, **_others(entry, _OF_TABLES), **dict(_of_columns(columns)), **crawler},
        tableType=str(entry.get("TableType") or ""),
    )


def partition_of(entry: Entry) -> Partition:
    """Return the entry of a partition."""
    stored = entry.get("StorageDescriptor")
    return Partition(
        values=list(map(str, entry.get("Values") or ())),
        dbName=str(entry.get("DatabaseName", "")),
        tableName=str(entry.get("TableName", "")),
        sd=None if stored is None else _storage(stored),
        parameters=_texts(entry.get("Parameters")),
    )


def _storage(stored: Entry) -> StorageDescriptor:
    serde, skewed = stored.get("SerdeInfo") or {}, stored.get("SkewedInfo") or {}
    return StorageDescriptor(
        cols=_columns(stored.get("Columns")),
        location=str(stored.get("Location") or ""),
        inputFormat=str(stored.get("InputFormat") or ""),
        outputFormat=str(stored.get("OutputFormat") or ""),
        compressed=bool(stored.get("Compressed")),
        numBuckets=stored.get("NumberOfBuckets"),
        serdeInfo=SerDeInfo(
            name=serde.get("Name"),
            serializationLib=serde.get("SerializationLibrary"),
            parameters=_texts(serde.get("Parameters")),
        ),
        bucketCols=list(map(str, stored.get("BucketColumns") or ())),
        sortCols=[Order(each.get("Column"), each.get("SortOrder")) for each in stored.get("SortColumns") or ()],
        parameters={**_texts(stored.get("Parameters")), **_others(stored, _OF_STORAGE)},
        skewedInfo=SkewedInfo(skewedColNames=list(map(str, skewed.get("SkewedColumnNames") or ()))),
    )


def _columns(columns: Sequence[Entry] | None) -> list[FieldSchema]:
    return [FieldSchema(str(each.get("Name", "")), str(each.get("Type") or ""), None) for each in columns or ()]


def _of_columns(columns: Sequence[Entry]) -> Iterator[tuple[str, str]]:
    """Yield the parameters of columns, which a Metastore's do not have."""
    for column in columns:
        for name, value in _texts(column.get("Parameters")).items():
            yield f"{PREFIX}Columns.{name}", value


def _others(entry: Entry, known: frozenset[str]) -> dict[str, str]:
    """Return the parts of an entry that are not empty and not read elsewhere, as parameters."""
    return {
        f"{PREFIX}{name}": _text(value) for name, value in entry.items() if name not in known and not _is_none(value)
    }


def _is_none(value: Any) -> bool:
    return value is None or (isinstance(value, str | Sequence | Mapping) and not value)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else json.dumps(value, default=str)[:_LONGEST]


def _texts(parameters: Entry | None) -> dict[str, str]:
    return {str(name): str(value) for name, value in (parameters or {}).items()}


def _seconds(at: Any) -> int:
    return round(at.timestamp()) if isinstance(at, datetime) else 0
