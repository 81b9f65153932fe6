"""A writer that follows rewrites: asks where to write, puts its file there, and asks again. It can end at any point."""

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from engine.domain.access.callers import SYSTEM
from engine.domain.ids import TableId
from engine.services.catalogs.table_access import TableAccess
from engine.services.tables.write_locations import WriteAnswer, WriteLocationService
from engine.stores.database import Database
from tests.support.hive.lakes import path_of
from tests.support.hive.worlds import WrittenTable, served
from tests.support.world import World


@dataclass
class Follower:
    """A writer in another process than the rewrite: it has its own connections, and never waits for the event loop."""

    lake: WrittenTable
    database_url: str
    table_id: TableId

    @staticmethod
    def of(world: World[WrittenTable]) -> "Follower":
        return Follower(world.lake, world.database_url, world.table_id)

    def ask(self, day: str, file_name: str | None = None, *, partition: str | None = None) -> WriteAnswer:
        """Ask where to write."""

        async def locate() -> WriteAnswer:
            database = Database(self.database_url)
            formats = TableAccess(formats=served(None), environ=os.environ)
            service = WriteLocationService(database=database, formats=formats)
            try:
                return await service.locate(SYSTEM, self.table_id, partition or f'{{"day":"{day}"}}', file_name)
            finally:
                await database.close()

        return _in_thread(lambda: asyncio.run(locate()))

    def file(self, day: str, rows: int = 5) -> "DualFile":
        """Return a file of new rows, and nothing is put yet."""
        answer, ids = self.ask(day), self.lake._rows(day, rows)
        made = pa.table({"id": [row["id"] for row in ids], "value": [row["value"] for row in ids]})
        return DualFile(self, day, answer, made, [row["id"] for row in ids])

    def write(self, day: str, rows: int = 5) -> "DualFile":
        """Put a file of new rows wherever it has to be."""
        made = self.file(day, rows)
        made.finish()
        return made


@dataclass
class DualFile:
    """One file of a writer that follows. `answer` is the newest; its rows are expected in the table."""

    writer: Follower
    day: str
    answer: WriteAnswer
    rows: pa.Table
    ids: list[int]

    @property
    def name(self) -> str:
        return self.answer.file.name

    @property
    def roles(self) -> list[str]:
        return [each.role.value for each in self.answer.found.locations]

    @property
    def is_written(self) -> bool:
        return self.answer.found.locations[0].has_file

    def ask(self) -> "DualFile":
        self.answer = self.writer.ask(self.day, self.name)
        return self

    def put(self, folder: Path | str, *, rows: pa.Table | None = None, age_seconds: float = 0) -> Path:
        """Put it into a folder at once, with a time in the past if given."""
        folder = folder if isinstance(folder, Path) else path_of(folder)
        folder.mkdir(parents=True, exist_ok=True)
        part, target = folder / f".{self.name}", folder / self.name
        pq.write_table(self.rows if rows is None else rows, part)
        seconds = part.stat().st_mtime - age_seconds
        os.utime(part, (seconds, seconds))
        part.replace(target)
        return target

    def put_missing(self) -> bool:
        """Put it into each folder of the answer that is without it; return whether there was one."""
        missing = [each.location for each in self.answer.found.locations if not each.has_file]
        for location in missing:
            self.put(location)
        return bool(missing)

    def finish(self) -> None:
        for _ in range(10):
            if not self.put_missing():
                return
            self.ask()
        raise AssertionError(self.answer)

    def disown(self) -> None:
        """Expect its rows no longer: the writer ended before it was done."""
        for each in self.ids:
            self.writer.lake.expected[self.day].remove(each)


def _in_thread(call: Callable[[], WriteAnswer]) -> WriteAnswer:
    """Run a call in a thread without an event loop, and wait for it."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(call).result()
