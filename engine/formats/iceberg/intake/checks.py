"""Validate foreign metadata so that planning can calculate with it; done once, where it is read."""

from typing import Final

import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.table.refs import MAIN_BRANCH

from engine.formats.iceberg.intake.limits import LIVE_BYTES, Malformed, too_large

_LATEST_MS: Final = 253_402_300_799_999  # the last instant of the year 9999, the maximum of `datetime`
_LARGEST_SUM: Final = 2.0**62  # sums of all files stay within 64 bits


def check_metadata(metadata: TableMetadata) -> None:
    """Check commit times, and that `main` refers to an existing snapshot.

    Raises:
        Malformed: a check fails; the message names the snapshot.
    """
    for snapshot in metadata.snapshots:
        if not 0 <= snapshot.timestamp_ms <= _LATEST_MS:
            raise Malformed(f"snapshot {snapshot.snapshot_id} was committed at no time: {snapshot.timestamp_ms} ms")
    main = metadata.refs.get(MAIN_BRANCH)
    if main is not None and metadata.snapshot_by_id(main.snapshot_id) is None:
        raise Malformed(f"branch main points to snapshot {main.snapshot_id}, which is not in the metadata")


def check_entries(entries: pa.Table) -> None:
    """Check the entries of one manifest: no required value is missing, and no count is negative.

    Raises:
        Malformed: a check fails; the message names the field.
    """
    for field in entries.schema:
        if not field.nullable and (missing := entries[field.name].null_count):
            raise Malformed(f"{missing} of {entries.num_rows} entries have no {field.name}")
    for name in ("record_count", "file_bytes"):
        least = pc.min(entries[name]).as_py()
        if least is not None and least < 0:
            raise Malformed(f"an entry has the {name} {least}")


def check_live(entries: pa.Table) -> None:
    """Check that all live entries of a table together fit into the memory limit, and their sums into 64 bits.

    Raises:
        Malformed: a limit is exceeded.
    """
    check_size(entries.nbytes)
    for name in ("record_count", "file_bytes"):
        total = pc.sum(entries[name].cast(pa.float64(), safe=False)).as_py() or 0.0
        if total >= _LARGEST_SUM:
            raise Malformed(f"the {name} of all live files is {total:.3g}, which no table can have")


def check_size(live_bytes: int) -> None:
    """Raise `Malformed` if live entries exceed the memory limit of one table."""
    if live_bytes > LIVE_BYTES:
        raise too_large("the entries of all live files take", "of memory", LIVE_BYTES)
