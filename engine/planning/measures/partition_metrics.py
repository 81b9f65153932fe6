"""Metrics for the conditions of policies, by partition: vectors over partitions, no object per file.

Ages are seconds, sizes bytes, shares 0 to 1. Three kinds of value are not plain numbers:

- NaN: the metric does not exist in the partition (the age of its oldest small file, when it has none). No condition on
  it holds.
- infinite: it never happened (`time_since_rewrite` of a partition never rewritten). It is longer than any duration.
- a bound: the snapshot that added a file is expired, so the file is older than the oldest known commit by an unknown
  time. The age is the least possible one: `at_least` never holds wrongly, `at_most` may. The same applies to a rewrite
  that is older than the part of the record that was read.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from engine.planning.measures.blocking import blocking_age
from engine.planning.measures.digest import TableMeasures
from engine.planning.measures.overlaps import Overlap
from engine.planning.measures.partition_health import FileFlags, SizeRules
from engine.planning.measures.partitions import Flags, Ints, PartitionedFiles
from engine.planning.measures.sorted_runs import SortedRuns

Floats = npt.NDArray[np.float64]
_NEVER: Final = np.iinfo(np.int64).max

NOT_APPLICABLE: Final[Mapping[str, str]] = {
    "sorted_run_count": "this table format keeps no sorted runs",
    "level0_file_count": "this table format keeps no levels",
    "commits_since_level0": "this table format keeps no levels",
}
"""Metrics that tables of a format without levels do not have, each with the reason; a condition on one never holds."""

NOT_APPLICABLE_WITHOUT_KEY: Final[Mapping[str, str]] = dict.fromkeys(
    NOT_APPLICABLE, "only the buckets of tables with a primary key have sorted runs, and this table has none"
)
"""Likewise for a table without a primary key, of a format whose key tables have levels."""

NOTHING_TO_MEASURE: Final[Mapping[str, str]] = {
    "oldest_small_file_age": "not measured: the partition has no small files",
    "largest_small_file_share": "not measured: the partition has no small files",
    "oldest_delete_file_age": "not measured: the partition has no delete files",
    "size_amplification_percent": "not measured: the partition was never rewritten in full",
    "blocking_age": "not measured: the partition's files have no deleted or replaced rows",
    "oldest_snapshot_age": "not measured: the table has no snapshots",
    "unreferenced_bytes": "not measured: no search for orphans of the table has ended yet",
    "overlap_depth": "not measured: the policy orders rows by no columns (rewrite.strategy, rewrite.columns), or the "
    "table's metadata has no bounds of its files",
    "unordered_share": "not measured: the table can't be put into the order of rewrite.strategy and rewrite.columns",
}
"""Metrics that are NaN in some partitions, each with the meaning of NaN."""


@dataclass(frozen=True, slots=True)
class PartitionRewrite:
    """The newest rewrite of a partition in the record; `is_full`: of the whole partition."""

    spec_id: int
    partition: str
    at_ms: int
    is_full: bool


@dataclass(frozen=True, slots=True)
class RewriteHistory:
    """Rewrites of a table. `known_since_ms`: older ones were not read from the record; None: all were."""

    rewrites: Sequence[PartitionRewrite] = ()
    known_since_ms: int | None = None


@dataclass(frozen=True, slots=True)
class PartitionMetrics:
    """Metrics by name: `values` by partition, `bounds` flags values that are lower bounds, `table` is per table.

    `files` defines names and order of the partitions. `newest_ms`: upper bound of the commit time of each partition's
    newest file; `waiting_ms`: of its oldest small file that no rewrite added, `newest_ms` where there is none.
    `is_changed`: a file was added since the partition's last rewrite. `is_own`: flags of files that a rewrite added.
    `not_applicable`: metrics that the table does not have, each with the reason.
    """

    files: PartitionedFiles
    values: Mapping[str, Floats]
    table: Mapping[str, float]
    newest_ms: Ints
    waiting_ms: Ints
    is_changed: Flags
    is_own: Flags
    bounds: Mapping[str, Flags] = field(default_factory=dict)
    not_applicable: Mapping[str, str] = field(default_factory=lambda: NOT_APPLICABLE)


def measure_partitions(
    digest: pa.Table,
    files: PartitionedFiles,
    figures: TableMeasures,
    history: RewriteHistory,
    *,
    now_ms: int,
    small_bytes: int,
    large_bytes: int | None,
    small_row_group_bytes: int | None = None,
    overlap: Overlap | None = None,
    unordered: Flags | None = None,
) -> PartitionMetrics:
    """Measure every partition of a digest.

    Args:
        digest: live data files, with the schema `planning.measures.digest.FILE_DIGEST`.
        files: the same files, by partition (`planning.measures.partitions.partition_files`).
        figures: figures of the table as a whole.
        history: rewrites of the table, from the record.
        now_ms: the present instant, milliseconds since 1970.
        small_bytes: files below this size are small.
        large_bytes: files above this size are over-large; None: no file is.
        small_row_group_bytes: mean size below which the row groups of a file are too small; None: they never are.
        overlap: overlap in the columns that the policy orders rows by, if a rule uses it.
        unordered: flags of files that are not in the policy's order of rows; None if the table can't be put into it.
    """
    added, is_known = _added(digest, figures, now_ms)
    sizes = SizeRules(small_bytes, large_bytes, small_row_group_bytes).flags(files)
    small = sizes.is_small
    newest = _extreme(np.maximum, files, added, start=0)
    counts, totals = files.count(), files.total(files.file_bytes)
    ages, bounds = _ages(files, added, newest, is_known=is_known, is_small=small, now_ms=now_ms)
    own = _own(files, added, history)
    rewritten, rewritten_bounds = _rewrites(files, added, totals, history, now_ms)
    if figures.last_level is not None:
        waiting = files.total(files.file_bytes, files.level < figures.last_level)
        rewritten["bytes_since_full"] = waiting.astype(np.float64)
    return PartitionMetrics(
        files=files,
        values=_sizes(files, counts, totals, sizes)
        | {"old_spec_file_count": files.count(files.are_of_other_specs(figures.current_spec_id)).astype(np.float64)}
        | _deletes(files, figures, added, now_ms)
        | ages
        | rewritten
        | _order(files, totals, unordered, overlap)
        | _sorted_runs(files, figures),
        table=_of_table(files, figures, small, now_ms),
        newest_ms=newest,
        waiting_ms=np.minimum(newest, _extreme(np.minimum, files, added, start=_NEVER, flags=small & ~own)),
        is_changed=newest > _rewritten_ms(files, history, only_full=False),
        is_own=own,
        bounds=bounds | rewritten_bounds,
        not_applicable=_not_applicable(figures),
    )


def _of_table(files: PartitionedFiles, figures: TableMeasures, small: Flags, now_ms: int) -> dict[str, float]:
    avoidable = int(files.avoidable(small).sum())
    return {
        "avoidable_file_count": float(avoidable),
        "avoidable_file_share": avoidable / max(1, len(files.file_bytes)),
        "snapshot_count": float(figures.snapshot_count),
        "manifest_count": float(figures.manifest_count),
        "average_manifest_bytes": float(figures.average_manifest_bytes),
        "metadata_bytes": float(figures.metadata_bytes),
        "oldest_snapshot_age": figures.oldest_snapshot_age(now_ms),
    }


def _added(digest: pa.Table, figures: TableMeasures, now_ms: int) -> tuple[Ints, Flags]:
    """Return the latest possible commit time of each file, and whether it is exact."""
    latest = _oldest_known_ms(figures, now_ms)
    column = digest["added_at_ms"]
    added: Ints = pc.fill_null(column, pa.scalar(latest, pa.int64())).to_numpy()
    known: Flags = pc.is_valid(column).to_numpy()
    return added, known


def _oldest_known_ms(figures: TableMeasures, now_ms: int) -> int:
    return now_ms if figures.known_since_ms is None else figures.known_since_ms


def _sizes(files: PartitionedFiles, counts: Ints, totals: Ints, sizes: FileFlags) -> dict[str, Floats]:
    small_counts = files.count(sizes.is_small)
    return {
        "file_count": counts.astype(np.float64),
        "small_file_count": small_counts.astype(np.float64),
        "small_file_share": small_counts / np.maximum(1, counts),
        "largest_small_file_share": files.largest_share(sizes.is_small),
        "average_file_bytes": totals / np.maximum(1, counts),
        "total_bytes": totals.astype(np.float64),
        "large_file_count": files.count(sizes.is_large).astype(np.float64),
        "small_row_group_file_count": files.count(sizes.is_chopped).astype(np.float64),
    }


def _order(
    files: PartitionedFiles, totals: Ints, unordered: Flags | None, overlap: Overlap | None
) -> dict[str, Floats]:
    """Return the metrics of the order of rows, as far as they were measured."""
    found: dict[str, Floats] = {} if overlap is None else {"overlap_depth": overlap.depth}
    if unordered is not None:
        found["unordered_share"] = files.total(files.file_bytes, unordered) / np.maximum(1, totals)
    return found


def _sorted_runs(files: PartitionedFiles, figures: TableMeasures) -> dict[str, Floats]:
    """Return the metrics of sorted runs, each of the partition's largest bucket: buckets are compacted one by one."""
    if not figures.has_levels:
        return {}
    runs = SortedRuns.of(files)
    return {
        "sorted_run_count": runs.greatest(runs.sorted_run_count).astype(np.float64),
        "level0_file_count": runs.greatest(runs.level0_file_count).astype(np.float64),
        "commits_since_level0": runs.greatest(runs.commits_since_level0(figures)).astype(np.float64),
    }


def _not_applicable(figures: TableMeasures) -> Mapping[str, str]:
    if figures.has_levels is None:
        return NOT_APPLICABLE
    return {} if figures.has_levels else NOT_APPLICABLE_WITHOUT_KEY


def _deletes(files: PartitionedFiles, figures: TableMeasures, added: Ints, now_ms: int) -> dict[str, Floats]:
    """Return the metrics of deletes; the rows that they may hide are all rows for equality deletes."""
    rows = np.where(files.equality_deletes > 0, files.record_count, np.minimum(files.deleted_rows, files.record_count))
    count, age = np.zeros(len(files.names)), np.full(len(files.names), np.nan)
    oldest = float(_seconds(np.int64(now_ms - _oldest_known_ms(figures, now_ms))))
    if figures.delete_files:
        for at, key in enumerate(zip(files.spec_ids.tolist(), files.names, strict=True)):
            count[at] = figures.delete_files.get(key, 0)
            if key in figures.deletes_since_ms:
                age[at] = max(0, now_ms - figures.deletes_since_ms[key]) / 1000
    return {
        "delete_file_count": count,
        "oldest_delete_file_age": age,
        "blocking_age": blocking_age(files, figures, _seconds(now_ms - added), delete_ages=age, oldest=oldest),
        "delete_ratio": files.total(rows) / np.maximum(1, files.total(files.record_count)),
    }


def _ages(
    files: PartitionedFiles, added: Ints, newest: Ints, *, is_known: Flags, is_small: Flags, now_ms: int
) -> tuple[dict[str, Floats], dict[str, Flags]]:
    oldest = _extreme(np.minimum, files, added, start=_NEVER, flags=is_small)
    age_of_small = np.where(oldest == _NEVER, np.nan, _seconds(now_ms - oldest))
    newest_known = _extreme(np.maximum, files, added, start=0, flags=is_known)
    values = {"newest_file_age": _seconds(now_ms - newest), "oldest_small_file_age": age_of_small}
    return values, {
        "newest_file_age": newest_known < newest,
        "oldest_small_file_age": files.count(is_small & ~is_known) > 0,
    }


def _rewrites(
    files: PartitionedFiles, added: Ints, totals: Ints, history: RewriteHistory, now_ms: int
) -> tuple[dict[str, Floats], dict[str, Flags]]:
    values: dict[str, Floats] = {}
    bounds: dict[str, Flags] = {}
    for name, only_full in (("time_since_rewrite", False), ("time_since_full", True)):
        at_ms = _rewritten_ms(files, history, only_full=only_full)
        longest = np.inf if history.known_since_ms is None else _seconds(now_ms - np.int64(history.known_since_ms))
        values[name] = np.where(at_ms < 0, longest, _seconds(now_ms - at_ms))
        bounds[name] = (at_ms < 0) & (history.known_since_ms is not None)
    full_ms = _rewritten_ms(files, history, only_full=True)
    since = files.total(files.file_bytes, added > full_ms[files.partition_of])
    values["bytes_since_full"] = np.where(full_ms < 0, totals, since).astype(np.float64)
    return values, bounds


def _own(files: PartitionedFiles, added: Ints, history: RewriteHistory) -> Flags:
    """Return flags of files that were added at the commit time of a rewrite of their partition."""
    places = _places(files)
    at = [(places.get((each.spec_id, each.partition)), each.at_ms) for each in history.rewrites]
    many = max(1, len(files.names))
    rewritten = np.array([at_ms * many + place for place, at_ms in at if place is not None], dtype=np.int64)
    own: Flags = np.isin(added * many + files.partition_of, rewritten)
    return own


def _places(files: PartitionedFiles) -> dict[tuple[int, str], int]:
    return {key: at for at, key in enumerate(zip(files.spec_ids.tolist(), files.names, strict=True))}


def _rewritten_ms(files: PartitionedFiles, history: RewriteHistory, *, only_full: bool) -> Ints:
    """Return the time of each partition's last rewrite, -1 where the record has none."""
    found = np.full(len(files.names), -1, dtype=np.int64)
    if not history.rewrites:
        return found
    places = _places(files)
    for rewrite in history.rewrites:
        at = places.get((rewrite.spec_id, rewrite.partition))
        if at is not None and (rewrite.is_full or not only_full):
            found[at] = max(found[at], rewrite.at_ms)
    return found


def _extreme(
    choose: np.ufunc, files: PartitionedFiles, column: Ints, *, start: int, flags: Flags | None = None
) -> Ints:
    """Return the greatest or least value of a column by partition; `start` for partitions without (flagged) files."""
    found = np.full(len(files.names), start, dtype=np.int64)
    at: Callable[..., None] = choose.at
    if flags is None:
        at(found, files.partition_of, column)
    else:
        at(found, files.partition_of[flags], column[flags])
    return found


def _seconds(milliseconds: npt.NDArray[np.int64] | np.int64) -> Floats:
    """Return seconds, never below 0: a writer's clock may be ahead of this machine's."""
    return np.maximum(0.0, np.asarray(milliseconds, dtype=np.float64) / 1000)
