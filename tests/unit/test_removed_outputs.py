"""Outputs of ended runs: the table is read after they were found, and again before each part of them."""

import pytest

from engine.formats.removal import deletions
from engine.formats.removal.deletions import outputs_up_to, remove_outputs

RUN = "run_01"
PATHS = [f"/t/{RUN}-00000-{attempt}-{number}.parquet" for attempt in (1, 2) for number in range(3)]


def test_files_of_later_attempts_and_kept_names_are_no_candidates() -> None:
    kept = frozenset({PATHS[0].replace("/t/", "file:/other/")})
    assert outputs_up_to(PATHS, RUN, 1, kept) == PATHS[1:3]


def test_the_table_is_read_before_each_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deletions, "PROVEN_FILES", 2)
    versions, deleted = [set[str](), {PATHS[2].rpartition("/")[2]}, {PATHS[4].rpartition("/")[2]}], list[str]()
    removed = remove_outputs(PATHS, lambda: versions.pop(0), deleted.append)
    assert removed == deleted == [path for path in PATHS if path not in {PATHS[2], PATHS[4]}]
    assert not versions


def test_without_candidates_the_table_is_not_read() -> None:
    assert remove_outputs([], lambda: pytest.fail("it was read"), lambda _: None) == []


def test_a_file_that_is_gone_is_not_counted() -> None:
    def delete(path: str) -> None:
        if path == PATHS[1]:
            raise FileNotFoundError(path)

    assert remove_outputs(PATHS[:3], set, delete) == [PATHS[0], PATHS[2]]
