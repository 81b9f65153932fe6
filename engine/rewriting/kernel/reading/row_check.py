"""The proof that a group's outputs hold the rows of its inputs: both are read from the storage and hashed.

The check does not use the code that wrote the outputs: they are opened again, decoded by Arrow, and hashed by field id
without the projection (`row_hashes`). Shared with the rewrite are the paced transfer and the reading of position-delete
files. One column of one row group is decoded at a time.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from engine.rewriting.kernel.contract import TaskInput
from engine.rewriting.kernel.errors import InputFault, OutputFault
from engine.rewriting.kernel.reading.column_numbers import ColumnNumbers
from engine.rewriting.kernel.reading.deletes import PositionDeletes
from engine.rewriting.kernel.reading.encodings import dictionary_leaves
from engine.rewriting.kernel.reading.parquet_input import ParquetInput, Segments
from engine.rewriting.kernel.reading.projection import field_id, leaf_ids
from engine.rewriting.kernel.reading.read_ahead import ReadAhead
from engine.rewriting.kernel.reading.row_hashes import Hashes, RowDigest, RowHasher
from engine.rewriting.kernel.storage.transfer import Transfer


@dataclass(frozen=True, slots=True)
class CheckedRows:
    """The result of a check: the digest of both sides, and the cost."""

    digest: RowDigest
    bytes_read: int
    seconds: float


def check_rows(
    *,
    inputs: Sequence[TaskInput],
    outputs: Sequence[TaskInput],
    target: pa.Schema,
    deletes: PositionDeletes,
    transfer: Transfer,
    numbers: ColumnNumbers | None = None,
) -> CheckedRows:
    """Compare the live rows of `inputs` with those of `outputs`, for the fields of `target`.

    With `numbers` columns are identified by name, not by the ids in the files.

    Raises:
        OutputFault: the outputs contain other rows, or can't be read back.
        InputFault: an input can't be read again.
        Refused: a column can't be compared.
        Stopped: the task was ordered to stop.
    """
    begun, before = transfer.now(), transfer.moved.bytes_read
    try:
        after = _digest(outputs, target, None, transfer, numbers)
    except InputFault as fault:
        raise OutputFault(f"what was written can't be read back: {fault}") from fault
    wanted = _digest(inputs, target, deletes, transfer, numbers)
    if after != wanted:
        names = ", ".join(one.path for one in outputs[:3])
        raise OutputFault(f"{names}: other rows than the inputs'; count-sum-xor of the hashes {after}, not {wanted}")
    return CheckedRows(wanted, transfer.moved.bytes_read - before, transfer.now() - begun)


def _digest(
    files: Sequence[TaskInput],
    target: pa.Schema,
    deletes: PositionDeletes | None,
    transfer: Transfer,
    numbers: ColumnNumbers | None,
) -> RowDigest:
    digest = RowDigest()
    with ReadAhead() as ahead:
        openings = ((one.file_bytes, partial(open_checked, one, transfer, numbers)) for one in files)
        for index, source in enumerate(ahead.each(openings, most=2)):
            try:
                start = 0
                for hashes in _row_groups(source, target, ahead, transfer):
                    mask = None if deletes is None else deletes.keep_mask(index, start, len(hashes))
                    start += len(hashes)
                    digest.add(hashes if mask is None else hashes[mask.to_numpy(zero_copy_only=False)])
            finally:
                source.close()
    return digest


def open_checked(one: TaskInput, transfer: Transfer, numbers: ColumnNumbers | None = None) -> ParquetInput:
    """Open a file to compare its rows. Raises as `ParquetInput.open`, and InputFault for another number of rows."""
    source = ParquetInput.open(one.path, transfer, expected_bytes=one.file_bytes, numbers=numbers)
    if source.metadata.num_rows != one.record_count:
        source.close()
        raise InputFault(f"{one.path}: {source.metadata.num_rows} rows, {one.record_count} expected")
    strings = [
        source.metadata.schema.column(leaf).path
        for leaf, is_coded in enumerate(dictionary_leaves(source.metadata))
        if is_coded and _may_stay_coded(source.metadata.schema.column(leaf))
    ]
    if strings:
        source.select_dictionaries(strings)  # each value is hashed once then
    return source


def _may_stay_coded(column: Any) -> bool:
    return bool(column.physical_type == "BYTE_ARRAY" and column.max_repetition_level == 0)


def _row_groups(source: ParquetInput, target: pa.Schema, ahead: ReadAhead, transfer: Transfer) -> Iterator[Hashes]:
    columns = checked_columns(source.schema, target)
    leaves = [leaf for _, own in columns for leaf in own]
    metadata = source.metadata
    fetches = (
        (metadata.row_group(i).total_byte_size, partial(source.fetch, i, leaves))
        for i in range(metadata.num_row_groups)
    )
    for i, segments in enumerate(ahead.each(fetches, most=2)):
        yield _hashed(source, i, segments, columns, transfer)


def _hashed(
    source: ParquetInput,
    row_group: int,
    segments: Segments,
    columns: Sequence[tuple[pa.Field, list[int]]],
    transfer: Transfer,
) -> Hashes:
    hasher = RowHasher(source.metadata.row_group(row_group).num_rows)
    for wanted, leaves in columns:
        transfer.bucket.check()
        hasher.add(source.decode(row_group, segments, leaves).column(0), wanted)
    return hasher.finish()


def checked_columns(schema: pa.Schema, target: pa.Schema) -> list[tuple[pa.Field, list[int]]]:
    """Return the target's fields that a file has, each with its Parquet columns."""
    counts = [len(leaf_ids([field])) for field in schema]
    firsts = np.cumsum([0, *counts]).tolist()
    place = {field_id(field): i for i, field in enumerate(schema)}
    found = [(wanted, place[field_id(wanted)]) for wanted in target if field_id(wanted) in place]
    return [(wanted, list(range(firsts[i], firsts[i + 1]))) for wanted, i in found]
