"""The state of Packhouse's own parts and of what it depends on, and which runs wait because of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from engine.domain.fleet.outages import Outage
from engine.domain.remedies import Remedy


class ComponentKind(StrEnum):
    """Kind of a component."""

    DATABASE = "database"
    REDIS = "redis"
    SPARK = "spark"
    COORDINATOR = "coordinator"
    WORKER = "worker"
    CATALOG = "catalog"
    STORAGE = "storage"


class ComponentState(StrEnum):
    """State of a component."""

    OK = "ok"
    """It answers; of a catalog or storage: nothing reported that it does not."""

    FAILING = "failing"
    """Runs of several tables of a catalog failed in a row, so that none starts automatically for now."""

    AWAY = "away"
    """It does not answer; of workers and coordinators: none is alive."""


@dataclass(frozen=True, slots=True)
class Component:
    """A part of Packhouse, or a dependency.

    Attributes:
        name: of a catalog or one of several Spark endpoints its name, of a storage the address of the table whose files
            are there; else empty.
        text: state and effect in a sentence.
        detail: what it last answered, or the error.
        since: since when it is in a state other than `ok`, as far as it is known.
        next_probe_at: when an outage is probed next.
        waiting_runs: number of the caller's runs that wait for it.
    """

    kind: ComponentKind
    name: str
    state: ComponentState
    text: str
    detail: str = ""
    since: datetime | None = None
    next_probe_at: datetime | None = None
    waiting_runs: int = 0
    remedy: Remedy | None = None


@dataclass(frozen=True, slots=True)
class KnownOutage:
    """An outage, with the number of queued runs that wait for its end."""

    outage: Outage
    waiting_runs: int


@dataclass(frozen=True, slots=True)
class ServerBuild:
    """Version of a server, its commit (empty if it is not known), and the newest schema of the database it supports.

    `compiled_pass`: kinds of machines on which tasks merge columns by it.
    """

    version: str
    revision: str
    schema: str
    compiled_pass: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SystemStatus:
    """All components that a caller sees; `omitted`: the number of outages that are left out."""

    measured_at: datetime
    components: Sequence[Component]
    omitted: int

    @property
    def is_ok(self) -> bool:
        """Whether every component is in order."""
        return not self.omitted and all(each.state is ComponentState.OK for each in self.components)
