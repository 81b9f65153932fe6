"""Whole rewrites through the Iceberg project's own REST catalog, with answers lost and tokens refused on the way."""

import asyncio
import itertools
import re
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from uuid import UUID

import httpx
import pytest
from redis.asyncio import Redis

from engine.domain.access.callers import SYSTEM
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, RunState
from engine.domain.tables.table import TableRef
from engine.formats.iceberg import IcebergFormat, IcebergTable
from tests.support.faulty_proxy import LOST, FaultyProxy, Request, Verdict
from tests.support.iceberg_tables import commit_deletes, delete_file
from tests.support.moved_clock import MovedClock
from tests.support.removal_runs import COMPACTIONS, nothing_needed_is_missing, two_rewrites
from tests.support.version_3 import commit_vectors, lineage, touch
from tests.support.world import NAME, SCHEMA, World, open_world


@pytest.fixture
def proxy(iceberg_rest_url: str) -> Iterator[FaultyProxy]:
    """Stands between Packhouse and the catalog."""
    with FaultyProxy(iceberg_rest_url).running() as running:
        yield running


@pytest.fixture
async def world(
    proxy: FaultyProxy, sqlite_url: str, redis: Redis, redis_url: str, tmp_path: Path
) -> AsyncIterator[World]:
    """A lake in the catalog: writers go to it directly, Packhouse through the proxy."""
    lake = {"settings": {"type": "rest", "uri": proxy.target}, "registered": {"type": "rest", "uri": proxy.url}}
    async with open_world(tmp_path / "world", database_url=sqlite_url, redis_url=redis_url, **lake) as opened:
        yield opened
        await asyncio.to_thread(opened.lake.catalog.drop_table, NAME)
        opened.lake.catalog.close()


LIFETIME = b'{"idempotency-key-lifetime": "PT30M", '


def once(status: int) -> Verdict:
    """Return a verdict that answers the first commit with a status."""
    left = [status]

    def verdict(request: Request) -> int | None:
        return left.pop() if request.is_commit and left else None

    return verdict


async def test_a_table_is_rewritten_and_proven(world: World, proxy: FaultyProxy) -> None:
    rows = world.lake.rows()
    run = await world.rewrite()
    assert (run.state, run.result.groups_committed) == (RunState.SUCCEEDED, 3), run.detail
    assert (len(world.lake.paths()), world.lake.rows()) == (3, rows)
    assert proxy.commits == len(world.lake.replaces()) == 1
    assert not any("Idempotency-Key" in each.headers for each in proxy.requests)


@pytest.mark.parametrize(
    "status", [LOST, 503, *(pytest.param(each, marks=pytest.mark.deep) for each in (500, 502, 504))]
)
async def test_an_answer_lost_after_the_commit_is_found_in_the_table(
    world: World, proxy: FaultyProxy, status: int
) -> None:
    """F14: the commit took effect, nobody said so."""
    rows = world.lake.rows()
    proxy.after = once(status)
    run = await world.rewrite()
    assert (run.state, run.attempt) == (RunState.SUCCEEDED, 1), run.detail
    assert proxy.commits == len(world.lake.replaces()) == 1
    assert world.lake.rows() == rows


@pytest.mark.parametrize("operation", [Operation.REWRITE, Operation.REWRITE_DELETES])
@pytest.mark.parametrize(
    "status", [LOST, *(pytest.param(each, marks=pytest.mark.deep) for each in (500, 502, 503, 504))]
)
async def test_a_lost_answer_costs_no_row_its_id_in_version_three(
    world: World, proxy: FaultyProxy, status: int, operation: Operation
) -> None:
    """F14: the rows, ids and numbers are those from before, and the ids that the snapshot took are not given again."""
    with closing(IcebergFormat().connect("lake", {"type": "rest", "uri": proxy.target})) as connection:
        load = partial(connection.open_table, TableRef("lake", NAME[:1], NAME[1]))
        upgrade_with_deletes(world, load)
        await world.set_policy({"maintenance": {"rewrite_deletes": {"interval": "1h", "at_least_files": 1}}})
        rows, before = world.lake.rows(), lineage(load())
        known = {each.snapshot_id for each in world.lake.table.snapshots()}
        proxy.after = once(status)
        run = await world.finish((await world.submit(RunRequest(operation))).id)
        assert (run.state, run.attempt, proxy.commits) == (RunState.SUCCEEDED, 1, 1), run.detail
        (snapshot,) = {each.snapshot_id for each in world.lake.table.snapshots()} - known
        assert world.lake.snapshots_of(run.id) == {snapshot}
        stays = set(world.lake.ids()) if operation is Operation.REWRITE else before.keys()  # deleted rows are dropped
        after = {key: value for key, value in before.items() if key in stays}
        assert (len(before) - len(rows), world.lake.rows(), lineage(load())) == (7, rows, after)
        following = load()._view.metadata.next_row_id
        touch(load())
        head = load()._view.head
        assert head is not None
        assert (head.first_row_id, lineage(load())) == (following, after)


def upgrade_with_deletes(world: World, load: Callable[[], IcebergTable]) -> None:
    """Give the table version 3, with position deletes from before and two deletion vectors in one file."""
    tasks = sorted(world.lake.table.scan().plan_files(), key=lambda task: task.file.file_path)
    for task in tasks[:3]:
        file = delete_file(world.lake.table, [(task.file.file_path, 1)], partition=task.file.partition)
        commit_deletes(world.lake.table, file)
    upgrade = {"requirements": [], "updates": [{"action": "upgrade-format-version", "format-version": 3}]}
    address = f"{world.lake.catalog.properties['uri']}/v1/namespaces/{NAME[0]}/tables/{NAME[1]}"
    httpx.post(address, json=upgrade).raise_for_status()
    touch(load())  # a commit gives every file row ids
    commit_vectors(load(), {task.file.file_path: [0, 4] for task in tasks[3:5]})


@pytest.mark.parametrize("status", [LOST, 429, *(pytest.param(each, marks=pytest.mark.deep) for each in (500, 503))])
async def test_a_commit_that_never_arrived_is_sent_again(world: World, proxy: FaultyProxy, status: int) -> None:
    rows = world.lake.rows()
    proxy.before = once(status)
    run = await world.rewrite()
    assert (run.state, run.attempt) == (RunState.SUCCEEDED, 1), run.detail
    assert (proxy.commits, len(world.lake.replaces())) == (2, 1)
    assert world.lake.rows() == rows


async def test_f39_history_is_counted_across_snapshots_that_the_catalog_removed(world: World) -> None:
    """Iceberg's own catalog keeps the ids of removed parents, and forgets the log of earlier snapshots."""
    clock = await MovedClock.of(world.container.database)
    await two_rewrites(world)
    await clock.pass_by(hours=2)
    keeps_four = {"older_than": "1h", "keep_last": 4, "interval": "1h"}
    await world.set_policy({"maintenance": {"delete_old_compactions": COMPACTIONS, "expire_snapshots": keeps_four}})
    for operation, left in ((Operation.DELETE_OLD_COMPACTIONS, 7), (Operation.EXPIRE_SNAPSHOTS, 4)):
        run = await world.finish((await world.submit(RunRequest(operation))).id)
        assert (run.state, len(world.lake.table.snapshots())) == (RunState.SUCCEEDED, left), run.detail
    retained = {each.snapshot_id for each in world.lake.table.snapshots()}
    assert any(each.parent_snapshot_id not in {None, *retained} for each in world.lake.table.snapshots())
    assert nothing_needed_is_missing(world)


async def test_a_commit_that_is_sent_twice_has_one_key(world: World, proxy: FaultyProxy) -> None:
    """Iceberg's own server recognizes a repeated request by it, and answers as it did to the first."""
    refusals, sent = [401], list[Request]()
    proxy.edit = lambda request, body: body.replace(b"{", LIFETIME, 1) if "/v1/config" in request.path else body
    await use_properties(world, {"uri": proxy.url})

    def refuse_once(request: Request) -> int | None:
        if not request.is_commit:
            return None
        sent.append(request)
        return refusals.pop() if refusals else None

    proxy.before = refuse_once
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED, run.detail
    first, second = (each.headers["Idempotency-Key"] for each in sent)
    assert first == second
    assert UUID(first).version == 7
    head = world.lake.table.metadata_location
    again = await asyncio.to_thread(
        httpx.post, proxy.target + sent[1].path, content=sent[1].body, headers=sent[1].headers
    )
    assert (again.status_code, again.json()["metadata-location"]) == (200, head)
    assert (len(world.lake.replaces()), world.lake.table.metadata_location) == (1, head)


async def test_appends_that_are_faster_cost_only_tries(world: World, proxy: FaultyProxy) -> None:
    """The catalog itself answers 409: the head moved between our look and our commit."""
    races = itertools.count()

    def append_first(request: Request) -> int | None:
        if request.is_commit and next(races) < 3:
            world.lake.append(day="2026-11-01")
        return None

    proxy.before = append_first
    before = len(world.lake.ids())
    run = await world.rewrite()
    assert (run.state, run.attempt) == (RunState.SUCCEEDED, 1), run.detail
    assert proxy.commits == 4
    assert len(world.lake.ids()) == len(set(world.lake.ids())) == before + 150


async def test_a_catalog_that_is_away_puts_the_run_back_and_it_ends_later(world: World, proxy: FaultyProxy) -> None:
    run = await world.submit()
    proxy.before = lambda _: 503
    await world.container.worker.advance(run.id)
    assert (await world.get(run.id)).state is RunState.QUEUED
    proxy.before = lambda _: None
    assert (await world.finish(run.id)).state is RunState.SUCCEEDED


@pytest.mark.parametrize("status", [401, 419])
async def test_a_token_that_expires_four_times_is_renewed_and_the_run_does_not_notice(
    world: World, proxy: FaultyProxy, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    monkeypatch.setenv("TEST_CATALOG_SECRET", "packhouse:secret")
    office = TokenOffice(status)
    proxy.before, proxy.after = office.before, office.after
    office.lifetime = 1
    for step in ("planned", "rewriting", "before_commit", "after_commit"):
        world.at(step, office.expire)
    tokens = {"credential": "env:TEST_CATALOG_SECRET", "oauth2-server-uri": f"{proxy.url}/v1/oauth/tokens"}
    await use_properties(world, {"uri": proxy.url} | tokens)
    run = await world.rewrite()
    assert (run.state, run.attempt) == (RunState.SUCCEEDED, 1), run.detail
    assert (office.issued > 4, office.refused >= 4) == (True, True)
    assert len(world.lake.replaces()) == 1


async def test_a_token_that_expires_for_good_fails_the_run_and_says_why(
    world: World, proxy: FaultyProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody can renew a token without a credential: the commit is refused, which is a definite answer."""
    monkeypatch.setenv("TEST_CATALOG_SECRET", "fixed")
    office = TokenOffice()
    proxy.before = office.before
    world.at("before_commit", office.expire)
    await use_properties(world, {"uri": proxy.url, "token": "env:TEST_CATALOG_SECRET"})
    run = await world.rewrite()
    assert (run.state, run.attempt) == (RunState.FAILED, 1)
    assert "credentials" in (run.detail or "")
    assert world.lake.replaces() == []


@pytest.mark.parametrize("change", ["dropped", "renamed", "replaced"])
@pytest.mark.parametrize("step", ["planned", "group_written", "before_commit"])
async def test_a_table_that_leaves_its_name_in_the_midst_of_a_run_keeps_its_files(
    world: World, step: str, change: str
) -> None:
    """The run ends with a sentence; it commits nothing, and deletes no file but its own."""
    catalog, moved = world.lake.catalog, (NAME[0], "moved")
    paths, rows = set(world.lake.paths()), world.lake.rows()

    def leave() -> None:
        if change == "dropped":
            catalog.drop_table(NAME)
        else:
            catalog.rename_table(NAME, moved)
        if change == "replaced":
            catalog.create_table(NAME, catalog.load_table(moved).schema())

    world.at(step, leave)
    run = await world.rewrite()
    assert (run.is_terminal, run.state is RunState.SUCCEEDED) == (True, False)
    words = "dropped and created again" if change == "replaced" else "is no longer in its catalog|does not exist"
    assert re.search(words, run.detail or ""), (run.state, run.reason, run.detail)
    assert all(Path(each.removeprefix("file://")).exists() for each in paths)
    if change == "dropped":
        catalog.create_table(NAME, SCHEMA)  # what the fixture drops
        return
    kept = catalog.load_table(moved)
    assert (len(kept.snapshots()), kept.scan().to_arrow().num_rows) == (len(kept.snapshots()), len(rows))
    catalog.rename_table(moved, NAME) if change == "renamed" else catalog.drop_table(moved)


class TokenOffice:
    """Tokens that expire: after `expire` nothing passes until the catalog handed out a token again."""

    def __init__(self, status: int = 401) -> None:
        self.status = status
        self.lifetime = self.left = 10**6  # requests that a token is good for
        self.is_valid = True
        self.issued = 0
        self.refused = 0

    def expire(self) -> None:
        """Let the token that is used now be refused from here on."""
        self.is_valid = False

    def before(self, request: Request) -> int | None:
        """Refuse all that comes without a valid token."""
        has_token = request.headers.get("Authorization", "").startswith("Bearer ")
        if request.path.endswith("/oauth/tokens"):
            return None
        self.left -= 1
        if self.is_valid and has_token and self.left >= 0:
            return None
        self.refused += 1
        return self.status

    def after(self, request: Request) -> int | None:
        """Remember that a token was handed out."""
        if request.path.endswith("/oauth/tokens"):
            self.issued, self.is_valid, self.left = self.issued + 1, True, self.lifetime
        return None


async def use_properties(world: World, properties: dict[str, str]) -> None:
    """Reach the registered catalog by other properties."""
    async with world.container.database.read() as unit:
        registered = await unit.catalogs.get("lake")
    assert registered is not None
    await world.container.catalogs.replace(
        SYSTEM, "lake", {"type": "rest"} | properties, expected_version=registered.version
    )
