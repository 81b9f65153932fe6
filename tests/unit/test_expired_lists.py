"""Lists of a deletion of expired files: each announced file is listed once, a stored list only becomes shorter."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from engine.formats.removal.expired_files import ExpiredFiles, FoundFiles, Unread
from engine.formats.removal.file_lists import FileKind, FileList, ListWriter, Origin, batches_of, listed
from engine.formats.removal.records import Records
from engine.formats.removal.scopes import RefusedFiles

ORIGIN = Origin("t", 1, 1)


@dataclass
class Folder:
    """Whole files in memory."""

    stored: dict[str, bytes] = field(default_factory=dict)

    def files(self, folder: str) -> Sequence[str]:
        return [path.removeprefix(f"{folder}/") for path in self.stored if path.startswith(f"{folder}/")]

    def read(self, path: str, limit: int) -> bytes:
        return self.stored[path]

    def write(self, path: str, body: bytes) -> None:
        self.stored[path] = body

    def delete(self, path: str) -> None:
        if self.stored.pop(path, None) is None:
            raise FileNotFoundError(path)


@dataclass
class Table:
    """A table whose roots are the files themselves, of which it needs some."""

    folder: Folder = field(default_factory=Folder)
    needed_paths: set[str] = field(default_factory=set)

    def records(self) -> Records:
        return Records(self.folder, "/t/lists", "run_1")

    def begin(self) -> Records:
        return self.records()

    def check_same(self, origin: Origin) -> None:
        assert origin == ORIGIN

    def find(self, roots: Sequence[FileList]) -> FoundFiles:
        paths = [path for batch in batches_of(roots) for path in batch["path"].to_pylist()]
        return FoundFiles(of([each for each in paths if each not in self.needed_paths]), RefusedFiles(), 0, Unread())

    def check(self, stored: FileList) -> FoundFiles:
        return self.find([stored])

    def references(self, files: FileList) -> "Table":
        return self

    def refresh(self, *, deletes: bool) -> None:
        pass

    def needed(self, files: pa.Table) -> npt.NDArray[np.bool_]:
        return np.array([path in self.needed_paths for path in files["path"].to_pylist()], bool)


def of(paths: Sequence[str]) -> FileList:
    writer = ListWriter(ORIGIN)
    writer.add(listed(paths, FileKind.DATA))
    return writer.finish()


def paths_of(files: FileList) -> list[str]:
    return [path for batch in files.batches() for path in batch["path"].to_pylist()]


def test_a_stored_list_only_becomes_shorter() -> None:
    table = Table(needed_paths={"/t/b"})
    table.records().write_roots(of(["/t/a", "/t/b", "/t/c"]))
    assert paths_of(ExpiredFiles(table).find().files) == ["/t/a", "/t/c"]
    table.needed_paths = {"/t/c"}  # another process goes on: `b` is free now, `c` is needed again
    again = ExpiredFiles(table).find()
    assert paths_of(again.files) == ["/t/a"]
    assert again.path.endswith("/files-1.parquet")
    (stored,) = table.records().recorded()
    assert paths_of(stored) == ["/t/a", "/t/c"]


def test_files_of_a_closed_deletion_are_not_listed_again() -> None:
    table = Table()
    table.records().write_roots(of(["/t/a", "/t/b"]))
    first = ExpiredFiles(table)
    assert first.record().plan.total.files == 2
    first.close()
    assert not first.is_pending()
    table.records().write_roots(of(["/t/b", "/t/c"]))
    assert ExpiredFiles(table).is_pending()
    assert paths_of(ExpiredFiles(table).find().files) == ["/t/c"]


def test_nothing_is_stored_without_roots() -> None:
    table = Table()
    recorded = ExpiredFiles(table).record()
    assert (recorded.plan.path, recorded.plan.total.files, table.folder.stored) == ("", 0, {})
