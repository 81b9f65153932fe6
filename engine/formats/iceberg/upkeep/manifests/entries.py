"""Compare the files that manifests list, whichever manifests these are and in whatever order."""

from typing import Final

import pyarrow as pa

COMPARED: Final = [
    "content",
    "path",
    "spec_id",
    "partition",
    "sequence_number",
    "file_sequence_number",
    "snapshot_id",
    "file_format",
    "record_count",
    "file_bytes",
    "row_groups",
    "sort_order_id",
    "target",
    "first_row_id",
    "content_offset",
    "content_bytes",
]
"""Columns of entries that a rewrite of manifests must not change."""


def plain(entries: pa.Table) -> pa.Table:
    """Return the columns `COMPARED` of entries in their order, with text in place of codes of a dictionary."""
    found = entries.select(COMPARED)
    for at, field in enumerate(found.schema):
        if pa.types.is_dictionary(field.type):
            found = found.set_column(at, field.name, found[field.name].cast(pa.string()))
    return found


def comparable(entries: pa.Table) -> pa.Table:
    """Return entries in an order of their own, with the columns that a rewrite must not change, to be compared."""
    return plain(entries).sort_by([(name, "ascending") for name in ("path", "sequence_number", "target", "content")])
