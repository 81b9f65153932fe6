"""Reports that Iceberg's readers and writers send about each scan and commit, and their sums by hour.

The form is that of `ReportMetricsRequest` in Iceberg's REST specification; fields that nothing uses are not read.
Literals in filters are hashed by the sender, and only the names of columns are kept.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

SCANS_KEPT_FOR: Final = timedelta(days=8)
"""Time after which sums are deleted; advice looks back seven days."""

MOST_COLUMNS: Final = 32
MOST_COMBINATIONS: Final = 50
"""Combinations of filtered columns that are told apart within an hour of a table."""

_LONGEST_NAME: Final = 255
_LARGEST: Final = 2**53 - 1
_COUNTERS: Final = {"result_files": "result-data-files", "delete_files": "result-delete-files"}
_TIMER: Final = "total-planning-duration"
_MS: Final = {"nanoseconds": 1e-6, "microseconds": 1e-3, "milliseconds": 1.0, "seconds": 1e3}
_PARTS: Final = ("left", "right", "child")


@dataclass(frozen=True, slots=True)
class Scan:
    """One scan. `columns`: those that its filter names, sorted; None: more than `MOST_COLUMNS`."""

    columns: tuple[str, ...] | None
    result_files: int
    delete_files: int
    planning_ms: int


@dataclass(frozen=True, slots=True)
class ScanSums:
    """Scans of one table with a filter on the same columns; None: of further combinations than are told apart."""

    columns: frozenset[str] | None
    scans: int
    result_files: int
    delete_files: int
    planning_ms: int


@dataclass(frozen=True, slots=True)
class ScanFigures:
    """Reported scans of a table. `since`: start of the first hour with one."""

    since: datetime
    scans: int
    result_files: int
    delete_files: int
    planning_ms: int


def scan_of(filtered: Any, metrics: Mapping[str, Any]) -> Scan:
    """Return the scan of a report: its filter, an expression as Iceberg writes it, and its metrics by name.

    What is missing, or is not a number from 0 to 2**53, counts as 0: reports of other versions have other metrics.
    """
    columns = sorted(set(_columns(filtered)))
    counted = {name: _whole(_entry(metrics, metric).get("value")) for name, metric in _COUNTERS.items()}
    timer = _entry(metrics, _TIMER)
    unit = str(timer.get("time-unit")).lower()
    planning = _whole(timer.get("total-duration")) * _MS.get(unit, 0.0)
    return Scan(tuple(columns) if len(columns) <= MOST_COLUMNS else None, **counted, planning_ms=round(planning))


def _entry(metrics: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = metrics.get(name)
    return found if isinstance(found, Mapping) else {}


def _whole(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _LARGEST else 0


def _columns(expression: Any) -> Iterator[str]:
    """Yield the columns that an expression names, without recursion: a client can nest it as deep as a body may be."""
    waiting = [expression]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Mapping):
            waiting += [part[name] for name in _PARTS if name in part]
            term = part.get("term")
            if isinstance(term, Mapping):  # a transform of a column, or a reference by an object
                term = term.get("term")
            if isinstance(term, str) and 0 < len(term) <= _LONGEST_NAME and term.isprintable():
                yield term
