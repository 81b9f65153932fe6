"""Compaction of tables in Hive catalogs: the core prepares commits, which are published under the Metastore's lock."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from engine.domain.errors import OutcomeUnknown, Transient
from engine.domain.runs.run import RunState
from engine.formats.base import CommitRequest, Engine
from engine.formats.intake.catalogs.metastores import locks
from engine.formats.intake.table_storage import TableStorage
from tests.integration.paimon.catalog_commits import CatalogCommits
from tests.support.attempts import resumed_from
from tests.support.paimon.commits import ids, keyed, sent, values
from tests.support.paimon.lakes import PaimonLake
from tests.support.paimon.metastore_lakes import MetastoreLake
from tests.support.paimon.rewrites import RUN, compacted_by_packhouse, opened, rewritten
from tests.support.paimon.worlds import DAYS, KINDS, TwinLake, served
from tests.support.settings import settings_of
from tests.support.world import World, open_on

pytestmark = pytest.mark.usefixtures("core_child")


@pytest.fixture
def lake(metastore_lake: MetastoreLake) -> MetastoreLake:
    return keyed(metastore_lake)


class TestCommits(CatalogCommits):
    """As in every catalog whose snapshots the worker publishes."""


@pytest.mark.parametrize("engine", [Engine.ARROW, Engine.NATIVE])
def test_an_append_table_is_compacted_by_both_engines(metastore_lake: MetastoreLake, engine: Engine) -> None:
    lake = metastore_lake.create()
    for number in range(4):
        lake.write([[number, "a", 1.5]])
    rows, before = values(lake), lake.entry()
    compacted_by_packhouse(lake, engine=engine)
    assert (values(lake), ids(lake), lake.entry()) == (rows, [1, 2, 3, 4, 5], before)


def test_partitions_in_the_metastore_stay_as_writers_made_them(metastore_lake: MetastoreLake) -> None:
    """Paimon adds the partitions of new files; a compaction has none of others."""
    lake = metastore_lake.create(partition_keys=["day"], metastore__partitioned_table="true")
    for number in range(4):
        lake.write([[number, day, 1.5] for day in ("a", "b")])
    with lake.metastore.client() as client:
        before = client.get_partitions("lake", "events", -1)
    assert sorted(each.values for each in before) == [["a"], ["b"]]
    rows = values(lake)
    compacted_by_packhouse(lake)
    with lake.metastore.client() as client:
        assert client.get_partitions("lake", "events", -1) == before
    lake.write([[9, "c", 1.5]])
    assert values(lake) == sorted([*rows, [9, "c", 1.5]])


@pytest.mark.parametrize(
    ("given", "is_held"),
    [
        ({}, True),
        ({"lock.enabled": "false"}, False),
        ({"warehouse": "hdfs://h/w"}, False),
        ({"warehouse": "s3://b/w"}, True),
        ({"warehouse": "/w", "lock.enabled": "true"}, True),
    ],
)
def test_commits_take_the_lock_where_writers_do(
    metastore_lake: MetastoreLake, given: dict[str, str], is_held: bool
) -> None:
    lock = opened(replace(metastore_lake.create(), more=given)).commits.lock
    assert lock is not None
    assert lock.is_used() is is_held


def test_without_the_lock_the_core_commits(lake: MetastoreLake) -> None:
    rows = values(lake)
    assert lake.lock()
    compacted_by_packhouse(replace(lake, more={"lock.enabled": "false"}))
    lake.unlock()
    assert (values(lake), ids(lake)) == (rows, [1, 2, 3, 4])


def test_a_writer_with_the_lock_delays_the_commit(lake: MetastoreLake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "WAIT_SECONDS", 0.5)
    table, rows = opened(lake), values(lake)
    groups = rewritten(table, full=True)
    assert lake.lock()
    with pytest.raises(Transient, match=r"the lock of lake\.events is held by ada@flink-7"):
        sent(lake, table, groups, tried := [])
    assert (ids(lake), tried) == ([1, 2, 3], [])
    lake.unlock()
    assert sent(lake, table, groups, tried).snapshot_id == 4
    assert (values(lake), len(tried)) == (rows, 1)


def test_a_lock_that_the_metastore_has_ended_is_not_used(lake: MetastoreLake) -> None:
    """As its housekeeping does after `hive.txn.timeout`."""
    table = opened(lake)
    groups = rewritten(table, full=True)

    asked = CommitRequest(RUN, 1, 3, table.schema_id, groups)
    with pytest.raises(Transient, match=r"the Metastore has ended the lock of lake\.events"):
        table.commits.commit(asked, before_try=lake.unlock)
    assert ids(lake) == [1, 2, 3]


def test_a_snapshot_that_may_still_appear_leaves_the_lock_until_it_is_old(
    lake: MetastoreLake, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, rows = opened(lake), values(lake)
    groups, real = rewritten(table, full=True), TableStorage.publish

    def lost(_self: TableStorage, _path: str, _body: bytes) -> None:
        raise OSError("no answer")

    monkeypatch.setattr(TableStorage, "publish", lost)
    with capture_logs() as logs, pytest.raises(OutcomeUnknown, match="snapshot 4 may still appear"):
        sent(lake, table, groups)
    assert "catalog_lock_left" in [each["event"] for each in logs]
    assert str(lake.held_lock()).startswith(locks.AGENT)
    assert not lake.lock()
    monkeypatch.setattr(TableStorage, "publish", real)
    monkeypatch.setattr(locks, "LEFT_SECONDS", 0.0)
    assert sent(lake, table, groups).snapshot_id == 4
    assert (values(lake), lake.held_lock()) == (rows, None)


@pytest.fixture
async def world(
    metastore_lake: MetastoreLake, sqlite_url: str, redis_url: str, tmp_path: Path
) -> AsyncIterator[World[TwinLake]]:
    twins = TwinLake(KINDS["key"], metastore_lake.connect(), PaimonLake(metastore_lake.core, tmp_path / "twin"))
    twins.create()
    for turn in range(4):
        twins.write(DAYS[0], first=turn)
    settings = settings_of(
        tmp_path / "state", database_url=sqlite_url, redis_url=redis_url, lease_seconds=30, watch=False
    )
    async with open_on(twins, settings, formats=served) as opened:
        await opened.set_policy({"rewrite": {"min_input_files": 2, "key_tables": {"sorted_run_trigger": 3}}})
        yield opened


@pytest.mark.usefixtures("redis")
@pytest.mark.parametrize("step", ["before_commit", "after_commit"])
async def test_a_run_that_is_killed_at_the_commit_ends_with_one_snapshot(world: World[TwinLake], step: str) -> None:
    run = await world.submit()
    done = await resumed_from(world, run, step)
    assert done.state is RunState.SUCCEEDED, done.detail
    assert len(world.lake.snapshots_of(run.id)) == 1
    assert world.lake.rows() == world.lake.twin_rows()
    assert isinstance(world.lake.ours, MetastoreLake)
    assert world.lake.ours.held_lock() is None
