"""Manifest lists: the manifests of a snapshot, with the number of files that each adds and deletes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import pyarrow as pa

from engine.formats.intake.limits import Malformed
from engine.formats.paimon.manifests.columns import decode
from engine.formats.paimon.metadata.snapshots import checked_name

_VERSION: Final = 2
_LIST_BYTES: Final = 64 * 2**20  # decompressed: 400,000 manifests
_COLUMNS: Final = pa.schema(
    [
        pa.field("_FILE_NAME", pa.string(), nullable=False),
        pa.field("_FILE_SIZE", pa.int64(), nullable=False),
        pa.field("_NUM_ADDED_FILES", pa.int64(), nullable=False),
        pa.field("_NUM_DELETED_FILES", pa.int64(), nullable=False),
    ]
)


@dataclass(frozen=True, slots=True)
class ManifestRef:
    """A manifest as its list has it."""

    name: str
    file_bytes: int
    added_files: int
    deleted_files: int


def read_list(stored: bytes) -> Sequence[ManifestRef]:
    """Return the manifests in a manifest list.

    Raises:
        Malformed: it can't be decoded, or a number or name in it is none.
    """
    columns = decode(stored, _COLUMNS, newest_version=_VERSION, limit=_LIST_BYTES)
    found = [ManifestRef(*row) for row in zip(*(column.to_pylist() for column in columns), strict=True)]
    for each in found:
        checked_name(each.name)
        for number in (each.file_bytes, each.added_files, each.deleted_files):
            if number < 0:
                raise Malformed(f"manifest {each.name} has a size or number of files of {number}")
    return found
