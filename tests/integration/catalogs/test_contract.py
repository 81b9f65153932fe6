"""The contract of every kind of Iceberg catalog: discovered, registered, rewritten, kept, and killed at the commit."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from pyiceberg.exceptions import BadRequestError, NoSuchTableError
from redis.asyncio import Redis

from engine.domain.access.callers import SYSTEM
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, RunState
from engine.domain.tables.table import TableRef
from tests.support.attempts import resumed_from
from tests.support.catalog_kinds import DEEP, KINDS, lake_in
from tests.support.catalog_story import played
from tests.support.world import NAME, SCHEMA, SPEC, World, open_world

KNOWS_NO_VERSION_3 = ("nessie",)
OWN_HISTORY = ("nessie",)
"""Kinds with a history of their own, which show the current snapshot alone and let none expire."""
SHALLOW = (("glue", "made again"), ("glue", "made again elsewhere"), ("hive_4", "dropped"), ("rest", "moved"))
"""Changes of a table, each in one kind, that are not left to the deep suite."""
OPEN_NAMES = (
    *(("lake", "a.b"), ("lake", "größe"), ("lake", "UPPER"), ("lake", "n" * 255)),
    *(("one", "two", "three", "t"), ("größe", "in ner", "t"), ("x" * 255, "t")),
)
NAMES: dict[str, tuple[tuple[str, ...], ...]] = {
    **dict.fromkeys(("sql", "rest", "signed_rest", "nessie"), OPEN_NAMES),
    "glue": (*OPEN_NAMES[:4], ("größe", "t")),
    **dict.fromkeys(("hive_2", "hive_3"), (("lake", "n" * 128), ("lake", "select"))),  # locks have no longer names
    "hive_4": (("lake", "with space"), ("lake", "n" * 255), ("lake", "select")),
}
"""Addresses that each kind has: levels, dots, letters, lengths."""
KEEPS_ONE: dict[str, Any] = {
    "maintenance": {"expire_snapshots": {"older_than": "1h", "keep_last": 1, "interval": "1h"}}
}


@pytest.fixture(params=[pytest.param(kind, marks=[pytest.mark.deep] * (kind in DEEP)) for kind in KINDS])
async def world(
    request: pytest.FixtureRequest, sqlite_url: str, redis: Redis, redis_url: str, tmp_path: Path
) -> AsyncIterator[World]:
    with lake_in(request.param, request, tmp_path) as lake:
        async with open_world(tmp_path / "world", database_url=sqlite_url, redis_url=redis_url, **lake) as opened:
            yield opened
            await asyncio.to_thread(opened.lake.catalog.drop_table, NAME)
            opened.lake.catalog.close()


async def test_a_table_is_discovered_rewritten_and_kept(world: World, request: pytest.FixtureRequest) -> None:
    rows, upkeep = world.lake.rows(), (Operation.REWRITE_MANIFESTS, Operation.EXPIRE_SNAPSHOTS)
    rewrite, *others = await played(world, KEEPS_ONE, upkeep, dies_at=None)
    assert (rewrite["state"], rewrite["result"]["groups_committed"]) == ("succeeded", 3), rewrite["detail"]
    (proof,) = rewrite["result"]["verifications"]
    assert "all_else_unchanged" in {each["name"] for each in proof["checks"]}, "compared with the parent"
    keeps_all = any(f"[{each}]" in request.node.name for each in OWN_HISTORY)
    assert [each["state"] for each in others] == ["succeeded", "refused" if keeps_all else "succeeded"], others
    assert not any("has expired" in (each["detail"] or "") for each in others)
    assert (len(world.lake.paths()), world.lake.rows()) == (3, rows)
    assert len(world.lake.table.snapshots()) == 1


@pytest.mark.parametrize(
    "world", [pytest.param(kind, marks=[pytest.mark.deep] * (kind != "rest")) for kind in NAMES], indirect=True
)
async def test_odd_names_are_discovered_and_rewritten(world: World, request: pytest.FixtureRequest) -> None:
    catalog, rows = world.lake.catalog, world.lake.table.scan().to_arrow().slice(0, 7)
    addresses = NAMES[request.node.callspec.params["world"]]
    connection = await world.container.formats.connect(await world.container.catalogs.get(SYSTEM, "lake"))
    for address in addresses:
        for level in range(1, len(address)):
            catalog.create_namespace_if_not_exists(address[:level])
        catalog.create_table(address, SCHEMA, partition_spec=SPEC)
        catalog.load_table(address).append(rows)
        catalog.load_table(address).append(rows)
    found = await asyncio.to_thread(connection.list_tables, 100)
    assert set(found.identifiers) == {NAME, *addresses}
    for address in addresses:
        ref = TableRef("lake", address[:-1], address[-1])
        assert (await asyncio.to_thread(connection.pointers, [ref])).keys() == {ref}
        table = await world.container.tables.register(SYSTEM, ref, owner_team=None, labels={})
        await world.set_policy({"rewrite": {"min_input_files": 2}}, table.id)
        run, _ = await world.container.runs.submit(SYSTEM, table.id, RunRequest())
        run = await world.finish(run.id)
        assert run.state is RunState.SUCCEEDED, (address, run.detail)
        written = catalog.load_table(address)
        assert (len(list(written.scan().plan_files())), len(written.scan().to_arrow())) == (1, 14)
        catalog.drop_table(address)


@pytest.mark.parametrize("step", ["before_commit", "after_commit"])
async def test_a_run_that_is_killed_at_the_commit_ends_with_one_snapshot(world: World, step: str) -> None:
    """What another process finds after the holder of the lease ended within the commit."""
    rows = world.lake.rows()
    run = await world.submit()
    done = await resumed_from(world, run, step)
    assert done.state is RunState.SUCCEEDED, done.detail
    assert (len(world.lake.replaces()), world.lake.rows()) == (1, rows)


async def test_an_append_at_the_commit_loses_no_row(world: World) -> None:
    before = len(world.lake.ids())
    world.at("before_commit", lambda: world.lake.append(day="2026-11-01"))
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED, run.detail
    assert len(set(world.lake.ids())) == len(world.lake.ids()) == before + 50


@pytest.mark.parametrize(
    ("world", "change"),
    [
        pytest.param(kind, change, marks=[pytest.mark.deep] * ((kind, change) not in SHALLOW))
        for kind in KINDS
        for change in ("dropped", "moved", "made again", "made again elsewhere")
    ],
    indirect=["world"],
)
async def test_a_table_that_is_another_one_at_the_commit_is_left_alone(world: World, change: str) -> None:
    catalog, table = world.lake.catalog, world.lake.table
    rows = table.scan().to_arrow().slice(0, 7)

    def act() -> None:
        catalog.drop_table(NAME)
        if change == "moved":
            catalog.register_table((NAME[0], "moved"), table.metadata_location)
        elif change != "dropped":
            location = f"{table.location()}{'-other' * change.endswith('elsewhere')}"
            catalog.create_table(NAME, SCHEMA, partition_spec=SPEC, location=location)
            world.lake.table.append(rows)

    world.at("before_commit", act)
    run = await world.rewrite()
    assert run.state in (RunState.FAILED, RunState.REFUSED), run.detail
    if change.startswith("made again"):
        assert "created again" in str(run.detail) or "register the table again" in str(run.detail)
        assert (world.lake.table.scan().to_arrow().num_rows, world.lake.replaces()) == (7, [])
        return
    assert run.reason == "not_found", run.detail
    if change == "moved":
        moved = catalog.load_table((NAME[0], "moved"))
        assert (moved.metadata_location, moved.scan().to_arrow().num_rows) == (table.metadata_location, 945)
        catalog.drop_table((NAME[0], "moved"))
    catalog.create_table(NAME, SCHEMA)  # which the fixture drops


async def test_pointers_follow_every_commit_and_leave_out_what_is_not_there(world: World) -> None:
    catalog = await world.container.catalogs.get(SYSTEM, "lake")
    connection = await world.container.formats.connect(catalog)
    present, absent = TableRef("lake", NAME[:1], NAME[1]), TableRef("lake", NAME[:1], "none")
    asked = [present, absent, *(TableRef("lake", each, NAME[1]) for each in ((NAME[0], "inner"), ("nowhere",)))]
    before = await asyncio.to_thread(connection.pointers, asked)
    world.lake.append(day="2026-11-01")
    after = await asyncio.to_thread(connection.pointers, asked)
    assert before.keys() == after.keys() == {present}
    assert before != after
    with pytest.raises(NoSuchTableError):
        world.lake.catalog.load_table((NAME[0], "none"))


async def test_a_table_of_version_3_keeps_its_rows_and_gets_row_ids(
    world: World, request: pytest.FixtureRequest
) -> None:
    """Its metadata is written by Packhouse itself, whatever the catalog."""
    rows = await asyncio.to_thread(world.lake.rows)
    if any(f"[{each}]" in request.node.name for each in KNOWS_NO_VERSION_3):
        with pytest.raises(BadRequestError, match="spec version 3"):
            await asyncio.to_thread(upgraded, world)
        return
    await asyncio.to_thread(upgraded, world)
    run = await world.rewrite()
    assert (run.state, run.result.groups_committed) == (RunState.SUCCEEDED, 3), run.detail
    document = await asyncio.to_thread(document_of, world)
    newest = max(document["snapshots"], key=lambda each: each["sequence-number"])
    assert (document["format-version"], newest["first-row-id"], document["next-row-id"]) == (3, 0, len(rows))
    assert world.lake.rows() == rows


def upgraded(world: World) -> None:
    """Give the table metadata of version 3, by another metadata file that the catalog is made to name."""
    catalog, table = world.lake.catalog, world.lake.table
    document = {**document_of(world), "format-version": 3, "next-row-id": 0}
    location = f"{table.metadata_location.rpartition('/')[0]}/00100-{uuid4()}.metadata.json"
    with table.io.new_output(location).create() as output:
        output.write(json.dumps(document).encode())
    catalog.drop_table(NAME)
    catalog.register_table(NAME, location)


def document_of(world: World) -> dict[str, Any]:
    """Return the table's metadata as it is stored."""
    table = world.lake.table
    found: dict[str, Any] = json.loads(table.io.new_input(table.metadata_location).open().read())
    return found
