"""Retention of ended runs and history in the record, and what was pruned."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

NEWEST_RUNS: Final = 10
"""The newest runs of each table and end state that are kept at any age: predictions and explain use them."""

NEWEST_CHANGES: Final = 51
"""The newest runs that changed a table and are kept at any age: they decide which partitions are due."""


class Kept(StrEnum):
    """Kinds of rows that are pruned by their age."""

    RUNS = "runs"
    POLICY_VERSIONS = "policy_versions"


@dataclass(frozen=True, slots=True)
class Retention:
    """Retention times of ended runs, and of audit entries and policy versions; None: without a limit."""

    runs: timedelta | None
    audit: timedelta | None


@dataclass(frozen=True, slots=True)
class Pruned:
    """Number of pruned rows of a kind, and the time of the newest one (None: none was pruned)."""

    rows: int = 0
    until: datetime | None = None
