"""What each kind of process shows Prometheus."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import httpx
from prometheus_client.parser import text_string_to_metric_families

from api.http.process_figures import ProcessFigures
from api.server.work import work_app
from tests.integration.api.conftest import Api


@dataclass(frozen=True)
class Scraped:
    """The answers of `/metrics`, one for each kind of process."""

    texts: Sequence[str]

    def labels(self, name: str) -> frozenset[str]:
        """Return the labels that the samples of a metric have, by its name in PromQL.

        Raises:
            LookupError: no process has it.
        """
        samples = [
            sample
            for text in self.texts
            for family in text_string_to_metric_families(text)
            for sample in family.samples
            if sample.name == name
        ]
        if not samples:
            raise LookupError(f"no process shows {name}")
        return frozenset(label for sample in samples for label in sample.labels)


async def scrape(api: Api, table_id: str) -> Scraped:
    """Let a table be measured, rewritten and watched, and scrape an api, as a caller who sees all, and a worker."""
    limits = {"parallel_runs": 2, "catalogs": {"lake": {"bandwidth": "1GB/s"}}}
    await api.call("PUT", "/v1/limits", json=limits, headers={"If-Match": '"1"'}, status=200)
    await api.call("PATCH", f"/v1/tables/{table_id}", json={"labels": {"metrics": "on"}}, status=200)
    await api.get(f"/v1/tables/{table_id}/health")
    await api.rewrite(table_id)
    metrics = api.container.metrics
    metrics.due_to_started_seconds.labels("rewrite").observe(1)  # no run of these is automatic
    metrics.held.labels("quiet_hours").inc()
    coordinating = asyncio.create_task(api.container.coordinator.run())
    try:
        async with asyncio.timeout(30):
            while b"packhouse_watch_looks_total{" not in metrics.render():
                await asyncio.sleep(0.05)
    finally:
        api.container.coordinator.stop()
        await coordinating
    shown = await api.call("GET", "/metrics", status=200)
    process = ProcessFigures("worker", "11bf3721")
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(work_app(metrics, process)), base_url="http://w"
    ) as work:
        return Scraped((shown.text, (await work.get("/metrics")).text))
