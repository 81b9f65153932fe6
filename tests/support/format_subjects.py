"""Subjects of the contract of table formats: a format with one table, and the table's other writers."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Protocol

from engine.domain.tables.table import TableRef
from engine.embedded.jars import CACHE_FOLDER, PAIMON, PAIMON_S3, fetch
from engine.formats.base import TableFormat
from engine.formats.hive import HiveFormat
from engine.formats.iceberg.connection import IcebergFormat
from engine.formats.paimon.connection import PaimonFormat
from engine.formats.paimon.rewrite.core import CoreCalls
from engine.rewriting.entry import run_task
from engine.rewriting.kernel.task import rewrite_group
from tests.simulation.spark import ModelDispatcher
from tests.simulation.tables import ModelFormat
from tests.simulation.world import World
from tests.support.hive.glue_metastores import resolved
from tests.support.hive.lakes import HiveLake
from tests.support.paimon.lakes import PaimonLake
from tests.support.plain.catalog import PlainFormat
from tests.support.plain.lake import PlainLake
from tests.support.world import Lake

DAYS = ("2026-11-01", "2026-11-02")
REF = TableRef("lake", ("lake",), "events")
RUN = "run_1"


class Subject(Protocol):
    """A format with one catalog of one table, and the table's other writers.

    `has_history`: its tables have snapshots, and their files' rows are counted in metadata.
    """

    format: TableFormat
    properties: Mapping[str, str]
    has_history: bool

    def rewrite(self, payload: str) -> str:
        """Run a task; raises as the kernel."""

    def append(self, day: str) -> None:
        """Append a file as another writer."""

    def remove(self, day: str) -> None:
        """Delete all files of a day as another writer."""

    def ids(self) -> list[Any] | None:
        """All ids, sorted, read without Packhouse; None if the subject has no rows to read."""


@dataclass
class IcebergSubject:
    has_history: ClassVar[bool] = True
    lake: Lake

    def __post_init__(self) -> None:
        self.format: TableFormat = IcebergFormat(check_location=lambda _location: None)
        self.properties: Mapping[str, str] = self.lake.properties

    def rewrite(self, payload: str) -> str:
        return rewrite_group(payload)

    def append(self, day: str) -> None:
        self.lake.append_to([day], rows=50)

    def remove(self, day: str) -> None:
        self.lake.table.delete(f"day == '{day}'")

    def ids(self) -> list[Any] | None:
        return self.lake.ids()


@dataclass
class PlainSubject:
    has_history: ClassVar[bool] = True
    lake: PlainLake

    def __post_init__(self) -> None:
        self.format: TableFormat = PlainFormat()
        self.properties: Mapping[str, str] = {"root": str(self.lake.root)}

    def rewrite(self, payload: str) -> str:
        return rewrite_group(payload)

    def append(self, day: str) -> None:
        self.lake.append(day)

    def remove(self, day: str) -> None:
        self.lake.remove(day)

    def ids(self) -> list[Any] | None:
        return self.lake.ids()


class ModelSubject:
    """A table of the simulation, rewritten by its Spark."""

    has_history = True

    def __init__(self, world: World) -> None:
        self._world = world
        self.format: TableFormat = ModelFormat(world.lake)
        self.properties: Mapping[str, str] = {}
        self._table = world.lake.table(REF)
        for _ in range(3):
            for day in DAYS:
                self.append(day)

    def rewrite(self, payload: str) -> str:
        dispatcher = ModelDispatcher(self._world.spark, "session")
        return dispatcher.run(dispatcher.ticket(RUN, 1, len(self._world.spark.operations)), str, [payload])[0]

    def append(self, day: str) -> None:
        self._table.append(f'{{"day":"{day}"}}', [2**20])

    def remove(self, day: str) -> None:
        self._table.delete_files([path for path, file in self._table.files.items() if day in file.partition])

    def ids(self) -> list[Any] | None:
        return None


class LocalTasks:
    """Runs requests in this process."""

    def provide_file(self, path: Path) -> str:
        return str(path.absolute())

    def run(self, request: str) -> str:
        return run_task(request)


def local_core() -> CoreCalls:
    """Return access to the core in a child JVM of this process."""
    jars = (partial(fetch, each, CACHE_FOLDER) for each in (PAIMON, PAIMON_S3))
    return CoreCalls(LocalTasks(), *jars, heap_limit_bytes=2**30)


@dataclass
class PaimonSubject:
    """An append table without buckets, compacted by the core in a JVM of this process, or by the kernel."""

    has_history: ClassVar[bool] = True
    lake: PaimonLake
    by_kernel: bool = False
    next_id: int = 0

    def __post_init__(self) -> None:
        self.format: TableFormat = PaimonFormat(core=local_core())
        self.properties: Mapping[str, str] = self.lake.properties
        self.lake.create([("id", "BIGINT"), ("day", "STRING"), ("value", "DOUBLE")], partition_keys=["day"])
        for _ in range(3):
            for day in DAYS:
                self.append(day)

    def rewrite(self, payload: str) -> str:
        return run_task(payload)

    def append(self, day: str) -> None:
        self.lake.write([[self.next_id + number, day, 1.5] for number in range(5)])
        self.next_id += 5

    def remove(self, day: str) -> None:
        self.lake.call("truncate", partition={"day": day})

    def ids(self) -> list[Any] | None:
        found: list[Any] = self.lake.call("ids")
        return found


@dataclass
class HiveSubject:
    """A table of a Metastore with a partition for each day."""

    has_history: ClassVar[bool] = False
    lake: HiveLake
    next_id: int = 0

    def __post_init__(self) -> None:
        self.format: TableFormat = HiveFormat(pause=0)
        self.properties: Mapping[str, str] = resolved(self.lake.metastore.properties)
        self.table = self.lake.create_table(keys=[("day", "string")])
        for _ in range(3):
            for day in DAYS:
                self.append(day)

    def rewrite(self, payload: str) -> str:
        return rewrite_group(payload)

    def append(self, day: str) -> None:
        self.table.append([day], [{"id": self.next_id + number, "value": 1.5} for number in range(5)])
        self.next_id += 5

    def remove(self, day: str) -> None:
        self.table.drop_partition([day])

    def ids(self) -> list[Any] | None:
        return sorted(row["id"] for row in self.table.rows())
