"""Paimon tables are compacted by tasks on a real Spark Connect server, committed and proven."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis

from engine.domain.access.callers import SYSTEM
from engine.domain.errors import Transient
from engine.domain.ids import TableId
from engine.domain.policies import PolicyDocument
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Run, RunState
from engine.domain.tables.table import FormatName, TableRef
from engine.embedded.jars import CACHE_FOLDER, PAIMON, PAIMON_S3, fetch_all
from engine.factory.container import open_container
from engine.factory.wiring import Container
from engine.settings.model import Settings
from engine.settings.values import reveal
from tests.support.paimon.commits import keyed
from tests.support.paimon.core import PaimonCore
from tests.support.paimon.jdbc_lakes import JdbcLake, postgres_home
from tests.support.paimon.lakes import PaimonLake
from tests.support.paimon.metastore_lakes import MetastoreLake
from tests.support.paimon.row_writers import RowWriter, check_rows
from tests.support.paimon.s3_lakes import S3Lake
from tests.support.postgres_server import PostgresServer
from tests.support.s3_server import Asked, S3Server
from tests.support.settings import settings_of

SECRETS = {
    "jdbc.password": "env:TEST_JDBC_PASSWORD",
    "s3.access-key-id": "env:TEST_S3_KEY",
    "s3.secret-access-key": "env:TEST_S3_SECRET",
}
DAYS = ("2026-11-01", "2026-11-02")


@pytest.fixture
def settings(sqlite_url: str, redis: Redis, redis_url: str, spark_url: str, tmp_path: Path) -> Settings:
    jar, s3_jar = (each.absolute() for each in fetch_all([PAIMON, PAIMON_S3], CACHE_FOLDER))
    return settings_of(
        tmp_path / "state",
        database_url=sqlite_url,
        redis_url=redis_url,
        spark_url=spark_url,
        paimon_jar=jar,
        paimon_s3_jar=s3_jar,
    )


@pytest.fixture
def lake(paimon_core: PaimonCore, tmp_path: Path) -> PaimonLake:
    return PaimonLake(paimon_core, tmp_path / "warehouse")


@dataclass
class Served:
    """A container with the table of a lake registered."""

    container: Container
    lake: PaimonLake | S3Lake
    table_id: TableId

    async def compacted(self, **request: Any) -> Run:
        run, _ = await self.container.runs.submit(SYSTEM, self.table_id, RunRequest(**request))
        await self.container.worker.advance(run.id)
        return await self.container.runs.get(SYSTEM, run.id)

    async def ended(self, run: Run) -> Run:
        """Advance a run until it ends, for at most ten seconds."""
        for _ in range(10):
            if run.is_terminal:
                break
            await asyncio.sleep(1.0)
            await self.container.worker.advance(run.id)
            run = await self.container.runs.get(SYSTEM, run.id)
        return run


@asynccontextmanager
async def served(
    settings: Settings, lake: PaimonLake | S3Lake, step: Callable[[str], None] = lambda _step: None
) -> AsyncIterator[Served]:
    async with open_container(settings, step=step) as container:
        properties = {name: SECRETS.get(name, value) for name, value in lake.properties.items()}
        await container.catalogs.create(SYSTEM, "lake", FormatName.PAIMON, properties)
        ref = TableRef("lake", ("lake",), lake.name)
        table = await container.tables.register(SYSTEM, ref, owner_team=None, labels={})
        yield Served(container, lake, table.id)


def values(lake: PaimonLake) -> Any:
    return lake.call("values")


def runs_by_bucket(lake: PaimonLake) -> dict[tuple[str, int], int]:
    """Count level-0 files and other levels by partition and bucket."""
    found: dict[tuple[str, int], set[Any]] = {}
    for row in lake.open().digest().to_pylist():
        run = row["path"] if row["level"] == 0 else row["level"]
        found.setdefault((row["partition"], row["bucket"]), set()).add(run)
    return {place: len(runs) for place, runs in found.items()}


@pytest.mark.deep
async def test_p24_a_bucket_is_merged_at_the_trigger_and_not_before(settings: Settings, lake: PaimonLake) -> None:
    lake.create(primary_keys=["id"], bucket="1", write_only="true")
    for turn in range(4):
        await asyncio.to_thread(lake.write, [[number, DAYS[0], turn + 0.5] for number in range(40)])
    async with served(settings, lake) as here:
        before = await here.compacted()
        await asyncio.to_thread(lake.write, [[7, DAYS[1], 9.5]])
        values_before = values(lake)
        after = await here.compacted()
    assert (before.state, before.reason) == (RunState.SKIPPED, "nothing_to_do")
    assert (after.state, after.reason) == (RunState.SUCCEEDED, "committed")
    assert values(lake) == values_before
    assert max(runs_by_bucket(lake).values()) < 5


@pytest.mark.parametrize("engine", ["arrow", pytest.param("native", marks=pytest.mark.deep)])
async def test_an_append_table_without_buckets_is_merged(settings: Settings, lake: PaimonLake, engine: str) -> None:
    lake.create(partition_keys=["day"])
    for turn in range(6):
        for day in DAYS:
            await asyncio.to_thread(lake.write, [[turn, day, number + 0.5] for number in range(40)])
    before = values(lake)
    async with served(settings, lake) as here:
        document = PolicyDocument.model_validate({"rewrite": {"engine": engine}})
        await here.container.policies.replace(SYSTEM, here.table_id, document, if_none_match=True)
        run = await here.compacted()
        again = await here.compacted()
    assert (run.state, run.reason) == (RunState.SUCCEEDED, "committed")
    assert all(proof["ok"] for proof in run.result.verifications)
    assert (values(lake), lake.open().digest().num_rows) == (before, 2)
    assert again.reason == "nothing_to_do"


@pytest.mark.deep
async def test_a_group_that_another_compaction_beat_is_dropped(settings: Settings, lake: PaimonLake) -> None:
    """The other one commits while ours is about to be sent; nothing of ours is committed, and no file of ours stays."""
    lake.create(primary_keys=["id"], bucket="1", write_only="true")
    for turn in range(6):
        await asyncio.to_thread(lake.write, [[number, DAYS[0], turn + 0.5] for number in range(40)])
    before = values(lake)

    def compete(step: str) -> None:
        if step == "commit_marked" and len(set(runs_by_bucket(lake).values()) - {1}):
            lake.call("compact", full=True, options={"write-only": "false"})

    async with served(settings, lake, step=compete) as here:
        run = await here.compacted(force_full=True)
        assert (run.state, run.reason) == (RunState.QUEUED, "conflict")  # it plans again when the partition has cooled
        left = lake.open().commits.list_outputs(run.id)
        await here.container.runs.cancel(SYSTEM, run.id)
        run = await here.ended(run)
    assert run.state is RunState.CANCELLED
    assert left == lake.open().commits.list_outputs(run.id) == []
    assert values(lake) == before
    assert lake.open().commits.find(run.id) == []


@pytest.mark.deep
async def test_a_run_whose_worker_ends_before_the_commit_is_finished_by_another(
    settings: Settings, lake: PaimonLake
) -> None:
    """The buckets that the first attempt wrote are committed by the second from the stored messages."""
    lake.create(partition_keys=["day"], primary_keys=["id", "day"], bucket="2", write_only="true")
    for turn in range(6):
        for day in DAYS:
            await asyncio.to_thread(lake.write, [[number, day, turn + 0.5] for number in range(40)])
    before = values(lake)
    ending = ["before_commit"]

    def end(step: str) -> None:
        if step in ending:
            ending.remove(step)
            raise Transient("the worker ends here")

    async with served(settings, lake, step=end) as here:
        run = await here.ended(await here.compacted(force_full=True))
    assert (run.state, run.reason, ending) == (RunState.SUCCEEDED, "committed", [])
    assert run.attempt > 1
    assert values(lake) == before
    assert set(runs_by_bucket(lake).values()) == {1}


async def test_a_key_table_is_compacted_bucket_by_bucket(settings: Settings, lake: PaimonLake) -> None:
    """Updates of the same keys: every key has the same value afterwards, and no bucket has many sorted runs.

    The tasks compare the rows of every bucket.
    """
    lake.create(partition_keys=["day"], primary_keys=["id", "day"], bucket="2", write_only="true")
    for turn in range(6):
        for day in DAYS:
            await asyncio.to_thread(lake.write, [[number, day, turn + 0.5] for number in range(turn, 40)])
    before = values(lake)
    assert set(runs_by_bucket(lake).values()) == {6}
    async with served(settings, lake) as here:
        policy = PolicyDocument(verification="content")
        await here.container.policies.replace(SYSTEM, here.table_id, policy, if_none_match=True)
        run = await here.compacted(force_full=True)
    assert (run.state, run.result.document["groups_committed"]) == (RunState.SUCCEEDED, 4)
    assert (run.result.document["checked"]["groups"], run.result.document["checked"]["limits"]) == (4, {})
    assert all(proof["ok"] for proof in run.result.verifications)
    assert values(lake) == before
    assert set(runs_by_bucket(lake).values()) == {1}


@pytest.mark.deep
async def test_a_key_table_in_s3_is_compacted_with_the_credentials_of_the_catalog(
    settings: Settings,
    paimon_core: PaimonCore,
    s3: S3Server,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """The store is away when the first task starts: the run waits and goes on. No secret is in rows, errors or logs."""
    lake = S3Lake(paimon_core, s3)
    monkeypatch.setenv("TEST_S3_KEY", lake.key)
    monkeypatch.setenv("TEST_S3_SECRET", lake.secret)
    await asyncio.to_thread(lake.create, primary_keys=["id"], bucket="1", write_only="true")
    for turn in range(3):
        await asyncio.to_thread(lake.write, [[number, DAYS[0], turn + 0.5] for number in range(40)])
    before = await asyncio.to_thread(lake.call, "values")
    leaving = [True]

    def leave(asked: Asked) -> None:
        if asked.access_key == lake.key and asked.method == "HEAD" and leaving:  # the core's; Packhouse reads with GET
            s3.is_away = leaving.pop()

    async with served(settings, lake) as here:
        s3.on_request = leave
        waiting = await here.compacted(force_full=True)
        assert leaving == []
        s3.is_away = False
        await probed(here.container, settings)
        run = await here.ended(waiting)
    assert (waiting.state, waiting.reason) == (RunState.QUEUED, "storage")
    assert (run.state, run.reason) == (RunState.SUCCEEDED, "committed")
    assert all(proof["ok"] for proof in run.result.verifications)
    assert await asyncio.to_thread(lake.call, "values") == before
    kept, logged = rows(settings), "".join(capfd.readouterr())
    assert run.id in kept
    assert run.id in logged
    assert lake.secret not in kept + logged + repr(run)


async def test_a_table_of_a_jdbc_catalog_waits_for_its_database(
    settings: Settings,
    lake: PaimonLake,
    own_postgres: PostgresServer,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """The database ends before the commit: the run waits and goes on. The password is in no rows, errors or logs."""
    home = postgres_home(own_postgres)
    monkeypatch.setenv("TEST_JDBC_PASSWORD", password := "jdbc-password-0123456789")
    user = {"jdbc.user": "packhouse", "jdbc.password": password}
    home = replace(home, uri=home.uri.replace("packhouse@", ""))
    jdbc = JdbcLake(lake.core, lake.root, home=home, more=user)
    await asyncio.to_thread(keyed, jdbc)
    before, ending = values(jdbc), [True]

    def end(step: str) -> None:
        if step == "before_commit" and ending:
            ending.pop()
            own_postgres.halt()

    async with served(settings, jdbc, end) as here:
        waiting = await here.compacted(force_full=True)
        assert ending == []
        own_postgres.resume()
        await probed(here.container, settings)
        run = await here.ended(waiting)
    assert (waiting.state, waiting.reason) == (RunState.QUEUED, "catalog")
    assert (run.state, run.reason) == (RunState.SUCCEEDED, "committed"), run.detail
    assert all(proof["ok"] for proof in run.result.verifications)
    await asyncio.to_thread(jdbc.connect)  # connections to the server before its end are of no use
    assert (values(jdbc), jdbc.lock_row()) == (before, None)
    kept, logged = rows(settings), "".join(capfd.readouterr())
    assert run.id in kept + logged
    assert password not in kept + logged + repr(run)


@pytest.mark.deep
async def test_a_table_of_a_hive_catalog_is_compacted_beside_a_writer(
    settings: Settings, metastore_lake: MetastoreLake
) -> None:
    """Paimon's own `HiveCatalog` commits rows under the Metastore's lock all the while."""
    lake = await asyncio.to_thread(keyed, metastore_lake)
    before = values(lake)
    async with served(settings, lake) as here:
        with RowWriter(lake) as writer:
            run = await here.compacted(force_full=True)
    assert (run.state, run.result.groups_committed) == (RunState.SUCCEEDED, 1), run.detail
    await asyncio.to_thread(check_rows, lake, before, writer, 1)
    assert lake.held_lock() is None


async def probed(container: Container, settings: Settings) -> None:
    """Let the probe of what is away be due, and wait for its end."""
    with record_of(settings) as record:
        record.execute("UPDATE outages SET next_probe_at = away_since")
    probes = container.worker._probes
    assert await probes.turn() == 1
    await asyncio.gather(*probes._probing)


@contextmanager
def record_of(settings: Settings) -> Iterator[sqlite3.Connection]:
    """Open the record; what was changed is committed at the end."""
    database_url = reveal(settings.database_url)
    assert database_url is not None
    with closing(sqlite3.connect(database_url.partition(":///")[2])) as record, record:
        yield record


def rows(settings: Settings) -> str:
    """Return all rows of the record as text."""
    with record_of(settings) as record:
        names = [name for (name,) in record.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return repr([record.execute(f'SELECT * FROM "{name}"').fetchall() for name in names])
