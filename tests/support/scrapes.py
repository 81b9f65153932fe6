"""What each kind of process shows Prometheus."""

from collections.abc import Sequence
from dataclasses import dataclass

import httpx
from prometheus_client.parser import text_string_to_metric_families

from api.http.process_figures import ProcessFigures
from api.server.work import work_app
from engine.domain.fleet.processes import ProcessKind
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
    """Let a table be measured and rewritten, and scrape an api, as a caller who sees all, and a worker."""
    limits = {"parallel_runs": 2, "catalogs": {"lake": {"bandwidth": "1GB/s"}}}
    await api.call("PUT", "/v1/limits", json=limits, headers={"If-Match": '"1"'}, status=200)
    await api.get(f"/v1/tables/{table_id}/health")
    await api.rewrite(table_id)
    metrics = api.container.metrics
    metrics.leads.labels("watch").set(1)  # as a coordinator does
    metrics.due_to_started_seconds.labels("rewrite").observe(1)
    async with api.container.database.begin() as unit:
        await unit.processes.report(ProcessKind.COORDINATOR, "one")
    shown = await api.call("GET", "/metrics", status=200)
    process = ProcessFigures("worker", "11bf3721")
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(work_app(metrics, process)), base_url="http://w"
    ) as work:
        return Scraped((shown.text, (await work.get("/metrics")).text))
