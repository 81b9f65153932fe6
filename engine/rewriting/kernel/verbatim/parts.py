"""Division of a task's inputs by the layouts of columns that are taken over: a Parquet file has one layout of each.

Layouts are in footers only, so these are read before the rows: one request more for each input, which only tasks with
such columns make. An input without a column fits every layout, as its rows get nulls.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import pyarrow as pa

from engine.rewriting.kernel.contract import TaskInput
from engine.rewriting.kernel.errors import (
    MIXED_LAYOUTS,
    UNSORTABLE_COLUMN,
    UNSUPPORTED_PARTITION,
    InputFault,
    Refused,
)
from engine.rewriting.kernel.kernel_task import KernelTask
from engine.rewriting.kernel.parquet.footers import MAGIC
from engine.rewriting.kernel.parquet.thrift import MalformedStruct
from engine.rewriting.kernel.reading.column_numbers import FileNumbers
from engine.rewriting.kernel.reading.read_ahead import ReadAhead, Window
from engine.rewriting.kernel.storage.transfer import Transfer
from engine.rewriting.kernel.verbatim.columns import StoredFiles, VerbatimColumns, with_ids
from engine.rewriting.kernel.verbatim.layouts import ColumnLayout, layouts_in, plain_layout

_TAIL_BYTES: Final = 64 * 1024
"""Bytes read from the end of an input; most footers fit."""

_END_BYTES: Final = 8


@dataclass(frozen=True, slots=True)
class Part:
    """Inputs of a task that share outputs.

    `task`: that of these inputs alone; `places`: where they are among all inputs. `schema`: the target's with the types
    by which Arrow reads the columns that are taken over, the `verbatim` ones. `numbers`: changes of inputs' footers.
    """

    task: KernelTask
    places: Sequence[int]
    schema: pa.Schema
    numbers: FileNumbers | None
    verbatim: VerbatimColumns | None = None


def parts_of(task: KernelTask, schema: pa.Schema, numbers: FileNumbers | None, transfer: Transfer) -> Sequence[Part]:
    """Return the parts of a task, one if no column is taken over.

    Args:
        task: the task.
        schema: its target schema, in which such columns are bytes.
        numbers: ids of columns by name, for files without ids.
        transfer: reads the footers.

    Raises:
        Refused: rows would be ordered or divided by such a column, or every input has other layouts.
        InputFault, StorageFault, Stopped: an input can't be read.
    """
    files = task.read.files
    if not task.read.verbatim:
        return [Part(task, range(len(files)), schema, numbers)]
    types = {int(number): of for number, of in task.read.verbatim.items()}
    _check_use(task, types)
    found = _FoundLayouts.read(files, types, numbers, transfer)
    groups: dict[tuple[bytes, ...], list[int]] = {}
    for place in range(len(files)):
        groups.setdefault(found.keys_of(place), []).append(place)
    if len(groups) > 1 and len(groups) == len(files) and not _changes_rows(task):
        names = ", ".join(f"{number} ({of})" for number, of in types.items())
        raise Refused(MIXED_LAYOUTS, f"each of the {len(files)} files stores the columns with ids {names} differently")
    made = []
    for keys, places in groups.items():
        columns = VerbatimColumns.of({n: found.layouts[key] for n, key in zip(types, keys, strict=True)}, schema)
        target = pa.schema(columns.typed(schema))
        made.append(Part(_with_files(task, places), places, target, StoredFiles(columns, numbers), columns))
    return made


def _check_use(task: KernelTask, types: Mapping[int, str]) -> None:
    for column in task.write.order.columns if task.write.order else ():
        if column.field_id in types:
            detail = f"the column with id {column.field_id} is {types[column.field_id]}, which has no order"
            raise Refused(UNSORTABLE_COLUMN, detail)
    for one in task.write.partition_by or ():
        if one.field_id in types:
            raise Refused(UNSUPPORTED_PARTITION, f"the column with id {one.field_id} is {types[one.field_id]}")


def _changes_rows(task: KernelTask) -> bool:
    has_deletes = any(one.delete_paths or one.vector is not None for one in task.read.files)
    return has_deletes or task.write.order is not None or bool(task.write.partition_by)


def _with_files(task: KernelTask, places: Sequence[int]) -> KernelTask:
    """Return the task of some inputs; the plan's number of outputs applies only to all of them."""
    files = tuple(task.read.files[at] for at in places)
    if len(files) == len(task.read.files):
        return task
    return replace(task, read=replace(task.read, files=files), write=replace(task.write, file_count=0))


class _FoundLayouts:
    """The layouts of columns in the inputs of a task; `layouts`: by key, for the values of all inputs with it."""

    def __init__(self, types: Mapping[int, str]) -> None:
        self.layouts: dict[bytes, ColumnLayout] = {}
        self._types = types
        self._keys: list[Mapping[int, bytes]] = []  # by input and field id
        self._usual: dict[int, bytes] = {}

    @staticmethod
    def read(
        files: Sequence[TaskInput], types: Mapping[int, str], numbers: FileNumbers | None, transfer: Transfer
    ) -> "_FoundLayouts":
        """Read the footers of files. Raises as `parts_of`."""
        made, wanted = _FoundLayouts(types), frozenset(types)
        is_remote = any(transfer.storage.is_remote(one.path) for one in files[:1])
        window = Window(is_remote=is_remote, times_busy=lambda: transfer.times_busy, check=transfer.bucket.check)
        with ReadAhead(window) as ahead:
            fetches = ((_TAIL_BYTES, partial(_of_file, one, wanted, numbers, transfer)) for one in files)
            for file, layouts in zip(files, ahead.each(fetches), strict=True):
                made._keys.append({number: made._add(own, file.path) for number, own in layouts.items()})
        for number, of in types.items():
            counts = Counter(each[number] for each in made._keys if number in each)
            usual = counts.most_common(1)
            made._usual[number] = usual[0][0] if usual else made._add(plain_layout(number, of), "")
        return made

    def keys_of(self, place: int) -> tuple[bytes, ...]:
        """Return the keys of an input's layouts, in the order of the types; the usual one of a column that it lacks."""
        return tuple(self._keys[place].get(number, self._usual[number]) for number in self._types)

    def _add(self, own: ColumnLayout, uri: str) -> bytes:
        if own.key not in self.layouts:
            own.check(uri)
        known = self.layouts.setdefault(own.key, own)
        if known.elements[1:] != own.elements[1:]:
            self.layouts[known.key] = replace(known.wider(own), key=known.key)
        return known.key  # one object for all inputs


def _of_file(
    file: TaskInput, wanted: frozenset[int], numbers: FileNumbers | None, transfer: Transfer
) -> Mapping[int, ColumnLayout]:
    """Return the layouts of the columns of a file; none of a file without a footer, which its reader names.

    Raises:
        InputFault: the footer is damaged: taken for one without the columns, rows would lose their values.
    """
    footer = _footer(file, transfer)
    if not footer:
        return {}
    try:
        return layouts_in(with_ids(footer, None if numbers is None else numbers.of(file)), wanted)
    except Refused as refusal:
        raise Refused(refusal.reason, f"{file.path}: {refusal.detail}") from refusal
    except (MalformedStruct, LookupError, TypeError) as error:
        raise InputFault(f"{file.path}: its footer is damaged: {error}") from error


def _footer(file: TaskInput, transfer: Transfer) -> bytes:
    """Return the metadata at the end of a file; empty if it does not end as a Parquet file does."""
    source = transfer.open(file.path, file.file_bytes)
    try:
        size = source.size()
        tail = bytes(source.read(max(0, size - _TAIL_BYTES), min(size, _TAIL_BYTES)))
        length = int.from_bytes(tail[-_END_BYTES:-4], "little")
        if tail[-4:] != MAGIC or length + _END_BYTES > size:
            return b""
        if length + _END_BYTES > len(tail):
            tail = bytes(source.read(size - length - _END_BYTES, length + _END_BYTES))
        return tail[-length - _END_BYTES : -_END_BYTES]
    finally:
        source.close()
