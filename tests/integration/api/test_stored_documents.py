"""Runs whose stored documents are of every operation, of earlier versions or damaged: every answer has them.

The rows are written past the stores, as an earlier version or a damaged disk left them.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count, islice
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from engine.domain.ids import RunId, TableId, first_run_id
from engine.domain.runs.run import Operation, RunState
from engine.domain.runs.run import Run as DomainRun
from engine.settings.model import Settings
from engine.stores.schema.core import runs
from tests.integration.api.conftest import Api
from tests.support.settings import settings_of
from tests.support.stored_documents import PLANS, POLICY, REQUESTS, RESULTS, damaged

NOW = datetime.now(UTC).replace(microsecond=0)
SOME = 40
"""Every so many damaged copies, one is stored: `tests/unit/api/test_stored_documents.py` reads all of them."""


def copies() -> Iterator[tuple[Operation, Mapping[str, Any]]]:
    """Yield documents of runs: complete ones, empty ones and damaged ones of each operation."""
    for operation in Operation:
        complete = {
            "request": REQUESTS[operation],
            "plan": PLANS[operation],
            "policy": POLICY,
            "result": RESULTS[operation],
        }
        yield operation, complete
        yield operation, {name: {} for name in complete}
        for name, document in complete.items():
            some = islice(filter(_is_json, damaged(document)), 0, None, SOME)
            yield from ((operation, {**complete, name: each}) for each in some)


@pytest.fixture(params=["sqlite", "postgres"])
def settings(request: pytest.FixtureRequest, redis_url: str, tmp_path: Path) -> Settings:
    url: str = request.getfixturevalue(f"{request.param}_url")
    return settings_of(tmp_path / "state", database_url=url, redis_url=redis_url)


async def store(api: Api, table_id: str) -> dict[str, Operation]:
    """Store a run for each copy, ended one minute after the other; return their operations."""
    numbers, stored = count(), dict[str, Operation]()
    async with api.container.database.begin() as unit:
        table = await unit.tables.get(TableId(table_id))
        assert table is not None
        for operation, documents in copies():
            at = NOW - timedelta(minutes=next(numbers))
            run_id = RunId(f"{first_run_id(at)[:-4]}{len(stored):04d}")
            run = DomainRun(run_id, table.id, operation, RunState.SUCCEEDED, "key:etl", at, at, finished_at=at)
            run = replace(run, started_at=at, attempt=1, snapshot_count=1, reason="committed", request_key=run_id)
            await unit.runs.insert_many([run], {table.id: table})
            await unit.runs._connection.execute(update(runs).where(runs.c.id == run_id).values(**documents))
            stored[run_id] = operation
    return stored


def _is_json(value: Any) -> bool:
    """Return whether both databases store a value: neither infinity nor lone surrogates."""
    try:
        return bool(json.dumps(value, allow_nan=False, ensure_ascii=False).encode())
    except ValueError:
        return False


async def test_every_answer_has_the_runs(api: Api, table_id: str) -> None:
    stored = await store(api, table_id)
    listed = await api.items("/v1/runs", include="request,plan,policy,result", page_size=500)
    assert {each["id"]: each["result"]["operation"] for each in listed} == stored
    for each in (*listed[:3], *listed[-3:]):
        shown = await api.get(f"/v1/runs/{each['id']}")
        assert {name: shown[name] for name in ("request", "plan", "policy", "result")} == {
            name: each[name] for name in ("request", "plan", "policy", "result")
        }
    history = await api.items(f"/v1/tables/{table_id}/history", page_size=500)
    assert {each["id"] for each in history} == stored.keys()
    deletions = await api.items("/v1/deletions", page_size=500)
    assert len(deletions) == sum(each in REQUESTS and "rewrite" not in each for each in stored.values())
    for path in ("explain", "advice", "upkeep", "health"):
        await api.get(f"/v1/tables/{table_id}/{path}")
    for path in ("fleet", "fleet/tables", "fleet/history", "fleet/windows"):
        await api.get(f"/v1/{path}")
