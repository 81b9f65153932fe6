"""Write one position-delete file in place of several: sorted by path and position, each row once, with exact bounds."""

import io
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.io import FileIO
from pyiceberg.manifest import DataFile, DataFileContent, FileFormat
from pyiceberg.typedef import Record

from engine.domain.runs.left_out import LeftOutItem
from engine.formats.iceberg.upkeep.deletes.plans import DeleteFile
from engine.formats.iceberg.upkeep.deletes.positions import (
    FILE_PATH_ID,
    POSITION_ID,
    POSITIONS,
    DeleteEvidence,
    LeftAlone,
    LiveData,
    Positions,
    distinct,
    each_read,
    readable,
    together,
)

_ROWS_OF_GROUP: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class MergedDeletes:
    """Delete files that go, and the files in their place, each with its data sequence number; none: no row is deleted.

    `left_out`: files of the group that stay as they are.
    """

    old: tuple[DeleteFile, ...]
    new: tuple[tuple[DataFile, int], ...]
    left_out: tuple[LeftOutItem, ...] = ()


@dataclass(frozen=True, slots=True)
class MergedRows:
    """The files of a group to replace, and the rows of theirs that apply to live data files; None without any.

    `left_out`: files of the group that are not replaced for their content.
    """

    files: tuple[DeleteFile, ...]
    rows: Positions | None
    left_out: tuple[LeftOutItem, ...]


def merged_rows(io: FileIO, group: Sequence[DeleteFile], live: LiveData, evidence: DeleteEvidence) -> MergedRows:
    """Read the delete files of a group and merge their rows, which `evidence` gets.

    No files are to be replaced if that would not reduce their number.
    """
    taken, parts, left_out = [], [], list[LeftOutItem]()
    for file, found in each_read(io, group, evidence):
        try:
            rows_of_file = readable(found)
            evidence.add(file, rows_of_file)
            kept = live.kept(rows_of_file, file)
        except LeftAlone as error:
            left_out.append(LeftOutItem(file.path, error.reason, error.detail, error.is_error))
            continue
        taken.append((file, len(rows_of_file.codes) > len(kept.codes)))
        parts.append(kept)
    rows = distinct(together(parts)) if parts else None
    has_rows = rows is not None and len(rows.codes) > 0
    if not taken or (has_rows and len(taken) == 1 and not taken[0][1]):
        return MergedRows((), None, tuple(left_out))
    return MergedRows(tuple(file for file, _ in taken), rows if has_rows else None, tuple(left_out))


def parquet_of(rows: Positions) -> bytes:
    """Return a Parquet file with sorted rows."""
    paths = pa.DictionaryArray.from_arrays(pa.array(rows.codes.astype(np.int32)), rows.paths)
    target = io.BytesIO()
    with pq.ParquetWriter(
        target, POSITIONS, compression="zstd", use_dictionary=["file_path"], store_schema=False
    ) as writer:
        writer.add_key_value_metadata({"delete-type": "position"})
        for start in range(0, len(rows.codes), _ROWS_OF_GROUP):
            some = slice(start, start + _ROWS_OF_GROUP)
            columns: list[Any] = [paths[some].cast(pa.string()), pa.array(rows.positions[some])]
            writer.write_table(pa.table(columns, schema=POSITIONS))
    return target.getvalue()


def data_file_of(rows: Positions, body: bytes, *, path: str, spec_id: int, partition: Record) -> DataFile:
    """Return the manifest entry's file; equal bounds of paths assign it to one data file."""
    footer = pq.read_metadata(io.BytesIO(body))
    groups = [footer.row_group(at) for at in range(footer.num_row_groups)]
    ids = (FILE_PATH_ID, POSITION_ID)
    least, most = int(rows.positions.min()), int(rows.positions.max())
    file = DataFile.from_args(
        content=DataFileContent.POSITION_DELETES,
        file_path=path,
        file_format=FileFormat.PARQUET,
        partition=partition,
        record_count=len(rows.codes),
        file_size_in_bytes=len(body),
        column_sizes={of: sum(each.column(at).total_compressed_size for each in groups) for at, of in enumerate(ids)},
        value_counts=dict.fromkeys(ids, len(rows.codes)),
        null_value_counts=dict.fromkeys(ids, 0),
        nan_value_counts={},
        lower_bounds={FILE_PATH_ID: _utf8(rows.paths[0]), POSITION_ID: struct.pack("<q", least)},
        upper_bounds={FILE_PATH_ID: _utf8(rows.paths[-1]), POSITION_ID: struct.pack("<q", most)},
        split_offsets=[each.column(0).dictionary_page_offset or each.column(0).data_page_offset for each in groups],
    )
    file.spec_id = spec_id
    return file


def _utf8(path: pa.Scalar) -> bytes:
    return str(path.as_py()).encode()
