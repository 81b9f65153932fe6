"""Loading of the library of the compiled pass, and the structs of its interface.

The library (`engine/rewriting/compiled`, Rust) is beside this package if it was built for this machine. It is loaded
from memory, as the package may be in a zip and an executor's folders may forbid to execute files. Without it, or if it
fails its self-test, Python and Arrow do all the work.
"""

import ctypes
import os
import platform
import sys
import zlib
from functools import lru_cache
from importlib.resources import files
from typing import Final

import numpy as np

from engine.rewriting.kernel.parquet.pages import PLAIN, data_page_header

NAME: Final = f"libpackhouse_compiled-{platform.machine()}.so"
"""Name of the library in `engine/rewriting/compiled/lib`."""

INTERFACE: Final = 4
"""Number of the library's interface that is used here."""

DONE: Final = 0
PANIC: Final = 2
"""Statuses of answers; any other: the input is not the library's own."""

_INT32: Final = 1
_MOST_REASON: Final = 200


class MergeWanted(ctypes.Structure):
    """The chunk to make: `WantedChunk` of the library."""

    _fields_ = (
        ("physical_type", ctypes.c_uint32),
        ("width", ctypes.c_uint32),
        ("codec", ctypes.c_int32),
        ("level", ctypes.c_int32),
        ("definitions", ctypes.c_uint32),
        ("repetitions", ctypes.c_uint32),
        ("page_rows", ctypes.c_uint32),
        ("padding", ctypes.c_uint32),
        ("page_bytes", ctypes.c_uint64),
        ("most_dictionary_bytes", ctypes.c_uint64),
    )


class MergeAnswer(ctypes.Structure):
    """The made chunk: `Answer` of the library."""

    _fields_ = (
        ("status", ctypes.c_int32),
        ("has_plus_zero", ctypes.c_uint32),
        ("data", ctypes.c_void_p),
        ("length", ctypes.c_uint64),
        ("capacity", ctypes.c_uint64),
        ("size", ctypes.c_uint64),
        ("dictionary_bytes", ctypes.c_uint64),
        ("pages", ctypes.c_uint64),
        ("entries", ctypes.c_uint64),
        ("rows", ctypes.c_uint64),
        ("nulls", ctypes.c_uint64),
        ("nans", ctypes.c_uint64),
        ("reason", ctypes.c_char * 64),
    )


MERGE_INPUT: Final = np.dtype(
    [
        *((name, "u8") for name in ("data", "length", "rows", "size")),
        ("codec", "i4"),
        ("has_levels", "u4"),
        ("entries", "u8"),
    ]
)
"""A chunk to merge: `InputChunk` of the library."""


class _Unusable(Exception):
    """The library can't be used; the text is the reason."""


def loading_limit() -> str:
    """Return why this machine has no library that works; empty if it has one."""
    return load()[1]


@lru_cache(maxsize=1)
def load() -> tuple[ctypes.CDLL | None, str]:
    """Return the library after a self-test, or None and why there is none."""
    try:
        return _opened(), ""
    except _Unusable as unusable:
        return None, str(unusable)


def _opened() -> ctypes.CDLL:
    """Return the library. Raises _Unusable."""
    built = files("engine.rewriting") / "compiled" / "lib" / NAME
    if sys.platform != "linux" or not built.is_file():
        raise _Unusable(f"the kernel was sent without a library for {sys.platform} on {platform.machine()}")
    try:
        descriptor = os.memfd_create(NAME)
        try:
            with open(descriptor, "wb", closefd=False) as memory:
                memory.write(built.read_bytes())
            library = ctypes.CDLL(f"/proc/self/fd/{descriptor}")
        finally:
            os.close(descriptor)
        interface = _declared(library)
    except (OSError, AttributeError) as error:
        raise _Unusable(f"the library can't be loaded: {error}"[:_MOST_REASON]) from error
    if interface != INTERFACE:
        raise _Unusable(f"the library has interface {interface}, the kernel needs {INTERFACE}")
    if not _works(library):
        raise _Unusable("the library failed its self-test")
    return library


def _declared(library: ctypes.CDLL) -> int:
    """Declare the functions of the library; return the number of its interface. Raises AttributeError without one."""
    library.packhouse_interface.restype = ctypes.c_uint32
    library.packhouse_merge.argtypes = (ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_void_p)
    library.packhouse_merge.restype = None
    library.packhouse_release.argtypes = (ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64)
    library.packhouse_release.restype = None
    library.packhouse_walk.argtypes = (ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p)
    library.packhouse_walk.restype = None
    library.packhouse_footers.argtypes = (
        ctypes.c_void_p,
        ctypes.c_uint64,
        ctypes.c_void_p,
        ctypes.c_uint64,
        ctypes.c_void_p,
    )
    library.packhouse_footers.restype = None
    library.packhouse_mix.argtypes = (ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint32)
    library.packhouse_mix.restype = None
    library.packhouse_hash_texts.argtypes = (
        ctypes.c_void_p,
        ctypes.c_uint64,
        ctypes.c_void_p,
        ctypes.c_uint64,
        ctypes.c_void_p,
    )
    library.packhouse_hash_texts.restype = ctypes.c_uint32
    return int(library.packhouse_interface())


def _works(library: ctypes.CDLL) -> bool:
    """Return whether a page of three numbers that needs no change comes out unchanged."""
    body = b"".join(number.to_bytes(4, "little") for number in (1, 2, 3))
    page = data_page_header(values=3, encoding=PLAIN, size=len(body), stored=len(body), checksum=zlib.crc32(body))
    data = np.frombuffer(page + body, np.uint8)
    given = np.array([(data.ctypes.data, data.size, 3, data.size, 0, 0, 3)], MERGE_INPUT)
    wanted = MergeWanted(physical_type=_INT32, page_rows=64, page_bytes=2**20, most_dictionary_bytes=2**20)
    answer = MergeAnswer()
    library.packhouse_merge(given.ctypes.data, 1, ctypes.byref(wanted), ctypes.byref(answer))
    if answer.status != DONE:
        return False
    made = ctypes.string_at(answer.data, answer.length)
    library.packhouse_release(answer.data, answer.length, answer.capacity)
    return made == page + body
