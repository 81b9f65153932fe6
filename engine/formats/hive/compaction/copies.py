"""Copies of files that a writer added to a partition's old folder, byte for byte."""

import hashlib
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Final
from uuid import uuid4

from engine.formats.hive.compaction.folders import parent_of, plain
from engine.rewriting.kernel.storage.stores.addresses import FILE, address_of, file_name
from engine.rewriting.kernel.storage.stores.connections import files_of

_CHUNK: Final = 8 * 2**20
_NAME: Final = re.compile(r"late-([0-9a-f]{12})-(\d{1,18})-(\d{1,18})-(.+)", re.DOTALL)


def copy_of(folder: str, path: str, state: tuple[int, int]) -> str:
    """Return the path of the copy of a file with this size and time: the same for the same file only."""
    return f"{folder}/late-{mark_of(parent_of(path))}-{state[1]}-{state[0]}-{file_name(path)}"


def mark_of(folder: str) -> str:
    """Return what the names of copies have of the folder of their file."""
    return hashlib.sha256(plain(folder).encode()).hexdigest()[:12]


def copied_file(path: str) -> tuple[str, str, tuple[int, int]] | None:
    """Return the mark of the folder, the name, and size and time of the file that a path is a copy of, None if none."""
    found = _NAME.fullmatch(file_name(path))
    return None if found is None else (found[1], found[4], (int(found[3]), int(found[2])))


def copy_file(path: str, target: str, size: int, storage: Mapping[str, str]) -> None:
    """Copy a file of a known size; readers of the target's folder see the whole copy or none.

    Raises:
        FileExistsError: the target exists.
        FileNotFoundError: the file is gone.
        OSError: the store does not answer, or the file has another size.
    """
    sink = address_of(target)
    if sink.kind != FILE:
        _write(path, target, size, storage)
        return
    folder, _, name = target.rpartition("/")
    part = f"{folder}/.{name}.{uuid4().hex}.tmp"
    try:
        _write(path, part, size, storage)
        os.link(address_of(part).path, sink.path)  # a rename would replace a file
    finally:
        _delete(part, storage)


def _write(path: str, target: str, size: int, storage: Mapping[str, str]) -> None:
    source, sink = address_of(path), address_of(target)
    read = files_of(source.kind, source.place, storage).open(source.path, size)
    try:
        output = files_of(sink.kind, sink.place, storage).create(sink.path)
        try:
            for offset in range(0, size, _CHUNK):
                output.write(memoryview(read.read(offset, min(_CHUNK, size - offset))))
            written = output.finish()
        except BaseException:
            output.abandon()
            if output.exists:
                _delete(target, storage)
            raise
    finally:
        read.close()
    if written != size:
        _delete(target, storage)
        raise OSError(f"{target[-300:]}: {written} bytes were written, {size} expected")


def _delete(path: str, storage: Mapping[str, str]) -> None:
    address = address_of(path)
    with suppress(FileNotFoundError):
        files_of(address.kind, address.place, storage).delete(address.path)
