"""Find which of many files still exist with the size and time that an inventory states, by few requests to the store.

S3 and Google Cloud Storage list files in the order of their paths, from any path on: each request decides all files in
the range of paths that it lists, so that there are no more requests than files, and one for a thousand neighbours.
"""

import os
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine.formats.orphans.listings import store_of
from engine.rewriting.kernel.storage.stores.addresses import address_of
from engine.rewriting.kernel.storage.stores.objects import ObjectFiles

_SECOND_US: Final = 1_000_000
_PLAIN: Final = re.compile(r"[A-Za-z0-9/_.=-]*")
"""Beginning of a path that no client encodes in a request."""


def are_unchanged(
    files: pa.Table, location: str, storage: Mapping[str, str], before_page: Callable[[int], None]
) -> pa.Array:
    """Return for each file whether it exists with the same size, and a time in the same second or the next.

    Args:
        files: with the columns of `FOUND`, all below the location and spelled like it.
        location: an absolute address.
        storage: properties of file access, as `GuardedFileIO` has them.
        before_page: called with the number of requests before each, 0 for local files; may wait, or raise to stop.

    Raises:
        NotEligible: files of this kind of store can't be listed.
        OSError: the store does not answer, or refuses.
    """
    if not files.num_rows:
        return pa.array([], pa.bool_())
    names = [address_of(path).path for path in files["path"].to_pylist()]
    _, store = store_of(location, storage)
    if store is None:
        before_page(0)
        stored = _local(names)
    else:
        pages = [pa.table(page, schema=_STORED) for page in _pages(store, sorted(set(names)), before_page)]
        stored = pa.concat_tables([_STORED.empty_table(), *pages])
    places = pc.index_in(pa.array(names, pa.string()), value_set=stored["path"].combine_chunks())
    found = stored.take(pc.fill_null(places, 0)) if stored.num_rows else None
    if found is None:
        return pa.array(np.zeros(files.num_rows, np.bool_))
    apart = pc.abs(pc.subtract(found["modified_us"], files["modified_us"]))
    is_same = pc.and_(pc.equal(found["size"], files["file_bytes"]), pc.less(apart, _SECOND_US))
    return pc.fill_null(pc.and_(pc.is_valid(places), is_same), fill_value=False).combine_chunks()


_STORED: Final = pa.schema([("path", pa.string()), ("size", pa.int64()), ("modified_us", pa.int64())])


def _local(names: Sequence[str]) -> pa.Table:
    rows: list[tuple[str, int, int]] = []
    for name in names:
        with suppress(FileNotFoundError, NotADirectoryError):
            stat = Path(name).lstat()
            rows.append((name, stat.st_size, stat.st_mtime_ns // 1000))
    return pa.table([list(each) for each in zip(*rows, strict=True)] or [[], [], []], schema=_STORED)


def _pages(
    store: ObjectFiles, names: Sequence[str], before_page: Callable[[int], None]
) -> Iterator[Mapping[str, list[Any]]]:
    """Yield pages of a listing that have all of the files, which are in the order of their paths."""
    folder = os.path.commonpath([name.rpartition("/")[0] for name in names])
    at, last = 0, ""
    pages = store.listed(folder)
    while at < len(names):
        if store.lists_from_a_path:
            start = max(_PLAIN.match(names[at][:-1])[0], last)  # type: ignore[index]
            pages = store.listed(folder, after=start or None)
        before_page(1)
        page = next(pages, None)
        if page is None or page["path"][-1] <= last:
            return
        yield page
        last = page["path"][-1]
        at = bisect_right(names, last, lo=at)
