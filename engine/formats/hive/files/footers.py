"""Footers of Parquet files, read in parallel: the number of rows and the columns of each file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from engine.formats.intake.errors import decoding_file
from engine.formats.intake.limits import Malformed
from engine.formats.intake.overlapping import overlapped
from engine.rewriting.kernel.storage.stores.addresses import address_of
from engine.rewriting.kernel.storage.stores.connections import files_of

FOOTER_BYTES: Final = 64 * 2**20
"""Limit of one footer."""

_AT_ONCE: Final = 8
_TAIL: Final = 64 * 2**10
_END: Final = 8
_MAGIC: Final = b"PAR1"


@dataclass(frozen=True, slots=True)
class Footer:
    """The footer of one file; `schema` is without metadata."""

    rows: int
    schema: pa.Schema


def footers_of(files: Sequence[tuple[str, int]], storage: Mapping[str, str]) -> Sequence[Footer | None]:
    """Return the footers of files, each given by path and size, in order; None for a file that is no Parquet file.

    Raises:
        OSError: the store does not answer, or a file is gone.
        Refused: the store can't be reached with these properties.
    """
    return list(overlapped(lambda each: _footer(*each, storage), files, at_once=_AT_ONCE))


def _footer(path: str, size: int, storage: Mapping[str, str]) -> Footer | None:
    try:
        with decoding_file(path):
            return _read(path, size, storage)
    except Malformed:
        return None


def _read(path: str, size: int, storage: Mapping[str, str]) -> Footer:
    address = address_of(path)
    file = files_of(address.kind, address.place, storage).open(address.path, size)
    try:
        start = max(0, size - _TAIL)
        tail = bytes(file.read(start, size - start))
        if tail[-len(_MAGIC) :] != _MAGIC:
            raise Malformed("it does not end as a Parquet file does")
        length = int.from_bytes(tail[-_END : -len(_MAGIC)], "little") + _END
        if length > min(size, FOOTER_BYTES):
            raise Malformed(f"its footer has {length} bytes")
        if length > len(tail):
            tail = bytes(file.read(size - length, length))
    finally:
        file.close()
    found = pq.read_metadata(pa.BufferReader(_MAGIC + tail[-length:]))
    return Footer(found.num_rows, found.schema.to_arrow_schema().remove_metadata())
