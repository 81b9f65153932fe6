"""Write Puffin files of deletion vectors, as Iceberg's Java library does.

A file has the blobs one after another and a footer in JSON, uncompressed, which repeats what manifests state of each
vector (https://iceberg.apache.org/puffin-spec/). Readers of a table find vectors by their places in manifests; the
footer is for programs that have the file alone. Some writers left it out: a file of DuckDB before 1.5.4 is a bare blob,
which later versions of DuckDB and PyIceberg refuse to read (duckdb-iceberg#1248).
"""

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
from pyiceberg.manifest import DataFile, DataFileContent, FileFormat
from pyiceberg.typedef import Record
from pyroaring import BitMap64

from engine.formats.iceberg.metadata.row_ids import WITH_ROW_IDS
from engine.rewriting.kernel.reading.deletion_vectors import MAGIC as VECTOR_MAGIC

MAGIC: Final = b"PFA1"
VECTOR_TYPE: Final = "deletion-vector-v1"
_ROW_POSITION_ID: Final = 2147483645
"""The reserved field id of a row's position in its file, of which vectors are."""
LEAST_FOOTER: Final = 2 * len(MAGIC) + 10
"""Size of a footer with an empty document: magic number, JSON, its size, flags, magic number."""


_FILE_BYTES, _BLOB_BYTES = 5, 19
"""Places of the fields 104 and 145 in a data file of version 3, of which PyIceberg (0.12) names the first only."""


@dataclass(frozen=True, slots=True)
class VectorBlob:
    """A deletion vector to write: its bytes, the data file that it is of, and the number of rows that it deletes."""

    body: bytes | memoryview
    target: str
    rows: int


@dataclass(frozen=True, slots=True)
class PuffinBody:
    """The content of a Puffin file, and the offset of each of its blobs."""

    body: bytes
    offsets: tuple[int, ...]


def puffin_of(blobs: Sequence[VectorBlob], *, created_by: str) -> PuffinBody:
    """Return a Puffin file of deletion vectors, in their order."""
    parts: list[bytes | memoryview] = [MAGIC]
    described, offsets, at = [], [], len(MAGIC)
    for each in blobs:
        described.append(
            {
                "type": VECTOR_TYPE,
                "fields": [_ROW_POSITION_ID],
                "snapshot-id": -1,  # the specification has no values for vectors: they inherit those of their entries
                "sequence-number": -1,
                "offset": at,
                "length": len(each.body),
                "properties": {"referenced-data-file": each.target, "cardinality": str(each.rows)},
            }
        )
        offsets.append(at)
        parts.append(each.body)
        at += len(each.body)
    footer = json.dumps({"blobs": described, "properties": {"created-by": created_by}}, separators=(",", ":")).encode()
    parts += [MAGIC, footer, len(footer).to_bytes(4, "little"), bytes(4), MAGIC]
    return PuffinBody(b"".join(parts), tuple(offsets))


def vector_files(
    blobs: Sequence[VectorBlob], puffin: PuffinBody, *, path: str, spec_id: int, partitions: Sequence[Record]
) -> list[DataFile]:
    """Return the manifest entries' files for the vectors of a Puffin file with this path, each with its partition."""
    found = []
    for blob, offset, partition in zip(blobs, puffin.offsets, partitions, strict=True):
        file = DataFile.from_args(
            WITH_ROW_IDS,
            content=DataFileContent.POSITION_DELETES,
            file_path=path,
            file_format=FileFormat.PUFFIN,
            partition=partition,
            record_count=blob.rows,
            file_size_in_bytes=len(puffin.body),
            referenced_data_file=blob.target,
            content_offset=offset,
            content_size_in_bytes=len(blob.body),
        )
        file.spec_id = spec_id
        found.append(file)
    return found


def counted_file(file: DataFile) -> DataFile:
    """Return a file for the counts of a summary, in which the size of a vector is that of its blob."""
    if file.file_format != FileFormat.PUFFIN:
        return file
    counted = DataFile(*(file[at] for at in range(len(file))))
    counted[_FILE_BYTES] = file[_BLOB_BYTES]
    counted.spec_id = file.spec_id
    return counted


def encoded(positions: npt.NDArray[np.int64]) -> bytes:
    """Return the blob of a deletion vector with these positions."""
    bitmap = BitMap64(positions.astype(np.uint64))
    bitmap.run_optimize()
    body = VECTOR_MAGIC + bitmap.serialize()
    return len(body).to_bytes(4, "big") + body + zlib.crc32(body).to_bytes(4, "big")
