"""The key by which rows of a partition are merged, from a policy's names to columns of the table and of its files.

Names are compared without regard to case. Partition keys can be part of the key: their values are equal in a partition.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

import pyarrow as pa

from engine.domain.errors import NotEligible
from engine.domain.tables.keys import KEY_SETTING, DeclaredKey
from engine.formats.base import Condition
from engine.formats.hive.metadata.tables import TableEntry
from engine.rewriting.kernel.contract import MergeKey
from engine.rewriting.kernel.reading.projection import field_id

_NO_KEY: Final = re.compile(r"float|double|char\(.*")
"""Readers differ on NaN and the sign of zero, and on blanks at the end of `char`."""
_VERSION: Final = re.compile(r"tinyint|smallint|int|integer|bigint|date|timestamp")
_DELETED: Final = re.compile(r"boolean")


def key_condition(entry: TableEntry, key: DeclaredKey) -> Condition:
    """Return the condition that the table has the columns of a key, with types that the kernel can compare."""
    problem = next(_problems(entry, key), None)
    return Condition("key_columns", problem is None, problem or key.words[:300])


def _problems(entry: TableEntry, key: DeclaredKey) -> Iterator[str]:
    types = {each.name.lower(): each.type for each in entry.columns}
    unfit = {each.name.lower() for each in entry.columns if each.is_nested or _NO_KEY.fullmatch(each.type)}
    keys = _without_partition_keys(entry, key)
    named = [*key.columns, key.version, *([] if key.deleted is None else [key.deleted])]
    partitions = {each.name.lower() for each in entry.keys}
    unknown = [name for name in named if name.lower() not in types.keys() | partitions]
    if unknown:
        yield f"the table has no column {unknown[0][:100]!r} ({KEY_SETTING})"
        return
    if not keys:
        yield f"{KEY_SETTING}.columns are partition keys only, so that each partition would keep one row"
    yield from (_of_type(name, types[name], "columns") for name in keys if name in unfit)
    for role, name, wanted, words in (
        ("version", key.version, _VERSION, "a whole number, a date or a timestamp"),
        ("deleted", key.deleted, _DELETED, "a boolean"),
    ):
        if name is None:
            continue
        of = types.get(name.lower())
        if of is None:
            yield f"{KEY_SETTING}.{role} is {name[:100]!r}, a partition key: all rows of a partition have the same"
        elif not wanted.fullmatch(of):
            yield f"{KEY_SETTING}.{role} is {name[:100]!r} of type {of[:100]}; it has to be {words}"


def _of_type(name: str, of: str, role: str) -> str:
    return f"{KEY_SETTING}.{role} has {name[:100]!r} of type {of[:100]}, which can't be part of a key"


def _without_partition_keys(entry: TableEntry, key: DeclaredKey) -> Sequence[str]:
    partitions = {each.name.lower() for each in entry.keys}
    return [name.lower() for name in key.columns if name.lower() not in partitions]


def row_key(entry: TableEntry, key: DeclaredKey, schema: pa.Schema) -> MergeKey:
    """Return a key by the numbers of fields in the schema of a task.

    Raises:
        NotEligible: no file of the partition has one of the columns, so that nothing tells its rows apart.
    """
    problem = next(_problems(entry, key), None)
    if problem is not None:
        raise NotEligible(problem)
    numbers = {field.name.lower(): field_id(field) for field in schema}
    needed = [*_without_partition_keys(entry, key), key.version.lower()]
    found = [number for name in needed if (number := numbers.get(name)) is not None]
    if len(found) < len(needed):
        missing = next(name for name in needed if name not in numbers)
        raise NotEligible(f"no file of the partition has the column {missing[:100]!r} ({KEY_SETTING})")
    deleted = None if key.deleted is None else numbers.get(key.deleted.lower())
    return MergeKey(columns=tuple(found[:-1]), version=found[-1], deleted=deleted)
