"""Metrics for Prometheus, in a separate registry for each app: two apps in one process do not mix.

Series that name a catalog or a team are for callers of every team. Without a credential they are left out, based on
their labels: a new metric with such a label is left out automatically.

Request metrics are labelled by route template, never by path. Runs, queue and dependencies are read at each scrape;
ended runs are counted in the database as they end, so every replica shows the same totals.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from typing import Final, Generic, TypeVar

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from engine.domain.fleet.figures import MOST_UNSENT, LabelledTable, OwnerFigures, Stoppages
from engine.domain.fleet.processes import Workforce
from engine.domain.runs.run import TERMINAL_STATES, EndedRuns, Operation, RunState
from engine.services.fleet.health import Dependency, Figures

MEDIA_TYPE: Final = CONTENT_TYPE_LATEST
NAMING_LABELS: Final = ("catalog", "namespace", "table", "team")
"""Labels whose values name objects of teams; an empty value stands for all or for none."""

_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_BUCKETS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class EndedRunTotals(Collector):
    """Counters of ended runs by operation and state, from the database."""

    def __init__(self) -> None:
        self.totals: Sequence[EndedRuns] | None = None

    def collect(self) -> Iterator[CounterMetricFamily]:
        """Yield runs, bytes of files that they replaced and added, file groups won and lost, and wasted bytes.

        Every operation and state is there from the first scrape on: a series that begins at 1 has no increase. Nothing
        is yielded while the totals can't be read, as a counter that drops to 0 counts as one that begins again.
        """
        if self.totals is None:
            return
        zero = {(operation, state): 0 for operation in Operation for state in TERMINAL_STATES}
        for name, column, help_text in (
            ("packhouse_runs_ended", "runs", "Ended runs."),
            ("packhouse_rewritten_bytes", "rewritten_bytes", "Bytes of files that ended runs replaced."),
            ("packhouse_added_bytes", "added_bytes", "Bytes of files that ended runs added."),
            ("packhouse_groups_committed", "groups_committed", "File groups that ended runs committed."),
            ("packhouse_groups_lost", "groups_lost", "File groups that ended runs lost to other writers."),
            (
                "packhouse_wasted_bytes",
                "wasted_bytes",
                "Bytes that ended runs wrote for file groups that were not committed.",
            ),
        ):
            family = CounterMetricFamily(name, help_text, labels=("operation", "state"))
            found = {(each.operation, each.state): getattr(each, column) for each in self.totals}
            for (operation, state), value in sorted((zero | found).items()):
                family.add_metric((operation.value, state.value), value)
            yield family


_Row = TypeVar("_Row")


class RowGauges(Collector, Generic[_Row]):
    """Gauges from the database with one series for each row, such as a team's tables in a catalog.

    Args:
        labels: names of the labels.
        values: returns the labels' values of a row.
        figures: name, help text and value of each gauge; a row without the value (None) has no series.
    """

    def __init__(
        self,
        labels: Sequence[str],
        values: Callable[[_Row], Sequence[str]],
        figures: Sequence[tuple[str, str, Callable[[_Row], float | None]]],
    ) -> None:
        self._labels, self._values, self._figures = labels, values, figures
        self.rows: Sequence[_Row] = ()

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield every gauge."""
        for name, help_text, value in self._figures:
            family = GaugeMetricFamily(name, help_text, labels=self._labels)
            for row in self.rows:
                found = value(row)
                if found is not None:
                    family.add_metric(self._values(row), found)
            yield family


def _mean_score(owner: OwnerFigures) -> float | None:
    return owner.score_sum / owner.measured_tables if owner.measured_tables else None


_OF_OWNERS: Final[Sequence[tuple[str, str, Callable[[OwnerFigures], float | None]]]] = (
    ("packhouse_tables", "Registered tables.", attrgetter("tables")),
    ("packhouse_due_tables", "Tables that are due and held back.", attrgetter("due_tables")),
    ("packhouse_files", "Live data files of measured tables.", attrgetter("file_count")),
    ("packhouse_small_files", "Small files of measured tables.", attrgetter("small_file_count")),
    ("packhouse_avoidable_files", "Backlog: files that rewrites would save.", attrgetter("avoidable_file_count")),
    ("packhouse_table_bytes", "Bytes of live data files of measured tables.", attrgetter("total_bytes")),
    (
        "packhouse_history_bytes",
        "Upper bound of the bytes of files that only old snapshots need.",
        attrgetter("history_bytes"),
    ),
    ("packhouse_health_score_mean", "Mean health score of measured tables, 0 to 100.", _mean_score),
    ("packhouse_health_score_lowest", "Lowest health score of a measured table.", attrgetter("lowest_score")),
)


def _owner(row: OwnerFigures) -> Sequence[str]:
    return row.catalog, row.owner_team or ""


def _table(row: LabelledTable) -> Sequence[str]:
    return row.catalog, ".".join(row.namespace), row.name


_OF_TABLES: Final[Sequence[tuple[str, str, Callable[[LabelledTable], float | None]]]] = (
    ("packhouse_labelled_table_due", "1 if the table is due and held back.", attrgetter("is_due")),
    ("packhouse_labelled_table_files", "Live data files of the table.", attrgetter("file_count")),
    ("packhouse_labelled_table_small_files", "Small files of the table.", attrgetter("small_file_count")),
    (
        "packhouse_labelled_table_avoidable_files",
        "Files that a rewrite of the table would save.",
        attrgetter("avoidable_file_count"),
    ),
    ("packhouse_labelled_table_bytes", "Bytes of live data files of the table.", attrgetter("total_bytes")),
    ("packhouse_labelled_table_health_score", "Health score of the table, 0 to 100.", attrgetter("score")),
)


class StoppageGauges(Collector):
    """Gauges of what is stopped, from the database; none while it can't be read."""

    def __init__(self) -> None:
        self.found: Stoppages | None = None

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield frozen tables, pauses by scope, and the number and the longest wait of runs that are not queued yet."""
        if (found := self.found) is None:
            return
        for name, help_text, value in (
            ("packhouse_frozen_tables", "Tables on which no run starts since a proof failed.", found.frozen_tables),
            (
                "packhouse_outbox_entries",
                f"Submitted runs that the queue does not have yet, at most {MOST_UNSENT:,}.",
                found.unsent_runs,
            ),
            ("packhouse_outbox_oldest_seconds", "For how long the oldest of them has waited.", found.unsent_seconds),
        ):
            yield GaugeMetricFamily(name, help_text, value=value)
        paused = GaugeMetricFamily(
            "packhouse_paused", "Paused tables and catalogs; 1 if the whole fleet is paused.", labels=("scope",)
        )
        for scope, count in found.paused.items():
            paused.add_metric((scope,), count)
        yield paused


class _WithoutNames(Collector):
    """The metrics of a registry without the series that name a catalog, a table or a team."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._registry = registry

    def collect(self) -> Iterator[Metric]:
        """Yield metrics; one that has only such series is left out."""
        for metric in self._registry.collect():
            kept = [sample for sample in metric.samples if not any(map(sample.labels.get, NAMING_LABELS))]
            if kept or not metric.samples:
                metric.samples = kept
                yield metric


class Metrics:
    """The app's registry and its instruments."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        labels = ("method", "route", "status")
        self.requests = Counter("packhouse_http_requests", "Answered requests.", labels, registry=self._registry)
        self.seconds = Histogram(
            "packhouse_http_request_seconds",
            "Time to the end of the answer; event streams are left out.",
            ("method", "route"),
            buckets=_BUCKETS,
            registry=self._registry,
        )
        self._runs = Gauge("packhouse_runs", "Live runs by state.", ("state",), registry=self._registry)
        self._watched = Gauge(
            "packhouse_watched_tables", "Tables by the verdict of the last look.", ("verdict",), registry=self._registry
        )
        self._breakers = Gauge(
            "packhouse_breakers_open",
            "Catalogs and tables in which no run starts automatically for now, after failures in a row.",
            ("kind",),
            registry=self._registry,
        )
        self._outages = Gauge(
            "packhouse_outages",
            "Dependencies that do not answer and for which runs wait, by kind.",
            ("dependency",),
            registry=self._registry,
        )
        self._processes = Gauge(
            "packhouse_live_processes",
            "Workers and coordinators that reported in the last 30 seconds.",
            ("process",),
            registry=self._registry,
        )
        self._waits = Gauge(
            "packhouse_oldest_waiting_seconds",
            "Longest present wait of a queued run, by its reason; none: of the oldest run that may start.",
            ("waiting_for",),
            registry=self._registry,
        )
        self._silence = Gauge(
            "packhouse_longest_silence_seconds",
            "Longest time without an event of a run at work.",
            registry=self._registry,
        )
        self._stopped = StoppageGauges()
        self._registry.register(self._stopped)
        self._ended = EndedRunTotals()
        self._registry.register(self._ended)
        self._owners = RowGauges(("catalog", "team"), _owner, _OF_OWNERS)
        self._tables = RowGauges(("catalog", "namespace", "table"), _table, _OF_TABLES)
        self._registry.register(self._owners)
        self._registry.register(self._tables)
        self._queue = Gauge(
            "packhouse_queue_entries", "Queue entries by standing.", ("standing",), registry=self._registry
        )
        self._rate = Gauge(
            "packhouse_rewrite_bytes_per_second",
            "Bytes per second that running rewrites read and write, of all catalogs (empty) and of each with limits.",
            ("catalog",),
            registry=self._registry,
        )
        self._limit = Gauge(
            "packhouse_rewrite_bytes_per_second_limit",
            "The limit on it; absent where there is none.",
            ("catalog",),
            registry=self._registry,
        )
        self._up = Gauge("packhouse_dependency_up", "1 when it answers.", ("dependency",), registry=self._registry)
        self._patience = Gauge(
            "packhouse_dependency_seconds", "How long it took to answer.", ("dependency",), registry=self._registry
        )

    def render(self, dependencies: Sequence[Dependency], figures: Figures, *, with_names: bool) -> bytes:
        """Return the metrics in the text format; figures that could not be read are left out.

        Args:
            dependencies: the state of each dependency.
            figures: live runs, queue and tables.
            with_names: whether to show series that name catalogs and teams.
        """
        asked = (self._runs, self._watched, self._queue, self._rate, self._limit, self._up, self._patience)
        for gauge in (*asked, self._breakers, self._outages, self._processes, self._waits):
            gauge.clear()
        self._stopped.found = figures.stopped
        self._set_workforce(figures.workforce)
        for dependency in dependencies:
            self._up.labels(dependency.name).set(int(dependency.ok))
            self._patience.labels(dependency.name).set(dependency.seconds)
        self._ended.totals = figures.ended
        self._owners.rows = figures.owners
        self._tables.rows = figures.labelled
        for state, count in figures.runs.items():
            self._runs.labels(RunState(state).value).set(count)
        for verdict, count in figures.watches.items():
            self._watched.labels(verdict.value).set(count)
        for kind, count in figures.breakers.items():
            self._breakers.labels(kind).set(count)
        for dependency_kind, count in figures.outages.items():
            self._outages.labels(dependency_kind).set(count)
        for standing, count in (figures.queue_depth or {}).items():
            self._queue.labels(standing).set(count)
        for rate in figures.rates:
            self._rate.labels(rate.catalog or "").set(rate.bytes_per_second)
            if rate.bytes_per_second_limit is not None:
                self._limit.labels(rate.catalog or "").set(rate.bytes_per_second_limit)
        return generate_latest(self._registry if with_names else _WithoutNames(self._registry))

    def _set_workforce(self, workforce: Workforce | None) -> None:
        if workforce is None:
            return
        for kind, count in workforce.live.items():
            self._processes.labels(kind.value).set(count)
        self._silence.set(workforce.silent_seconds)
        for reason, seconds in {"none": workforce.startable_seconds, **workforce.waiting_seconds}.items():
            self._waits.labels(reason).set(seconds)


class RequestMetrics:
    """Counts and times requests."""

    def __init__(self, app: ASGIApp, *, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.monotonic()
        status, is_stream = 500, False

        async def watched(message: Message) -> None:
            nonlocal status, is_stream
            if message["type"] == "http.response.start":
                status = message["status"]
                is_stream = any(
                    n == b"content-type" and v.startswith(b"text/event-stream") for n, v in message["headers"]
                )
            await send(message)

        try:
            await self._app(scope, receive, watched)
        finally:
            method = scope["method"] if scope["method"] in _METHODS else "other"
            route = template_of(scope)
            self._metrics.requests.labels(method, route, str(status)).inc()
            if not is_stream:
                self._metrics.seconds.labels(method, route).observe(time.monotonic() - started)


def template_of(scope: Scope) -> str:
    """Return the path template of the route that served a request, `unmatched` without a route."""
    return str(getattr(scope.get("route"), "path", "unmatched"))
