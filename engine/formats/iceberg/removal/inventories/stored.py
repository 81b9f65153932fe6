"""Find and read an inventory: a list of the objects of a store, that the store or another program wrote.

A location names one of

- a `manifest.json` of S3 Inventory, which names files in CSV or Parquet of the same bucket;
- a folder of one configuration of S3 Inventory: the newest `<date>/manifest.json` in it is taken;
- a file that ends in `.parquet`, `.csv` or `.csv.gz`, or a folder of such files, which are one inventory together.

The location comes from a policy and the content from other programs: both are untrusted. Files are opened below the
permitted folders only, messages contain nothing of their content, and a file that the table refers to is never an
orphan, whatever the rows state.
"""

import io
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from engine.domain.errors import NotEligible, PackhouseError
from engine.domain.runs.removals import InventoryPlace
from engine.formats.iceberg.catalog.file_access import GuardedFileIO
from engine.formats.iceberg.errors import is_of_content
from engine.formats.iceberg.removal.inventories.rows import ENDINGS, RowsBelow, plain_name, rows_of
from engine.formats.intake.errors import printable, printable_path
from engine.formats.intake.limits import Malformed, too_large
from engine.formats.removal.listings import files_below, store_of
from engine.rewriting.kernel.storage.places import AllowedFolders
from engine.rewriting.kernel.storage.stores.addresses import address_of, file_name
from engine.uris.schemes import FILE

MANIFEST: Final = "manifest.json"
_DATED: Final = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}-[0-9]{2}Z/manifest\.json$"
_HIDDEN: Final = r"(?:^|/)[._]"
_MANIFEST_BYTES: Final = 16 * 2**20
_MOST_FILES: Final = 100_000
_LATEST_MS: Final = 2**48
_ENDS: Final = f"({'|'.join(re.escape(each) for each in ENDINGS)})$"


@dataclass(frozen=True, slots=True)
class StoredInventory:
    """The files of an inventory.

    Attributes:
        location: of the manifest, the file or the folder, for messages.
        taken_us: when the inventory was begun, in microseconds since 1970; without a manifest, when the oldest of its
            files was written.
        paths: its files.
        columns: names of the columns of files in CSV, None if the files have them.
        reader: opens the files.
    """

    location: str
    taken_us: int
    paths: Sequence[str]
    columns: Sequence[str] | None
    reader: "_Reader" = field(repr=False)

    @classmethod
    def find(
        cls, storage: Mapping[str, str], place: InventoryPlace, before_request: Callable[[int], None]
    ) -> "StoredInventory":
        """Return the inventory at a location.

        Args:
            storage: properties of file access, as `GuardedFileIO` has them.
            place: the location, and the folders below which files may be read.
            before_request: called with the number of requests before each, 0 for local files; may wait, or raise to
                stop.

        Raises:
            NotEligible: it is missing or damaged, or in a place that may not be read.
            OSError: the store does not answer.
        """
        location, reader = place.location.rstrip("/"), _Reader(storage, AllowedFolders(place.folders), before_request)
        reader.check(location)
        if file_name(location) == MANIFEST:
            return cls._of_manifest(location, reader)
        if location.endswith(ENDINGS):
            return cls(printable(location), reader.written_us(location), [location], None, reader)
        files = reader.below(location)
        names = pc.utf8_slice_codeunits(files["path"], len(location) + 1)
        dated = names.filter(pc.match_substring_regex(names, _DATED))
        if len(dated):
            return cls._of_manifest(f"{location}/{pc.max(dated).as_py()}", reader)
        is_hidden = pc.match_substring_regex(names, _HIDDEN)
        files = files.filter(pc.and_(pc.match_substring_regex(names, _ENDS), pc.invert(is_hidden)))
        if not files.num_rows:
            ends = ", ".join(ENDINGS)
            raise NotEligible(f"the inventory {printable(location)} has no {MANIFEST} and no file that ends in {ends}")
        written = pc.min(files["modified_us"]).as_py()
        return cls(printable(location), written, sorted(files["path"].to_pylist()), None, reader)

    @classmethod
    def _of_manifest(cls, path: str, reader: "_Reader") -> "StoredInventory":
        with reader.reading(path) as stream:
            body = stream.read(_MANIFEST_BYTES + 1) or b""
            if len(body) > _MANIFEST_BYTES:
                raise too_large("it has", "", _MANIFEST_BYTES)
            taken_ms, keys, columns = _manifest(body, address_of(path).place)
        root = path.removesuffix(address_of(path).path)
        paths = [root + key for key in keys]
        for each in paths:
            reader.check(each)
        return cls(printable(path), taken_ms * 1000, paths, columns, reader)

    def files_below(self, location: str) -> Iterator[pa.Table]:
        """Yield the files below a location, spelled like it, with the schema `listings.FOUND`.

        Raises:
            NotEligible: a file of the inventory is missing or damaged; the message names it.
            OSError: the store does not answer.
        """
        below = RowsBelow(location)
        for path in self.paths:
            is_encoded = not path.endswith(".parquet")
            with self.reader.reading(path) as stream:
                for rows in rows_of(stream, path, self.columns):
                    yield below.of(rows, is_encoded=is_encoded)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Opens files below some folders; `before_request` is called before each request."""

    storage: Mapping[str, str]
    places: AllowedFolders
    before_request: Callable[[int], None]

    def check(self, path: str) -> None:
        """Raise `NotEligible` for a path that may not be read."""
        if not self.places.contains(path):
            raise NotEligible(
                f"the inventory's file {printable_path(path)} is neither below the table's location nor "
                "below an allowed location of its catalog; an admin can add its folder, with those of the catalog's "
                "tables, to allowed_locations"
            )

    def below(self, location: str) -> pa.Table:
        """Return the files below a location. Raises `NotEligible` for too many, OSError."""
        pages, rows = [], 0
        for page in files_below(location, self.storage, self.before_request):
            pages.append(page)
            rows += page.num_rows
            if rows > _MOST_FILES:
                raise NotEligible(
                    f"the inventory {printable(location)} is a folder of more than {_MOST_FILES} files: name one "
                    f"{MANIFEST}, or a folder of one inventory"
                )
        return pa.concat_tables(pages)

    def written_us(self, path: str) -> int:
        """Return when a file was written. Raises `NotEligible` if it is missing, OSError."""
        address, store = store_of(path, self.storage)
        self.before_request(int(store is not None))
        try:
            return Path(address.path).stat().st_mtime_ns // 1000 if store is None else store.stat(address.path)[1]
        except FileNotFoundError as error:
            raise _fault(path, "it is missing") from error

    @contextmanager
    def reading(self, path: str) -> Iterator["_Paced"]:
        """Open a file; faults of its content become `NotEligible`, other errors pass unchanged."""
        stream: _Paced | None = None
        try:
            opened = GuardedFileIO(self.storage, places=self.places).new_input(path).open()
            requests = int(address_of(path).kind != FILE)
            stream = _Paced(opened, lambda: self.before_request(requests))
            with opened:
                yield stream
        except BaseException as error:
            cause = error if stream is None or stream.error is None else stream.error
            if isinstance(cause, FileNotFoundError | IsADirectoryError):
                raise _fault(path, "it is missing") from error
            if cause is not error:
                raise cause from None
            if isinstance(error, PackhouseError) or stream is None or stream.error is error:
                raise
            if not is_of_content(error) and not isinstance(error, OSError):
                raise
            raise _fault(
                path,
                str(error) if isinstance(error, Malformed) else "it is damaged, or has a size or time that is none",
            ) from error


class _Paced(io.RawIOBase):
    """A file to read that asks before each read, and keeps the error of a read, which libraries may replace."""

    def __init__(self, stream: Any, before_read: Callable[[], None]) -> None:
        super().__init__()
        self._stream = stream
        self._before_read = before_read
        self.error: BaseException | None = None

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read into a buffer; return the number of bytes, 0 at the end."""
        with self._kept():
            self._before_read()
            data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Change the position and return it."""
        with self._kept():
            self._stream.seek(offset, whence)
            return self.tell()

    def tell(self) -> int:
        """Return the position."""
        return int(self._stream.tell())

    @contextmanager
    def _kept(self) -> Iterator[None]:
        try:
            yield
        except BaseException as error:
            self.error = error
            raise


def _manifest(body: bytes, bucket: str) -> tuple[int, list[str], list[str] | None]:
    """Return when an inventory was begun, the keys of its files, and the names of their columns in CSV.

    Raises:
        Malformed: it is not a manifest of S3 Inventory, or of files that can't be read.
    """
    try:
        told = json.loads(body)
        kind, taken_ms = told["fileFormat"], int(told["creationTimestamp"])
        columns = [plain_name(each) for each in told["fileSchema"].split(",")] if kind == "CSV" else None
        keys = [str(each["key"]) for each in told["files"]]
        destination = told["destinationBucket"].rpartition(":")[2]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise Malformed("it is not a manifest of S3 Inventory") from error
    if kind not in {"CSV", "Parquet"}:
        raise Malformed("its files are neither CSV nor Parquet")
    if destination != bucket:
        raise Malformed("its files are in another bucket")
    ends = ".parquet" if kind == "Parquet" else (".csv", ".csv.gz")
    if len(keys) > _MOST_FILES or not all(each.endswith(ends) for each in keys):
        raise Malformed(f"it has more than {_MOST_FILES} files, or files that are not {kind}")
    if not 0 <= taken_ms <= _LATEST_MS:
        raise Malformed("its time is out of range")
    return taken_ms, keys, columns


def _fault(path: str, why: str) -> NotEligible:
    return NotEligible(f"the inventory's file {printable_path(path)} can't be used: {why}")
