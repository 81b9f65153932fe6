"""Processes that advance runs: workers and coordinators, which report at an interval that they are alive."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

REPORT_SECONDS: Final = 10.0
"""Interval at which a process reports that it is alive."""

LIVE_SECONDS: Final = 30.0
"""Time after its last report in which a process counts as alive: two lost reports do not count as its end."""


class ProcessKind(StrEnum):
    """Kind of a process that advances runs; a self-starting process is one of each."""

    WORKER = "worker"
    COORDINATOR = "coordinator"


@dataclass(frozen=True, slots=True)
class Workforce:
    """Processes that advance runs, and the runs that wait for them.

    Attributes:
        live: number of live processes; every kind is a key.
        startable_seconds: for how long the oldest queued run that may start has waited for a worker; 0 without one.
        silent_seconds: the longest time for which a run at work has recorded no event; 0 without one.
        waiting_seconds: the longest present wait by its reason (`WaitingFor`), only of reasons that runs have.
    """

    live: Mapping[ProcessKind, int]
    startable_seconds: float = 0.0
    silent_seconds: float = 0.0
    waiting_seconds: Mapping[str, float] = field(default_factory=dict)

    @property
    def is_complete(self) -> bool:
        """Whether runs are started and advanced: a process of each kind is alive."""
        return all(self.live.get(kind, 0) for kind in ProcessKind)
