"""List every file below a location with its size and time, in batches; paths are spelled like the location.

Local files and the stores that `obstore` reaches can be listed. Links are not followed, and names that are not UTF-8
are left out: if the table needs such a file, the listing counts as incomplete. `obstore` can't express names with empty
parts, `.`, `..` or control characters; a bucket that has one is listed by another client from there on.

Memory: one batch, and for `ListedFiles` about 20 bytes per file.
"""

import io
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from engine.domain.errors import NotEligible
from engine.formats.intake.errors import printable_path
from engine.formats.intake.other_formats import marks_in
from engine.formats.intake.outside_files import are_outside
from engine.formats.removal.path_keys import Keys, keys_of
from engine.rewriting.kernel.errors import Refused
from engine.rewriting.kernel.storage.places import AllowedFolders
from engine.rewriting.kernel.storage.stores.addresses import Address, address_of
from engine.rewriting.kernel.storage.stores.connections import files_of
from engine.rewriting.kernel.storage.stores.object_errors import UnclearName
from engine.rewriting.kernel.storage.stores.objects import ObjectFiles
from engine.uris.schemes import FILE

FOUND: Final = pa.schema([("path", pa.string()), ("file_bytes", pa.int64()), ("modified_us", pa.int64())])
_BATCH_ROWS: Final = 50_000
_MOST_FILES: Final = 50_000_000  # 1 GB
_MOST_METADATA: Final = 1_000_000  # 150 MB
_MOST_TABLES: Final = 10_000


def files_below(
    location: str, storage: Mapping[str, str], before_page: Callable[[int], None] = lambda _: None
) -> Iterator[pa.Table]:
    """Yield all files below a location, with the schema `FOUND`.

    Args:
        location: an absolute address.
        storage: properties of file access.
        before_page: called with the number of requests before each page, 0 for local files; may wait, or raise to stop.

    Raises:
        NotEligible: files of this kind of store can't be listed.
        OSError: the store does not answer, or refuses: the listing is incomplete.
    """
    address, store = store_of(location, storage)
    if store is None:
        for found in _local(location.rstrip("/"), address.path.rstrip("/")):
            before_page(0)
            yield found
        return
    folder = address.path.strip("/")
    for page in _pages(store, folder, before_page):
        if not all(path.startswith(f"{folder}/") or path == folder for path in page["path"]):
            raise OSError(f"the store listed files that are not below {location[:300]}")
        paths = [location.rstrip("/") + path[len(folder) :] for path in page["path"]]
        found = pa.table([paths, page["size"], page["modified_us"]], schema=FOUND)
        yield found.filter(pc.not_equal(found["path"], location.rstrip("/")))  # an object `folder/` is not a file in it


def _pages(store: ObjectFiles, folder: str, before_page: Callable[[int], None]) -> Iterator[Mapping[str, list[Any]]]:
    pages = store.listed(folder)
    while True:
        before_page(1)
        try:
            page = next(pages, None)
        except UnclearName as error:
            raise NotEligible(
                f"the store has a file whose name can't be addressed, so that the files beside it can't be listed: "
                f"{error}; delete or rename that file"
            ) from error
        if page is None:
            return
        yield page


def store_of(location: str, storage: Mapping[str, str]) -> tuple[Address, ObjectFiles | None]:
    """Return the address of a location and its store, None for this machine's disks.

    Raises:
        NotEligible: files of this kind of store can't be listed.
    """
    try:
        address = address_of(location)
        if address.kind == FILE:
            return address, None
        store = files_of(address.kind, address.place, storage)
    except Refused as error:
        raise NotEligible(f"files below {location} can't be listed: {error}") from error
    if not isinstance(store, ObjectFiles):
        raise NotEligible(f"files below {location} can't be listed with their sizes and times in this kind of store")
    return address, store


class FileSource(Protocol):
    """All files below a table's location, with the schema `FOUND`."""

    @property
    def taken_us(self) -> int | None:
        """The time at which the inventory that has the files was taken; None if they are listed."""

    def files(self) -> Iterator[pa.Table]:
        """Yield all files. Raises `NotEligible`, OSError."""

    def are_unchanged(self, files: pa.Table) -> pa.Array:
        """Return for each file whether the store has it now, with the same size and time. Raises OSError."""


@dataclass(frozen=True, slots=True)
class Listing:
    """A listing of a whole location; the attributes are the arguments of `files_below`."""

    location: str
    storage: Mapping[str, str]
    before_page: Callable[[int], None]

    @property
    def taken_us(self) -> None:
        """None: the files are listed."""

    def files(self) -> Iterator[pa.Table]:
        """Yield all files. Raises `NotEligible`, OSError."""
        return files_below(self.location, self.storage, self.before_page)

    def are_unchanged(self, files: pa.Table) -> pa.Array:
        """Return True for each file: it was listed just now."""
        return pa.repeat(pa.scalar(value=True), files.num_rows)


class OtherTables:
    """The locations of tables that files of a listing show, those of the listed table included.

    Catalogs show only their own tables: a Delta table of another team, a Hudi table, or the output of a streaming query
    below a wide location is known by its files alone. No file is deleted at such a location.

    Limit: a table above the location is not found, as only the location is listed; neither is one without metadata of
    its own, such as a Hive table. The names of orphans, which each format knows, protect the files of those.

    Memory: one path for each location.
    """

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], str] = {}

    def add(self, paths: pa.ChunkedArray) -> None:
        """Add the paths of a page."""
        for each in marks_in(paths).to_pylist():
            self._found.setdefault((each["format"], each["folder"]), each["path"])

    def __len__(self) -> int:
        """Return the number of locations."""
        return len(self._found)

    def roots(self, kind: str) -> list[str]:
        """Return the locations of tables of a kind."""
        return [root for found, root in self._found if found == kind]

    def check(self, location: str, own: frozenset[tuple[str, str]], known: AllowedFolders) -> None:
        """Check that the location has no other table.

        Args:
            location: of the listed table.
            own: format and location of tables that are the listed one.
            known: locations whose files are left alone anyway.

        Raises:
            NotEligible: it has one; the message names the file that shows it.
        """
        found = {path: mark for mark, path in self._found.items() if mark not in own}
        if not found:
            return
        listed = pa.chunked_array([pa.array(list(found), pa.string())])
        for path in listed.filter(are_outside(listed, known)).to_pylist():
            kind, root = found[path]
            where = "at" if root == location.rstrip("/") else "inside"
            raise NotEligible(
                f"{printable_path(path)} shows {kind} {where} the location of this table: its files "
                "could be taken for orphans, so no file is deleted; move one of the tables to a location of its own, "
                "or remove that folder if its table is not used any more"
            )


class ListedFiles:
    """The files of a listing that may be orphans, compressed, and the keys of all files.

    `files`: number of all files. `tables`: the tables that they show. `metadata`: the metadata files of Iceberg among
    them, with the schema `FOUND`.
    """

    def __init__(self, before_us: int) -> None:
        """Keep the paths of files that were written before a time by the store's clock, in microseconds since 1970."""
        self.files = 0
        self.tables = OtherTables()
        self.metadata = FOUND.empty_table()
        self._before_us = before_us
        self._keys: list[Keys] = []
        self._body = io.BytesIO()
        self._writer = pq.ParquetWriter(self._body, FOUND, compression="zstd", use_dictionary=False)

    def add(self, found: pa.Table) -> None:
        """Add files. Raises `NotEligible` for more than can be kept."""
        self.files += found.num_rows
        _check_count(self.files, _MOST_FILES, "files")
        self._keys.append(keys_of(found["path"]))
        self.tables.add(found["path"])
        metadata = found.filter(pc.match_substring_regex(found["path"], r"\.metadata\.json(?:\.gz)?$"))
        self.metadata = pa.concat_tables([self.metadata, metadata])
        _check_count(self.metadata.num_rows, _MOST_METADATA, "metadata files of Iceberg")
        _check_count(len(self.tables), _MOST_TABLES, "tables")
        old = found.filter(pc.less(found["modified_us"], self._before_us))
        if old.num_rows:
            self._writer.write_table(old)

    def keys(self) -> Keys:
        """Return the sorted keys of all files."""
        return np.sort(np.concatenate([np.empty(0, np.uint64), *self._keys]))

    def old(self) -> Iterator[pa.Table]:
        """Yield the old files; nothing can be added afterwards."""
        self._writer.close()
        stored = pq.ParquetFile(io.BytesIO(self._body.getbuffer()))
        for number in range(stored.num_row_groups):
            yield stored.read_row_group(number, use_threads=False)


def _check_count(count: int, most: int, what: str) -> None:
    if count > most:
        raise NotEligible(
            f"more than {most:,} {what} are listed below the table's location, which is the limit of a search"
        )


def _local(spelled: str, root: str) -> Iterator[pa.Table]:
    paths: list[str] = []
    sizes: list[int] = []
    times: list[int] = []
    folders = [root]
    while folders:
        folder = folders.pop()
        with suppress(FileNotFoundError), os.scandir(folder) as entries:  # it is gone since it was listed
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                elif entry.is_file(follow_symlinks=False) and _is_text(entry.path):
                    with suppress(FileNotFoundError):
                        stat = entry.stat(follow_symlinks=False)
                        paths.append(spelled + entry.path[len(root) :])
                        sizes.append(stat.st_size)
                        times.append(stat.st_mtime_ns // 1000)
        if len(paths) >= _BATCH_ROWS:
            yield pa.table([paths, sizes, times], schema=FOUND)
            paths, sizes, times = [], [], []
    yield pa.table([paths, sizes, times], schema=FOUND)


def _is_text(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True
