"""Render the activity of all tables over time."""

from collections.abc import Mapping
from typing import Any

from rich.console import Console

from packhouse.output import moment, print_rows, size

Document = Mapping[str, Any]
_COLUMNS = ("=from", ">made", ">removed", ">runs", ">failed", ">rewritten", ">wasted", ">lost groups", ">backlog")


def fleet_history(console: Console, found: Document) -> None:
    """List intervals, oldest first: small files, ended runs, bytes, lost groups, avoidable files."""
    print_rows(console, _COLUMNS, [_row(item) for item in found["items"]])


def _row(item: Document) -> tuple[Any, ...]:
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
