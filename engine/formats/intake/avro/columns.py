"""Decode selected fields of the records of an Avro container as columns with polars, without the others.

Polars can skip fields, but only those of the outermost record. Avro encodes a record as its fields in order and nothing
else, so a schema in which the fields of an inner record take its place describes the same bytes.
"""

import io
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import polars as pl

from engine.formats.intake.avro.blocks import with_schema

UNREADABLE: Final = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)
"""Exceptions of polars for unsupported Avro files; `OSError` for a truncated one."""


def read_columns(
    body: bytes, written: Mapping[str, Any], fields: Sequence[tuple[Mapping[str, Any], str | None]]
) -> pl.DataFrame | None:
    """Return columns of a container.

    Args:
        body: the container, as `avro_blocks.readable` returns it.
        written: the schema in its header.
        fields: all fields in order, those of inner records in their place; each with the name of its column, None: it
            is skipped.

    Returns:
        A column for each name; None if polars does not support the schema, or the container is damaged.
    """
    flat = [{**field, "name": name or f"other {at}"} for at, (field, name) in enumerate(fields)]
    schema = json.dumps({**written, "fields": flat}).encode()
    wanted = [name for _, name in fields if name is not None]
    try:
        return pl.read_avro(io.BytesIO(with_schema(body, schema)), columns=wanted)
    except UNREADABLE:
        return None
