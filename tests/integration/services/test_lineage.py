"""Webhooks of the format `openlineage` on both databases, read by OpenLineage's own classes."""

import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from typing import Any

import pytest
import standardwebhooks
from openlineage.client import event_v2, facet_v2

from engine.domain.errors import InvalidInput
from engine.domain.runs.results import RunResult
from engine.domain.runs.run import Run, RunState
from engine.domain.webhooks.events import EventType
from engine.domain.webhooks.webhook import WebhookFormat
from engine.services.webhooks.lineage import dataset_of, run_uuid
from engine.services.webhooks.service import WebhookRequest
from engine.stores.database import Database
from tests.integration.services.test_webhooks import ADMIN, Process, pause
from tests.integration.stores.samples import claimed, registered, submitted
from tests.support.receivers import Receiver, receiver

LINEAGE = {"format": WebhookFormat.OPENLINEAGE}
FACETS: dict[str, Any] = {
    "processing_engine": facet_v2.processing_engine_run.ProcessingEngineRunFacet,
    "errorMessage": facet_v2.error_message_run.ErrorMessageRunFacet,
    "jobType": facet_v2.job_type_job.JobTypeJobFacet,
    "version": facet_v2.dataset_version_dataset.DatasetVersionDatasetFacet,
    "outputStatistics": facet_v2.output_statistics_output_dataset.OutputStatisticsOutputDatasetFacet,
}


@pytest.fixture
async def process(database: Database) -> AsyncIterator[Process]:
    made = Process(database)
    yield made
    await made.sending.close()


@pytest.fixture
def got() -> Iterator[Receiver]:
    with receiver() as made:
        yield made


def facets_of(raw: dict[str, Any]) -> dict[str, Any]:
    """Return facets as their classes, which take no unknown field and need those that are required."""
    found = {}
    for name, fields in raw.items():
        made = FACETS[name](**{key: value for key, value in fields.items() if not key.startswith("_")})
        assert fields["_schemaURL"] == made._schemaURL
        assert fields["_producer"].startswith("urn:packhouse:server:")
        found[name] = made
    return found


def read(body: bytes) -> event_v2.RunEvent:
    """Return a request's body as the class of OpenLineage, whose validators check ids, times and URIs."""
    raw = json.loads(body)
    run, job = raw["run"], raw["job"]
    outputs = [
        event_v2.OutputDataset(
            each["namespace"],
            each["name"],
            facets=facets_of(each["facets"]),
            outputFacets=facets_of(each["outputFacets"]),
        )
        for each in raw["outputs"]
    ]
    made = event_v2.RunEvent(
        eventTime=raw["eventTime"],
        producer=raw["producer"],
        run=event_v2.Run(run["runId"], facets=facets_of(run["facets"])),
        job=event_v2.Job(job["namespace"], job["name"], facets=facets_of(job["facets"])),
        eventType=event_v2.RunState(raw["eventType"]),
        inputs=raw["inputs"],
        outputs=outputs,
    )
    assert raw["schemaURL"] == made.schemaURL
    return made


async def ended(database: Database, to: RunState, **changes: Any) -> Run:
    """Start a run, end it so, and return it."""
    run = await submitted(database)
    lease = await claimed(database, run.id)
    async with database.begin() as unit:
        await unit.runs.transition(lease, to=RunState.REWRITING)
        return await unit.runs.transition(lease, to=to, **changes)


@pytest.mark.parametrize(
    ("state", "told"),
    [
        (RunState.SUCCEEDED, "COMPLETE"),
        (RunState.REFUSED, "FAIL"),
        (RunState.FAILED, "FAIL"),
        (RunState.CANCELLED, "ABORT"),
    ],
)
async def test_a_run_is_a_start_and_an_end_with_its_table_as_output(
    process: Process, database: Database, got: Receiver, state: RunState, told: str
) -> None:
    _, secret = await process.make(got.url, **LINEAGE)
    document = {"added_rows": 900, "added_bytes": 4096, "added_files": 3, "snapshot_ids": ["7764051201762783579"]}
    result = {"result": RunResult(document)} if state is RunState.SUCCEEDED else {}
    run = await ended(database, state, reason="source_gone", detail="s3://bucket/secret/path.parquet", **result)
    assert await process.turns() == 2
    start, end = (read(body) for _, body in got.requests)
    assert (str(start.eventType.value), str(end.eventType.value)) == ("START", told)
    assert start.run.runId == end.run.runId == run_uuid(run.id)
    assert (start.job.namespace, start.job.name) == (end.job.namespace, end.job.name)
    assert start.job.name.startswith("lake.shop.eu.t")
    assert start.job.name.endswith(".rewrite")
    job_type = end.job.facets["jobType"]
    assert (job_type.processingType, job_type.integration, job_type.jobType) == ("BATCH", "PACKHOUSE", "MAINTENANCE")
    assert end.run.facets["processing_engine"].name == "Packhouse"
    assert (start.inputs, end.inputs) == ([], [])
    async with database.read() as unit:
        table = await unit.tables.get(run.table_id)
    assert table is not None
    assert [(each.namespace, each.name) for each in (*start.outputs, *end.outputs)] == [dataset_of(table.location)] * 2
    assert (start.outputs[0].facets, start.outputs[0].outputFacets) == ({}, {})
    if state is RunState.SUCCEEDED:
        statistics = end.outputs[0].outputFacets["outputStatistics"]
        assert (statistics.rowCount, statistics.size, statistics.fileCount) == (900, 4096, 3)
        assert end.outputs[0].facets["version"].datasetVersion == "7764051201762783579"
        assert "errorMessage" not in end.run.facets
    else:
        assert end.run.facets["errorMessage"].message == f"rewrite {state.value} (source_gone): see run {run.id}"
    for headers, body in got.requests:
        assert b"secret" not in body
        assert headers["content-type"] == "application/json"
        assert standardwebhooks.Webhook(secret).verify(body, headers)["eventType"]


async def test_only_runs_that_started_are_sent(process: Process, database: Database, got: Receiver) -> None:
    await process.make(got.url, **LINEAGE)
    await pause(database, await registered(database, "paused"))
    waiting = await submitted(database)
    async with database.begin() as unit:
        await unit.runs.request_cancel(waiting.id, "key:root")
    await process.turns()
    assert got.requests == []


async def test_a_run_whose_table_is_gone_has_no_dataset(process: Process, database: Database, got: Receiver) -> None:
    await process.make(got.url, **LINEAGE)
    run = await ended(database, RunState.FAILED, reason="failed")
    async with database.begin() as unit:
        await unit.tables.delete(run.table_id)
    await process.turns()
    assert [read(body).outputs for _, body in got.requests] == [[], []]


async def test_a_test_is_an_event_without_a_dataset(process: Process, got: Receiver) -> None:
    webhook, _ = await process.make(got.url, **LINEAGE)
    assert (await process.service.test(ADMIN, webhook.id)).is_success
    [(_, body)] = got.requests
    made = read(body)
    assert (made.eventType.value, made.job.name, made.outputs) == ("OTHER", "webhook.test.hook", [])


async def test_events_without_a_meaning_and_a_change_of_the_format_are_refused_by_their_field(
    process: Process, got: Receiver
) -> None:
    events = (EventType.RUN_FAILED, EventType.TABLE_FROZEN, EventType.OUTAGE_BEGAN)
    with pytest.raises(InvalidInput, match="for events of runs") as refused:
        await process.make(got.url, events=events, **LINEAGE)
    assert [(each.pointer, each.value) for each in refused.value.problems] == [
        ("/events", ["outage.began", "table.frozen"])
    ]
    webhook, _ = await process.make(got.url)
    request = WebhookRequest(webhook.name, webhook.url, **LINEAGE)
    with pytest.raises(InvalidInput, match="can't be changed") as unchanged:
        await process.service.replace(ADMIN, webhook.id, request, webhook.version)
    assert [each.pointer for each in unchanged.value.problems] == ["/format"]
    same = replace(request, format=WebhookFormat.CLOUDEVENTS, events=events)
    assert (await process.service.replace(ADMIN, webhook.id, same, webhook.version)).version == 2


@pytest.mark.parametrize(
    ("location", "dataset"),
    [
        ("s3://lake/shop/orders", ("s3://lake", "shop/orders")),
        ("s3a://lake/shop/orders/", ("s3://lake", "shop/orders")),
        ("gs://lake/shop/orders", ("gs://lake", "shop/orders")),
        ("abfs://box@lake.dfs.core.windows.net/shop/", ("abfss://box@lake.dfs.core.windows.net", "shop")),
        ("hdfs://name:8020/warehouse/shop", ("hdfs://name:8020", "/warehouse/shop")),
        ("hdfs://user:secret@name:8020/shop", ("hdfs://name:8020", "/shop")),
        ("file:///srv/lake/shop", ("file", "/srv/lake/shop")),
        ("/srv/lake/shop", ("file", "/srv/lake/shop")),
        ("s3://lake", ("s3://lake", "/")),
    ],
)
def test_a_table_is_named_by_its_location(location: str, dataset: tuple[str, str]) -> None:
    assert dataset_of(location) == dataset
