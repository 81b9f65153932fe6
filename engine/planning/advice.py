"""Advice on a table's policy, from how the table is queried and written. Pure arithmetic; every figure has a source.

**Layout.** Queries that filter by all partition columns read few partitions, and there packing small files is enough;
for other queries, clustering files by the filtered columns makes readers skip most files. Packing is advised when at
least `ENOUGH` of the observed queries filter by all partition columns. Otherwise the advice is to cluster by columns
that at least `WORTH` of the queries filter by, at most `MOST_COLUMNS`: a curve over more columns skips little on each.

**Frequency.** Write amplification is bytes rewritten for each byte ingested. Replaced files stay stored until their
snapshots expire, so extra storage is (bytes rewritten per day) x (days until expiry).
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

ENOUGH: Final = 0.9
WORTH: Final = 0.1
MOST_COLUMNS: Final = 4
OFTEN_UPDATED: Final = 0.3
OFTEN_SCANNED: Final = 0.5
DAY_SECONDS: Final = 86_400.0


class Layout(StrEnum):
    """Recommended layout of the files."""

    BINPACK = "binpack"
    CLUSTER = "cluster"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class ColumnUse:
    """The share of observed queries that filter by a column."""

    column: str
    query_share: float


@dataclass(frozen=True, slots=True)
class LayoutAdvice:
    """The advised layout of files, with reasons. Shares are of observed queries, None when none were observed."""

    layout: Layout
    cluster_by: tuple[str, ...]
    because: str
    query_count: int
    partition_query_share: float | None
    full_scan_share: float | None
    columns: tuple[ColumnUse, ...]


@dataclass(frozen=True, slots=True)
class Writes:
    """Writes in a time of `seconds`: by other writers (`ingested_bytes`, in a number of commits), and by rewrites."""

    seconds: float
    ingested_bytes: int
    commits: int
    update_commits: int
    rewritten_bytes: int


@dataclass(frozen=True, slots=True)
class UpkeepAdvice:
    """The cost of rewriting. `write_amplification` is None while nothing was ingested."""

    write_amplification: float | None
    rewritten_bytes_per_day: float
    extra_storage_bytes: float
    update_share: float | None
    because: tuple[str, ...]


def advise_layout(
    queries: Iterable[tuple[frozenset[str], int]], partition_columns: Sequence[str], columns: Sequence[str]
) -> LayoutAdvice:
    """Return the layout that suits the observed queries.

    Args:
        queries: sets of columns that queries filter by together, with the number of queries.
        partition_columns: columns that the table is partitioned by; empty if it is unpartitioned.
        columns: all columns of the table; others are ignored.
    """
    counted: Counter[frozenset[str]] = Counter()
    for filtered, count in queries:
        counted[filtered] += count
    total = sum(counted.values())
    if total == 0:
        because = "no query filters were reported: send signals of kind filters"
        return LayoutAdvice(Layout.UNKNOWN, (), because, 0, None, None, ())
    wanted = frozenset(partition_columns)
    in_partition = sum(n for filtered, n in counted.items() if wanted and wanted <= filtered) / total
    scans = sum(n for filtered, n in counted.items() if not filtered) / total
    uses = _uses(counted, total, [name for name in columns if name not in wanted])
    chosen = tuple(use.column for use in uses if use.query_share >= WORTH)[:MOST_COLUMNS]
    layout, because = _layout(in_partition, chosen, partition_columns)
    cluster_by = chosen if layout is Layout.CLUSTER else ()
    return LayoutAdvice(layout, cluster_by, because, total, in_partition, scans, uses)


def advise_upkeep(writes: Writes, *, expiry_seconds: float, full_scan_share: float | None) -> UpkeepAdvice:
    """Return the cost of rewriting at the present rate, and whether to rewrite more or less often.

    `expiry_seconds`: time that replaced files are kept until their snapshots expire.
    """
    amplification = writes.rewritten_bytes / writes.ingested_bytes if writes.ingested_bytes else None
    per_day = writes.rewritten_bytes * DAY_SECONDS / writes.seconds if writes.seconds else 0.0
    updates = writes.update_commits / writes.commits if writes.commits else None
    reasons = []
    if updates is not None and updates >= OFTEN_UPDATED:
        reasons.append(f"{updates:.0%} of the commits delete or replace rows: rewriting more often spares readers work")
    if full_scan_share is not None and full_scan_share >= OFTEN_SCANNED:
        reasons.append(f"{full_scan_share:.0%} of the queries read everything: each file that is merged pays at once")
    if amplification is not None and amplification > 1:
        reasons.append(f"each ingested byte is rewritten {amplification:.1f} times: wait for more small files")
    return UpkeepAdvice(amplification, per_day, per_day * expiry_seconds / DAY_SECONDS, updates, tuple(reasons))


def _uses(counted: Counter[frozenset[str]], total: int, columns: Sequence[str]) -> tuple[ColumnUse, ...]:
    """Return the share of queries by filtered column, highest first; equal ones in the order of `columns`."""
    sums = {column: sum(n for filtered, n in counted.items() if column in filtered) for column in columns}
    used = sorted((column for column in columns if sums[column]), key=lambda column: -sums[column])
    return tuple(ColumnUse(column, sums[column] / total) for column in used)


def _layout(in_partition: float, chosen: tuple[str, ...], partition_columns: Sequence[str]) -> tuple[Layout, str]:
    named = ", ".join(partition_columns)
    if partition_columns and in_partition >= ENOUGH:
        return (
            Layout.BINPACK,
            f"{in_partition:.0%} of the queries name all partition columns ({named}): packing is enough",
        )
    if not chosen:
        return Layout.BINPACK, "no column outside of the partition spec is filtered by often enough to cluster by it"
    of_partition = f"only {in_partition:.0%} name all partition columns ({named})" if named else "it is not partitioned"
    return Layout.CLUSTER, f"queries filter by {', '.join(chosen)}, and {of_partition}"
