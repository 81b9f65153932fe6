"""Compaction of tables in JDBC catalogs: the core prepares commits, which are published under the catalog's lock."""

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.domain.errors import Away, OutcomeUnknown, StateConflict, Transient
from engine.formats.base import CommitRequest, Engine
from engine.formats.intake.table_storage import TableStorage
from engine.formats.paimon.catalog import locks
from engine.formats.paimon.rewrite import table_commits
from tests.integration.paimon.catalog_commits import CatalogCommits
from tests.support.format_subjects import LocalTasks
from tests.support.paimon.commits import ids, keyed, sent, values
from tests.support.paimon.jdbc_lakes import KEY, ON_ALL, CatalogHome, JdbcLake, postgres_home
from tests.support.paimon.lakes import PaimonLake
from tests.support.paimon.rewrites import RUN, compacted_by_packhouse, opened, rewritten
from tests.support.paimon.worlds import rewritten_beside_a_twin
from tests.support.postgres_server import PostgresServer

pytestmark = pytest.mark.usefixtures("core_child")


@pytest.fixture
def lake(jdbc_lake: JdbcLake) -> JdbcLake:
    return keyed(jdbc_lake)


@pytest.mark.parametrize("engine", [Engine.ARROW, Engine.NATIVE])
def test_an_append_table_is_compacted_by_both_engines(jdbc_lake: JdbcLake, engine: Engine) -> None:
    lake = jdbc_lake.create()
    for number in range(4):
        lake.write([[number, "a", 1.5]])
    rows = values(lake)
    compacted_by_packhouse(lake, engine=engine)
    assert (values(lake), ids(lake)) == (rows, [1, 2, 3, 4, 5])


def test_without_a_table_of_locks_the_core_commits(jdbc_lake: JdbcLake) -> None:
    lake = keyed(replace(jdbc_lake, with_lock=False))
    rows = values(lake)
    compacted_by_packhouse(lake)
    assert (values(lake), ids(lake)) == (rows, [1, 2, 3, 4])
    table = opened(replace(lake, more={"lock.enabled": "true"}))
    with pytest.raises(StateConflict, match=r"lock\.enabled is true"):
        table.commits.commit(CommitRequest(RUN, 1, 4, table.schema_id, ()), before_try=lambda: None)


@ON_ALL
def test_a_writer_with_the_lock_delays_the_commit(lake: JdbcLake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "WAIT_SECONDS", 1.0)
    table, rows = opened(lake), values(lake)
    groups = rewritten(table, full=True)
    assert lake.lock()
    tried: list[int] = []
    with pytest.raises(Transient, match=f"another writer holds the catalog's lock {KEY}"):
        sent(lake, table, groups, tried)
    assert (ids(lake), tried) == ([1, 2, 3], [])
    lake.unlock()
    assert sent(lake, table, groups, tried).snapshot_id == 4
    assert (values(lake), len(tried)) == (rows, 1)


def test_after_lost_races_the_lock_is_held_while_a_commit_is_prepared(
    lake: JdbcLake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A writer that is faster than the preparation would win every race."""
    table, rows, late = opened(lake), values(lake), list[list[Any]]()
    groups, real = rewritten(table, full=True), LocalTasks.run

    def run(self: LocalTasks, request: str) -> str:
        answer = real(self, request)
        if lake.lock():
            lake.unlock()
            late.append([100 + len(late), "2026-11-02", 7.5])
            lake.write(late[-1:])
        return answer

    monkeypatch.setattr(LocalTasks, "run", run)
    outcome = sent(lake, table, groups)
    assert (outcome.tries, len(late)) == (5, 4)
    assert (values(lake), ids(lake)) == (sorted([*rows, *late]), list(range(1, 9)))
    assert lake.lock_row() is None


def test_a_slow_preparation_does_not_hold_the_lock(lake: JdbcLake, monkeypatch: pytest.MonkeyPatch) -> None:
    """Spark can be busy for as long as it wants; writers wait for the lock meanwhile."""
    table, goes_on = opened(lake), threading.Event()
    groups, real = rewritten(table, full=True), LocalTasks.run

    def run(self: LocalTasks, request: str) -> str:
        goes_on.wait()
        return real(self, request)

    monkeypatch.setattr(table_commits, "_TRIES_WITHOUT_LOCK", 0)
    monkeypatch.setattr(locks, "USE_SECONDS", 0.2)
    monkeypatch.setattr(LocalTasks, "run", run)
    try:
        with pytest.raises(Transient, match=f"not prepared within 0 s under the catalog's lock {KEY}"):
            sent(lake, table, groups, tried := [])
        assert (lake.lock_row(), ids(lake), tried) == (None, [1, 2, 3], [])
    finally:
        goes_on.set()


class TestCommits(CatalogCommits):
    """As in every catalog whose snapshots the worker publishes."""


class TestAway:
    """The database ends, or the store does not answer, between two steps."""

    @pytest.fixture
    def home(self, own_postgres: PostgresServer) -> CatalogHome:
        return postgres_home(own_postgres)

    def test_a_database_that_is_away_before_the_commit(self, lake: JdbcLake, own_postgres: PostgresServer) -> None:
        table = opened(lake)
        groups = rewritten(table, full=True)
        own_postgres.halt()
        tried: list[int] = []
        with pytest.raises(Away):
            table.commits.commit(CommitRequest(RUN, 1, 3, table.schema_id, groups), before_try=lambda: tried.append(1))
        own_postgres.resume()
        assert tried == []
        request = CommitRequest(RUN, 1, 3, table.schema_id, groups)
        assert table.commits.commit(request, before_try=lambda: None).snapshot_id == 4

    def test_a_database_that_ends_while_the_snapshot_is_published(
        self, lake: JdbcLake, own_postgres: PostgresServer
    ) -> None:
        """The commit counts; the row of the lock is left until it expires."""
        table = opened(lake)
        groups = rewritten(table, full=True)
        outcome = table.commits.commit(CommitRequest(RUN, 1, 3, table.schema_id, groups), before_try=own_postgres.halt)
        own_postgres.resume()
        assert outcome.snapshot_id == 4
        row = lake.lock_row()
        assert row is not None
        lake.home.age_lock(row.expire_seconds + 2)
        lake.connect()  # connections of the old server are of no use
        lake.write([[99, "2026-11-01", 9.5]])
        assert lake.open().head_snapshot_id == 5


def test_a_core_that_can_not_prepare_commits_nothing(lake: JdbcLake) -> None:
    """Unlike a commit by the core, a lost answer leaves no doubt."""
    table = opened(lake)
    groups = rewritten(table, full=True)
    for each in lake.folder.rglob(f"*{RUN}*"):
        each.unlink()
    with pytest.raises(Transient, match="the core could not prepare a commit, nothing was committed: "):
        sent(lake, table, groups, tried := [])
    assert (tried, ids(lake), lake.lock_row()) == ([], [1, 2, 3], None)


@pytest.mark.parametrize("appears", [True, False])
def test_a_write_without_an_answer_is_looked_up(lake: JdbcLake, monkeypatch: pytest.MonkeyPatch, appears: bool) -> None:
    """If the snapshot is missing, it may still appear: the lock stays until it expires."""
    table = opened(lake)
    groups, real = rewritten(table, full=True), TableStorage.publish

    def lost(self: TableStorage, path: str, body: bytes) -> None:
        if appears:
            real(self, path, body)
        raise OSError("no answer")

    monkeypatch.setattr(TableStorage, "publish", lost)
    if appears:
        assert sent(lake, table, groups).snapshot_id == 4
        assert lake.lock_row() is None
    else:
        with pytest.raises(OutcomeUnknown, match="snapshot 4 may still appear"):
            sent(lake, table, groups)
        assert not lake.lock()


def test_a_snapshot_never_replaces_one_that_a_writer_without_the_lock_commits(
    lake: JdbcLake, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, rows = opened(lake), values(lake)
    groups, real = rewritten(table, full=True), TableStorage.publish
    bystander = PaimonLake(lake.core, lake.root.with_name("same"))  # the same folder as a filesystem warehouse
    bystander.root.symlink_to(lake.root)

    def late(self: TableStorage, path: str, body: bytes) -> None:
        if path.endswith("snapshot-4"):
            bystander.write([[100, "2026-11-02", 7.5]])
        real(self, path, body)

    monkeypatch.setattr(TableStorage, "publish", late)
    assert sent(lake, table, groups).snapshot_id == 5
    assert values(lake) == sorted([*rows, [100, "2026-11-02", 7.5]])
    assert list((lake.folder / "snapshot").glob(".*")) == []


@pytest.mark.usefixtures("redis")
async def test_a_whole_run_registers_measures_and_compacts(
    jdbc_lake: JdbcLake, sqlite_url: str, redis_url: str, tmp_path: Path
) -> None:
    await rewritten_beside_a_twin(jdbc_lake.connect(), tmp_path, database_url=sqlite_url, redis_url=redis_url)
    assert jdbc_lake.lock_row() is None
