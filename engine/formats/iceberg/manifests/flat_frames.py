"""Decode selected fields of manifest entries with polars, three times as fast as all of them.

Most of an entry is column statistics, which few callers use. The data file is a record inside of the entry
(`intake.avro.columns`).
"""

from collections.abc import Mapping
from typing import Any

import polars as pl

from engine.formats.iceberg.manifests import entry_ids as ids
from engine.formats.intake.avro.columns import read_columns


def frame_of(
    body: bytes, written: Mapping[str, Any], *, of_entry: frozenset[int], of_file: frozenset[int]
) -> pl.DataFrame | None:
    """Return fields of the entries of a manifest, those of data files included, in columns named by field id.

    Args:
        body: the manifest, as `avro_blocks.readable` returns it.
        written: the schema in its header.
        of_entry: ids of fields of entries to return, as far as the schema has them.
        of_file: the same for fields of data files.

    Returns:
        A column for each field; None if polars does not support the schema, or the manifest is damaged.
    """
    file = ids.record_of(written, ids.DATA_FILE)
    if file is None:
        return None
    flat: list[tuple[Mapping[str, Any], frozenset[int]]] = []
    for field in written["fields"]:
        is_file = field["type"] is file
        flat += [(each, of_file) for each in file["fields"]] if is_file else [(field, of_entry)]
    named = [(field, str(field["field-id"]) if field.get("field-id") in chosen else None) for field, chosen in flat]
    return read_columns(body, written, named)
