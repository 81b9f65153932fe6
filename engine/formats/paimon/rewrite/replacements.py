"""Files that the kernel wrote for an append table, as the core is told about them."""

import base64
from collections.abc import Iterator, Mapping
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from engine.domain.runs.files import OutputFile
from engine.formats.base import WrittenGroup
from engine.formats.paimon.rewrite.tasks import bucket_of, live_inputs
from engine.formats.paimon.task.replacements import Replacement, WrittenFile
from engine.formats.paimon.view import TableView
from engine.rewriting.kernel.reading.projection import child_fields
from engine.rewriting.kernel.storage.stores.addresses import file_name

_MAGIC: Final = b"PAR1"
_SEPARATOR: Final = "."


def replacement_of(view: TableView, group: WrittenGroup, *, schema_id: int) -> Replacement:
    """Return what the core is told of a group, whose outputs have this schema of the table.

    Raises:
        CommitConflict: its inputs are not live in this view.
    """
    bucket, partition = bucket_of(live_inputs(view, group))
    return Replacement(
        partition=base64.b64encode(partition).decode(),
        bucket=bucket,
        inputs=tuple(file_name(each.path) for each in group.inputs),
        outputs=tuple(map(_written, group.outputs)),
        schema_id=schema_id,
    )


def _written(file: OutputFile) -> WrittenFile:
    footer: Any = pq.read_metadata(pa.BufferReader(_MAGIC + base64.b64decode(file.footer, validate=True)))
    found = _doubtful(footer)
    unbounded, unknown = (tuple(name for name, one in found.items() if one is kind) for kind in (True, False))
    return WrittenFile(file_name(file.path), file.file_bytes, file.record_count, unbounded, unknown)


def _doubtful(footer: Any) -> Mapping[str, bool]:
    """Return the top-level columns whose statistics don't cover every row, with whether their nulls are counted."""
    fields, at, found = footer.schema.to_arrow_schema(), 0, dict[str, bool]()
    for field in fields:
        width = _leaves(field)
        is_flat = width == 1 and not child_fields(field.type) and _SEPARATOR not in field.name
        chunks = list(_statistics(footer, at))
        if not is_flat or not all(nulls for nulls, _ in chunks):
            found[field.name] = False
        elif not all(bounds for _, bounds in chunks):
            found[field.name] = True
        at += width
    return found


def _leaves(field: pa.Field) -> int:
    return sum(map(_leaves, child_fields(field.type))) or 1


def _statistics(footer: Any, leaf: int) -> Iterator[tuple[bool, bool]]:
    """Yield for each row group whether a column's nulls are counted, and whether it has the bounds that it needs."""
    for number in range(footer.num_row_groups):
        chunk = footer.row_group(number).column(leaf)
        found = chunk.statistics
        if found is None or not found.has_null_count:
            yield False, False
        else:
            yield True, found.has_min_max or found.null_count == chunk.num_values
