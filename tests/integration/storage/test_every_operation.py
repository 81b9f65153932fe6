"""F51: every operation of every format does on an object store what it does on a disk.

Each format has one story, which runs all operations that its capabilities have on one small table. The story is played
in a folder and in a bucket: dry runs, plans and results must be equal field by field, but for ids, times, addresses,
and the sizes of files that have addresses in them.
"""

import io
import re
import shutil
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar, Final

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from redis.asyncio import Redis
from sqlalchemy import make_url

from engine.domain.access.callers import SYSTEM
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, Run, RunState
from engine.domain.tables.table import FormatName, TableRef
from engine.formats.hive.capabilities import CAPABILITIES as OF_HIVE
from engine.formats.iceberg import IcebergConnection, IcebergFormat, IcebergTable
from engine.formats.iceberg.capabilities import CAPABILITIES as OF_ICEBERG
from engine.formats.paimon.capabilities import CAPABILITIES as OF_PAIMON
from engine.formats.removal.searches import CANDIDATES, Search
from tests.integration.rewrites.test_snapshot_rewrites import delete_rows
from tests.support.hive.stated_metastore import StatedMetastore, stated_partition, stated_table
from tests.support.hive.worlds import served as served_hive
from tests.support.iceberg_tables import edit_metadata
from tests.support.moved_clock import MovedClock
from tests.support.paimon.core import PaimonCore
from tests.support.paimon.lakes import PaimonLake, made_once
from tests.support.paimon.worlds import served as served_paimon
from tests.support.removal_runs import COMPACTIONS, EXPIRY, ORPHANS, RECLAIM, confirmed_purge
from tests.support.s3_server import S3Server
from tests.support.settings import settings_of
from tests.support.stored_places import StoredPlace
from tests.support.version_3 import commit_vectors, lineage, touch
from tests.support.world import NAME, World, make_lake, open_on

DAYS: Final = ("2026-11-01", "2026-11-02")
LONG_AGO: Final = datetime(2020, 9, 13, tzinfo=UTC)
_OWN: Final = re.compile(r"(?:run|tbl)_[0-9a-z]+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{12,}")
"""Ids of runs, tables, files and snapshots."""
_SIZE: Final = re.compile(r"\d+(?:\.\d+)? (?:[KMG]i)?B\b")
_ID: Final = 10**11
_OF_PLACE: Final = re.compile(r"(seconds|_at|time|requests|bytes|hash|measured|pace)$")
"""Names of fields with times, requests of the store, and sizes, also of files with addresses in them."""


@dataclass
class Play:
    """One story on one place: the world, its clock, and the documents of each operation so far."""

    world: World[Any]
    clock: MovedClock
    place: StoredPlace
    told: dict[Operation, Mapping[str, Any]] = field(default_factory=dict)

    async def run(self, operation: Operation, *, times: int = 1) -> Run:
        """Plan and run an operation; keep the documents of the last run."""
        for _ in range(times):
            dry = await self._dry(operation)
            request = await confirmed_purge(self.world) if operation is Operation.PURGE else RunRequest(operation)
            run = await self.world.finish((await self.world.submit(request)).id)
        found = {"state": run.state, "reason": run.reason, "plan": run.plan, "result": run.result.document}
        self.told[operation] = dict(comparable({"dry_run": dry, **found}, self.place.root))
        return run

    async def succeed(self, operation: Operation, *, times: int = 1) -> Mapping[str, Any]:
        """Run an operation that must commit something; return its result."""
        run = await self.run(operation, times=times)
        assert (run.state, run.reason) == (RunState.SUCCEEDED, "committed"), (operation, run.reason, run.detail)
        return run.result.document

    async def _dry(self, operation: Operation) -> Any:
        if operation is Operation.REWRITE:
            return None
        return dict(await self.world.container.upkeep.plan(SYSTEM, self.world.table_id, operation))


def comparable(value: Any, root: str, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the fields of a document by their path, without what differs from run to run and from place to place."""
    match value:
        case Mapping():
            for name, each in value.items():
                if not _OF_PLACE.search(str(name)):
                    yield from comparable(each, root, f"{path}/{_own(str(name), root)}")
        case list() | tuple():
            yield path, f"{len(value)} items"
            if path.endswith("samples"):  # the first by random names, or in the order of a listing
                return
            for number, each in enumerate(value):
                yield from comparable(each, root, f"{path}/{number}")
        case str():
            yield path, _own(value, root)
        case int() if abs(value) >= _ID:
            yield path, "*"
        case datetime() | float():
            yield path, type(value).__name__
        case _:
            yield path, value


def _own(text: str, root: str) -> str:
    text = _SIZE.sub("* B", text)
    return _OWN.sub("*", text.replace("file://", "").replace(root, "<root>"))


@pytest.fixture
def open_world(sqlite_url: str, redis: Redis, redis_url: str, tmp_path: Path) -> Any:
    """Start a container with one registered table; each has a database of its own."""

    @asynccontextmanager
    async def opened(place: StoredPlace, lake: Any, formats: Any = None) -> Any:
        name = "disk" if place.server is None else "s3"
        await redis.flushdb()
        empty = str(make_url(sqlite_url).database)
        shutil.copy(empty, f"{empty}.{name}")
        settings = settings_of(
            tmp_path / f"state-{name}",
            database_url=f"{sqlite_url}.{name}",
            redis_url=redis_url,
            lease_seconds=30,
            watch=False,
        )
        async with open_on(lake, settings, formats=formats) as world:
            yield Play(world, await MovedClock.of(world.container.database), place)

    return opened


OF_EVERY_OPERATION: Final = {
    "rewrite": {"min_input_files": 2},
    "maintenance": {
        "rewrite_deletes": {"interval": "1h", "at_least_files": 2},
        "expire_snapshots": EXPIRY,
        "delete_old_compactions": COMPACTIONS,
        "reclaim": RECLAIM,
        "remove_orphans": ORPHANS,
    },
}


async def iceberg(play: Play) -> None:
    """Merge deletes and manifests, rewrite, and remove history and files in each way, with appends between."""
    lake = play.world.lake
    await play.world.set_policy(OF_EVERY_OPERATION)
    delete_rows(lake.table, times=2)
    rows = lake.ids()
    merged = await play.succeed(Operation.REWRITE_DELETES)
    assert merged["delete_files"] == {"before": 8, "after": 2}
    await play.succeed(Operation.REWRITE_MANIFESTS)
    await play.succeed(Operation.REWRITE)
    await removals(play, lambda: lake.append_to(DAYS, rows=5))
    assert lake.ids() == sorted([*rows, *range(lake.next_id - 30, lake.next_id)])


async def iceberg_v3(play: Play) -> None:
    """Make deletion vectors of position deletes, add some, rewrite, and remove history and files in each way."""
    lake = play.world.lake
    await play.world.set_policy(OF_EVERY_OPERATION)
    delete_rows(lake.table, times=2)
    rows = lake.ids()
    edit_metadata(lake.table, lambda body: body.update({"format-version": 3, "next-row-id": 0}))
    connection = IcebergFormat().connect("lake", dict(lake.properties))
    merged = await play.succeed(Operation.REWRITE_DELETES)
    assert merged["delete_files"] == {"before": 8, "after": 2}
    bare = [each for each in _opened(connection).digest().to_pylist() if not each["delete_files"]]
    commit_vectors(_opened(connection), {each["path"]: [0] for each in bare})
    await play.succeed(Operation.REWRITE_MANIFESTS)
    before = lineage(_opened(connection))
    result = await play.succeed(Operation.REWRITE)
    assert result["deleted_rows"] == 8 + len(bare)
    assert len(lake.ids()) == len(rows) - len(bare)
    after = lineage(_opened(connection))
    assert len(after) == len(lake.ids())
    assert after.items() <= before.items()
    await removals(play, lambda: touch(_opened(connection)))
    assert lineage(_opened(connection)) == after
    connection.close()


async def removals(play: Play, commit: Callable[[], object]) -> None:
    """Remove history and files in each way, with commits between."""
    await play.clock.pass_by(hours=2)
    await play.succeed(Operation.DELETE_OLD_COMPACTIONS)
    for operation in (Operation.EXPIRE_SNAPSHOTS, Operation.RECLAIM, Operation.PURGE):
        commit()
        await play.clock.pass_by(hours=3)
        assert (await play.succeed(operation))["deleted_files"] > 0
    await orphans(
        play,
        f"{play.world.lake.table.location()}/data".removeprefix("file://"),
        "00000-0-00000000-0000-0000-0000-00000000000{}.parquet",
    )


def _opened(connection: IcebergConnection) -> IcebergTable:
    return connection.open_table(TableRef("lake", NAME[:1], NAME[1]))


async def orphans(play: Play, folder: str, name: str) -> None:
    """Put two old files that nothing refers to into a folder; find them and delete them."""
    for number in range(2):
        play.place.files.write(f"{folder}/{name.format(number)}", b"orphan")
    before = play.place.stored()
    play.place.grow_old(LONG_AGO)
    assert (await play.run(Operation.REMOVE_ORPHANS)).state is RunState.SKIPPED, "they are found for the first time"
    make_look_earlier(play.place, timedelta(days=2))
    assert (await play.succeed(Operation.REMOVE_ORPHANS))["deleted_files"] == 2
    assert len(before - play.place.stored()) == 2


def make_look_earlier(place: StoredPlace, by: timedelta) -> None:
    """Let time pass since the stored search for orphans."""
    (path,) = [f"{place.root}/{each}" for each in place.stored() if "/orphans/look-" in each]
    look, us = Search.read(place.files.read(path, 2**20)), by // timedelta(microseconds=1)
    since = pa.array([each - us for each in look.files["since_us"].to_pylist()], pa.int64())
    files = look.files.set_column(look.files.schema.get_field_index("since_us"), CANDIDATES.field("since_us"), since)
    place.files.write(path, replace(look, taken_us=look.taken_us - us, files=files).body())


async def hive(play: Play) -> None:
    """Rewrite each partition, and delete the folders before, of which one got a late file."""
    await play.world.set_policy(
        {"rewrite": {"min_input_files": 2}, "maintenance": {"delete_old_compactions": COMPACTIONS}}
    )
    play.place.grow_old(LONG_AGO)
    await play.succeed(Operation.REWRITE)
    lake: StatedLake = play.world.lake
    lake.put(f"{lake.location}/day={DAYS[0]}/late.parquet", 1)
    play.place.grow_old(LONG_AGO)
    await play.run(Operation.DELETE_OLD_COMPACTIONS)
    await play.clock.pass_by(hours=2)
    assert (await play.succeed(Operation.DELETE_OLD_COMPACTIONS))["deleted_files"] > 0
    assert lake.rows() == 2 * 3 * 4 + 4


async def paimon(play: Play) -> None:
    """Compact, expire the oldest snapshots with their files, all but two, and those, and remove orphans."""
    rule = {**EXPIRY, "keep_last": 3}
    await play.world.set_policy(
        {
            "rewrite": {"min_input_files": 2, "engine": "arrow"},
            "maintenance": {"expire_snapshots": rule, "reclaim": RECLAIM, "remove_orphans": ORPHANS},
        }
    )
    await play.succeed(Operation.REWRITE)
    await play.clock.pass_by(hours=3)
    for operation in (Operation.EXPIRE_SNAPSHOTS, Operation.RECLAIM, Operation.PURGE):
        assert (await play.succeed(operation))["deleted_files"] > 0
    folder = f"{play.place.root}/lake.db/events/day={DAYS[0]}/bucket-0"
    await orphans(play, folder, "data-00000000-0000-0000-0000-00000000000{}-0.parquet")


@dataclass
class StatedLake:
    """A table of Hive in a place, as a stated Metastore has it."""

    place: StoredPlace
    metastore: StatedMetastore

    format: ClassVar[FormatName] = FormatName.HIVE

    @property
    def location(self) -> str:
        return f"{self.place.root}/events"

    @property
    def properties(self) -> Mapping[str, str]:
        return {"type": "metastore", "uri": self.metastore.uri, **self.place.registered}

    def fill(self) -> None:
        """Register two partitions of three files each."""
        self.metastore.tables["events"] = stated_table(self.location)
        self.metastore.partitions["events"] = [stated_partition([day], f"{self.location}/day={day}") for day in DAYS]
        for day in DAYS:
            for number in range(3):
                self.put(f"{self.location}/day={day}/part-{number}.parquet", number)

    def put(self, path: str, number: int) -> None:
        """Write a file of four rows."""
        body = io.BytesIO()
        pq.write_table(pa.table({"c0": pa.array([4 * number + each for each in range(4)], pa.int64())}), body)
        self.place.files.write(path, body.getvalue())

    def rows(self) -> int:
        """Count the rows of all partitions where the Metastore has them."""
        folders = [each.sd.location for each in self.metastore.partitions["events"]]
        paths = [f"{each}/{name}" for each in folders for name in self.place.files.files(each)]
        bodies = [self.place.files.read(path, 2**20) for path in paths if path.endswith(".parquet")]
        return sum(pq.read_metadata(io.BytesIO(body)).num_rows for body in bodies)


@dataclass
class PlacedLake:
    """A table of Paimon in a place."""

    place: StoredPlace
    format: ClassVar[FormatName] = FormatName.PAIMON

    @property
    def properties(self) -> Mapping[str, str]:
        return {"type": "filesystem", "warehouse": self.place.root, **self.place.registered}


@pytest.fixture
def places(s3: S3Server, tmp_path: Path) -> Sequence[StoredPlace]:
    return StoredPlace.on_disk(tmp_path / "place"), StoredPlace.on_s3(s3)


def possible(capabilities: Any) -> set[Operation]:
    return {each for each in Operation if capabilities.operation(each).possible}


async def same_on_both(
    places: Sequence[StoredPlace], play: Callable[[StoredPlace], Awaitable[Play]], wanted: set[Operation]
) -> None:
    """Play a story on each place; hold that it has every operation, and that the documents are equal."""
    here, there = [(await play(each)).told for each in places]
    assert set(here) == set(there) == wanted
    for operation in here:
        assert there[operation] == here[operation], operation


def _in_sql_catalog(
    story: Callable[[Play], Awaitable[None]], open_world: Any, folder: Path
) -> Callable[[StoredPlace], Awaitable[Play]]:
    """Return how to play a story on an Iceberg table in a SQL catalog, with its files in a place."""

    async def play(place: StoredPlace) -> Play:
        name = "disk" if place.server is None else "s3"
        database = {"type": "sql", "uri": f"sqlite:///{folder}/{name}.db", "init_catalog_tables": "true"}
        common = database | {"warehouse": f"{place.uri}/wh"}
        settings, ours = common | dict(place.access), common | dict(place.registered)
        lake = make_lake(folder / name, days=2, files=3, settings=settings, registered=ours)
        async with open_world(place, lake) as opened:
            await story(opened)
        return opened  # type: ignore[no-any-return]

    return play


async def test_f51_iceberg_tables(places: Sequence[StoredPlace], open_world: Any, tmp_path: Path) -> None:
    await same_on_both(places, _in_sql_catalog(iceberg, open_world, tmp_path), possible(OF_ICEBERG))


async def test_f51_iceberg_tables_of_version_three(
    places: Sequence[StoredPlace], open_world: Any, tmp_path: Path
) -> None:
    await same_on_both(places, _in_sql_catalog(iceberg_v3, open_world, tmp_path), possible(OF_ICEBERG))


async def test_f51_hive_tables(places: Sequence[StoredPlace], open_world: Any) -> None:
    async def play(place: StoredPlace) -> Play:
        with StatedMetastore().running() as metastore:
            lake = StatedLake(place, metastore)
            lake.fill()
            async with open_world(place, lake, served_hive) as opened:
                await hive(opened)
        return opened  # type: ignore[no-any-return]

    await same_on_both(places, play, possible(OF_HIVE))


async def test_f51_paimon_tables(
    places: Sequence[StoredPlace], open_world: Any, paimon_core: PaimonCore, tmp_path: Path
) -> None:
    def write(lake: PaimonLake) -> None:
        lake.create(partition_keys=["day"], snapshot__num_retained__min="2")
        for number in range(5):
            lake.write([[number, day, 1.5] for day in DAYS])

    written = made_once(paimon_core, tmp_path / "warehouse", "every operation", write)

    async def play(place: StoredPlace) -> Play:
        for path in filter(Path.is_file, written.root.rglob("*")):
            place.files.write(f"{place.root}/{path.relative_to(written.root)}", path.read_bytes())
        async with open_world(place, PlacedLake(place), served_paimon) as opened:
            await paimon(opened)
        return opened  # type: ignore[no-any-return]

    await same_on_both(places, play, possible(OF_PAIMON))


def test_documents_are_compared_without_what_differs_from_place_to_place() -> None:
    """The comparison itself: a number, a name or a reason that differs is seen."""
    document = {"files": 3, "seconds": 1.5, "path": "/a/b/run_01x-0.parquet", "left": {"unreadable": 1}}
    other = {**document, "seconds": 2.5, "path": "s3://lake/at/run_02y-0.parquet"}
    here = dict(comparable(document, "/a/b"))
    assert here == dict(comparable(other, "s3://lake/at"))
    for change in ({"files": 4}, {"left": {}}, {"path": "s3://lake/at/x"}):
        assert here != dict(comparable(other | change, "s3://lake/at"))
