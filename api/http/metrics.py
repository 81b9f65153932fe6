"""Metrics for Prometheus, in a separate registry for each app: two apps in one process do not mix.

Series that name a catalog or a team are for callers of every team. Without a credential they are left out, based on
their labels: a new metric with such a label is left out automatically.

Request metrics are labelled by route template, never by path. Runs, queue and dependencies are read at each scrape;
ended runs are counted in the database as they end, so every replica shows the same totals.
"""

import time
from collections.abc import Iterator, Sequence
from typing import Final

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import Metric
from prometheus_client.registry import Collector
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.http.record_collectors import (
    OF_ENDPOINTS,
    OF_OWNERS,
    OF_TABLES,
    EndedRunTotals,
    RowGauges,
    StoppageGauges,
    owner_labels,
    table_labels,
)
from engine.domain.fleet.processes import Workforce
from engine.domain.runs.run import RunState
from engine.services.fleet.health import Dependency, Figures

MEDIA_TYPE: Final = CONTENT_TYPE_LATEST
NAMING_LABELS: Final = ("catalog", "namespace", "table", "team")
"""Labels whose values name objects of teams; an empty value stands for all or for none."""

METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_BUCKETS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


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
        self._owners = RowGauges(("catalog", "team"), owner_labels, OF_OWNERS)
        self._tables = RowGauges(("catalog", "namespace", "table"), table_labels, OF_TABLES)
        self._registry.register(self._owners)
        self._registry.register(self._tables)
        self._endpoints = RowGauges(("endpoint",), lambda endpoint: (endpoint.name,), OF_ENDPOINTS)
        self._registry.register(self._endpoints)
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
        self._endpoints.rows = figures.endpoints
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
            method = scope["method"] if scope["method"] in METHODS else "other"
            route = template_of(scope)
            self._metrics.requests.labels(method, route, str(status)).inc()
            if not is_stream:
                self._metrics.seconds.labels(method, route).observe(time.monotonic() - started)


def template_of(scope: Scope) -> str:
    """Return the path template of the route that served a request, `unmatched` without a route."""
    return str(getattr(scope.get("route"), "path", "unmatched"))
