"""Random tables in each kind of catalog: Packhouse has them in a catalog of that kind, their writers in a SQL catalog.

Spark shares the SQL catalog: its client of Metastores lacks release 4, and that of Glue needs jars of its own. Before
a run the kind's entry gets the metadata file that the writers left, and after it their catalog that of the run.
"""

import asyncio
import os
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Protocol

import httpx
import pytest
from hive_metastore.ttypes import EnvironmentContext, NoSuchObjectException, SerDeInfo, StorageDescriptor
from hive_metastore.ttypes import Table as Entry
from pyiceberg.catalog import load_catalog
from pyiceberg.catalog.glue import GlueCatalog
from pyiceberg.catalog.sql import IcebergTables, SqlCatalog
from sqlalchemy import update

from engine.domain.access.callers import SYSTEM
from engine.domain.ids import RunId, TableId
from engine.domain.tables.table import FormatName, Table
from tests.support.catalog_kinds import lake_in
from tests.support.hive.metastore import Metastore
from tests.support.world import NAME, World

KINDS: Final = ("sql", "hive_3", "rest", "hive_4", "glue")
_DATABASE: Final = NAME[0]
_SQL: Final = "lake"
"""Name of the catalog of kind `sql`."""
_LOCATION: Final = "metadata_location"


def kind_of(seed: int, kinds: Sequence[str] = KINDS) -> str:
    """Return the kind of catalog for the table of a seed: each in turn, or each that `PACKHOUSE_FUZZ_KIND` lists."""
    chosen = os.environ.get("PACKHOUSE_FUZZ_KIND", "").split(",")
    among = chosen if chosen[0] else kinds
    return among[seed % len(among)]


class Pointers(Protocol):
    """The metadata locations of tables in a catalog, by name; metadata is not read."""

    def read(self, name: str) -> str: ...

    def write(self, name: str, location: str) -> None: ...


@dataclass(frozen=True)
class SqlPointers:
    """The rows of a SQL catalog; those that are written exist."""

    catalog: SqlCatalog

    def read(self, name: str) -> str:
        column = IcebergTables.__table__.c
        query = IcebergTables.__table__.select().with_only_columns(column.metadata_location)
        with self.catalog.engine.connect() as connection:
            return str(connection.execute(query.where(column.table_name == name)).scalar_one())

    def write(self, name: str, location: str) -> None:
        moved = update(IcebergTables).where(IcebergTables.table_name == name).values(metadata_location=location)
        with self.catalog.engine.begin() as connection:
            connection.execute(moved)


@dataclass(frozen=True)
class RestPointers:
    """A server of Iceberg's REST protocol, which reads the metadata of what is registered, and may refuse it."""

    url: str

    def read(self, name: str) -> str:
        answer = httpx.get(f"{self.url}/tables/{name}", timeout=60).raise_for_status()
        return str(answer.json()["metadata-location"])

    def write(self, name: str, location: str) -> None:
        httpx.delete(f"{self.url}/tables/{name}", timeout=60)
        body = {"name": name, "metadata-location": location}
        httpx.post(f"{self.url}/register", json=body, timeout=60).raise_for_status()


@dataclass(frozen=True)
class GluePointers:
    """Entries of Glue."""

    client: Any

    def read(self, name: str) -> str:
        found = self.client.get_table(DatabaseName=_DATABASE, Name=name)
        return str(found["Table"]["Parameters"][_LOCATION])

    def write(self, name: str, location: str) -> None:
        entry = {"Name": name, "Parameters": {"table_type": "ICEBERG", _LOCATION: location}}
        change = self.client.create_table
        with suppress(self.client.exceptions.EntityNotFoundException):
            self.read(name)
            change = self.client.update_table
        change(DatabaseName=_DATABASE, TableInput={**entry, "TableType": "EXTERNAL_TABLE"})


@dataclass(frozen=True)
class HivePointers:
    """Entries of a Metastore."""

    metastore: Metastore

    def read(self, name: str) -> str:
        with self.metastore.client() as client:
            return str(client.get_table(_DATABASE, name).parameters[_LOCATION])

    def write(self, name: str, location: str) -> None:
        folder = location.rpartition("/")[0]
        with self.metastore.client() as client:
            try:
                found = client.get_table(_DATABASE, name)
            except NoSuchObjectException:
                made = {"table_type": "ICEBERG", "EXTERNAL": "TRUE", _LOCATION: location}
                descriptor = StorageDescriptor(cols=[], location=folder, serdeInfo=SerDeInfo())
                client.create_table(Entry(name, _DATABASE, sd=descriptor, parameters=made, tableType="EXTERNAL_TABLE"))
                return
            found.parameters[_LOCATION] = location
            client.alter_table_with_environment_context(_DATABASE, name, found, EnvironmentContext({}))


def _pointers(settings: dict[str, str]) -> Pointers:
    """Return the pointers in the catalog that settings of a writer name, in which the database is made."""
    catalog = load_catalog("writer", **settings)
    catalog.create_namespace_if_not_exists(_DATABASE)
    if isinstance(catalog, GlueCatalog):
        return GluePointers(catalog.glue)
    catalog.close()
    if settings["type"] == "rest":
        return RestPointers(f"{settings['uri']}/v1/namespaces/{_DATABASE}")
    return HivePointers(Metastore(int(settings["uri"].rpartition(":")[2]), 0))


@dataclass
class MirroredWorld(World):
    """Registers tables of its lake in a catalog of a `kind`, which is begun when the first table is.

    `registered`: the number of tables by kind. A server that refuses a table's metadata leaves it to the kind `sql`.
    """

    request: pytest.FixtureRequest = field(kw_only=True)
    folder: Path = field(kw_only=True)
    kind: str = KINDS[0]
    registered: Counter[str] = field(default_factory=Counter)
    _open: ExitStack = field(default_factory=ExitStack)
    _kinds: dict[str, Pointers] = field(default_factory=dict)
    _mirrored: dict[TableId, tuple[Pointers, str]] = field(default_factory=dict)

    @staticmethod
    def of(world: World, request: pytest.FixtureRequest, folder: Path) -> "MirroredWorld":
        """Return a world with the same parts; `request` and `folder` are those of `lake_in`."""
        parts = (world.container, world.lake, world.table_id, world.dispatcher, world.database_url, world.actions)
        return MirroredWorld(*parts, request=request, folder=folder)

    async def register(self, name: str, *, policy: dict[str, Any] | None = None, catalog: str = _SQL) -> Table:
        """Register a table in a catalog of the present kind."""
        if self.kind != KINDS[0]:
            pointers = await self._pointers()
            try:
                await asyncio.to_thread(_follow, name, self._sql, pointers)
            except httpx.HTTPStatusError:
                self.registered[f"refused by {self.kind}"] += 1
            else:
                table = await super().register(name, policy=policy, catalog=self.kind)
                self._mirrored[table.id] = (pointers, name)
                self.registered[self.kind] += 1
                return table
        self.registered[KINDS[0]] += 1
        return await super().register(name, policy=policy, catalog=catalog)

    async def share(self, table_id: TableId) -> None:
        """Let the catalog of a table have what its writers did."""
        pointers, name = self._mirrored.get(table_id, (self._sql, ""))
        await asyncio.to_thread(_follow, name, self._sql, pointers)

    async def finish(self, run_id: RunId, **options: Any) -> Any:
        """Advance a run to its end, and let its table's writers have what it did."""
        table_id = (await self.get(run_id)).table_id
        await self.share(table_id)
        run = await super().finish(run_id, **options)
        pointers, name = self._mirrored.get(table_id, (self._sql, ""))
        await asyncio.to_thread(_follow, name, pointers, self._sql)
        return run

    def close(self) -> None:
        """End the catalogs; a server that other tests use keeps no table."""
        for pointers, name in self._mirrored.values():
            if isinstance(pointers, RestPointers):
                httpx.delete(f"{pointers.url}/tables/{name}")
        self._open.close()

    @property
    def _sql(self) -> SqlPointers:
        assert isinstance(self.lake.catalog, SqlCatalog)
        return SqlPointers(self.lake.catalog)

    async def _pointers(self) -> Pointers:
        if self.kind not in self._kinds:
            lake = self._open.enter_context(lake_in(self.kind, self.request, self.folder / self.kind))
            self._kinds[self.kind] = await asyncio.to_thread(_pointers, lake["settings"])
            properties = MappingProxyType(lake["registered"])
            await self.container.catalogs.create(SYSTEM, self.kind, FormatName.ICEBERG, properties)
        return self._kinds[self.kind]


def _follow(name: str, leader: Pointers, follower: Pointers) -> None:
    """Make a catalog name the metadata file of a table that another one names."""
    if leader != follower:
        follower.write(name, leader.read(name))
