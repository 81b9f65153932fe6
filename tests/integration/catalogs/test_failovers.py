"""A Metastore ends in the middle of a commit; the next address of `uri` leads to another one with the same database."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyiceberg.catalog.hive
import pytest
from hive_metastore.ttypes import ShowLocksRequest

from engine.domain.runs.run import RunState
from engine.formats.intake.catalogs.metastores import locks
from engine.formats.intake.catalogs.metastores.clients import AnyRelease
from tests.support.hive.fault_switch import FaultSwitch
from tests.support.hive.lakes import open_lake
from tests.support.hive.metastore import Metastore
from tests.support.hive.worlds import differences, open_written
from tests.support.world import NAME, open_world

ALTER = "alter_table_with_environment_context"
FAULTS = ("cut", "lost")
"""The server ends before a call arrives, or after it was executed and before its answer."""

pytestmark = pytest.mark.usefixtures("redis")


@contextmanager
def two_servers(metastore: Metastore) -> Iterator[tuple[str, FaultSwitch]]:
    """Yield the addresses of a Metastore by two servers, and the switch of the first one's end."""
    with metastore.switched() as (first, switch), metastore.switched() as (second, _):
        switch.dies = True
        yield f"{first.uri},{second.uri}", switch


def armed_at(call: str, arm: Callable[[], None]) -> Callable[[locks.MetastoreLock], locks.MetastoreLock]:
    """Return `MetastoreLock.__enter__` that arms a fault before it takes the lock; for reads of the entry, after it."""
    enter = locks.MetastoreLock.__enter__

    def entered(lock: locks.MetastoreLock) -> locks.MetastoreLock:
        if call.startswith("get_table"):
            held = enter(lock)
            arm()
            return held
        arm()
        return enter(lock)

    return entered


@pytest.fixture
def emptied(request: pytest.FixtureRequest) -> Iterator[Metastore]:
    """The Metastore of a release, without the database `lake` in the end."""
    metastore: Metastore = request.getfixturevalue(request.param)
    yield metastore
    with metastore.client() as client:
        client.drop_database("lake", deleteData=False, cascade=True)


@pytest.fixture
def stores(sqlite_url: str, redis_url: str) -> dict[str, str]:
    """The database and the Redis of an installation."""
    return {"database_url": sqlite_url, "redis_url": redis_url}


@pytest.mark.parametrize(
    ("emptied", "call_and_fault"),
    [
        pytest.param(release, (call, fault), marks=[pytest.mark.deep] * (release != "metastore_4" or call != ALTER))
        for release in ("metastore_4", "metastore_3", "metastore")
        for call in ("lock", "get_table", ALTER, "unlock")
        for fault in FAULTS
    ],
    indirect=["emptied"],
)
async def test_a_commit_of_iceberg_goes_on_at_the_next_server(
    emptied: Metastore,
    call_and_fault: tuple[str, str],
    stores: dict[str, str],
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No lock is left, but for a change that an older server may still execute: it would undo a later commit."""
    metastore, release = emptied, request.node.callspec.params["emptied"]
    tmp_path: Path = request.getfixturevalue("tmp_path")
    call, fault = call_and_fault
    call += "_req" if (call, release) == ("get_table", "metastore_4") else ""
    monkeypatch.setattr(pyiceberg.catalog.hive, "Client", lambda protocol: AnyRelease(protocol, set()))
    monkeypatch.setattr(locks, "WAIT_SECONDS", 1.0)
    monkeypatch.setattr(locks, "LEFT_SECONDS", 4.0)
    waits: list[object] = []
    with two_servers(metastore) as (uri, switch):
        settings = {"type": "hive", "uri": metastore.uri, "warehouse": f"file://{tmp_path}/warehouse"}
        lake: dict[str, Any] = {"settings": settings, "registered": {"type": "hive", "uri": uri}}
        async with open_world(tmp_path / "world", **stores, **lake) as world:
            rows = world.lake.rows()
            monkeypatch.setattr(locks.MetastoreLock, "__enter__", armed_at(call, lambda: setattr(switch, fault, call)))
            monkeypatch.setattr(locks, "_named", lambda holders: waits.append(holders) or "")
            run = await world.rewrite()
            assert (run.state, run.attempt, switch.faults) == (RunState.SUCCEEDED, 1, 1), run.detail
            assert (len(world.lake.replaces()), world.lake.rows()) == (1, rows)
            assert bool(waits) == (release != "metastore_4" and (call, fault) == (ALTER, "cut"))
    with metastore.client() as client:
        assert client.show_locks(ShowLocksRequest(*NAME)).locks == []


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("release", [pytest.param("metastore_4", marks=pytest.mark.deep), "metastore"])
async def test_a_partition_of_hive_is_changed_at_the_next_server(
    release: str, fault: str, request: pytest.FixtureRequest, stores: dict[str, str], tmp_path: Path
) -> None:
    metastore: Metastore = request.getfixturevalue(release)
    with open_lake(metastore, tmp_path) as lake, two_servers(metastore) as (uri, switch):
        async with open_written(lake, tmp_path, **stores, uri=uri) as world:
            setattr(switch, fault, "alter_partition_with_environment_context")
            run = await world.rewrite()
            assert (run.state, run.attempt, switch.faults) == (RunState.SUCCEEDED, 1, 1), run.detail
            assert differences(world.lake.rows(), world.lake.wanted()) == ([], [])
            assert all("/_compacted/" in each for each in world.lake.locations())
