"""Limits of the memory that a process keeps for reuse, and of garbage collections at its start."""

import ctypes
import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

MOST_ARENAS: Final = 2
_M_ARENA_MAX: Final = -8  # malloc.h of glibc


def limit_malloc_arenas() -> None:
    """Limit glibc to two memory arenas for all threads; call before threads are started. No-op without glibc.

    By default there are 8 for each core, and each keeps the most that its threads ever needed at once: a coordinator
    that read the metadata of a dozen tables in its pools of threads kept 1 GB of free memory after an hour. Python
    threads seldom allocate at the same time, since they hold the interpreter's lock. `MALLOC_ARENA_MAX` does the same
    from outside.
    """
    if sys.platform == "linux":
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
        if mallopt is not None:
            mallopt(_M_ARENA_MAX, MOST_ARENAS)


@contextmanager
def without_collections() -> Iterator[None]:
    """Disable cyclic garbage collection for the imports in the block, and exempt their objects from later collections.

    Collections took a quarter of the CPU time of a start, and found nothing.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_enabled:
            gc.enable()
