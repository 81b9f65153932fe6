"""Inputs whose footers are false: the group is refused or fails, and the process of the task goes on."""

from pathlib import Path

import pytest

from engine.rewriting.kernel.contract import GroupResult
from engine.rewriting.kernel.entry import run_group
from tests.support.hostile_footers import EDITS, claiming, edited, encrypt, many_children, many_rows
from tests.unit.kernel.building import left_behind, make_task, write
from tests.unit.kernel.spliced import NESTED, table

OUTCOMES = {**dict.fromkeys(EDITS, "failed"), "encrypted": "refused", "an id that Arrow cuts": "written"}


def result_of(folder: Path, body: bytes) -> GroupResult:
    """Rewrite a sound file with another one of this content."""
    good, bad = (write(folder / f"{name}.parquet", table(at, 200)) for at, name in enumerate(("good", "bad"), 1))
    Path(bad.path).write_bytes(body)
    task = make_task(folder, [good, bad.__class__(bad.path, len(body), bad.record_count)], NESTED)
    return GroupResult.from_json(run_group(task.to_json()))


@pytest.mark.parametrize("edit", EDITS)
def test_f42_a_footer_never_ends_the_process_of_a_task(tmp_path: Path, edit: str) -> None:
    """F42: Arrow aborted at an encrypted column; Spark repeats the task of a process that ended."""
    sound = Path(write(tmp_path / "sound.parquet", table(3, 200)).path).read_bytes()
    result = result_of(tmp_path, edited(sound, EDITS[edit][0]))
    assert result.outcome == OUTCOMES[edit], result.reason
    assert left_behind(tmp_path) == [] or result.outcome == "written"


def test_f42_claims_are_refused_before_memory_is_taken(tmp_path: Path) -> None:
    """F42: a million columns in 106 bytes, rows and fields that no memory has."""
    sound = Path(write(tmp_path / "sound.parquet", table(3, 200)).path).read_bytes()
    for body, text in (
        (claiming(sound, 900_000), "Exceeded size limit"),
        (edited(sound, many_rows), "Allocation size too large"),
        (edited(sound, many_children), "not enough elements"),
    ):
        result = result_of(tmp_path, body)
        assert result.outcome == "failed"
        assert text in (result.reason or "")


def test_f42_an_encrypted_column_is_named(tmp_path: Path) -> None:
    """F42: the reason is that of other encrypted files."""
    sound = Path(write(tmp_path / "sound.parquet", table(3, 200)).path).read_bytes()
    reason = result_of(tmp_path, edited(sound, encrypt)).reason or ""
    assert reason.startswith("encrypted_file: ")
    assert "bad.parquet: a column is encrypted" in reason
