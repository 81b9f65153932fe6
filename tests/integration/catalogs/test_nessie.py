"""Nessie: branches in the address, its own names for warehouses, answers that are lost, and a history of its own."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from redis.asyncio import Redis

from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, RunState
from engine.formats.iceberg import IcebergFormat
from tests.support.faulty_proxy import LOST, FaultyProxy, Request
from tests.support.nessie_server import OTHER_WAREHOUSE, Nessie
from tests.support.world import NAME, World, make_lake, open_world


@pytest.fixture
async def proxied(
    nessie: Nessie, sqlite_url: str, redis: Redis, redis_url: str, tmp_path: Path
) -> AsyncIterator[tuple[World, FaultyProxy]]:
    """A lake on a branch of its own: writers go to the server directly, Packhouse through a proxy."""
    branch = nessie.branch(f"feature/{tmp_path.name}")
    with FaultyProxy(nessie.url, shows_itself=True).running() as proxy:
        lake = {
            "settings": nessie.writers(branch) | {"warehouse": OTHER_WAREHOUSE},
            "registered": nessie.properties(branch.replace(nessie.url, proxy.url)) | {"warehouse": OTHER_WAREHOUSE},
        }
        async with open_world(tmp_path / "world", database_url=sqlite_url, redis_url=redis_url, **lake) as world:
            yield world, proxy
            world.lake.catalog.close()


@pytest.mark.parametrize("status", [LOST, 503, pytest.param(504, marks=pytest.mark.deep)])
async def test_an_answer_that_is_lost_after_the_commit_is_found_on_the_branch(
    proxied: tuple[World, FaultyProxy], status: int
) -> None:
    """The prefix of the requests has a branch with a slash, and the name of a warehouse."""
    world, proxy = proxied
    rows, left = world.lake.rows(), [status]

    def once(request: Request) -> int | None:
        return left.pop() if request.is_commit and left else None

    proxy.after = once
    run = await world.rewrite()
    assert (run.state, run.attempt) == (RunState.SUCCEEDED, 1), run.detail
    assert (proxy.commits, len(world.lake.replaces()), world.lake.rows()) == (1, 1, rows)
    (commit,) = [each for each in proxy.requests if each.is_commit]
    assert commit.path.startswith("/iceberg/v1/feature%2F")
    assert f"%7C{OTHER_WAREHOUSE}/" in commit.path


async def test_a_commit_that_is_no_longer_shown_keeps_its_files(
    nessie: Nessie, proxied: tuple[World, FaultyProxy]
) -> None:
    """The server shows the current snapshot alone: after an append, that of a commit without an answer is not found."""
    world, proxy = proxied
    rows, copies = world.lake.rows(), list[str]()

    def lose(request: Request) -> int | None:
        if not request.is_commit or copies:
            return None
        copies.append(nessie.branch_of(branch_in(world)))
        world.lake.append(day="2026-11-01")
        return LOST

    proxy.after = lose
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED, run.detail
    assert len(set(world.lake.ids())) == len(world.lake.ids()) == len(rows) + 50
    assert (await asyncio.to_thread(read_on, nessie, copies[0]))[1] == rows


async def test_a_commit_is_known_although_another_one_hides_it(proxied: tuple[World, FaultyProxy]) -> None:
    world, proxy = proxied
    before = len(world.lake.ids())
    world.at("after_commit", lambda: world.lake.append(day="2026-11-01"))
    run = await world.rewrite()
    assert (run.state, run.result.groups_committed, proxy.commits) == (RunState.SUCCEEDED, 3, 1), run.detail
    assert len(set(world.lake.ids())) == len(world.lake.ids()) == before + 50


async def test_a_rewrite_changes_its_branch_alone(nessie: Nessie, proxied: tuple[World, FaultyProxy]) -> None:
    world, _ = proxied
    copy = nessie.branch_of(branch_in(world))
    before = await asyncio.to_thread(read_on, nessie, copy)
    assert (await world.rewrite()).state is RunState.SUCCEEDED
    assert await asyncio.to_thread(read_on, nessie, copy) == before
    assert before[1] == world.lake.rows()


def branch_in(world: World) -> str:
    """Return the branch of a lake as its address has it."""
    return world.lake.properties["uri"].rpartition("/")[2]


def read_on(nessie: Nessie, uri: str) -> tuple[int | None, list[str]]:
    """Return the snapshot and the rows of the table on a branch, as a client reads them that knows only the branch."""
    table = nessie.catalog(uri).load_table(NAME)
    return table.metadata.current_snapshot_id, sorted(map(repr, table.scan().to_arrow().to_pylist()))


async def test_no_snapshot_expires_that_another_branch_may_need(proxied: tuple[World, FaultyProxy]) -> None:
    world, _ = proxied
    before = len(world.lake.table.snapshots())
    await world.set_policy({"maintenance": {"expire_snapshots": {"older_than": "1s", "keep_last": 1}}})
    run = await world.finish((await world.submit(RunRequest(Operation.EXPIRE_SNAPSHOTS))).id)
    assert run.state is RunState.REFUSED
    assert "as those of Nessie do" in (run.detail or "")
    assert len(world.lake.table.snapshots()) == before


@pytest.mark.parametrize(
    ("wrong", "step", "named"),
    [
        ({"warehouse": "nowhere"}, "open_catalog", "Warehouse 'nowhere' is not known"),
        ({"uri": "/iceberg/nowhere"}, "list_namespaces", "Named reference 'nowhere' not found"),
        ({"uri": "/elsewhere"}, "open_catalog", "check `uri`"),
        ({"uri": "/api/v2"}, "open_catalog", "check `uri`"),
    ],
)
def test_check_names_a_wrong_setting(nessie: Nessie, wrong: dict[str, str], step: str, named: str) -> None:
    right = nessie.writers(f"{nessie.url}/iceberg")
    wrong = {name: f"{nessie.url}{value}" if name == "uri" else value for name, value in wrong.items()}
    *_, last = IcebergFormat().connect("lake", right | wrong).check()
    assert (last.name, last.ok) == (step, False)
    assert named in last.detail


def test_a_server_that_gives_itself_another_address_is_not_followed(nessie: Nessie) -> None:
    """As Nessie does behind a proxy that does not pass on its own name."""
    with FaultyProxy(nessie.url).running() as proxy:
        *_, last = IcebergFormat().connect("lake", nessie.writers(f"{proxy.url}/iceberg")).check()
    assert (last.name, last.ok) == ("open_catalog", False)
    assert "names another server" in last.detail
    assert nessie.url in last.detail


def test_a_table_of_nested_namespaces_with_dots_is_found(nessie: Nessie, tmp_path: Path) -> None:
    uri = nessie.branch()
    lake = make_lake(tmp_path, days=1, files=1, settings=nessie.writers(uri))
    nested = ("lake", "of.2026")
    lake.catalog.create_namespace(nested)
    lake.catalog.rename_table(NAME, (*nested, "events"))
    connection = IcebergFormat().connect("lake", nessie.writers(uri))
    assert connection.list_tables(10).identifiers == ((*nested, "events"),)
