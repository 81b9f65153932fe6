"""Partitioned Parquet tables of a Metastore, changed as other engines change them: files, partitions, locations."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hive_metastore import ttypes
from hive_metastore.ttypes import FieldSchema, Partition, Table

from tests.support.glue_server import GlueServer
from tests.support.hive.glue_metastores import GlueMetastore
from tests.support.hive.metastore import Metastore

Row = Mapping[str, Any]
Values = Sequence[str]
"""Values of the partition keys as the Metastore stores them: texts."""

NULL: Final = "__HIVE_DEFAULT_PARTITION__"
_PARQUET: Final = "org.apache.hadoop.hive.ql.io.parquet"
_TYPES: Final[Mapping[str, pa.DataType]] = {
    "string": pa.string(),
    "int": pa.int32(),
    "bigint": pa.int64(),
    "double": pa.float64(),
    "date": pa.date32(),
    "boolean": pa.bool_(),
    "timestamp": pa.timestamp("us"),
}
_READ_VALUE: Final[Mapping[str, Any]] = {"string": str, "int": int, "bigint": int, "date": date.fromisoformat}
COLUMNS: Final = (("id", "bigint"), ("value", "double"))
KEYS: Final = (("day", "date"), ("region", "string"), ("hour", "int"))


@dataclass(frozen=True)
class HiveTable:
    """An external table; every change is one or a few calls of the Metastore, as of a client without locks."""

    metastore: Metastore | GlueMetastore
    folder: Path
    database: str
    name: str

    def read(self) -> Table:
        """Return the Metastore's table."""
        with self.metastore.client() as client:
            return client.get_table(self.database, self.name)

    def partitions(self) -> list[Partition]:
        """Return all partitions, by name."""
        with self.metastore.client() as client:
            found = client.get_partitions(self.database, self.name, -1)
        return sorted(found, key=lambda each: list(each.values))

    def partition(self, values: Values) -> Partition | None:
        """Return one partition, or None."""
        with self.metastore.client() as client:
            try:
                return client.get_partition(self.database, self.name, list(values))
            except ttypes.NoSuchObjectException:
                return None

    def append(self, values: Values, rows: Sequence[Row]) -> Path:
        """Add a file to a partition, in its present location, and register the partition if it is new."""
        found = self.partition(values)
        location = path_of(found.sd.location) if found is not None else self.default_location(values)
        file = self.write_file(location, rows)
        if found is None:
            self.add_partition(values, location)
        return file

    def overwrite(self, values: Values, rows: Sequence[Row]) -> Path:
        """Replace the files of a partition in its location, as `INSERT OVERWRITE` does."""
        found = self.partition(values)
        for each in files_in(path_of(found.sd.location)) if found is not None else ():
            each.unlink()
        return self.append(values, rows)

    def write_file(self, folder: Path, rows: Sequence[Row]) -> Path:
        """Write a file with the table's columns, numbered after those of the folder, and register nothing."""
        return _write_file(folder, rows, self.read())

    def create_partitions(self, files: Mapping[str, Sequence[Sequence[Row]]]) -> None:
        """Register a partition for each value of the only key, with a file for each of its lists of rows."""
        table, made = self.read(), []
        for value, batches in files.items():
            location = self.folder / f"{table.partitionKeys[0].name}={value}"
            for rows in batches:
                _write_file(location, rows, table)
            descriptor = copy(table.sd)
            descriptor.location = uri_of(location)
            made.append(Partition([value], self.database, self.name, sd=descriptor, parameters={}))
        with self.metastore.client() as client:
            client.add_partitions(made)

    def add_partition(self, values: Values, location: Path) -> None:
        """Register a partition."""
        with self.metastore.client() as client:
            descriptor = client.get_table(self.database, self.name).sd
            descriptor.location = uri_of(location)
            client.add_partition(Partition(list(values), self.database, self.name, sd=descriptor, parameters={}))

    def drop_partition(self, values: Values) -> None:
        """Drop a partition and keep its files."""
        with self.metastore.client() as client:
            client.drop_partition(self.database, self.name, list(values), False)

    def set_location(self, values: Values, location: Path) -> None:
        """Change the location of a partition, without regard to the present one."""
        with self.metastore.client() as client:
            changed = client.get_partition(self.database, self.name, list(values))
            changed.sd.location = uri_of(location)
            client.alter_partition(self.database, self.name, changed)

    def add_columns(self, *columns: tuple[str, str]) -> None:
        """Add columns to the table, not to its partitions: files and descriptors of before lack them."""
        with self.metastore.client() as client:
            changed = client.get_table(self.database, self.name)
            changed.sd.cols += [FieldSchema(name, kind, "") for name, kind in columns]
            client.alter_table(self.database, self.name, changed)

    def default_location(self, values: Values) -> Path:
        """Return the folder that engines choose for a new partition."""
        names = [each.name for each in self.read().partitionKeys]
        return self.folder.joinpath(*(f"{k}={quote(v, safe=' ')}" for k, v in zip(names, values, strict=True)))

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows of all partitions, read where the Metastore locates them, columns matched without case."""
        table = self.read()
        found = []
        for partition in self.partitions():
            keys = {
                key.name: None if value == NULL else _READ_VALUE[key.type](value)
                for key, value in zip(table.partitionKeys, partition.values, strict=True)
            }
            for file in files_in(path_of(partition.sd.location)):
                for row in pq.ParquetFile(file).read().to_pylist():
                    lowered = {name.lower(): value for name, value in row.items()}
                    found.append({each.name: lowered.get(each.name) for each in table.sd.cols} | keys)
        return found


@dataclass(frozen=True)
class HiveLake:
    """A database of a Metastore with external tables below a folder of this machine."""

    metastore: Metastore | GlueMetastore
    root: Path
    database: str = "lake"

    def create(self) -> "HiveLake":
        """Create the database."""
        with self.metastore.client() as client:
            client.create_database(ttypes.Database(self.database, locationUri=uri_of(self.root), parameters={}))
        return self

    def table(self, name: str) -> HiveTable:
        """Return a table, which may be another engine's."""
        return HiveTable(self.metastore, self.root / name, self.database, name)

    def create_table(
        self,
        name: str = "events",
        columns: Sequence[tuple[str, str]] = COLUMNS,
        keys: Sequence[tuple[str, str]] = KEYS[:1],
    ) -> HiveTable:
        """Create an external Parquet table with the types of Hive."""
        descriptor = ttypes.StorageDescriptor(
            cols=[FieldSchema(column, kind, "") for column, kind in columns],
            location=uri_of(self.root / name),
            inputFormat=f"{_PARQUET}.MapredParquetInputFormat",
            outputFormat=f"{_PARQUET}.MapredParquetOutputFormat",
            serdeInfo=ttypes.SerDeInfo(serializationLib=f"{_PARQUET}.serde.ParquetHiveSerDe", parameters={}),
            bucketCols=[],
            sortCols=[],
            parameters={},
        )
        table = Table(
            name,
            self.database,
            "tests",
            sd=descriptor,
            partitionKeys=[FieldSchema(key, kind, "") for key, kind in keys],
            parameters={"EXTERNAL": "TRUE"},
            tableType="EXTERNAL_TABLE",
        )
        with self.metastore.client() as client:
            client.create_table(table)
        return self.table(name)


def _write_file(folder: Path, rows: Sequence[Row], table: Table) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"part-{len(files_in(folder)):05}.parquet"
    schema = pa.schema([(each.name, _TYPES[each.type]) for each in table.sd.cols])
    pq.write_table(pa.Table.from_pylist([dict(each) for each in rows], schema), file)
    return file


def uri_of(folder: Path) -> str:
    """Return the location of a folder; Hadoop's paths are not URIs: `%` and blanks in them stand for themselves."""
    return f"file:{folder}"


def path_of(location: str) -> Path:
    """Return the folder of a location on this machine; see `uri_of`."""
    return Path(location.removeprefix("file:"))


def files_in(folder: Path) -> list[Path]:
    """Return the data files of a folder by name, without hidden ones; none if there is no such folder."""
    return sorted(each for each in folder.glob("*.parquet") if not each.name.startswith(("_", ".")))


@pytest.fixture
def hive_lake(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[HiveLake]:
    """A database that ends with the test, with the tables of Spark in it; in Glue for the parameter `glue`."""
    found = request.getfixturevalue(getattr(request, "param", "metastore"))
    with open_lake(GlueMetastore(found) if isinstance(found, GlueServer) else found, tmp_path) as opened:
        yield opened


@pytest.fixture
def other_lake(other_metastore: Metastore, tmp_path: Path) -> Iterator[HiveLake]:
    """A database in a Metastore of another release."""
    with open_lake(other_metastore, tmp_path) as opened:
        yield opened


@contextmanager
def open_lake(metastore: Metastore | GlueMetastore, folder: Path) -> Iterator[HiveLake]:
    """Make a database that ends with the block."""
    yield HiveLake(metastore, folder / "lake").create()
    with metastore.client() as client:
        client.drop_database("lake", True, True)
