"""Build all SQL statements for Spark from typed values; callers never pass SQL.

Names of tables and columns, table properties and partition values are untrusted input. Two traps of Spark's parser,
both verified on 4.1.4: `${env:HOME}` is replaced by the variable anywhere in a statement, including literals and quoted
names; and the meaning of a backslash in `'…'` depends on a setting. So a text with anything but plain characters is
written as its bytes (`CAST(X'…' AS STRING)`), a predicate inside a call as a raw literal (`r"…"`) or as its bytes, and
a quoted name that contains `${` or a control character is refused.
"""

import math
import re
from collections.abc import Sequence
from typing import Final

from engine.domain.errors import InvalidInput
from engine.domain.runs.procedures import OptionValue, PartitionTest, ProcedureCall, SparkTable

_WORD: Final = re.compile(r"[a-z][a-z_.-]{0,63}")
_TYPES: Final = re.compile(
    r"boolean|int|bigint|float|double|date|timestamp|timestamp_ntz|string|binary|decimal\(\d{1,2},\d{1,2}\)"
)
_TRANSFORMS: Final = frozenset({"years", "months", "days", "hours", "bucket", "truncate"})
_PLAIN: Final = re.compile(r"[A-Za-z0-9 .,:;+_=/@()\[\]-]*")


def call(asked: ProcedureCall) -> str:
    """Return `CALL catalog.system.procedure(…)`.

    Raises:
        InvalidInput: a name of a table that can't be quoted, one of an option that is not a word, an infinite value.
    """
    # with its catalog: Spark reads the first level as a catalog whenever one of that name exists
    arguments = [f"table => {_text(_table(asked.table))}"]
    if asked.where:
        arguments.append(f"where => {_text(predicate(asked.table.catalog, asked.where))}")
    if asked.options:
        arguments.append(f"options => map({', '.join(_options(asked))})")
    return f"CALL {name(asked.table.catalog)}.system.{_word(asked.procedure)}({', '.join(arguments)})"


def refresh(table: SparkTable) -> str:
    """Return the statement that clears Spark's cached metadata of a table."""
    return f"REFRESH TABLE {_table(table)}"


def has_snapshot(table: SparkTable, snapshot_id: int) -> str:
    """Return the query that returns one row if the table has the snapshot, otherwise none."""
    return f"SELECT snapshot_id FROM {_table(table)}.`snapshots` WHERE snapshot_id = {snapshot_id:d}"  # noqa: S608


def metadata_files(table: SparkTable, most: int) -> str:
    """Return the query for the locations (`file`) of a table's newest metadata files, the current one first."""
    order = "ORDER BY timestamp DESC, latest_sequence_number DESC"
    return f"SELECT file FROM {_table(table)}.`metadata_log_entries` {order} LIMIT {most:d}"  # noqa: S608


def count_rows(table: SparkTable, snapshot_id: int, where: Sequence[PartitionTest]) -> str:
    """Return the query for the number of rows (`rows`) of a partition in one snapshot, with deletes applied."""
    condition = f" WHERE {predicate(table.catalog, where)}" if where else ""
    return f"SELECT count(*) AS `rows` FROM {_table(table)} VERSION AS OF {snapshot_id:d}{condition}"  # noqa: S608


def predicate(catalog: str, where: Sequence[PartitionTest]) -> str:
    """Return the conjunction of tests on partition fields; transforms are called as functions of the catalog."""
    return " AND ".join(_test(catalog, each) for each in where)


def name(text: str) -> str:
    """Return a name in back-quotes.

    Raises:
        InvalidInput: it is empty, or contains characters that Spark would replace or can't read.
    """
    if not text or "${" in text or any(ord(each) < ord(" ") or each == "\x7f" for each in text):
        raise InvalidInput(f"the name {text[:80]!r} can't be written in SQL for Spark: rename it")
    return "`" + text.replace("`", "``") + "`"


def literal(text: str, of: str) -> str:
    """Return the SQL literal of a value given as text and its Spark SQL type; binary text is hexadecimal.

    Raises:
        InvalidInput: an unsupported type, or binary text that is not hexadecimal.
    """
    if not _TYPES.fullmatch(of):
        raise InvalidInput(f"{of[:80]!r} is not a type that partition values are compared in")
    if of == "binary":
        if not re.fullmatch(r"([0-9A-Fa-f]{2})*", text):
            raise InvalidInput(f"{text[:80]!r} is not binary in hexadecimal digits")
        return f"X'{text.upper()}'"
    quoted = f"'{text}'" if _PLAIN.fullmatch(text) else _bytes(text)
    return quoted if of == "string" else f"CAST({quoted} AS {of.upper()})"


def _test(catalog: str, test: PartitionTest) -> str:
    side = _joined(test.column)
    if test.transform is not None:
        if test.transform not in _TRANSFORMS:
            raise InvalidInput(f"the partition transform {test.transform[:80]!r} has no function in Spark")
        width = "" if test.argument is None else f"{test.argument:d}, "
        side = f"{name(catalog)}.system.{test.transform}({width}{side})"
    return f"{side} IS NULL" if test.value is None else f"{side} = {literal(test.value, test.type)}"


def _options(asked: ProcedureCall) -> list[str]:
    rendered = []
    for option, value in sorted(asked.options.items()):
        rendered.append(f"'{_word(option)}', '{_option(value)}'")
    return rendered


def _word(text: str) -> str:
    if not _WORD.fullmatch(text):
        raise InvalidInput(f"{text[:80]!r} is not the name of a procedure or an option")
    return text


def _option(value: OptionValue) -> str:
    if not math.isfinite(value):
        raise InvalidInput(f"{value} is not a value of an option")
    return str(value).lower() if isinstance(value, bool) else f"{value:d}" if isinstance(value, int) else f"{value:f}"


def _table(table: SparkTable) -> str:
    return _joined((table.catalog, *table.namespace, table.name))


def _joined(parts: Sequence[str]) -> str:
    return ".".join(name(part) for part in parts)


def _text(text: str) -> str:
    """Return a literal of a text that is SQL itself; callers need not escape anything in it."""
    return _bytes(text) if '"' in text or "${" in text else f'r"{text}"'


def _bytes(text: str) -> str:
    return f"CAST(X'{text.encode().hex().upper()}' AS STRING)"
