"""Validate foreign metadata so that planning can calculate with it; done once, where it is read."""

from typing import Final

from pyiceberg.schema import Schema
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.table.refs import MAIN_BRANCH

from engine.formats.iceberg.statistics.metrics_modes import children
from engine.formats.intake.limits import Malformed, check_schema

_LATEST_MS: Final = 253_402_300_799_999  # the last instant of the year 9999, the maximum of `datetime`


def check_metadata(metadata: TableMetadata) -> None:
    """Check commit times, that `main` refers to an existing snapshot, and the size of the schemas.

    Raises:
        Malformed: a check fails; the message names the snapshot.
    """
    for snapshot in metadata.snapshots:
        if not 0 <= snapshot.timestamp_ms <= _LATEST_MS:
            raise Malformed(f"snapshot {snapshot.snapshot_id} was committed at no time: {snapshot.timestamp_ms} ms")
    for schema in metadata.schemas:
        check_schema(f"its schema {schema.schema_id}", **_size_of(schema))
    main = metadata.refs.get(MAIN_BRANCH)
    if main is not None and metadata.snapshot_by_id(main.snapshot_id) is None:
        raise Malformed(f"branch main points to snapshot {main.snapshot_id}, which is not in the metadata")


def _size_of(schema: Schema) -> dict[str, int]:
    """Return the number of fields, of levels and of characters in dotted names of a schema."""
    fields, depth, paths, level = 0, 0, 0, [(field, 0) for field in schema.fields]
    while level:
        named = [(field, prefix + len(field.name)) for field, prefix in level]
        fields, depth, paths = fields + len(level), depth + 1, paths + sum(length for _, length in named)
        level = [(child, length) for field, length in named for child in children(field.field_type)]
    return {"fields": fields, "depth": depth, "paths": paths}
