"""Events of runs as OpenLineage has them (https://openlineage.io/spec, 2-0-2), for webhooks of this format.

A table is the output of its runs and not an input: it would be its own ancestor. It is named as
https://openlineage.io/docs/spec/naming says, by its location: other tools that write or read it name it so too.
Nothing names a parent run: runs of Packhouse do not carry one.
"""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib.metadata import version
from typing import Any, Final
from urllib.parse import urlsplit

from engine.domain.ids import EventId, RunId
from engine.domain.runs.run import Run, RunState
from engine.domain.tables.table import Table
from engine.domain.webhooks.events import LINEAGE_STATES, EventType, FleetEvent
from engine.domain.webhooks.webhook import Webhook
from engine.stores.unit_of_work import UnitOfWork

JOB_NAMESPACE: Final = "packhouse"

_SPEC: Final = "https://openlineage.io/spec"
_SCHEMA: Final = f"{_SPEC}/2-0-2/OpenLineage.json#/$defs/RunEvent"
_ENDED_BADLY: Final = frozenset({"FAIL", "ABORT"})
_SAME_STORE: Final = {"s3a": "s3", "s3n": "s3", "abfs": "abfss", "wasb": "wasbs"}
_OF_ACCOUNTS: Final = frozenset({"abfss", "wasbs"})
_KEYED: Final = frozenset({"s3", "gs", *_OF_ACCOUNTS})
"""Stores whose objects have keys, which do not begin with a slash."""

LineageEvent = dict[str, Any]


@dataclass(frozen=True, slots=True)
class LineageFacts:
    """The run and the table of an event; None: pruned, or not registered any more."""

    run: Run | None = None
    table: Table | None = None


async def read_facts(unit: UnitOfWork, event: FleetEvent) -> LineageFacts:
    """Return the run and the table of an event."""
    run_id = event.data.get("run_id")
    run = None if run_id is None else await unit.runs.get(RunId(run_id))
    return LineageFacts(run, None if event.table_id is None else await unit.tables.get(event.table_id))


def lineage_event(event: FleetEvent, facts: LineageFacts) -> LineageEvent:
    """Return an event of a run as a RunEvent.

    Raises:
        KeyError: it is an event of another type, which webhooks of this format do not get.
    """
    state = LINEAGE_STATES[event.type]
    run = facts.run if state != "START" else None  # at a repetition the run may have ended
    name = f"{event.subject}.{event.data['operation']}"
    made = _event(state, event.at, str(event.data["run_id"]), name)
    if state in _ENDED_BADLY:
        made["run"]["facets"]["errorMessage"] = _error(event)
    if facts.table is not None:
        made["outputs"] = [_output(facts.table, None if run is None or not _has_committed(event) else run)]
    return made


def lineage_test(webhook: Webhook, event_id: EventId, at: datetime) -> LineageEvent:
    """Return an event that only tests a webhook, and is not stored: `OTHER`, without a dataset."""
    return _event("OTHER", at, event_id, f"webhook.test.{webhook.name}")


def run_uuid(run_id: str) -> str:
    """Return the UUID of a run, which OpenLineage wants; the same for the same run."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"urn:packhouse:run:{run_id}"))


def dataset_of(location: str) -> tuple[str, str]:
    """Return namespace and name of the dataset at a location."""
    parts = urlsplit(location)
    scheme, path = _SAME_STORE.get(parts.scheme, parts.scheme), parts.path.rstrip("/") or "/"
    if scheme in ("", "file"):
        return "file", path
    host = parts.netloc if scheme in _OF_ACCOUNTS else parts.netloc.rpartition("@")[2]
    return f"{scheme}://{host}", path.lstrip("/") if scheme in _KEYED and path != "/" else path


def _event(state: str, at: datetime, run_id: str, job: str) -> LineageEvent:
    job_type = {"processingType": "BATCH", "integration": "PACKHOUSE", "jobType": "MAINTENANCE"}
    engine = {"name": "Packhouse", "version": _version()}
    return {
        "eventType": state,
        "eventTime": at.isoformat().replace("+00:00", "Z"),
        "producer": _producer(),
        "schemaURL": _SCHEMA,
        "run": {
            "runId": run_uuid(run_id),
            "facets": {"processing_engine": _facet("1-1-1", "ProcessingEngineRunFacet", engine)},
        },
        "job": {
            "namespace": JOB_NAMESPACE,
            "name": job,
            "facets": {"jobType": _facet("2-0-4", "JobTypeJobFacet", job_type)},
        },
        "inputs": [],
        "outputs": [],
    }


def _error(event: FleetEvent) -> dict[str, Any]:
    """Return why a run ended: its code, never its text, which may name files."""
    data = event.data
    message = f"{data['operation']} {data['state']} ({data.get('reason') or 'no reason'}): see run {data['run_id']}"
    return _facet("1-0-1", "ErrorMessageRunFacet", {"message": message, "programmingLanguage": "PYTHON"})


def _output(table: Table, run: Run | None) -> dict[str, Any]:
    """Return the table as an output; `run`: what it wrote, None: nothing, or not known yet."""
    namespace, name = dataset_of(table.location)
    facets: dict[str, Any] = {}
    statistics: dict[str, Any] = {}
    if run is not None:
        if run.result.snapshot_ids:
            facets["version"] = _facet(
                "1-0-1", "DatasetVersionDatasetFacet", {"datasetVersion": run.result.snapshot_ids[-1]}
            )
        found = {"rowCount": "added_rows", "size": "added_bytes", "fileCount": "added_files"}
        written = {field: run.result.document.get(key) for field, key in found.items()}
        if known := {field: value for field, value in written.items() if isinstance(value, int)}:
            statistics["outputStatistics"] = _facet("1-0-2", "OutputStatisticsOutputDatasetFacet", known)
    return {"namespace": namespace, "name": name, "facets": facets, "outputFacets": statistics}


def _has_committed(event: FleetEvent) -> bool:
    return event.type is not EventType.RUN_SKIPPED and event.data.get("state") != RunState.REFUSED


def _facet(number: str, name: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    return {"_producer": _producer(), "_schemaURL": f"{_SPEC}/facets/{number}/{name}.json#/$defs/{name}", **fields}


def _producer() -> str:
    return f"urn:packhouse:server:{_version()}"


@cache
def _version() -> str:
    return version("packhouse-server")
