"""The proof that a group's outputs hold the rows of its inputs: both are read from the storage and hashed.

The check does not use the code that wrote the outputs: they are opened again, decoded by Arrow, and hashed by field id
without the projection (`row_hashes`). Row lineage of an input is what its rows inherit, that of an output what it
stores. Shared with the rewrite are the paced transfer and the reading of position-delete files. One column of one row
group is decoded at a time.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import pyarrow as pa

from engine.rewriting.kernel.contract import TaskInput
from engine.rewriting.kernel.errors import InputFault, OutputFault
from engine.rewriting.kernel.reading.column_numbers import FileNumbers
from engine.rewriting.kernel.reading.decoded_columns import RowReader, row_groups
from engine.rewriting.kernel.reading.deletes import PositionDeletes
from engine.rewriting.kernel.reading.projection import Constants
from engine.rewriting.kernel.reading.row_hashes import RowDigest, RowHasher
from engine.rewriting.kernel.storage.transfer import Transfer


@dataclass(frozen=True, slots=True)
class CheckedRows:
    """The result of a check: the digest of both sides, and the cost."""

    digest: RowDigest
    bytes_read: int
    seconds: float

    def __add__(self, other: "CheckedRows") -> "CheckedRows":
        return CheckedRows(self.digest + other.digest, self.bytes_read + other.bytes_read, self.seconds + other.seconds)


def check_rows(
    *,
    inputs: Sequence[TaskInput],
    outputs: Sequence[TaskInput],
    target: pa.Schema,
    deletes: PositionDeletes,
    transfer: Transfer,
    numbers: FileNumbers | None = None,
    constants: Constants | None = None,
    reader: RowReader | None = None,
) -> CheckedRows:
    """Compare the live rows of `inputs` with those of `outputs`, for the fields of `target`.

    `numbers`: ids of columns by name, for files without ids. `constants`: values of columns that inputs can lack.
    `reader`: reads files of another format than Parquet.

    Raises:
        OutputFault: the outputs contain other rows, or can't be read back.
        InputFault: an input can't be read again.
        Refused: a column can't be compared.
        Stopped: the task was ordered to stop.
    """
    begun, before = transfer.now(), transfer.moved.bytes_read
    try:
        after = _digest(outputs, target, None, transfer, reader or partial(row_groups, numbers=numbers))
    except InputFault as fault:
        raise OutputFault(f"what was written can't be read back: {fault}") from fault
    of_inputs = reader or partial(row_groups, numbers=numbers, constants=constants, inherits=True)
    wanted = _digest(inputs, target, deletes, transfer, of_inputs)
    if after != wanted:
        names = ", ".join(one.path for one in outputs[:3])
        raise OutputFault(f"{names}: other rows than the inputs'; count-sum-xor of the hashes {after}, not {wanted}")
    return CheckedRows(wanted, transfer.moved.bytes_read - before, transfer.now() - begun)


def _digest(
    files: Sequence[TaskInput],
    target: pa.Schema,
    deletes: PositionDeletes | None,
    transfer: Transfer,
    read: RowReader,
) -> RowDigest:
    digest = RowDigest()
    for group in read(files, target, transfer):
        hasher = RowHasher(group.count)
        for wanted, column in group.columns():
            hasher.add(column, wanted)
        hashes = hasher.finish()
        mask = None if deletes is None else deletes.keep_mask(group.file, group.start, group.count)
        digest.add(hashes if mask is None else hashes[mask.to_numpy(zero_copy_only=False)])
    return digest
