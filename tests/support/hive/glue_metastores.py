"""Glue in the place of a Hive Metastore: the calls that writers make to a Metastore, as requests to Glue."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import boto3
from hive_metastore.ttypes import Database, NoSuchObjectException, Partition, StorageDescriptor, Table

from engine.formats.hive.catalog.glue_entries import PREFIX, partition_of, table_of
from tests.support.glue_server import REGION, GlueServer


@dataclass(frozen=True)
class GlueMetastore:
    """The catalog of a server of Glue, with the interface of `metastore.Metastore`."""

    server: GlueServer
    uri: str = ""

    @property
    def properties(self) -> Mapping[str, str]:
        """The properties of a catalog, with references to keys."""
        return self.server.settings()

    @contextmanager
    def client(self) -> Iterator["GlueCalls"]:
        """Return a client with keys of a writer's own."""
        keys = {"aws_access_key_id": "watcher", "aws_secret_access_key": "x", "region_name": REGION}
        yield GlueCalls(boto3.client("glue", endpoint_url=self.server.url, **keys))


@dataclass(frozen=True)
class GlueCalls:
    """Calls of a Metastore's client as requests to Glue. Nothing is compared or locked."""

    glue: Any

    def create_database(self, database: Database) -> None:
        self.glue.create_database(DatabaseInput={"Name": database.name, "LocationUri": database.locationUri})

    def drop_database(self, name: str, *_options: bool) -> None:
        self.glue.delete_database(Name=name)

    def create_table(self, table: Table) -> None:
        self.glue.create_table(DatabaseName=table.dbName, TableInput=_table_input(table))

    def get_table(self, database: str, name: str) -> Table:
        found = table_of(self.glue.get_table(DatabaseName=database, Name=name)["Table"])
        found.parameters = {key: value for key, value in found.parameters.items() if not key.startswith(PREFIX)}
        return found

    def alter_table(self, database: str, _name: str, table: Table) -> None:
        self.glue.update_table(DatabaseName=database, TableInput=_table_input(table))

    def get_partitions(self, database: str, name: str, _limit: int) -> list[Partition]:
        return [_own(each) for each in self.glue.get_partitions(DatabaseName=database, TableName=name)["Partitions"]]

    def get_partition(self, database: str, name: str, values: Sequence[str]) -> Partition:
        try:
            found = self.glue.get_partition(DatabaseName=database, TableName=name, PartitionValues=list(values))
        except self.glue.exceptions.EntityNotFoundException as error:
            raise NoSuchObjectException(str(error)) from error
        return _own(found["Partition"])

    def add_partitions(self, partitions: Sequence[Partition]) -> None:
        for each in partitions:
            self.add_partition(each)

    def add_partition(self, partition: Partition) -> None:
        address = {"DatabaseName": partition.dbName, "TableName": partition.tableName}
        self.glue.create_partition(**address, PartitionInput=_partition_input(partition))

    def alter_partition(self, database: str, name: str, partition: Partition) -> None:
        address = {"DatabaseName": database, "TableName": name, "PartitionValueList": partition.values}
        self.glue.update_partition(**address, PartitionInput=_partition_input(partition))

    def drop_partition(self, database: str, name: str, values: Sequence[str], _deletes: bool) -> None:
        self.glue.delete_partition(DatabaseName=database, TableName=name, PartitionValues=list(values))


def resolved(properties: Mapping[str, str]) -> dict[str, str]:
    """Return properties with the secrets that they refer to."""
    return {name: os.environ[value[4:]] if value.startswith("env:") else value for name, value in properties.items()}


def _own(entry: Mapping[str, Any]) -> Partition:
    found = partition_of(entry)
    own = {key: value for key, value in found.sd.parameters.items() if not key.startswith(PREFIX)}
    found.sd.parameters = own
    return found


def _table_input(table: Table) -> dict[str, Any]:
    keys = [{"Name": each.name, "Type": each.type} for each in table.partitionKeys]
    made = {"Name": table.tableName, "StorageDescriptor": _storage(table.sd), "PartitionKeys": keys}
    return {**made, "Parameters": dict(table.parameters), "TableType": table.tableType}


def _partition_input(partition: Partition) -> dict[str, Any]:
    storage = _storage(partition.sd)
    return {"Values": list(partition.values), "StorageDescriptor": storage, "Parameters": dict(partition.parameters)}


def _storage(stored: StorageDescriptor) -> dict[str, Any]:
    serde = {"SerializationLibrary": stored.serdeInfo.serializationLib, "Parameters": dict(stored.serdeInfo.parameters)}
    return {
        "Columns": [{"Name": each.name, "Type": each.type} for each in stored.cols],
        "Location": stored.location,
        "InputFormat": stored.inputFormat,
        "OutputFormat": stored.outputFormat,
        "Compressed": False,
        "NumberOfBuckets": -1,
        "SerdeInfo": serde,
        "BucketColumns": list(stored.bucketCols or ()),
        "SortColumns": [],
        "Parameters": dict(stored.parameters or {}),
        "StoredAsSubDirectories": False,
    }
