"""Compare files with what their store has under exactly their names now: size and time, by few requests.

S3 and Google Cloud Storage list files in the order of their paths, from any path on: each request decides all files in
the range of paths that it lists, so that there are no more requests than files, and one for a thousand neighbours. A
listing has no slash at the end of a name, so that the marker `x/` of a folder looks like an empty file `x`: where that
may be so, and in other stores, each file takes a request of its own.
"""

import os
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from enum import Enum
from pathlib import Path
from typing import Any, Final

from engine.rewriting.kernel.storage.stores.files import Files
from engine.rewriting.kernel.storage.stores.object_errors import UnclearName
from engine.rewriting.kernel.storage.stores.objects import ObjectFiles

_SECOND_US: Final = 1_000_000
"""Difference of two times of one object by different requests: some answer in seconds, others in milliseconds."""

_PLAIN: Final = re.compile(r"[A-Za-z0-9/_.=-]*")
"""Beginning of a path that no client encodes in a request."""


class Presence(Enum):
    """State of a file in its store, by its name."""

    SAME = "same"
    CHANGED = "changed"
    MISSING = "missing"


def compare(
    store: Files,
    names: Sequence[str],
    sizes: Sequence[int],
    times_us: Sequence[int],
    before_request: Callable[[int], None],
) -> list[Presence]:
    """Return for each file whether it exists with the same size, and a time less than a second apart.

    Args:
        store: the files of this machine, or those of an object store.
        names: paths within the store, in one folder or below it.
        sizes: in bytes.
        times_us: in microseconds since 1970.
        before_request: called with the number of requests before each, 0 for local files; may wait, or raise to stop.

    Raises:
        OSError: the store does not answer, or refuses.
    """
    if not store.is_remote:
        before_request(0)
        found = _local(names)
    elif not isinstance(store, ObjectFiles):
        raise OSError("sizes and times of files in this kind of store are not known")
    else:
        found = _listed(store, sorted(set(names)), before_request) if names else {}
    return [_presence(found.get(name), size, at) for name, size, at in zip(names, sizes, times_us, strict=True)]


def _presence(found: tuple[int, int] | None, size: int, time_us: int) -> Presence:
    if found is None:
        return Presence.MISSING
    is_same = found[0] == size and abs(found[1] - time_us) < _SECOND_US
    return Presence.SAME if is_same else Presence.CHANGED


def _local(names: Sequence[str]) -> Mapping[str, tuple[int, int]]:
    found = {}
    for name in names:
        with suppress(FileNotFoundError, NotADirectoryError):
            stat = Path(name).lstat()
            found[name] = (stat.st_size, stat.st_mtime_ns // 1000)
    return found


def _listed(
    store: ObjectFiles, names: Sequence[str], before_request: Callable[[int], None]
) -> Mapping[str, tuple[int, int]]:
    found, unsure = dict[str, tuple[int, int]](), set[str]()
    try:
        for page in _pages(store, names, before_request) if store.lists_from_a_path else ():
            for name, size, at in zip(page["path"], page["size"], page["modified_us"], strict=True):
                if name in found or not size:
                    unsure.add(name)
                found[name] = (size, at)
    except UnclearName:
        unsure.update(names)
    for name in names if not store.lists_from_a_path else unsure.intersection(names):
        found.pop(name, None)
        before_request(1)
        with suppress(FileNotFoundError):
            found[name] = store.stat(name)
    return found


def _pages(
    store: ObjectFiles, names: Sequence[str], before_request: Callable[[int], None]
) -> Iterator[Mapping[str, list[Any]]]:
    """Yield pages of a listing that have all of the files, which are in the order of their paths."""
    folder = os.path.commonpath([name.rpartition("/")[0] for name in names])
    at, last = 0, ""
    while at < len(names):
        start = max(_PLAIN.match(names[at][:-1])[0], last)  # type: ignore[index]
        before_request(1)
        page = next(store.listed(folder, after=start or None), None)
        if page is None or page["path"][-1] <= last:
            return
        yield page
        last = page["path"][-1]
        at = bisect_right(names, last, lo=at)
