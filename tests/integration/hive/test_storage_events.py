"""A file that a writer puts into a Hive table in S3: the store's event in a queue leads to a look before its time."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from engine.domain.access.callers import SYSTEM
from engine.domain.ids import TableId
from engine.domain.tables.signals import SignalKind
from engine.domain.tables.table import FormatName, OutsideFiles, TableRef
from engine.factory.container import open_container
from engine.factory.wiring import Container
from engine.formats.base import OWN_LOCATION
from engine.formats.hive.probes import REPORTED, Looks
from tests.support.event_queues import EventQueue, event_queue
from tests.support.hive.stated_metastore import StatedMetastore, stated_partition, stated_table
from tests.support.local_dispatch import LocalDispatcher
from tests.support.s3_server import S3Server
from tests.support.settings import settings_of

DAY, APART = "events/day=2026-11-01", "apart/day=2026-11-02"


@pytest.fixture
def queue(s3: S3Server, monkeypatch: pytest.MonkeyPatch) -> EventQueue:
    found = event_queue(s3, monkeypatch)
    found.follow_bucket()
    return found


@pytest.fixture
def metastore(s3: S3Server) -> Iterator[StatedMetastore]:
    for folder in (DAY, APART):
        s3.put(f"{folder}/part-0.parquet", b"PAR1")
    partitions = [stated_partition([each[-10:]], f"s3a://lake/{each}") for each in (DAY, APART)]
    with StatedMetastore({"events": stated_table("s3a://lake/events")}, {"events": partitions}).running() as server:
        yield server


@pytest.fixture
async def container(
    queue: EventQueue, metastore: StatedMetastore, sqlite_url: str, redis_url: str, tmp_path: Path
) -> AsyncIterator[Container]:
    settings = settings_of(tmp_path, database_url=sqlite_url, redis_url=redis_url, **queue.settings)
    async with open_container(settings, dispatcher=LocalDispatcher()) as made:
        properties = {
            "type": "metastore",
            "uri": metastore.uri,
            **queue.s3.properties("env:AWS_ACCESS_KEY_ID", "env:AWS_SECRET_ACCESS_KEY"),
        }
        rules = {"allowed_locations": ("s3://lake",), "outside_files": OutsideFiles.ALLOWED_LOCATIONS}
        await made.catalogs.create(SYSTEM, "lake", FormatName.HIVE, properties, **rules)
        yield made


async def register(container: Container) -> TableId:
    ref = TableRef("lake", ("lake",), "events")
    return (await container.tables.register(SYSTEM, ref, owner_team=None, labels={})).id


async def look(container: Container) -> int:
    await container.watching.lead()
    looks = await container.watching.turn()
    await container.watching.finish()
    return looks


async def files(container: Container, table_id: TableId) -> int:
    async with container.database.read() as unit:
        found = await unit.measurements.latest(table_id)
    return 0 if found is None else found.file_count


@pytest.mark.parametrize("folder", [DAY, APART])
async def test_a_new_file_is_measured_before_the_next_look_is_due(
    container: Container, queue: EventQueue, s3: S3Server, folder: str
) -> None:
    table_id = await register(container)
    async with container.database.begin() as unit:
        await unit.locations.replace(table_id, [])  # as a version without the index registers it
    assert [await container.coordinator.index_locations() for _ in range(2)] == [1, 0]
    await container.coordinator.read_events()  # the events of the first files
    await container.watching.lead()
    async with container.database.begin() as unit:
        await unit.watches.wake(table_id)
    assert (await look(container), await files(container, table_id)) == (1, 2)
    assert await look(container) == 0, "the next look is not due"
    s3.put(f"{folder}/part-1 (a+b).parquet", b"PAR1")
    assert await look(container) == 0
    assert await container.coordinator.read_events() >= 1
    async with asyncio.timeout(20):  # the least rest between two looks
        while await files(container, table_id) != 3:
            await look(container)
            await asyncio.sleep(0.1)
    async with container.database.read() as unit:
        signals = await unit.signals.list(table_id, SignalKind.COMMIT)
        watch = await unit.watches.get(table_id)
        assert watch is not None
        assert (await unit.now() - watch.looked_at).total_seconds() < 10
    assert signals[0].sent_by == "sqs"
    assert queue.waiting() == 0


def test_a_reported_change_shortens_the_time_for_which_a_listing_stands_once() -> None:
    looks, ref = Looks(), TableRef("lake", ("lake",), "events")
    looks.shorten(ref)
    looks.took(ref, "p", 0.004, OWN_LOCATION)
    assert looks.standing(ref) == "p"
    looks.took(ref, "p", 1000, OWN_LOCATION)
    looks.shorten(ref)
    assert looks._known[ref].seconds == 3600 * REPORTED
    looks.shorten(ref)
    assert looks._known[ref].seconds == 3600 * REPORTED
    looks.took(ref, "q", 0, OWN_LOCATION)
    assert looks.standing(ref) is None
