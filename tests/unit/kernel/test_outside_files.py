"""A task refuses its group when one of its paths is outside of its places, whatever the planner did."""

from pathlib import Path

import pyarrow as pa
import pytest

from engine.rewriting.kernel.kernel_task import SentKernelTask
from tests.support.kernel_tasks import changed
from tests.unit.kernel.building import field, left_behind, make_task, rewrite, with_deletes, write, write_deletes

SCHEMA = pa.schema([field(1, "id", pa.int64())])


def rows(*ids: int) -> pa.Table:
    return pa.table([list(ids)], schema=SCHEMA)


@pytest.fixture
def task(tmp_path: Path) -> SentKernelTask:
    """A group of two own files, the second with an own delete file."""
    own = tmp_path / "events"
    own.mkdir()
    inputs = [write(own / f"{name}.parquet", rows(1, 2, 3)) for name in "ab"]
    deletes = write_deletes(own / "deletes.parquet", [(inputs[1].path, 0)])
    return make_task(own, [inputs[0], with_deletes(inputs[1], deletes)], SCHEMA, allowed_folders=(str(own),))


def test_a_group_of_own_files_is_written(task: SentKernelTask) -> None:
    assert rewrite(task).outcome == "written"


def test_a_data_file_of_another_table_is_not_read(task: SentKernelTask, tmp_path: Path) -> None:
    foreign = write(tmp_path / "salaries.parquet", rows(7, 8))
    result = rewrite(changed(task, files=(*task.task.read.files, foreign)))
    assert (result.outcome, result.bytes_read) == ("refused", 0)
    assert (result.reason or "").startswith(f"outside_files: {foreign.path} is not below")
    assert left_behind(tmp_path / "events") == []


def test_a_delete_file_of_another_table_is_not_read(task: SentKernelTask, tmp_path: Path) -> None:
    foreign = write_deletes(tmp_path / "deletes.parquet", [(task.task.read.files[0].path, 0)])
    result = rewrite(changed(task, files=(with_deletes(task.task.read.files[0], foreign), task.task.read.files[1])))
    assert (result.outcome, result.bytes_read) == ("refused", 0)


def test_nothing_is_written_into_the_folder_of_another_table(task: SentKernelTask, tmp_path: Path) -> None:
    result = rewrite(changed(task, folder=str(tmp_path / "salaries")))
    assert (result.outcome, (tmp_path / "salaries").exists()) == ("refused", False)


def test_a_task_without_places_opens_nothing(task: SentKernelTask) -> None:
    assert rewrite(changed(task, allowed_folders=())).outcome == "refused"
