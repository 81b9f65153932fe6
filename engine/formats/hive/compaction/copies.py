"""Copies of files that a writer added to a partition's old folder, byte for byte and under the same name."""

from collections.abc import Mapping
from typing import Final

from engine.rewriting.kernel.storage.stores.addresses import address_of, file_name
from engine.rewriting.kernel.storage.stores.connections import files_of

_CHUNK: Final = 8 * 2**20


def copy_into(folder: str, path: str, size: int, storage: Mapping[str, str]) -> str:
    """Copy a file of a known size into a folder; return the path of the copy.

    Raises:
        FileExistsError: the folder has a file of this name.
        FileNotFoundError: the file is gone.
        OSError: the store does not answer, or the file has another size.
    """
    target = f"{folder}/{file_name(path)}"
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
    return target
