"""A whole Packhouse on one table: real database, Redis and Iceberg table; tasks run in threads instead of Spark.

`World.at` runs an action when a rewrite reaches a labelled step: so writers and faults are put between two steps.
"""

import asyncio
import atexit
import shutil
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, ClassVar, Generic, Protocol

import pyarrow as pa
from pyiceberg.catalog import Catalog as IcebergCatalog
from pyiceberg.catalog import load_catalog
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table import Table as IcebergTable
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import DoubleType, LongType, NestedField, StringType
from sqlalchemy import NullPool, create_engine, text
from typing_extensions import TypeVar

from engine.domain.access.callers import SYSTEM
from engine.domain.fleet.outages import MOST_FRUITLESS_OUTAGES
from engine.domain.ids import RunId, TableId
from engine.domain.policies import PolicyDocument
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Priority, Run
from engine.domain.tables.table import FormatName, OutsideFiles, Table, TableRef
from engine.factory.container import open_container
from engine.factory.dependencies import ServedFormats
from engine.factory.wiring import Container
from engine.services.operations.tasks.servers import MakeServer, Procedures
from engine.settings.model import Settings
from engine.settings.values import reveal
from tests.support.acknowledging import acknowledged
from tests.support.lake_copies import copy_lake
from tests.support.local_dispatch import LocalDispatcher
from tests.support.settings import settings_of
from tests.support.twins import add_twin

SCHEMA = Schema(
    NestedField(1, "id", LongType(), required=True),
    NestedField(2, "day", StringType(), required=True),
    NestedField(3, "value", DoubleType()),
    NestedField(4, "note", StringType()),
)
SPEC = PartitionSpec(PartitionField(source_id=2, field_id=1000, transform=IdentityTransform(), name="day"))
NAME = ("lake", "events")
EVERYTHING = RunRequest()


@dataclass
class Lake:
    """A PyIceberg catalog in a folder with one table of many small files."""

    properties: dict[str, str]
    catalog: IcebergCatalog
    next_id: int = 0
    format: ClassVar[FormatName] = FormatName.ICEBERG

    @property
    def uuid(self) -> str:
        """The table's own identity."""
        return str(self.table.metadata.table_uuid)

    @property
    def table(self) -> IcebergTable:
        return self.catalog.load_table(NAME)

    def add_twin(self, name: str) -> None:
        """Make a table of its own that reads the same files: its metadata has another uuid."""
        add_twin(self.catalog, self.table, (NAME[0], name))

    def append(self, *, day: str, rows: int = 50) -> None:
        """Append one file to one partition."""
        self.append_to([day], rows=rows)

    def fill(self, *, days: int, files: int) -> None:
        """Append so many files to each of the partitions, one a commit."""
        for number in range(files):
            self.append_to([f"2026-11-{day + 1:02}" for day in range(days)], rows=50 + number)

    def append_to(self, days: Sequence[str], *, rows: int) -> None:
        """Append one file of so many rows to each of the partitions, in one commit."""
        ids = range(self.next_id, self.next_id + rows * len(days))
        self.next_id += len(ids)
        batch = pa.table(
            {
                "id": pa.array(ids, pa.int64()),
                "day": pa.array([day for day in days for _ in range(rows)], pa.string()),
                "value": pa.array([None if i % 7 == 0 else i / 3 for i in ids], pa.float64()),
                "note": pa.array([f"note {i % 11}" for i in ids], pa.string()),
            },
            schema=pa.schema(
                [
                    pa.field("id", pa.int64(), nullable=False),
                    pa.field("day", pa.string(), nullable=False),
                    pa.field("value", pa.float64()),
                    pa.field("note", pa.string()),
                ]
            ),
        )
        self.table.append(batch)

    def ids(self) -> list[int]:
        """All ids of the table, sorted: equal lists mean that no row was lost or doubled."""
        column: list[int] = self.table.scan(selected_fields=("id",)).to_arrow()["id"].to_pylist()
        return sorted(column)

    def rows(self) -> list[tuple[Any, ...]]:
        """The multiset of rows, in a canonical order."""
        return sorted(map(repr, self.table.scan().to_arrow().to_pylist()))  # type: ignore[arg-type]

    def paths(self) -> list[str]:
        """The live data files."""
        return [task.file.file_path for task in self.table.scan().plan_files()]

    def stored_files(self) -> set[str]:
        """Every Parquet file under the data location, live or not."""
        root = Path("/" + self.table.location().removeprefix("file:").lstrip("/"))
        return {str(path) for path in (root / "data").rglob("*.parquet")}

    def reached(self) -> set[str]:
        """Return local paths of all files that any snapshot of the table reaches."""
        table, found = self.table, set[str]()
        for snapshot in table.snapshots():
            for manifest in snapshot.manifests(table.io):
                found |= {entry.data_file.file_path for entry in manifest.fetch_manifest_entry(table.io)}
        return {"/" + path.removeprefix("file:").lstrip("/") for path in found}

    def left_by_rollbacks(self) -> set[str]:
        """Return no files: snapshots stay when a table is rolled back."""
        return set()

    def snapshots_of(self, run_id: str) -> set[int]:
        """Return the ids of the snapshots that a run committed."""
        return {
            snapshot.snapshot_id
            for snapshot in self.table.snapshots()
            if snapshot.summary and snapshot.summary.additional_properties.get("packhouse.run-id") == run_id
        }

    def replaces(self) -> list[Mapping[str, str]]:
        """The summaries of the snapshots that replaced files, oldest first."""
        summaries = [s.summary for s in self.table.snapshots() if s.summary is not None]
        return [dict(s.additional_properties) for s in summaries if s.operation.value == "replace"]


def make_lake(
    folder: Path,
    *,
    days: int = 3,
    files: int = 6,
    properties: Mapping[str, str] | None = None,
    settings: Mapping[str, str] | None = None,
    registered: Mapping[str, str] | None = None,
) -> Lake:
    """Create a table with `days` partitions of `files` small files each, in a new SQL catalog or by other settings.

    `registered` is how Packhouse is to reach the catalog, where that is another way than the writers'.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if settings or properties or not days:
        lake = _new_lake(folder, settings=settings, properties=properties)
        lake.fill(days=days, files=files if days else 0)
    else:
        written, next_id = _written_lake(days, files)
        copy_lake(written, folder)
        lake = Lake(_sql_catalog(folder), load_catalog("lake", **_sql_catalog(folder)), next_id)
    lake.properties = dict(registered or lake.properties)
    return lake


def _sql_catalog(folder: Path) -> dict[str, str]:
    return {
        "type": "sql",
        "uri": f"sqlite:///{folder / 'catalog.db'}",
        "warehouse": f"file://{folder / 'warehouse'}",
        "init_catalog_tables": "true",
    }


def _new_lake(folder: Path, *, settings: Mapping[str, str] | None, properties: Mapping[str, str] | None) -> Lake:
    chosen = dict(settings or _sql_catalog(folder))
    catalog = load_catalog("lake", **chosen)
    catalog.create_namespace_if_not_exists("lake")
    catalog.create_table(NAME, SCHEMA, partition_spec=SPEC, properties=dict(properties or {}))
    return Lake(chosen, catalog)


@cache
def _written_lake(days: int, files: int) -> tuple[Path, int]:
    """Return the folder of a table that this process wrote once to copy it, and the id of the next row."""
    folder = Path(mkdtemp(prefix="lake-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    lake = _new_lake(folder, settings=None, properties=None)
    lake.fill(days=days, files=files)
    return folder, lake.next_id


class AnyLake(Protocol):
    """A table of some format, with what its own readers find."""

    format: ClassVar[FormatName]

    @property
    def properties(self) -> Mapping[str, str]:
        """Properties of its catalog."""

    @property
    def uuid(self) -> str:
        """The table's own identity."""

    def rows(self) -> list[Any]:
        """The multiset of rows, in a canonical order."""

    def stored_files(self) -> set[str]:
        """Every data file in the table's folder, live or not."""

    def reached(self) -> set[str]:
        """Return local paths of all files that any snapshot of the table reaches."""

    def left_by_rollbacks(self) -> set[str]:
        """Return local paths of files that only snapshots had which another writer took back."""

    def snapshots_of(self, run_id: str) -> set[int]:
        """Return the ids of the snapshots that a run committed."""


OneLake = TypeVar("OneLake", bound=AnyLake, default=Lake)


@dataclass
class World(Generic[OneLake]):
    """The running parts, the registered table and its lake."""

    container: Container
    lake: OneLake
    table_id: TableId
    dispatcher: LocalDispatcher
    database_url: str
    actions: dict[str, list[Callable[[], None]]] = field(default_factory=lambda: defaultdict(list))

    def at(self, step: str, action: Callable[[], None]) -> None:
        """Run an action once, when a rewrite reaches a step next."""
        self.actions[step].append(action)

    def on_step(self, step: str) -> None:
        if self.actions[step]:
            self.actions[step].pop(0)()

    async def allow(self, outside_files: OutsideFiles, *locations: str) -> None:
        """Replace where the tables of the catalog and their files may be."""
        catalog = await self.container.catalogs.get(SYSTEM, "lake")
        await self.container.catalogs.replace(
            SYSTEM,
            "lake",
            catalog.properties,
            catalog.version,
            allowed_locations=locations,
            outside_files=outside_files,
        )

    async def submit(
        self, request: RunRequest = EVERYTHING, *, priority: Priority | None = None, allow_duplicate: bool = False
    ) -> Run:
        """Submit a run; one that deletes is acknowledged, and does not wait for a grace.

        A duplicate is also allowed to take partitions that cool down.
        """
        submit = self.container.runs.submit
        request = replace(request, include_cooling=request.include_cooling or allow_duplicate)
        options = {"priority": priority, "allow_duplicate": allow_duplicate, "grace": timedelta(0)}
        run, _ = await acknowledged(submit, SYSTEM, self.table_id, request, **options)
        return run

    async def get(self, run_id: RunId) -> Run:
        return await self.container.runs.get(SYSTEM, run_id)

    async def rewrite(self) -> Run:
        """Submit a run, advance it to its end through as many attempts as it takes, return it."""
        run = await self.submit()
        return await self.finish(run.id)

    async def finish(self, run_id: RunId, *, attempts: int = MOST_FRUITLESS_OUTAGES + 8) -> Run:
        for _ in range(attempts):
            await self.container.worker.advance(run_id)
            run = await self.get(run_id)
            if run.is_terminal:
                return run
            self.make_due(run_id)
        message = f"run {run_id} did not end in {attempts} attempts: {run}"
        raise AssertionError(message)

    def make_due(self, run_id: RunId) -> None:
        """Let a parked run's waiting time be over, and outages with it, as after a first probe that is answered."""
        self.execute("DELETE FROM outages WHERE :id = :id", run_id)
        self.execute("UPDATE runs SET not_before = created_at WHERE id = :id AND not_before IS NOT NULL", run_id)

    def cancel_soon(self, run_id: RunId) -> Callable[[], None]:
        """Return an action that asks for a cancel, as the api of another process would."""
        return lambda: self.execute(
            "UPDATE runs SET cancel_requested_at = updated_at, cancel_requested_by = 'test' WHERE id = :id", run_id
        )

    def steal_lease(self, run_id: RunId) -> Callable[[], None]:
        """Return an action that gives the run to another holder, as a claim after an expiry does."""
        return lambda: self.execute(
            "UPDATE runs SET attempt = attempt + 1, lease_holder = 'another worker' WHERE id = :id", run_id
        )

    def spend(self, run_id: RunId, count: int) -> None:
        """Let so many bytes have been rewritten in the run's table when the run was submitted."""
        columns = "INSERT INTO rewritten_bytes (table_id, at, bytes)"
        self.execute(f"{columns} SELECT table_id, created_at, {count} FROM runs WHERE id = :id", run_id)

    async def expire_lease(self, run_id: RunId) -> None:
        """Let the present lease run out and be reaped."""
        self.execute("UPDATE runs SET lease_expires_at = created_at WHERE id = :id", run_id)
        await self.container.coordinator.reap()

    def execute(self, statement: str, run_id: RunId) -> None:
        engine = create_engine(self.database_url.replace("+aiosqlite", ""), poolclass=NullPool)
        with engine.begin() as connection:
            connection.execute(text(statement), {"id": run_id})
        engine.dispose()

    async def set_policy(
        self, document: dict[str, Any], table_id: TableId | None = None, *, replaces: int | None = None
    ) -> None:
        """Write the first policy of the table's own, or of another's; or the one that `replaces` this version."""
        policy, put = PolicyDocument.model_validate(document), self.container.policies.replace
        match = {"if_match": replaces, "if_none_match": replaces is None}
        await acknowledged(put, SYSTEM, table_id or self.table_id, policy, **match)

    async def register(self, name: str, *, policy: dict[str, Any] | None = None, catalog: str = "lake") -> Table:
        """Register another table of the lake, under a policy of its own if one is given."""
        table = await register_name(self.container, name, catalog)
        if policy is not None:
            await self.set_policy(policy, table.id)
        return table

    async def rewrite_other(
        self, name: str, request: RunRequest = EVERYTHING, *, policy: dict[str, Any] | None = None
    ) -> Run:
        """Register another table of the lake, and rewrite it through as many attempts as it takes."""
        table = await self.register(name, policy=policy)
        run, _ = await acknowledged(self.container.runs.submit, SYSTEM, table.id, request)
        return await self.finish(run.id)


async def register_lake(container: Container, lake: AnyLake) -> Table:
    """Register a lake's catalog and its table."""
    await container.catalogs.create(SYSTEM, "lake", lake.format, dict(lake.properties))
    return await register_name(container, NAME[1])


async def register_name(container: Container, name: str, catalog: str = "lake") -> Table:
    """Register a table of the lake."""
    return await container.tables.register(SYSTEM, TableRef(catalog, NAME[:1], name), owner_team=None, labels={})


@asynccontextmanager
async def open_world(
    folder: Path, *, database_url: str, redis_url: str, pace_url: str | None = None, **lake: Any
) -> AsyncIterator[World]:
    """Start a container on the given database and Redis with one registered table."""
    made = await asyncio.to_thread(lambda: make_lake(folder, **lake))
    state = folder / "state"
    settings = settings_of(
        state, database_url=database_url, redis_url=redis_url, pace_url=pace_url, lease_seconds=30, watch=False
    )
    async with open_on(made, settings) as opened:
        yield opened


@asynccontextmanager
async def open_on(
    lake: OneLake,
    settings: Settings,
    *,
    on_spark: bool = False,
    procedures: Procedures | None = None,
    make_server: MakeServer | None = None,
    formats: ServedFormats | None = None,
) -> AsyncIterator[World[OneLake]]:
    """Start a container with a lake's table registered; what it sends runs in threads, or on the Spark of settings."""
    dispatcher, worlds = LocalDispatcher(), list[World[OneLake]]()
    async with open_container(
        settings,
        step=lambda name: worlds[0].on_step(name) if worlds else None,
        dispatcher=None if on_spark else dispatcher,
        procedures=procedures,
        make_server=make_server,
        formats=formats,
    ) as container:
        table = await register_lake(container, lake)
        worlds.append(World(container, lake, table.id, dispatcher, reveal(settings.database_url) or ""))
        yield worlds[0]
