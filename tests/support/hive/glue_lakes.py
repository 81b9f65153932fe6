"""A Hive-style table in Glue and S3, as Athena and Spark on EMR keep it, and the ids that its writers put there."""

import io
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import pyarrow as pa
import pyarrow.parquet as pq

from engine.domain.tables.table import FormatName, TableRef
from engine.formats.hive import HiveFormat, HiveTable
from tests.support.glue_server import GlueServer
from tests.support.hive.glue_metastores import GlueMetastore, resolved
from tests.support.s3_server import BUCKET

ADDRESS = {"DatabaseName": "lake", "TableName": "events"}
PARQUET = "org.apache.hadoop.hive.ql.io.parquet"
STORAGE: Mapping[str, Any] = {
    "Columns": [{"Name": "id", "Type": "bigint", "Comment": "its number"}, {"Name": "value", "Type": "double"}],
    "Location": f"s3://{BUCKET}/events",
    "InputFormat": f"{PARQUET}.MapredParquetInputFormat",
    "OutputFormat": f"{PARQUET}.MapredParquetOutputFormat",
    "Compressed": False,
    "NumberOfBuckets": -1,
    "SerdeInfo": {
        "Name": "parquet",
        "SerializationLibrary": f"{PARQUET}.serde.ParquetHiveSerDe",
        "Parameters": {"serialization.format": "1"},
    },
    "BucketColumns": [],
    "SortColumns": [],
    "Parameters": {},
    "SkewedInfo": {"SkewedColumnNames": [], "SkewedColumnValues": [], "SkewedColumnValueLocationMaps": {}},
    "StoredAsSubDirectories": False,
}
"""What Athena stores of a table or partition; a partition has the location of its folder."""

TABLE: Mapping[str, Any] = {
    "Name": "events",
    "Owner": "hadoop",
    "Retention": 0,
    "StorageDescriptor": STORAGE,
    "PartitionKeys": [{"Name": "day", "Type": "string"}],
    "TableType": "EXTERNAL_TABLE",
    "Parameters": {"EXTERNAL": "TRUE", "classification": "parquet", "transient_lastDdlTime": "1764547200"},
}


@dataclass
class GlueLake:
    """The table, with a partition for each day."""

    server: GlueServer
    expected: defaultdict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    format: ClassVar[FormatName] = FormatName.HIVE

    def __post_init__(self) -> None:
        with GlueMetastore(self.server).client() as client:
            self.glue = client.glue

    @property
    def properties(self) -> Mapping[str, str]:
        return self.server.settings()

    @property
    def uuid(self) -> str:
        return self.open().uuid

    def create(self, days: Sequence[str], *, files: int, table: Mapping[str, Any] = TABLE) -> "GlueLake":
        """Create the database, the table and its partitions, with files of 20 rows each."""
        self.glue.create_database(DatabaseInput={"Name": "lake"})
        self.glue.create_table(DatabaseName="lake", TableInput=table)
        for day in days:
            storage = {**STORAGE, "Location": f"s3://{BUCKET}/events/day={day}/"}
            made = {"Values": [day], "StorageDescriptor": storage, "Parameters": {"recordCount": str(20 * files)}}
            self.glue.create_partition(**ADDRESS, PartitionInput=made)
            for _ in range(files):
                self.append(day)
        return self

    def append(self, day: str) -> None:
        """Add a file where Glue has the partition."""
        first = sum(map(len, self.expected.values()))
        ids, body = range(first, first + 20), io.BytesIO()
        self.expected[day] += ids
        rows = {"id": pa.array(ids, pa.int64()), "value": [each / 2 for each in ids]}
        pq.write_table(pa.table(rows), body)
        self.server.put(f"{self.folder(day)}/part-{first:06}.parquet", body.getvalue())

    def overwrite(self, day: str) -> None:
        """Replace the rows of a partition in its folder."""
        for key in self.keys(day):
            self.server.file_system().delete_file(f"{BUCKET}/{key}")
        self.expected[day].clear()
        self.append(day)

    def partition(self, day: str) -> dict[str, Any]:
        """Return Glue's entry of a partition."""
        found: dict[str, Any] = self.glue.get_partition(**ADDRESS, PartitionValues=[day])["Partition"]
        return found

    def folder(self, day: str) -> str:
        """Return where Glue has a partition, as the beginning of keys."""
        location: str = self.partition(day)["StorageDescriptor"]["Location"]
        return location.removeprefix(f"s3://{BUCKET}/").rstrip("/")

    def keys(self, day: str) -> list[str]:
        """Return the keys of a partition's files, without hidden ones."""
        found, folder = [each.rpartition("/") for each in self.server.stored()], self.folder(day)
        return sorted(f"{folder}/{name}" for at, _, name in found if at == folder and name[:1] not in "_.")

    def rows(self) -> list[tuple[str, int]]:
        """Return day and id of each row, read where Glue has the partitions."""
        days = [each["Values"][0] for each in self.glue.get_partitions(**ADDRESS)["Partitions"]]
        bodies = ((day, self.server.get(key)) for day in days for key in self.keys(day))
        tables = ((day, pq.read_table(io.BytesIO(body))) for day, body in bodies)
        return sorted((day, number) for day, table in tables for number in table["id"].to_pylist())

    def wanted(self) -> list[tuple[str, int]]:
        """Return the rows that readers must find."""
        return sorted((day, number) for day, ids in self.expected.items() for number in ids)

    def open(self) -> HiveTable:
        """Load it."""
        connection = HiveFormat(pause=0).connect("lake", resolved(self.properties))
        return connection.open_table(TableRef("lake", ("lake",), "events"))
