"""One table through two catalogs, and catalogs that answer with the identity of another table."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis

from engine.domain.access.callers import SYSTEM
from engine.domain.errors import StateConflict
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import RunState
from engine.domain.tables.table import FormatName, OutsideFiles, TableRef
from engine.formats.iceberg.commits import tries
from engine.services.operations.rewrite import commits
from tests.support.iceberg_tables import edit_metadata
from tests.support.rest_catalog import RestCatalogServer, _document
from tests.support.s3_server import BUCKET, S3Server
from tests.support.world import NAME, SCHEMA, SPEC, World, open_world

REF = TableRef("other", NAME[:1], NAME[1])


@pytest.fixture
async def world(
    request: pytest.FixtureRequest, sqlite_url: str, redis: Redis, redis_url: str, tmp_path: Path
) -> AsyncIterator[World]:
    settings: dict[str, Any] = {}
    if getattr(request, "param", None) == "s3":
        s3: S3Server = request.getfixturevalue("s3")
        own = {"type": "sql", "uri": f"sqlite:///{tmp_path}/catalog.db", "warehouse": f"s3://{BUCKET}/twice"}
        settings = {"settings": own | {"init_catalog_tables": "true"} | s3.properties("writer", "secret")}
        monkeypatch: pytest.MonkeyPatch = request.getfixturevalue("monkeypatch")
        monkeypatch.setenv("S3_KEY", "writer")
        keys = {"s3.access-key-id": "env:S3_KEY", "s3.secret-access-key": "env:S3_KEY"}
        settings["registered"] = own | {"s3.endpoint": s3.url, "s3.region": "us-east-1"} | keys
    async with open_world(tmp_path / "w", database_url=sqlite_url, redis_url=redis_url, **settings) as opened:
        yield opened


async def add_catalog(world: World, properties: dict[str, str], **options: Any) -> None:
    await world.container.catalogs.create(SYSTEM, "other", FormatName.ICEBERG, properties, **options)


async def register(world: World, ref: TableRef = REF) -> Any:
    return await world.container.tables.register(SYSTEM, ref, owner_team=None, labels={})


@pytest.mark.parametrize("outside", OutsideFiles)
async def test_one_table_is_registered_through_one_catalog_only(world: World, outside: OutsideFiles) -> None:
    with RestCatalogServer(catalog=world.lake.catalog).running() as server:  # type: ignore[arg-type]
        allowed = (world.lake.table.location().rpartition("/lake/")[0],)
        await add_catalog(world, {"type": "rest", "uri": server.uri}, allowed_locations=allowed, outside_files=outside)
        words = rf"registered as lake\.lake\.events already: both have the uuid {world.lake.uuid}"
        with pytest.raises(StateConflict, match=words):
            await register(world)


@pytest.mark.parametrize("world", ["s3"], indirect=True)
async def test_another_name_of_the_store_hides_no_second_registration(world: World, s3: S3Server) -> None:
    endpoint = {"s3.endpoint": s3.url.replace("127.0.0.1", "localhost")}
    await add_catalog(world, {**world.lake.properties, "catalog-name": "lake", **endpoint})
    with pytest.raises(StateConflict, match=r"registered as lake\.lake\.events already"):
        await register(world)


async def test_a_table_with_the_uuid_of_another_changes_neither(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The catalog lies: its own comparison of the uuid, or ours, refuses the commit."""
    monkeypatch.setattr(tries, "MAX_TRIES", 2)  # each is refused
    monkeypatch.setattr(commits, "LOOK_PAUSES", (0.0, 0.0))
    catalog, rows = world.lake.catalog, world.lake.rows()

    def add() -> bytes:
        table = catalog.create_table((NAME[0], "double"), SCHEMA, partition_spec=SPEC)
        for _ in range(6):
            table.append(world.lake.table.scan().to_arrow())
        answer = _document(table)
        answer["metadata"]["table-uuid"] = world.lake.uuid
        return json.dumps(answer).encode()

    told = await asyncio.to_thread(add)
    before = set(world.lake.paths())
    with RestCatalogServer(catalog=catalog).running() as server:  # type: ignore[arg-type]
        server.answers[NAME[0], "double"] = told
        await add_catalog(world, {"type": "rest", "uri": server.uri})
        table = await register(world, TableRef("other", NAME[:1], "double"))
        run, _ = await world.container.runs.submit(SYSTEM, table.id, RunRequest())
        run = await world.finish(run.id)
        assert run.state is not RunState.SUCCEEDED, run.detail
        assert run.detail
    assert (set(world.lake.paths()), world.lake.rows()) == (before, rows)
    double = catalog.load_table((NAME[0], "double"))
    assert len(double.scan().to_arrow()) == 6 * len(rows)
    assert not [each for each in double.snapshots() if each.summary and each.summary.operation.value == "replace"]


async def test_a_rest_catalog_that_answers_with_a_table_elsewhere_is_named(world: World) -> None:
    """Its place is not what is wrong."""
    with RestCatalogServer(catalog=world.lake.catalog).running() as server:  # type: ignore[arg-type]
        await world.container.tables.delete(SYSTEM, world.table_id)
        await add_catalog(world, {"type": "rest", "uri": server.uri})
        table = await register(world)
        other = await asyncio.to_thread(world.lake.catalog.create_table, (NAME[0], "elsewhere"), SCHEMA)
        server.answers[NAME] = json.dumps(_document(other)).encode()
        run, _ = await world.container.runs.submit(SYSTEM, table.id, RunRequest())
        run = await world.finish(run.id)
        assert run.reason == "table_replaced"
        assert f"it is {other.metadata.table_uuid} now and was {world.lake.uuid}" in (run.detail or "")


async def test_a_catalog_that_answers_with_another_tables_uuid_is_named(world: World) -> None:
    other = "00000000-0000-0000-0000-000000000001"
    edit_metadata(world.lake.table, lambda body: body.update({"table-uuid": other}))
    run = await world.rewrite()
    assert (run.state, run.reason) == (RunState.FAILED, "table_replaced")
    assert f"it is {other} now and was" in (run.detail or "")
    assert world.lake.replaces() == []
