"""Find metadata files of another table in the metadata folder of a table, by the UUID in each.

Two tables can share a location: after `register_table`, or if a table was dropped without its files and created again
at the same place. The metadata of one does not refer to the files of the other, which would be orphans.

Limit: of the files that nothing refers to, the newest 1,000 are read; each takes one request for 4 KiB, and
more if its UUID is not there.
"""

import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Final

import pyarrow as pa
from pyiceberg.io import FileIO, InputStream

from engine.domain.errors import NotEligible
from engine.formats.iceberg.metadata.views import TableView
from engine.formats.intake.errors import printable_path
from engine.formats.intake.overlapping import overlapped
from engine.rewriting.kernel.storage.stores.addresses import address_of
from engine.uris.schemes import FILE

MOST_READ: Final = 1000
_HEAD_BYTES: Final = 4096
_PIECE_BYTES: Final = 2**20
_MOST_DECODED: Final = 64 * 2**20
_LONGEST_MATCH: Final = 100
_AT_ONCE: Final = 8
_GZIP: Final = b"\x1f\x8b"
_TABLE: Final = re.compile(rb'"table-uuid"\s*:\s*"([0-9A-Fa-f-]{36})"')


def check_one_table(unknown: pa.Table, view: TableView, before_page: Callable[[int], None]) -> None:
    """Check that metadata files to which nothing refers are earlier versions of this table.

    Args:
        unknown: the files, with the schema `listings.FOUND`.
        view: the table.
        before_page: called with the number of requests before each, 0 for local files; may wait, or raise to stop.

    Raises:
        NotEligible: one is of another table.
        OSError: the store does not answer.
    """
    newest = unknown.sort_by([("modified_us", "descending")]).slice(0, MOST_READ)["path"].to_pylist()
    own = str(view.metadata.table_uuid).lower()

    def paced() -> Iterator[str]:
        for path in newest:
            before_page(int(address_of(path).kind != FILE))
            yield path

    owners = overlapped(lambda path: _owner_of(view.table.io, path), paced(), at_once=_AT_ONCE)
    for path, owner in zip(newest, owners, strict=True):
        if owner not in {None, own}:
            raise NotEligible(
                f"{printable_path(path)} is metadata of another table ({owner}) at the location of this one"
                f" ({own}): its files could be taken for orphans, so no file is deleted; move one of the tables, or "
                "delete the metadata files of that table if it does not exist any more"
            )


def _owner_of(io: FileIO, path: str) -> str | None:
    """Return the UUID of the table that a metadata file is of; None if the file is gone, or has none, as version 1 may.

    Writers put it at the beginning; where it is not there, the rest is read as well.
    """
    before = b""
    with suppress(FileNotFoundError), io.new_input(path).open() as stream:
        for piece in _decoded(stream):
            if found := _TABLE.search(before + piece):
                return found[1].decode().lower()
            before = piece[-_LONGEST_MATCH:]
    return None


def _decoded(stream: InputStream) -> Iterator[bytes]:
    """Yield the content in pieces, decompressed, up to `_MOST_DECODED` bytes; damaged compression ends it."""
    piece, left = stream.read(_HEAD_BYTES), _MOST_DECODED
    decoder = zlib.decompressobj(zlib.MAX_WBITS | 32) if piece.startswith(_GZIP) else None
    with suppress(zlib.error):
        while piece and left > 0:
            decoded = piece if decoder is None else decoder.decompress(piece, _PIECE_BYTES)
            yield decoded
            left -= len(decoded)
            piece = (b"" if decoder is None else decoder.unconsumed_tail) or stream.read(_PIECE_BYTES)
