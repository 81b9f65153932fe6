"""Inputs and tasks for kernel tests."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from engine.rewriting.kernel.contract import GroupResult, TaskInput
from engine.rewriting.kernel.kernel_task import SentKernelTask
from engine.rewriting.kernel.reading.deletes import FILE_PATH_ID, POSITION_ID
from engine.rewriting.kernel.task import rewrite_group
from tests.support.kernel_tasks import kernel_task

MIB = 2**20


def field(number: int, name: str, data_type: pa.DataType, *, required: bool = False) -> pa.Field:
    """Return a field with its id."""
    return pa.field(name, data_type, nullable=not required, metadata={"PARQUET:field_id": str(number)})


def write(path: Path, table: pa.Table, **options: Any) -> TaskInput:
    """Write an input and return it as a task names it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path, **{"store_schema": False, "compression": "zstd", **options})
    return TaskInput(str(path), path.stat().st_size, table.num_rows)


def write_deletes(path: Path, deletes: Sequence[tuple[str, int]], **options: Any) -> str:
    """Write a position-delete file and return its path."""
    schema = pa.schema(
        [
            field(FILE_PATH_ID, "file_path", pa.string(), required=True),
            field(POSITION_ID, "pos", pa.int64(), required=True),
        ]
    )
    columns = [[name for name, _ in deletes], [position for _, position in deletes]]
    arrays = [pa.array(column, kind.type) for column, kind in zip(columns, schema, strict=True)]
    pq.write_table(pa.Table.from_arrays(arrays, schema=schema), path, **options)
    return str(path)


def make_task(folder: Path, inputs: Sequence[TaskInput], schema: pa.Schema, /, **changes: Any) -> SentKernelTask:
    """Return a task whose outputs go to `folder`/out."""
    given = {"folder": str(folder / "out"), "group": 3, "name_prefix": "run-3-1-", **changes}
    return kernel_task(inputs, schema, given.pop("folder"), **given)


def rewrite(task: SentKernelTask) -> GroupResult:
    """Run a task the way Spark does, by JSON."""
    return GroupResult.from_json(rewrite_group(task.to_json()))


def outputs_of(result: GroupResult) -> pa.Table:
    """Return the rows of all outputs, in order."""
    return pa.concat_tables([pq.read_table(output.path) for output in result.outputs])


def left_behind(folder: Path) -> list[Path]:
    """Return the files in the output folder."""
    return [path for path in (folder / "out").rglob("*") if path.is_file()]


def with_deletes(one: TaskInput, *paths: str) -> TaskInput:
    return replace(one, delete_paths=paths)


def ids_of(schema: pa.Schema) -> Mapping[str, str]:
    return {one.name: one.metadata[b"PARQUET:field_id"].decode() for one in schema}
