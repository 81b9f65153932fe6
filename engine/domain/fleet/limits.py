"""Limits for all tables together, and the kill switch."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import datetime
from typing import Any, Self

from engine.domain.fleet.budgets import Budget
from engine.domain.runs.run import Operation
from engine.domain.tables.table import Freeze, Pause


@dataclass(frozen=True, slots=True)
class CatalogLimits:
    """Limits of all runs on one catalog's tables; None is unlimited. Meanings as in `FleetLimits`."""

    parallel_runs: int | None = None
    bandwidth: int | None = None
    requests: int | None = None

    @property
    def rates(self) -> Budget:
        """The rates that all runs of the catalog may use together."""
        return _rates(self.bandwidth, self.requests)


@dataclass(frozen=True, slots=True)
class FleetLimits:
    """Limits of the whole fleet; None is unlimited.

    `parallel_runs`: runs held by workers at once. `bandwidth`: bytes read + written per second; `requests`: storage
    requests per second, both of all runs together. Every rate requires `parallel_runs` (a catalog's rate its own or
    the fleet's): a run that can't receive its current share uses an equal one. `parallel_groups`: tasks of all
    rewrites at once, and therefore rewrites at once, since each needs a task.
    """

    parallel_runs: int | None = None
    bandwidth: int | None = None
    requests: int | None = None
    catalogs: Mapping[str, CatalogLimits] = field(default_factory=dict)
    parallel_groups: int | None = None

    @property
    def rates(self) -> Budget:
        """The rates that all runs may use together."""
        return _rates(self.bandwidth, self.requests)

    def of_catalog(self, catalog: str) -> CatalogLimits:
        """Return the limits of a catalog; all None when it has none."""
        return self.catalogs.get(catalog, CatalogLimits())

    def of_catalogs(self, names: AbstractSet[str] | None) -> "FleetLimits":
        """Return the limits with only these catalogs' limits; None: with those of all."""
        if names is None:
            return self
        return replace(self, catalogs={name: own for name, own in self.catalogs.items() if name in names})

    def whole(self, catalog: str) -> Budget:
        """Return the most that a run in a catalog may use while it runs alone."""
        return self.rates.at_most(self.of_catalog(catalog).rates)

    def runs_of(self, catalog: str) -> int | None:
        """Return the most parallel runs of a catalog; None: any number."""
        own = self.of_catalog(catalog).parallel_runs
        return min((runs for runs in (self.parallel_runs, own) if runs is not None), default=None)

    def share(self, catalog: str) -> Budget:
        """Return an equal share for a run in a catalog: the shares of all runs at once never exceed the limits."""
        of_catalog = self.of_catalog(catalog).rates.share(self.runs_of(catalog) or 1)
        return self.rates.share(self.parallel_runs or 1).at_most(of_catalog)

    def room(self, at_work: "AtWork") -> int | None:
        """Return the number of further runs that may start; None: any number. Negative when a limit was lowered."""
        return None if self.parallel_runs is None else self.parallel_runs - at_work.total

    def room_in(self, catalog: str, at_work: "AtWork") -> int | None:
        """Return the number of further runs of a catalog that its own limit allows; None: any number."""
        own = self.of_catalog(catalog).parallel_runs
        return None if own is None else own - at_work.by_catalog.get(catalog, 0)

    def room_of(self, operation: str, at_work: "AtWork") -> int | None:
        """Return the number of further runs of an operation that may start; None: any number."""
        if operation != Operation.REWRITE or self.parallel_groups is None:
            return None
        return self.parallel_groups - at_work.rewrites

    def full_catalogs(self, at_work: "AtWork") -> list[str]:
        """Return the catalogs that have reached their limit of parallel runs, in order."""
        rooms = {name: self.room_in(name, at_work) for name in sorted(self.catalogs)}
        return [name for name, room in rooms.items() if room is not None and room <= 0]

    def document(self) -> dict[str, Any]:
        """Return the limits that are set."""
        catalogs = {name: _set(asdict(limits)) for name, limits in sorted(self.catalogs.items())}
        return _set(asdict(replace(self, catalogs={}))) | ({"catalogs": catalogs} if catalogs else {})

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Self:
        """Return the limits of a stored document, without those that only newer versions define."""
        of_catalogs = document.get("catalogs", {})
        catalogs = {name: CatalogLimits(**_known(CatalogLimits, limits)) for name, limits in of_catalogs.items()}
        return cls(**{**_known(cls, document), "catalogs": catalogs})


def _rates(bandwidth: int | None, requests: int | None) -> Budget:
    return Budget(None if bandwidth is None else float(bandwidth), None if requests is None else float(requests))


def _known(kind: type, document: Mapping[str, Any]) -> dict[str, Any]:
    names = {each.name for each in fields(kind)}
    return {name: value for name, value in document.items() if name in names}


def _set(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value not in (None, {})}


@dataclass(frozen=True, slots=True)
class AtWork:
    """Numbers of runs held by workers, by the catalog of their tables and by sharer (`domain.runs.run.sharer`).

    `rewrites`: the number of those that rewrite.
    """

    by_catalog: Mapping[str, int] = field(default_factory=dict)
    by_sharer: Mapping[str, int] = field(default_factory=dict)
    rewrites: int = 0

    @property
    def total(self) -> int:
        """The number of all runs held by workers."""
        return sum(self.by_catalog.values())


@dataclass(frozen=True, slots=True)
class FleetRow:
    """The fleet's row. `version` is that of the limits and their ETag; `updated_at`, `updated_by` likewise."""

    version: int
    updated_at: datetime
    updated_by: str
    limits: FleetLimits
    pause: Pause | None = None


@dataclass(frozen=True, slots=True)
class Pauses:
    """The kill switches that affect a table: the fleet's, its catalog's, its own; and whether it is frozen."""

    fleet: Pause | None = None
    table: Pause | None = None
    catalog: Pause | None = None
    freeze: Freeze | None = None

    @property
    def present(self) -> Pause | None:
        """The switch that applies: one that stops before one that drains, then the one with the wider scope."""
        found = [pause for pause in (self.fleet, self.catalog, self.table) if pause is not None]
        return min(found, key=lambda pause: not pause.stops, default=None)
