"""Render activity over time and windows to come."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console

from packhouse.output import moment, print_rows, size

Document = Mapping[str, Any]
_COLUMNS = ("=from", ">made", ">removed", ">runs", ">failed", ">rewritten", ">wasted", ">lost groups", ">backlog")


def fleet_history(console: Console, found: Document) -> None:
    """List intervals, oldest first: small files, ended runs, bytes, lost groups, avoidable files."""
    print_rows(console, _COLUMNS, [_interval(item) for item in found["items"]])


def windows(console: Console, items: Sequence[Document]) -> None:
    """List occurrences of windows in order; with the number of tables if they are of several."""
    if not items:
        console.print("no quiet hours or blackouts in this time")
        return
    columns = ("=from", "=to", "window", "running rewrites", ">tables")
    has_counts = "table_count" in items[0]
    rows = [
        (moment(w["starts_at"]), moment(w["ends_at"]), w["reason"], w["on_start"], w.get("table_count")) for w in items
    ]
    print_rows(console, columns if has_counts else columns[:-1], rows)


def _interval(item: Document) -> tuple[Any, ...]:
    backlog = item["backlog"]
    return (
        moment(item["starts_at"]),
        item["small_files_made"],
        item["small_files_removed"],
        sum(item["ended_runs"].values()),
        item["ended_runs"].get("failed", 0),
        size(item["rewritten_bytes"]),
        size(item["wasted_bytes"]),
        item["groups_lost"],
        None if backlog is None else backlog["avoidable_file_count"],
    )
