"""Metrics that every process has: its build, its resources, and the lag of its event loop."""

import asyncio
import time
from collections.abc import Sequence
from importlib.metadata import version
from typing import Final

from prometheus_client import CollectorRegistry, Gauge, Histogram, generate_latest
from prometheus_client.gc_collector import GCCollector
from prometheus_client.process_collector import ProcessCollector

from engine.domain.fleet.system import ServerBuild
from engine.stores.migrations.compatibility import known_schema

_LOOK_SECONDS: Final = 0.5
_BUCKETS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)


class ProcessFigures:
    """Registry of the metrics that every process has.

    Args:
        process: its command, such as `worker`.
        revision: the commit that it was built from; empty if that is not known.
        machines: kinds of machines on which its tasks merge columns by the compiled pass.
    """

    def __init__(self, process: str, revision: str = "", machines: Sequence[str] = ()) -> None:
        self.build = ServerBuild(version("packhouse-server"), revision, known_schema(), tuple(machines))
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        GCCollector(registry=self._registry)
        info = Gauge(
            "packhouse_build_info",
            "Always 1; the labels are the version, the commit and the newest supported schema of the database.",
            ("version", "revision", "schema", "process"),
            registry=self._registry,
        )
        info.labels(self.build.version, self.build.revision, self.build.schema, process).set(1)
        self._lag = Histogram(
            "packhouse_event_loop_lag_seconds",
            "Time that a task which is ready waits for the event loop, sampled each half second.",
            ("process",),
            buckets=_BUCKETS,
            registry=self._registry,
        ).labels(process)

    async def watch_loop(self) -> None:
        """Measure the lag of the running event loop until this is cancelled."""
        while True:
            due_at = time.monotonic() + _LOOK_SECONDS
            await asyncio.sleep(_LOOK_SECONDS)
            self._lag.observe(max(0.0, time.monotonic() - due_at))

    def render(self) -> bytes:
        """Return the figures in Prometheus' text format."""
        return generate_latest(self._registry)
