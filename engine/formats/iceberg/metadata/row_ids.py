"""Row ids of format version 3 in a table's metadata: each commit takes its new ids from `next-row-id`.

A wrong range of ids can't be repaired: two rows would share an id for ever. So metadata whose `next-row-id` is missing,
or is not above all ids that its snapshots took, is refused by name before anything is committed.
"""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from pyiceberg.table.metadata import TableMetadata

from engine.domain.errors import NotEligible

Ints = npt.NDArray[np.int64]

WITH_ROW_IDS: Final = 3
"""The first format version whose rows have ids."""
MOST_ROW_ID: Final = 2**63 - 1
_REMEDY: Final = "repair the metadata with the program that wrote it"


def has_row_ids(metadata: TableMetadata) -> bool:
    """Return whether rows have ids that a rewrite must keep, and commits assign some."""
    return metadata.format_version >= WITH_ROW_IDS


def row_id_problems(metadata: TableMetadata) -> Iterator[str]:
    """Yield a clause for each reason why no row ids can be assigned in this table; none before version 3."""
    if not has_row_ids(metadata):
        return
    following = _next_row_id(metadata)
    if following is None:
        yield f"the metadata has no next-row-id, which format version 3 requires: {_REMEDY}"
        return
    if not 0 <= following <= MOST_ROW_ID:
        yield f"next-row-id is {following}, which is not from 0 to {MOST_ROW_ID}: {_REMEDY}"
        return
    for snapshot in metadata.snapshots:
        first, rows = snapshot.first_row_id, snapshot.added_rows or 0
        if first is None:
            continue
        if first < 0 or rows < 0:
            yield f"snapshot {snapshot.snapshot_id} took {rows} row ids from {first}: {_REMEDY}"
            return
        if first + rows > following:
            name = f"snapshot {snapshot.snapshot_id}"
            yield f"next-row-id is {following}, but {name} took the ids up to {first + rows - 1}: {_REMEDY}"
            return


def next_row_id(metadata: TableMetadata) -> int:
    """Return the first row id that a new snapshot may assign.

    Raises:
        NotEligible: the metadata has none, or one that was assigned before.
    """
    for problem in row_id_problems(metadata):
        raise NotEligible(problem)
    return _next_row_id(metadata) or 0


def row_id_limit(metadata: TableMetadata) -> int:
    """Return the number that all row ids are below, as far as the metadata states one that can be used."""
    found = _next_row_id(metadata)
    return MOST_ROW_ID if found is None else max(0, min(found, MOST_ROW_ID))


def wrong_ranges(firsts: Any, counts: Any, *, below: int) -> tuple[Ints, Ints, Ints]:
    """Find ranges of row ids that no table can have.

    Args:
        firsts: the first row id of each data file.
        counts: the number of its rows, which is above 0.
        below: the table's next row id.

    Returns:
        The places of the files with ids below 0 or not below `below`; and of those that share ids with a file before
        them by id, with the place of the file just before.
    """
    firsts, counts = np.asarray(firsts, np.int64), np.asarray(counts, np.int64)
    ends = firsts.astype(np.uint64) + counts.astype(np.uint64)  # the sum of two such numbers fits without a sign
    beyond = np.flatnonzero((firsts < 0) | (ends > np.uint64(below)))
    order = np.argsort(firsts, kind="stable")
    is_shared = np.maximum.accumulate(ends[order])[:-1] > firsts[order][1:].astype(np.uint64)
    shared = np.flatnonzero(is_shared)
    return beyond, order[shared + 1], order[shared]


def _next_row_id(metadata: TableMetadata) -> int | None:
    found: int | None = getattr(metadata, "next_row_id", None)  # versions 1 and 2 have no such field
    return found
