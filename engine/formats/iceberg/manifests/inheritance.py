"""Fill in what entries of manifests inherit from the manifest list: sequence numbers, snapshot ids and row ids."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.manifest import ManifestFile

from engine.formats.iceberg.manifests.decoding import ADDED, DELETED, ENTRIES

_FIRST_ROW_ID = 15
"""Place of field 520 in a manifest list's record of format version 3, which PyIceberg (0.12) has no name for."""


def inherited(entries: pa.Table, numbers: Any, snapshot_ids: Any) -> pa.Table:
    """Return entries as their manifests have them with their numbers filled in.

    Args:
        entries: a table with the columns of `decoding.WRITTEN`, in which numbers to be inherited are null.
        numbers: sequence number of the manifest, of all entries as a scalar or of each as an array; 0 if it was
            written by format version 1.
        snapshot_ids: id of the snapshot that added the manifest, likewise.
    """
    is_inherited = pc.or_(pc.equal(entries["status"], ADDED), pc.equal(numbers, 0))
    for name, value, where in (
        ("sequence_number", numbers, None),
        ("snapshot_id", snapshot_ids, None),
        ("file_sequence_number", numbers, is_inherited),
    ):
        filled = pc.coalesce(entries[name], value)
        column = filled if where is None else pc.if_else(where, filled, entries[name])
        entries = entries.set_column(entries.schema.get_field_index(name), ENTRIES.field(name), column)
    return entries


def first_row_id_of(manifest: ManifestFile) -> int | None:
    """Return the `first_row_id` of a data manifest; None if its files have no row ids to inherit."""
    found: int | None = manifest[_FIRST_ROW_ID] if len(manifest) > _FIRST_ROW_ID else None
    return found


def with_row_ids(entries: pa.Table, first: int | None) -> pa.Table:
    """Return the entries of a data manifest with the first row id of each file filled in, as the specification says.

    A live file without one takes the next id, which grows by its rows. If the manifest has none, no file has one,
    whatever its entry holds, as in Iceberg's readers.

    Raises:
        ArrowInvalid: an id would not be a 64-bit number.
    """
    return with_row_ids_of_each(entries, [first], [entries.num_rows])


def with_row_ids_of_each(entries: pa.Table, firsts: Sequence[int | None], counts: Sequence[int]) -> pa.Table:
    """Return the entries of several data manifests, as `with_row_ids` does for each.

    Args:
        entries: of all, in the order of the manifests.
        firsts: the first row id of each manifest.
        counts: number of entries of each.

    Raises:
        ArrowInvalid: an id would not be a 64-bit number.
    """
    at, stored = entries.schema.get_field_index("first_row_id"), entries["first_row_id"]
    if not entries.num_rows or all(first is None for first in firsts):
        return entries.set_column(at, ENTRIES.field("first_row_id"), pa.nulls(entries.num_rows, pa.int64()))
    places = pa.array(np.repeat(np.arange(len(counts)), counts))
    first = pa.array(firsts, pa.int64()).take(places)
    is_taking = pc.and_(pc.is_null(stored), pc.not_equal(entries["status"], DELETED))
    rows = pc.if_else(is_taking, entries["record_count"], pa.scalar(0, pa.int64()))
    before = pc.subtract(pc.cumulative_sum_checked(rows), rows).combine_chunks()
    starts = np.minimum(np.cumsum([0, *counts[:-1]]), entries.num_rows - 1)  # a manifest at the end may be empty
    derived = pc.add_checked(first, pc.subtract(before, before.take(pa.array(starts)).take(places)))
    found = pc.if_else(is_taking, derived, pc.if_else(pc.is_valid(first), stored, pa.scalar(None, pa.int64())))
    return entries.set_column(at, ENTRIES.field("first_row_id"), found)
