"""Names of dual files: files that their writer puts into each folder of a partition that is or will be in use.

A copy of a dual file keeps its name, so that its rows are in a folder once, whether the writer, a rewrite or the watch
of replaced folders put it there. A name contains the time at which it was given: lists of replaced files show whether a
rewrite has merged the file, and they are deleted some time later.
"""

import re
import time
from typing import Final
from uuid import uuid4

from engine.rewriting.kernel.storage.stores.addresses import file_name

VALID_SECONDS: Final = 3600.0
"""Time for which a name can be asked about. Lists of replaced files are kept for at least this time."""

SKEW_SECONDS: Final = 600.0
"""Largest difference between the clocks of Packhouse and of the store that is allowed for."""

_NAME: Final = re.compile(r"dual-(\d{13})-[0-9a-f]{32}\.parquet", re.ASCII)

State = tuple[int, int]
"""Size and time in milliseconds of a file."""


def new_name() -> str:
    """Return a name that no other file has."""
    return f"dual-{round(time.time() * 1000):013}-{uuid4().hex}.parquet"


def given_at(name: str) -> float | None:
    """Return the time at which a name was given, in seconds since 1970; None if it is not that of a dual file."""
    found = _NAME.fullmatch(name)
    return None if found is None else int(found[1]) / 1000


def is_dual(path: str) -> bool:
    """Return whether a path is that of a dual file."""
    return _NAME.fullmatch(file_name(path)) is not None


def is_same(path: str, found: State | None, known: State) -> bool:
    """Return whether a file is unchanged.

    A dual file may have another time: its writer can put it again, and the name stands for the content.
    """
    return found == known or (found is not None and found[0] == known[0] and is_dual(path))
