"""The state of Packhouse and its dependencies, for `GET /v1/system`: what is away, since when, and what waits for it.

Database, Redis and Spark are those of readiness, at most a second old. Catalogs and storages are not asked: a run that
gets no answer reports the outage, and workers probe it until it ends (`domain.fleet.outages`).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from engine.domain.access.callers import Caller
from engine.domain.errors import Away
from engine.domain.fleet.breakers import Breaker
from engine.domain.fleet.dependencies import DependencyKind
from engine.domain.fleet.endpoints import EndpointState, SparkEndpoint
from engine.domain.fleet.outages import SPARK
from engine.domain.fleet.processes import ProcessKind, Workforce
from engine.domain.fleet.system import Component, ComponentKind, ComponentState, KnownOutage, SystemStatus
from engine.domain.remedies import remedy
from engine.domain.tables.addresses import written_address
from engine.services.access.visibility import visible_catalogs
from engine.services.fleet.health import Dependency, HealthService
from engine.services.planning.wording import count_of
from engine.stores.database import Database

MOST_OUTAGES: Final = 100
"""Most outages that are shown, the longest first: each storage of a table can have one."""

MOST_CATALOGS: Final = 500
"""Most catalogs that are shown while they are in order, by name; those that are not are shown in any case."""

_WITHOUT: Final[Mapping[str, str]] = {
    "database": "nothing can be read or changed",
    "redis": "runs start some seconds later than otherwise, and a limit is divided evenly among the processes",
    "spark": "runs that need it wait",
}
_NO_PROCESS: Final[Mapping[ProcessKind, str]] = {
    ProcessKind.COORDINATOR: "No coordinator is alive: no run starts automatically until one is started.",
    ProcessKind.WORKER: "No worker is alive: accepted runs wait until one is started.",
}


class SystemService:
    """Answers what of the system works."""

    def __init__(self, *, database: Database, health: HealthService) -> None:
        self._database = database
        self._health = health

    async def status(self, caller: Caller) -> SystemStatus:
        """Return the components that the caller sees: storages of its teams' tables, and its catalogs.

        Raises:
            Away: the database does not answer.
        """
        dependencies = await self._health.dependencies()
        workforce = await self._health.workforce()
        async with self._database.read() as unit:
            now = await unit.now()
            catalogs = await visible_catalogs(unit, caller)
            known = await unit.outages.list_known(caller.visible_teams, catalogs, MOST_OUTAGES + 1)
            open_ones = await unit.breakers.list_open()
            listed = await unit.catalogs.list(limit=MOST_CATALOGS, among=catalogs)
            endpoints = await unit.endpoints.list()
            refs = await unit.tables.refs([each.outage.table_id for each in known[:MOST_OUTAGES]])
        if workforce is None:
            raise Away(DependencyKind.DATABASE, "the database does not answer")
        breakers = {each.catalog: each for each in open_ones if catalogs is None or each.catalog in catalogs}
        components = [
            *_servers(dependencies, known, endpoints),
            *_processes(workforce),
            *_catalogs([each.name for each in listed], known[:MOST_OUTAGES], breakers),
            *(
                _away(ComponentKind.STORAGE, written_address(refs[each.outage.table_id]), each)
                for each in known[:MOST_OUTAGES]
                if each.outage.dependency is DependencyKind.STORAGE and each.outage.table_id in refs
            ),
        ]
        return SystemStatus(now, components, omitted=max(0, len(known) - MOST_OUTAGES))


def _servers(
    dependencies: Sequence[Dependency], known: Sequence[KnownOutage], endpoints: Sequence[SparkEndpoint]
) -> Iterator[Component]:
    """Yield database, Redis and Spark; an outage of Spark that runs have reported has more to say than the probe.

    Several endpoints of Spark are one component each.
    """
    away = {each.outage.key: each for each in known if each.outage.dependency is DependencyKind.SPARK}
    of_spark = away.get(SPARK)
    if len(endpoints) > 1:
        yield from (_endpoint(each, away.get(each.outage_key)) for each in endpoints)
        dependencies = [each for each in dependencies if each.name != ComponentKind.SPARK]
    for each in dependencies:
        kind, name = ComponentKind(each.name), each.name.capitalize() if each.name != "database" else "The database"
        if kind is ComponentKind.SPARK and of_spark is not None:
            yield _away(kind, "", of_spark)
        elif each.ok:
            detail = "" if kind is ComponentKind.DATABASE else each.detail  # which has no more to say
            yield Component(kind, "", ComponentState.OK, f"{name} answers.", detail)
        else:
            text = f"{name} does not answer: {_WITHOUT[each.name]} until it does."
            yield Component(kind, "", ComponentState.AWAY, text, each.detail)


def _endpoint(endpoint: SparkEndpoint, known: KnownOutage | None) -> Component:
    kind, name = ComponentKind.SPARK, endpoint.name
    if known is not None:
        return _away(kind, name, known)
    match endpoint.state:
        case EndpointState.AWAY:
            text = f"Spark endpoint {name} does not answer: no run begins there until it does."
            return Component(kind, name, ComponentState.AWAY, text, endpoint.detail)
        case EndpointState.UNSUITABLE:
            text = f"Spark endpoint {name} can't run the tasks: no run begins there."
            return Component(kind, name, ComponentState.FAILING, text, endpoint.detail)
        case EndpointState.UNKNOWN if endpoint.spark_version is None:
            text = f"Spark endpoint {name} was not probed yet."
        case _:
            text = f"Spark endpoint {name} answers."
    busy = f" {count_of(endpoint.runs, 'rewrite')} at work." if endpoint.runs else ""
    drained = " It is drained: no run begins there." if endpoint.drained else ""
    detail = f"Spark {endpoint.spark_version}, {endpoint.detail}" if endpoint.spark_version else endpoint.detail
    return Component(kind, name, ComponentState.OK, f"{text}{drained}{busy}", detail)


def _processes(workforce: Workforce) -> Iterator[Component]:
    for kind, text in _NO_PROCESS.items():
        live = workforce.live.get(kind, 0)
        verb = "is" if live == 1 else "are"
        state, shown = (
            (ComponentState.OK, f"{count_of(live, kind.value)} {verb} alive.") if live else (ComponentState.AWAY, text)
        )
        yield Component(ComponentKind(kind.value), "", state, shown)


def _catalogs(
    names: Sequence[str], known: Sequence[KnownOutage], breakers: Mapping[str, Breaker]
) -> Iterator[Component]:
    away = {each.outage.catalog: each for each in known if each.outage.dependency is DependencyKind.CATALOG}
    for name in sorted({*names, *away, *breakers}):
        if name in away:
            yield _away(ComponentKind.CATALOG, name, away[name])
        elif name in breakers:
            yield _failing(breakers[name])
        else:
            yield Component(ComponentKind.CATALOG, name, ComponentState.OK, f"No outage of catalog {name} is known.")


def _failing(breaker: Breaker) -> Component:
    return Component(
        ComponentKind.CATALOG,
        breaker.catalog,
        ComponentState.FAILING,
        f"Runs of {count_of(len(breaker.failed_tables), 'table')} of catalog {breaker.catalog} failed in a row: no run "
        "starts automatically there for now. Resuming the catalog ends the wait.",
        breaker.reason,
        since=breaker.failed_at,
        next_probe_at=breaker.open_until,
        remedy=remedy("resume_catalog", name=breaker.catalog),
    )


def _away(kind: ComponentKind, name: str, known: KnownOutage) -> Component:
    runs, outage = known.waiting_runs, known.outage
    match kind:
        case ComponentKind.CATALOG:
            what = f"Catalog {name}"
        case ComponentKind.SPARK if name:
            what = f"Spark endpoint {name}"
        case ComponentKind.STORAGE:
            what = f"The storage of table {name}"
        case _:
            what = kind.value.capitalize()
    verbs = ("waits", "continues") if runs == 1 else ("wait", "continue")
    effect = (
        f"{count_of(runs, 'run')} {verbs[0]} for it, and {verbs[1]} once it answers."
        if runs
        else "No run waits for it."
    )
    return Component(
        kind,
        name,
        ComponentState.AWAY,
        f"{what} does not answer. {effect}",
        outage.detail,
        since=outage.away_since,
        next_probe_at=outage.next_probe_at,
        waiting_runs=runs,
    )
