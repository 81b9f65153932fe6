"""Copies of files that a writer added to a partition's old folder, byte for byte."""

from collections.abc import Mapping
from typing import Final

from engine.rewriting.kernel.storage.stores.addresses import address_of, file_name
from engine.rewriting.kernel.storage.stores.connections import files_of

_CHUNK: Final = 8 * 2**20


def copy_of(folder: str, path: str, state: tuple[int, int]) -> str:
    """Return the path of the copy of a file with this size and time: the same for the same file only."""
    return f"{folder}/late-{state[1]}-{state[0]}-{file_name(path)}"


def copy_file(path: str, target: str, size: int, storage: Mapping[str, str]) -> None:
    """Copy a file of a known size.

    Raises:
        FileExistsError: the target exists.
        FileNotFoundError: the file is gone.
        OSError: the store does not answer, or the file has another size.
    """
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
            raise
    finally:
        read.close()
    if written != size:
        raise OSError(f"{target[-300:]}: {written} bytes were written, {size} expected")
