"""Fill in what entries of manifests inherit from the manifest list: sequence numbers, and the snapshot's id."""

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from engine.formats.iceberg.manifests.decoding import ADDED, ENTRIES


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
