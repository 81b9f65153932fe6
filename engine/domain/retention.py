"""How long the record keeps what has ended, and what was pruned of it."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

NEWEST_RUNS: Final = 10
"""Of each table and end state so many runs are kept however old they are: predictions and explain go by them."""

NEWEST_CHANGES: Final = 51
"""Of each table so many runs that changed it are kept: which partitions are due for a rewrite is decided by them."""


class Kept(StrEnum):
    """Kinds of rows that are pruned by their age."""

    RUNS = "runs"
    POLICY_VERSIONS = "policy_versions"


@dataclass(frozen=True, slots=True)
class Retention:
    """How long ended runs, and audit entries and versions of policies are kept; None: without a limit."""

    runs: timedelta | None
    audit: timedelta | None


@dataclass(frozen=True, slots=True)
class Pruned:
    """How many rows of a kind were pruned so far, and the time of the newest one (None: none was pruned)."""

    rows: int = 0
    until: datetime | None = None
