"""The rules by which tasks compare the rows of a compaction (`paimon.task.checks`), from a table's own metadata.

What can't be compared is named in `limit`, which plans and the results of runs show.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

import polars as pl

from engine.formats.paimon.metadata.arrow_types import encoded_schema, readable_columns
from engine.formats.paimon.metadata.schemas import Column, TableSchema
from engine.formats.paimon.metadata.types import ColumnType
from engine.formats.paimon.rewrite.conditions import written_formats
from engine.formats.paimon.task.contract import MergeRules, TimeChecks
from engine.formats.paimon.view import TableView

_TIMESTAMPS: Final = ("TIMESTAMP", "TIMESTAMP_LTZ")
_ORDERED: Final = frozenset({"TINYINT", "SMALLINT", "INT", "INTEGER", "BIGINT", "DATE", *_TIMESTAMPS})
"""Types of `sequence.field` whose order the check knows."""

_FLOATS: Final = ("FLOAT", "DOUBLE")
_BY_VALUES: Final = ("deduplicate", "first-row")
_KEYS_ONLY: Final = "keys-only"
"""Stands for every merge engine of which only keys and sequence numbers are compared."""

_IGNORE_DELETE: Final = (
    "ignore-delete",
    "first-row.ignore-delete",
    "deduplicate.ignore-delete",
    "partial-update.ignore-delete",
)
_EXPIRY: Final = "record-level.expire-time"
_CLUSTERING: Final = "pk-clustering-override"
_COMPARED: Final = frozenset({"parquet", "orc"})
"""Formats of files whose rows `paimon.task.checks` reads."""

_MICROS: Final = 6
_ALL: Final = 2**62
"""Stands for the number of rows of a deletion vector that the metadata does not state."""


def check_limit(view: TableView) -> str:
    """Return what can't be compared of a table's rows, empty if all can. Reads only its schema."""
    written = view.schema.options.get("file.format", "parquet").strip().lower()
    if written not in _COMPARED:
        return f"files of format {written[:20]} are not compared"
    if problem := _key_problem(view.schema, view.schema.columns):
        return f"nothing is compared: {problem}"
    return "; ".join(_limits(view, view.schema.columns, ()))


def merge_rules(view: TableView, *, partition: bytes, bucket: int) -> MergeRules:
    """Return the rules for a bucket; `partition`: its binary row."""
    files = _files_of(view, partition, bucket)
    schemas = view.schemas(_ids_of(files))
    columns, left_out = _comparable(view.schema, schemas, is_orc=_has_orc(files))
    limits = list(_limits(view, columns, left_out))
    if problem := _key_problem(view.schema, columns):
        return MergeRules(schema="", limit=problem)
    given = view.schema.options
    by_values = not _value_limits(view, columns)
    engine = view.options.merge_engine
    return MergeRules(
        schema=encoded_schema(view.schema, columns),
        schemas={str(each.id): encoded_schema(each, readable_columns(each)) for each in schemas},
        engine="" if engine is None else engine if by_values else _KEYS_ONLY,
        keys=view.schema.primary_keys,
        order=tuple(_order_fields(given)) if by_values else (),
        is_descending=given.get("sequence.field.sort-order", "ascending").strip().lower() == "descending",
        ignores_deletes=any(given.get(name, "").strip().lower() == "true" for name in _IGNORE_DELETE),
        looks_up=view.options.looks_up,
        has_vectors=view.options.has_deletion_vectors,
        expires_rows=_EXPIRY in given,
        upper_levels=dict(files.filter(pl.col("level") > 0).select("name", "level").iter_rows()),
        vectors=_vectors(view, partition, bucket, files),
        limit="; ".join(limits),
    )


def time_checks(view: TableView, *, partition: bytes, bucket: int) -> TimeChecks:
    """Return which times the task of a bucket has to look for: the core reads each file by that file's schema."""
    files = _files_of(view, partition, bucket)
    precisions = set(_precisions(each.type for one in view.schemas(_ids_of(files)) for each in one.columns))
    return TimeChecks(
        parquet=any(each > _MICROS for each in precisions),
        orc=bool(precisions) and _has_orc(files),
        writes_orc="orc" in written_formats(view),
    )


def _files_of(view: TableView, partition: bytes, bucket: int) -> pl.DataFrame:
    return pl.DataFrame(view.live.files.select(["partition", "bucket", "name", "level", "schema_id"])).filter(
        (pl.col("partition") == partition) & (pl.col("bucket") == bucket)
    )


def _ids_of(files: pl.DataFrame) -> list[int]:
    return files["schema_id"].unique().to_list()


def _has_orc(files: pl.DataFrame) -> bool:
    return bool(files["name"].str.ends_with(".orc").any())


def _precisions(types: Iterable[ColumnType]) -> Iterator[int]:
    """Yield the numbers of digits of timestamps, also of nested ones."""
    for each in types:
        if each.root in _TIMESTAMPS:
            yield each.precision
        yield from _precisions(part.type for part in each.parts)


def _key_problem(schema: TableSchema, columns: Sequence[Column]) -> str | None:
    """Return why rows can't be compared by their keys, None if they can."""
    types = {each.name: each.type for each in columns}
    for name in schema.primary_keys:
        if name not in types:
            return f"the key column {name[:80]} has a type that is not compared"
        if types[name].root in _FLOATS:
            return f"the key column {name[:80]} is of type {types[name].text}: the core takes NaN for equal to all"
    return None if columns else "no column has a type that is compared"


def _limits(view: TableView, columns: Sequence[Column], left_out: Sequence[str]) -> Iterator[str]:
    """Yield what can't be compared; `left_out`: names of columns whose values are not."""
    if left_out:
        yield f"values of columns that are not compared, for their types: {', '.join(left_out)[:200]}"
    if reasons := _value_limits(view, columns):
        yield f"only keys and sequence numbers are compared, no values: {'; '.join(reasons)}"


def _value_limits(view: TableView, columns: Sequence[Column]) -> Sequence[str]:
    """Return the reasons why the values of a key table can't be derived from the inputs."""
    given, engine = view.schema.options, view.options.merge_engine
    if engine is None:
        return ()
    found = [] if engine in _BY_VALUES else [f"merge engine {engine[:40]}"]
    by_name = {each.name: each.type for each in columns}
    for name in _order_fields(given) if not found else ():
        of = by_name.get(name)
        if of is None or of.root not in _ORDERED or of.precision > _MICROS:
            found.append(f"sequence.field {name[:80]} is of type {'another' if of is None else of.text}")
    found += [name for name in (_EXPIRY, _CLUSTERING) if given.get(name, "false").strip().lower() != "false"]
    return found


def _order_fields(given: Mapping[str, str]) -> Sequence[str]:
    return [name for each in given.get("sequence.field", "").split(",") if (name := each.strip())]


def _comparable(
    schema: TableSchema, older: Sequence[TableSchema], *, is_orc: bool
) -> tuple[Sequence[Column], Sequence[str]]:
    """Return the columns whose values have the same type in the files of all these schemas, and the others' names."""
    found: list[Column] = []
    left_out: list[Column] = []
    readable = readable_columns(schema)
    for column in schema.columns:
        then = [each for one in older for each in one.columns if each.id == column.id]
        is_same = all(replace(each.type, is_nullable=True) == replace(column.type, is_nullable=True) for each in then)
        is_known = is_same and column in readable and not (is_orc and _has_text_of_length(column.type))
        (found if is_known else left_out).append(column)
    return found, [each.name for each in left_out]


def _has_text_of_length(of: ColumnType) -> bool:
    """Return whether a type has CHAR: in ORC files Paimon's core pads it, and pypaimon does not."""
    return of.root == "CHAR" or any(_has_text_of_length(part.type) for part in of.parts)


def _vectors(view: TableView, partition: bytes, bucket: int, files: pl.DataFrame) -> dict[str, int]:
    """Return by name how many rows the deletion vectors of a bucket's files delete, at most all of them."""
    vectors = pl.DataFrame(view.live.vectors.select(["partition", "bucket", "name", "deleted_rows"])).filter(
        (pl.col("partition") == partition)
        & (pl.col("bucket") == bucket)
        & pl.col("name").is_in(files["name"].implode())
    )
    return {name: _ALL if rows is None else rows for name, rows in vectors.select("name", "deleted_rows").iter_rows()}
