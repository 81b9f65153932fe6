"""A plain table with writers of its own, as tests use it."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tests.support.plain.versions import PlainFile, Version, VersionLog

SCHEMA = pa.schema([("id", pa.int64()), ("day", pa.string()), ("value", pa.float64()), ("tags", pa.list_(pa.string()))])


@dataclass
class PlainLake:
    """One table below a root folder; `ids` are numbered as they are appended."""

    root: Path
    log: VersionLog
    next_id: int = 0

    @staticmethod
    def make(root: Path, *, days: int = 3, files: int = 6) -> "PlainLake":
        log = VersionLog(root / "lake" / "events")
        log.create(SCHEMA)
        lake = PlainLake(root, log)
        for number in range(files):
            for day in range(days):
                lake.append(f"2026-11-{day + 1:02}", rows=50 + number)
        return lake

    def append(self, day: str, *, rows: int = 50) -> None:
        """Write a file without field ids and commit it."""
        ids = range(self.next_id, self.next_id + rows)
        self.next_id += rows
        columns = {
            "tags": [None if i % 5 == 0 else [f"t{i % 3}"] * (i % 4) for i in ids],
            "day": [day] * rows,
            "id": list(ids),
            "value": [None if i % 7 == 0 else i / 3 for i in ids],
        }
        table = pa.table({name: pa.array(values, SCHEMA.field(name).type) for name, values in columns.items()})
        path = self.log.folder / "data" / f"day={day}" / f"{ids.start}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(table, path)
        self._commit(
            "append",
            lambda head, number: {
                **head,
                str(path): PlainFile(str(path), path.stat().st_size, rows, day, number),
            },
        )

    def remove(self, day: str) -> None:
        """Remove all files of a day, as another writer would."""
        self._commit("change", lambda head, _: {path: file for path, file in head.items() if file.day != day})

    def paths(self) -> Sequence[str]:
        head = self.log.read(self.log.newest())
        return [] if head is None else list(head.files)

    def ids(self) -> list[int]:
        """All ids, by a reader that knows nothing of Packhouse."""
        return sorted(i for path in self.paths() for i in pq.read_table(path, partitioning=None)["id"].to_pylist())

    def _commit(self, kind: str, change: Callable[[dict[str, PlainFile], int], dict[str, PlainFile]]) -> None:
        while True:
            head = self.log.read(self.log.newest())
            before = {} if head is None else dict(head.files)
            number = self.log.newest() + 1
            after = change(before, number)
            added = {path: file for path, file in after.items() if path not in before}
            if self.log.add(Version(number, round(time.time() * 1000), kind, after, added=added)):
                return
