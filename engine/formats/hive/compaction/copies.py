"""Copies of files that a writer added to a partition's old folder, byte for byte."""

import hashlib
import re
from typing import Final

from engine.formats.hive.compaction.folders import plain
from engine.formats.intake.table_storage import TableStorage
from engine.rewriting.kernel.storage.stores.addresses import address_of, file_name
from engine.rewriting.kernel.storage.stores.connections import files_of

LARGEST_COPY: Final = 256 * 2**20
"""A larger file is not copied: it is held in memory, so that readers see the whole copy or none."""

_CHUNK: Final = 8 * 2**20
_NAME: Final = re.compile(r"late-([0-9a-f]{16})-(\d{1,18})-(\d{1,18})\.parquet")
NAMES: Final = r"/late-[0-9a-f]{16}-[0-9]{1,18}-[0-9]{1,18}\.parquet$"
"""A regular expression, for Arrow, of the paths of copies."""


def copy_of(folder: str, path: str, state: tuple[int, int]) -> str:
    """Return the path of the copy of a file with this size and time: the same for the same file only."""
    return f"{folder}/late-{mark_of(path)}-{state[1]}-{state[0]}.parquet"


def mark_of(path: str) -> str:
    """Return the hash of a file's path that is part of the names of its copies."""
    return hashlib.sha256(plain(path).encode()).hexdigest()[:16]


def copied_file(path: str) -> tuple[str, tuple[int, int]] | None:
    """Parse the name of a copy: the hash of the source's path, and its size and time; None if it is no copy."""
    found = _NAME.fullmatch(file_name(path))
    return None if found is None else (found[1], (int(found[3]), int(found[2])))


def copy_file(path: str, target: str, size: int, storage: TableStorage) -> None:
    """Copy a file of a known size, over an earlier copy of the same; readers see the whole copy or none.

    Raises:
        FileNotFoundError: the file is gone.
        OSError: the store does not answer, or the file has another size.
        ValueError: it is larger than `LARGEST_COPY`.
    """
    if size > LARGEST_COPY:
        raise ValueError(f"{path[-300:]} has {size} bytes, more than {LARGEST_COPY}")
    source = address_of(path)
    read, body = files_of(source.kind, source.place, storage.properties).open(source.path, size), bytearray()
    try:
        for offset in range(0, size, _CHUNK):
            body += read.read(offset, min(_CHUNK, size - offset))
    finally:
        read.close()
    if len(body) != size:
        raise OSError(f"{path[-300:]}: {len(body)} bytes were read, {size} expected")
    storage.write(target, bytes(body))
