"""Many files in an Iceberg table for little time: copies of a live one, or entries of any size without a file.

One commit however many. An entry without a file serves where only manifests are read: judging, planning, explaining.
"""

import shutil
import uuid
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from pyiceberg.manifest import DataFile
from pyiceberg.table import Table

_KEPT = (
    "content",
    "file_format",
    "partition",
    "record_count",
    "column_sizes",
    "value_counts",
    "null_value_counts",
    "nan_value_counts",
    "lower_bounds",
    "upper_bounds",
    "split_offsets",
    "sort_order_id",
)


def live_files(table: Table, fits: Callable[[DataFile], bool] = lambda _file: True) -> list[DataFile]:
    """Return the live data files that fit, without reading any."""
    return [task.file for task in table.scan().plan_files() if fits(task.file)]


def add_copies(table: Table, of: DataFile, count: int) -> None:
    """Add so many copies of a live file to its partition: real files with the same rows."""
    paths = [_path_beside(of) for _ in range(count)]
    for path in paths:
        shutil.copyfile(of.file_path.removeprefix("file://"), path.removeprefix("file://"))
    _append(table, [_entry(of, path, of.file_size_in_bytes) for path in paths])


def add_entries(table: Table, of: DataFile, count: int, *, file_bytes: int) -> None:
    """Add so many entries of a size to the partition of a live file; there are no files behind them."""
    _append(table, [_entry(of, _path_beside(of), file_bytes) for _ in range(count)])


def add_file(table: Table, of: DataFile, path: str, *, rows: int) -> None:
    """Add a file that was written to the partition of a live one; nothing is known of its columns."""
    size = Path(path.removeprefix("file://")).stat().st_size
    partition = {"content": of.content, "file_format": of.file_format, "partition": of.partition}
    made = DataFile.from_args(file_path=path, file_size_in_bytes=size, record_count=rows, **partition)
    made.spec_id = of.spec_id
    _append(table, [made])


def remove(table: Table, files: Iterable[DataFile]) -> None:
    """Take files out of the table."""
    with table.transaction() as change, change.update_snapshot().overwrite() as overwrite:
        for file in files:
            overwrite.delete_data_file(file)


def _append(table: Table, files: Iterable[DataFile]) -> None:
    with table.transaction() as change, change.update_snapshot().fast_append() as append:
        for file in files:
            append.append_data_file(file)


def _path_beside(of: DataFile) -> str:
    folder, _, _ = of.file_path.rpartition("/")
    return f"{folder}/copy-{uuid.uuid4()}.parquet"


def _entry(of: DataFile, path: str, file_bytes: int) -> DataFile:
    kept: dict[str, Any] = {name: getattr(of, name) for name in _KEPT}
    made = DataFile.from_args(file_path=path, file_size_in_bytes=file_bytes, **kept)
    made.spec_id = of.spec_id
    return made
