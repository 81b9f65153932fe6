"""Copies of files that a writer added to a partition's old folder, byte for byte."""

import hashlib
import re
from collections.abc import Collection
from typing import Final

import structlog

from engine.formats.hive.files.listing import files_directly_in
from engine.formats.hive.rewrite.folders import normalise_folder
from engine.formats.hive.writers.names import is_dual
from engine.formats.intake.table_storage import TableStorage
from engine.rewriting.kernel.storage.stores.addresses import address_of, file_name
from engine.rewriting.kernel.storage.stores.connections import files_of

LARGEST_COPY: Final = 256 * 2**20
"""A larger file is not copied: it is held in memory, so that readers see the whole copy or none."""

_log = structlog.get_logger(__name__)

_CHUNK: Final = 8 * 2**20
_NAME: Final = re.compile(r"late-([0-9a-f]{16})-(\d{1,18})-(\d{1,18})\.parquet")
NAMES: Final = r"/late-[0-9a-f]{16}-[0-9]{1,18}-[0-9]{1,18}\.parquet$"
"""A regular expression, for Arrow, of the paths of copies."""


def copy_of(folder: str, path: str, state: tuple[int, int]) -> str:
    """Return the path of the copy of a file with this size and time: the same for the same file only."""
    if is_dual(path):
        return f"{folder}/{file_name(path)}"
    return f"{folder}/late-{mark_of(path)}-{state[1]}-{state[0]}.parquet"


def mark_of(path: str) -> str:
    """Return the hash of a file's path that is part of the names of its copies."""
    return hashlib.sha256(normalise_folder(path).encode()).hexdigest()[:16]


def copied_file(path: str) -> tuple[str, tuple[int, int]] | None:
    """Parse the name of a copy: the hash of the source's path, and its size and time; None if it is not a copy."""
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


def bring_back(folder: str, previous: str, known: Collection[str], storage: TableStorage) -> bool:
    """Copy the dual files that only a newer folder has to the one that the partition gets back, all that can be.

    Args:
        folder: the newer folder.
        previous: the folder that the partition had before.
        known: names of files whose rows the previous folder has, or had before they were overwritten.
        storage: where both are.

    Returns:
        False if one of them can't be copied: it is too large, or the previous folder has another file of its name.

    Raises:
        OSError: the store does not answer.
    """
    is_whole = True
    found = files_directly_in(folder, storage.properties)
    present = files_directly_in(previous, storage.properties)
    for path, state in found.items():
        if not is_dual(path) or file_name(path) in known:
            continue
        target = copy_of(previous, path, state)
        if target in present and present[target][0] == state[0]:
            continue
        if target in present or state[0] > LARGEST_COPY:
            is_whole = False
            _log.warning("dual_file_not_brought_back", path=path[-300:], file_bytes=state[0])
        else:
            copy_file(path, target, state[0], storage)
    return is_whole
