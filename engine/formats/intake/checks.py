"""Validate decoded entries so that planning can calculate with them; done once, where they are read."""

from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from engine.formats.intake.limits import LIVE_BYTES, Malformed, too_large

_LARGEST_SUM: Final = 2.0**62  # sums of all files stay within 64 bits


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
