"""The heap that Paimon's core needs to compact a bucket, from the sizes of its files and the table's options.

    1.2 x (64 MiB + read buffers + write buffer + lookup cache), in steps of 256 MiB

The core opens the sorted runs of a bucket at the same time (`MergeSorter`), and holds of each the row group that it
reads, compressed, and a page of each column. Of more runs than `sort-spill-threshold` (by default one more than
`num-sorted-run.stop-trigger`), it copies the smallest to a local disk first, one after the other. A writer holds a row
group, by default 128 MiB, and so does that of a changelog. Where the core looks up old rows, it caches blocks of their
files, up to `lookup.cache-max-memory-size`.

Measured with Paimon 1.4.2, as the least heap in which a compaction ends (rows of 1 KB, two columns, Parquet):

    MiB, files       20, 2   102, 2   102, 8   308, 4   308, 8   308, 20   308, 60   514, 8
    least heap, MiB     64      256      160      512      512       192        96      768
    this formula       256      512      512      768      768       512       512     1024

With a changelog by lookup, 308 MiB in 4 files need 640 MiB; the formula has 768.
"""

import re
from collections.abc import Mapping
from typing import Final

import polars as pl

from engine.formats.base import Condition
from engine.formats.paimon.view import TableView

REMEDY: Final = "raise PACKHOUSE_PAIMON_HEAP_BYTES, give the table more buckets, or lower its sort-spill-threshold"

COMMIT_HEAP_BYTES: Final = 1024 * 2**20
"""Heap for commits, which read manifests, unless the limit is less."""

_MIB: Final = 2**20
_STEP_BYTES: Final = 256 * _MIB
"""JVMs are kept for later tasks that need the same heap or less: few sizes mean few starts."""

_CLASSES_BYTES: Final = 64 * _MIB
_MARGIN: Final = 1.2
_ROW_GROUP_BYTES: Final = 128 * _MIB
_ROW_GROUPS: Final = ("file.block-size", "parquet.block.size")
_PAGE_BYTES: Final = _MIB
_LOOKUP_CACHE_BYTES: Final = 256 * _MIB
_EXPANSION: Final = 4
"""Bytes in memory, at most, for a byte of a compressed file that is smaller than its buffer."""

_BUCKET: Final = ["partition", "bucket"]
_TRIGGER: Final = 4
"""Of a task under the default of `rewrite.key_tables.sorted_run_trigger`, 5."""
_STOP_ABOVE_TRIGGER: Final = 3
_DIGITS: Final = 10
_MOST_BYTES: Final = 2**40
"""Of a file or an option: more changes nothing, and sums of millions of files stay below 2^63."""

_WRITE_CHANGELOG: Final = ("lookup", "full-compaction")
_SIZE: Final = re.compile(r"(\d{1,15})\s*([a-z]*)")
_UNITS: Final[Mapping[str, int]] = {
    **dict.fromkeys(("", "b", "bytes"), 1),
    **dict.fromkeys(("k", "kb", "kibibytes"), 2**10),
    **dict.fromkeys(("m", "mb", "mebibytes"), 2**20),
    **dict.fromkeys(("g", "gb", "gibibytes"), 2**30),
    **dict.fromkeys(("t", "tb", "tebibytes"), 2**40),
}
"""Units of sizes, `org.apache.paimon.options.MemorySize`."""


def needed_heap(view: TableView, *, partition: bytes, bucket: int, trigger: int) -> int:
    """Return the bytes of heap for a bucket; `trigger`: the task's `num-sorted-run.compaction-trigger`."""
    files = _files(view).filter((pl.col("partition") == partition) & (pl.col("bucket") == bucket))
    return int(_needed(view, files, trigger)["needed"].item())


def heap_condition(view: TableView, limit_bytes: int) -> Condition:
    """Return whether the core can compact a bucket within the limit, at the default trigger of policies."""
    found = _needed(view, _files(view), _TRIGGER)["needed"]
    above = int((found > limit_bytes).sum())
    largest = 0 if found.is_empty() else int(found.max())  # type: ignore[arg-type]
    told = (
        f"the largest of {len(found)} buckets needs about {largest // _MIB} MiB of heap, of {limit_bytes // _MIB} MiB"
    )
    if above:
        told += f"; {above} need more and are refused: {REMEDY}"
    return Condition("native_heap", above < len(found) or not above, told)


def _files(view: TableView) -> pl.DataFrame:
    files = pl.DataFrame(view.live.files.select([*_BUCKET, "level", "file_bytes"]))
    return files.with_columns(pl.col("file_bytes").clip(upper_bound=_MOST_BYTES))


def _needed(view: TableView, files: pl.DataFrame, trigger: int) -> pl.DataFrame:
    """Return the bytes of heap, `needed`, for each bucket of these files."""
    given, options = view.schema.options, view.options
    row_group = max(_size(given, name, 0) for name in _ROW_GROUPS) or _ROW_GROUP_BYTES
    columns = len(view.schema.columns) + len(view.schema.primary_keys)
    readers = _readers(given, trigger) if view.schema.primary_keys else 1  # append tables: one file after the other
    held = pl.col("file_bytes").clip(upper_bound=max(row_group, _ROW_GROUP_BYTES))  # files may be older than the option
    buffer = held + (held * _EXPANSION).clip(upper_bound=columns * _PAGE_BYTES)
    reads = (
        _largest_of_runs(files).group_by(_BUCKET).agg(buffer.sort(descending=True).head(readers).sum().alias("reads"))
    )
    writers = 2 if options.changelog_producer in _WRITE_CHANGELOG else 1
    cache = _size(given, "lookup.cache-max-memory-size", _LOOKUP_CACHE_BYTES) if options.looks_up else 0
    above = pl.col("file_bytes").filter(pl.col("level") > 0).sum()
    others = files.group_by(_BUCKET).agg(
        ((pl.col("file_bytes").sum() * _EXPANSION).clip(upper_bound=row_group) * writers).alias("writes"),
        (above * _EXPANSION).clip(upper_bound=cache).alias("cached"),
    )
    needed = (pl.sum_horizontal("reads", "writes", "cached") + _CLASSES_BYTES) * _MARGIN / _STEP_BYTES
    return reads.join(others, on=_BUCKET).with_columns((needed.ceil().cast(pl.Int64) * _STEP_BYTES).alias("needed"))


def _largest_of_runs(files: pl.DataFrame) -> pl.DataFrame:
    """Return the largest file of each sorted run."""
    new = files.filter(pl.col("level") <= 0)
    levels = files.filter(pl.col("level") > 0).group_by([*_BUCKET, "level"]).agg(pl.col("file_bytes").max())
    return pl.concat([new, levels.select(new.columns)])


def _readers(given: Mapping[str, str], trigger: int) -> int:
    """Return the most sorted runs that are read at the same time."""
    stop = max(trigger, _whole(given, "num-sorted-run.stop-trigger", trigger + _STOP_ABOVE_TRIGGER))
    return max(1, _whole(given, "sort-spill-threshold", stop + 1))


def _whole(given: Mapping[str, str], name: str, default: int) -> int:
    """Return an option as a whole number; the core refuses others when it opens the table."""
    text = given.get(name, "").strip()
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _DIGITS else default


def _size(given: Mapping[str, str], name: str, default: int) -> int:
    found = _SIZE.fullmatch(given.get(name, "").strip().lower())
    return default if found is None or found[2] not in _UNITS else min(_MOST_BYTES, int(found[1]) * _UNITS[found[2]])
