"""The repeated proof of a deletion: references are read before each part, and what they have then is not deleted."""

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest

from engine.formats.removal import deletions, file_lists
from engine.formats.removal.deletions import UnneededFiles
from engine.formats.removal.file_lists import FileKind, FileList, ListWriter, Origin, listed

PATHS = [f"/t/{number}" for number in range(10)]


class Versions:
    """References of a table whose versions need these files, one after the other."""

    def __init__(self, *versions: set[str]) -> None:
        self.versions = list(versions)
        self.reads: list[bool] = []
        self.known: set[str] = set()

    def refresh(self, *, deletes: bool) -> None:
        self.reads.append(deletes)
        self.known |= self.versions.pop(0) if self.versions else set()

    def needed(self, files: pa.Table) -> npt.NDArray[np.bool_]:
        return np.array([path in self.known for path in files["path"].to_pylist()], bool)


@pytest.fixture(autouse=True)
def four_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deletions, "PROVEN_FILES", 4)


def files(monkeypatch: pytest.MonkeyPatch, at_once: int = 50_000) -> FileList:
    monkeypatch.setattr(file_lists, "BATCH_ROWS", at_once)
    writer = ListWriter(Origin("t", 1, 1))
    writer.add(listed(PATHS, FileKind.DATA))
    return writer.finish()


def paths_of(found: UnneededFiles) -> list[str]:
    return [path for batch in found.batches() for path in batch["path"].to_pylist()]


@pytest.mark.parametrize("at_once", [50_000, 4, 3, 1])
def test_references_are_read_before_each_part_of_a_list(monkeypatch: pytest.MonkeyPatch, at_once: int) -> None:
    versions = Versions()
    assert paths_of(UnneededFiles(files(monkeypatch, at_once), versions)) == PATHS
    assert versions.reads == [True] * 3


def test_a_file_that_a_version_needs_before_its_part_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    found = UnneededFiles(files(monkeypatch), Versions({"/t/0"}, {"/t/5"}))
    assert paths_of(found) == [path for path in PATHS if path not in {"/t/0", "/t/5"}]
    (condition,) = found.prove()
    assert (condition.holds, condition.detail) == (True, "8 files deleted, 0 of them are needed")


def test_a_file_that_a_version_needs_after_its_part_fails_the_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    versions = Versions(set(), {"/t/0"}, set(), {"/t/9"})
    found = UnneededFiles(files(monkeypatch), versions)
    assert paths_of(found) == PATHS
    (condition,) = found.prove()
    assert (condition.holds, condition.detail) == (False, "10 files deleted, 2 of them are needed")
    assert versions.reads[-1] is False


def test_a_file_that_changed_since_it_was_listed_stays_and_is_no_deleted_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def are_as_listed(some: pa.Table) -> npt.NDArray[np.bool_]:
        return np.array([path != "/t/3" for path in some["path"].to_pylist()], bool)

    found = UnneededFiles(files(monkeypatch), Versions({"/t/2"}, set(), set(), {"/t/3"}), are_as_listed=are_as_listed)
    assert paths_of(found) == [path for path in PATHS if path not in {"/t/2", "/t/3"}]
    (condition,) = found.prove()
    assert (condition.holds, condition.detail) == (True, "8 files deleted, 0 of them are needed")
