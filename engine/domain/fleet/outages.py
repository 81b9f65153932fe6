"""Outages: dependencies that do not answer, and when each is probed next.

An attempt that ends because Spark, a catalog or a table's storage does not answer opens an outage and parks its run on
it. One process at a time probes; the time from one probe to the next doubles with each that has no answer, from 1 s to
15 s. The first answer deletes the outage, and all runs that wait for it are ready immediately. Readiness reports the
same outage, so it is never green while runs still wait.

An outage that the first probe ends was not confirmed: the dependency answers intermittently, or the fault is specific
to the run. A run that reports such an outage again waits longer each time; after `MOST_FRUITLESS_OUTAGES` it may fail.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from engine.domain.clock import doubled
from engine.domain.fleet.dependencies import DEFAULT_ENDPOINT, DependencyKind
from engine.domain.ids import TableId
from engine.domain.runs.run import WaitingFor

FIRST_PROBE_SECONDS: Final = 1.0
LONGEST_PROBE_WAIT_SECONDS: Final = 15.0
"""Longest time from the start of one probe to the next: how long runs may wait for a dependency that answers again."""

PROBE_LEASE_SECONDS: Final = 90.0
"""Time after which another process takes over a probe that was started and not finished; longer than the
60 s that a call to a catalog or storage may last by default (`PACKHOUSE_READ_SECONDS`)."""

SPARK_PROBE_LEASE_SECONDS: Final = 15.0
"""The same of a probe of Spark, which ends after at most 11.2 s (`spark.connection`: two calls of 5 s and a pause)."""

MOST_FRUITLESS_OUTAGES: Final = 20
"""Number of outages of a dependency during one run, without a committed file group between them, that never count as
failed attempts; each further one does."""

SPARK: Final = "spark"
"""Key of the outage of Spark's default endpoint; while there is no other, all runs wait for it whose operation needs
Spark (`domain.runs.operations`). Other endpoints have `spark:<name>`."""

CREDENTIALS: Final = "credentials"
"""`Run.waits_on` after credentials expired in an attempt: nothing is probed, the next attempt gets new credentials."""

_WORDS: Final = {
    DependencyKind.SPARK: "Spark",
    DependencyKind.CATALOG: "the catalog",
    DependencyKind.STORAGE: "the storage",
}
_WAITS: Final = {
    DependencyKind.SPARK: WaitingFor.SPARK,
    DependencyKind.CATALOG: WaitingFor.CATALOG,
    DependencyKind.STORAGE: WaitingFor.STORAGE,
}


@dataclass(frozen=True, slots=True)
class Outage:
    """A dependency that does not answer.

    Attributes:
        key: its identity: `spark`, `spark:<endpoint>`, `catalog:<name>` or `storage:<table id>`.
        catalog: the catalog of the run that reported it.
        table_id: the table of that run; its storage is probed.
        detail: the last error, without secrets.
        away_since: when it was reported first.
        probes: probes without an answer so far.
        next_probe_at: when it is probed next.
    """

    key: str
    dependency: DependencyKind
    catalog: str
    table_id: TableId
    detail: str
    away_since: datetime
    probes: int
    next_probe_at: datetime

    @property
    def waiting_for(self) -> WaitingFor:
        """The reason why a run that is parked on this outage waits."""
        return _WAITS.get(self.dependency, WaitingFor.RETRY)  # a dependency that only a newer version defines

    @property
    def endpoint(self) -> str:
        """The Spark endpoint, of an outage of Spark."""
        return self.key.partition(":")[2] or DEFAULT_ENDPOINT

    @property
    def is_confirmed(self) -> bool:
        """True once a probe has failed too."""
        return self.probes > 0

    def describe(self) -> str:
        """Return one sentence for people: since when it is away, and when it is probed next."""
        whose = f"{_WORDS[self.dependency]}{_of(self)}"
        since, at = (f"{each:%H:%M:%S}" for each in (self.away_since, self.next_probe_at))
        return f"{whose} has not answered since {since} UTC; next probe at {at} UTC; last error: {self.detail}"


def parks(dependency: DependencyKind) -> bool:
    """Return whether runs park while the dependency is away; without Redis they continue, without SQL none can."""
    return dependency in _WAITS


def outage_key(dependency: DependencyKind, *, catalog: str, table_id: TableId, endpoint: str | None = None) -> str:
    """Return the key of an outage that a run of a table reports; `endpoint`: of Spark."""
    match dependency:
        case DependencyKind.SPARK:
            return spark_key(endpoint)
        case DependencyKind.CATALOG:
            return f"catalog:{catalog}"
        case _:
            return f"storage:{table_id}"


def spark_key(endpoint: str | None) -> str:
    """Return the key of the outages of a Spark endpoint; None: of the default one."""
    return SPARK if endpoint in (None, DEFAULT_ENDPOINT) else f"{SPARK}:{endpoint}"


def probe_wait(probes: int) -> float:
    """Return the seconds from the start of the last probe to the next, after a number of probes without an answer."""
    return doubled(FIRST_PROBE_SECONDS, probes, longest=LONGEST_PROBE_WAIT_SECONDS)


def probe_lease(dependency: DependencyKind) -> float:
    """Return the seconds for which the process that claimed a probe of a dependency has it alone."""
    return SPARK_PROBE_LEASE_SECONDS if dependency is DependencyKind.SPARK else PROBE_LEASE_SECONDS


def _of(outage: Outage) -> str:
    match outage.dependency:
        case DependencyKind.CATALOG:
            return f" {outage.catalog!r}"
        case DependencyKind.SPARK if outage.key != SPARK:
            return f" endpoint {outage.endpoint!r}"
        case DependencyKind.STORAGE:
            return f" of table {outage.table_id} in catalog {outage.catalog!r}"
        case _:
            return ""
