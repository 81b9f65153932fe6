"""A second table format, served without Iceberg: bare Parquet files without field ids, from the API to the commit.

Nothing but the wiring is told of it: what is above `engine/formats` can't know which format it works on.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from redis.asyncio import Redis

from engine.domain.runs.run import RunState
from engine.formats.base import Verification, WrittenGroup
from tests.integration.api.conftest import started_api
from tests.integration.api.registered import Registered, registered
from tests.support.databases import FreshDatabase, requested_database
from tests.support.plain.catalog import SERVED_AS, PlainFormat
from tests.support.plain.lake import PlainLake
from tests.support.plain.table import PlainCommits
from tests.support.settings import settings_of
from tests.support.statements import texts_of

Plain = Registered[PlainLake]


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.deep)])
async def fresh_database(request: pytest.FixtureRequest) -> AsyncIterator[FreshDatabase]:
    """Both databases in deep tests: no statement knows a format."""
    async with requested_database(request) as fresh:
        yield fresh


@pytest.fixture
async def plain(fresh_database: FreshDatabase, redis: Redis, redis_url: str, tmp_path: Path) -> AsyncIterator[Plain]:
    """A table of three days with six small files each."""
    lake = await asyncio.to_thread(PlainLake.make, tmp_path / "lake")
    settings = settings_of(tmp_path / "state", database_url=fresh_database.url, redis_url=redis_url)
    async with started_api(settings, formats=lambda _locations: {SERVED_AS: PlainFormat()}) as api:
        yield await registered(api, lake, SERVED_AS.value, {"root": str(lake.root)})


async def test_only_the_served_format_makes_catalogs(plain: Plain) -> None:
    formats = {each["format"]: each for each in (await plain.api.get("/v1/formats"))["items"]}
    assert [name for name, each in formats.items() if each["served"]] == ["hive"]
    iceberg = {"name": "other", "format": "iceberg", "properties": {"type": "sql", "uri": "sqlite:////x"}}
    (problem,) = (await plain.api.post("/v1/catalogs", iceberg, status=422))["errors"]
    assert (problem["pointer"], problem["hint"]) == ("/format", "use one of hive")
    lacking = {"name": "other", "format": "hive", "properties": {}}
    (problem,) = (await plain.api.post("/v1/catalogs", lacking, status=422))["errors"]
    assert problem["pointer"] == "/properties/root"
    steps = (await plain.api.post("/v1/catalogs/lake/check", status=200))["steps"]
    assert [(step["name"], step["ok"]) for step in steps] == [("secrets", True), ("list_tables", True)]


@pytest.mark.parametrize("proof", ["metadata", "content"])
async def test_a_table_is_rewritten_from_the_api_to_the_commit(plain: Plain, proof: str) -> None:
    ids = plain.lake.ids()
    await plain.govern({"verification": proof})
    plan = await plain.preview()
    run = await plain.api.rewrite(plain.table_id)
    assert (run.state, run.reason) == (RunState.SUCCEEDED, "committed")
    assert plan["groups_total"] == run.result.added_files == 3
    assert run.result.rewritten_files == 18
    assert all(proof["ok"] for proof in run.result.verifications)
    assert plain.lake.ids() == ids
    for path in plain.lake.paths():
        schema = pq.read_schema(path)
        assert all(b"PARQUET:field_id" not in (each.metadata or {}) for each in schema)
        assert f"/day={pq.read_table(path, partitioning=None)['day'][0].as_py()}/" in path
    again = await plain.api.rewrite(plain.table_id)
    assert (again.state, again.reason) == (RunState.SKIPPED, "nothing_to_do")


async def test_partitions_are_chosen_and_files_of_others_stay(plain: Plain) -> None:
    accepted = await plain.submit(partitions={"column": "day", "op": "ge", "value": "2026-11-02"})
    plain.lake.append("2026-11-03")  # after the submission, before the work
    ids = plain.lake.ids()
    await plain.api.container.worker.advance(accepted["id"])
    shown = await plain.api.get(f"/v1/runs/{accepted['id']}")
    assert (shown["state"], shown["result"]["rewritten_files"]) == ("succeeded", 13)
    assert plain.lake.ids() == ids
    refused = await plain.submit(partitions={"column": "id", "op": "eq", "value": 1}, status=422)
    (problem,) = refused["errors"]
    assert problem["pointer"].startswith("/partitions")


async def test_every_view_of_a_table_answers(plain: Plain) -> None:
    base = f"/v1/tables/{plain.table_id}"
    health = await plain.api.get(f"{base}/health")
    assert (health["table"]["format"], health["table"]["default_spec_id"]) == ("plain", 0)
    assert (health["file_count"], health["small_file_count"]) == (18, 18)
    explained = await plain.api.get(f"{base}/explain")
    assert explained["eligible"]
    assert [each["operation"] for each in explained["upkeep"]] == []
    assert not [line for line in texts_of(explained) if "Iceberg" in line]
    advice = await plain.api.get(f"{base}/advice")
    assert (advice["expiry_seconds"], advice["expiry_is_assumed"], advice["writes"]["commits"]) == (0, True, 18)
    assert not (await plain.api.get(f"{base}/backpressure"))["slow_down"]


async def test_settings_and_operations_that_the_format_does_not_support_are_refused(plain: Plain) -> None:
    expiry = {"expire_snapshots": {"older_than": "5d", "keep_last": 1}}
    for policy, pointer in (
        ({"rewrite": {"strategy": "sort", "columns": ["id"], "engine": "arrow"}}, "/rewrite/engine"),
        ({"rewrite": {"engine": "native"}}, "/rewrite/engine"),
        ({"maintenance": expiry}, "/maintenance/expire_snapshots"),
    ):
        problems = (await plain.govern(policy, status=422))["errors"]
        assert pointer in {problem["pointer"] for problem in problems}
    (problem,) = (await plain.submit(operation="expire_snapshots", status=422))["errors"]
    assert (problem["pointer"], problem["message"]) == ("/operation", "plain tables have rewrites only")


async def test_the_coordinator_starts_what_is_due(plain: Plain) -> None:
    ids = plain.lake.ids()
    rule = {"name": "few", "all": [{"metric": "small_file_count", "at_least": 5}]}
    await plain.govern({"triggers": [rule], "schedule": {"min_interval": "0s"}})
    (run,) = await plain.look()
    await plain.api.container.worker.advance(run.id)
    assert (await plain.api.get(f"/v1/runs/{run.id}"))["state"] == "succeeded"
    assert (len(plain.lake.paths()), plain.lake.ids()) == (3, ids)


async def test_sources_that_another_writer_removes_cost_their_group_only(
    plain: Plain, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = PlainCommits.commit

    def commit(table: PlainCommits, *args: Any, **kwargs: Any) -> Any:
        monkeypatch.setattr(PlainCommits, "commit", real)
        plain.lake.remove("2026-11-02")
        return real(table, *args, **kwargs)

    monkeypatch.setattr(PlainCommits, "commit", commit)
    run = await plain.api.rewrite(plain.table_id)
    assert (run.state, run.result.added_files) == (RunState.SUCCEEDED, 2)
    days = {path.split("day=")[1][:10] for path in plain.lake.paths()}
    assert days == {"2026-11-01", "2026-11-03"}
    assert len(set(plain.lake.ids())) == len(plain.lake.ids()) > 0


async def test_a_table_that_can_not_go_back_is_frozen_when_its_proof_fails(
    plain: Plain, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = PlainCommits.prove

    def prove(table: PlainCommits, snapshot_id: int, groups: Sequence[WrittenGroup]) -> Verification:
        found = real(table, snapshot_id, groups)
        return replace(found, ok=False, checks=(replace(found.checks[0], holds=False), *found.checks[1:]))

    monkeypatch.setattr(PlainCommits, "prove", prove)
    run = await plain.api.rewrite(plain.table_id)
    assert run.state is RunState.FAILED
    assert "tables of this format can't go back to an earlier snapshot" in (run.detail or "")
    table = await plain.api.get(f"/v1/tables/{plain.table_id}")
    assert table["freeze"]["run_id"] == run.id
    assert table["freeze"]["parent_snapshot_id"] is None
    await plain.submit(status=409)
