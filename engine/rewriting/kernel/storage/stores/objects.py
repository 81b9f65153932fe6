"""Files in object stores through `obstore`: no request for a size that is known, and creation only if nothing is there.

`obstore` is an optional package of the executors. Connections are kept as long as the process, which serves many tasks:
the pool is warm then.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from engine.outgoing.relay import Relay
from engine.rewriting.kernel.storage.abandoned import while_awaited
from engine.rewriting.kernel.storage.answers import StoreError, ends_before
from engine.rewriting.kernel.storage.stores.clients import WHOLE_SECONDS, Connection
from engine.rewriting.kernel.storage.stores.files import ExactFiles
from engine.rewriting.kernel.storage.stores.listings import list_requests
from engine.rewriting.kernel.storage.stores.listings.http_listings import HttpListing
from engine.rewriting.kernel.storage.stores.object_errors import UnclearName, store_errors
from engine.rewriting.kernel.storage.stores.object_outputs import SINGLE_PUT_BYTES, ObjectOutput
from engine.uris import schemes

try:
    import obstore
    from obstore.store import AzureStore, GCSStore, S3Store
except ImportError:  # an executor without it
    obstore = None  # type: ignore[assignment]

LIST_PAGE: Final = 1000
"""Objects that stores list by one request."""

BULK_DELETES: Final = 1000
"""Most objects that S3 deletes by one request."""

_ANSWER_TO_A_WRITE: Final = timedelta(seconds=60)
"""A write is answered when its whole body has arrived, which takes its time on a slow line."""

MOST_READ: Final = 1024 * 2**20
"""Limit of one answer with the content of an object: twice the largest manifest."""
_LARGEST_PAGE: Final = 8 * 2**20
_PAGE_SECONDS: Final = 60.0
"""Limits of a page of a listing: 1,000 names take up to 3 KB each, percent-encoded."""

_READ_RETRIES: Final[Any] = {"max_retries": 0}
"""Reads are repeated by `transfer`, which obeys orders to stop between two of them."""

_PATIENT_RETRIES: Final[Any] = {"max_retries": 5, "retry_timeout": timedelta(seconds=15)}
"""About 3 s of waits: a store that throttles costs no attempt, and one that is away no thread for long."""
_WRITE_RETRIES: Final[Any] = {"max_retries": 10, "retry_timeout": timedelta(seconds=60)}


Provider = Callable[[], dict[str, Any]]
"""Returns a credential as `obstore` takes it, with the time until which it may keep it."""


def is_here() -> bool:
    """Return whether `obstore` is installed."""
    return obstore is not None


class ObjectFiles:
    """The objects of one bucket or container."""

    is_remote = True

    def __init__(
        self,
        readable: Any,
        listable: Any,
        writable: Any,
        *,
        open_bulk: Callable[[], Any] | None = None,
        listing: HttpListing | None = None,
        open_arrow: Callable[[], ExactFiles] | None = None,
    ) -> None:
        self._readable = readable
        self._listable = listable
        self._writable = writable
        self._open_bulk = open_bulk
        self._bulk: Any = None
        self._listing = listing
        self._open_arrow = open_arrow

    @classmethod
    def open_store(
        cls,
        kind: str,
        bucket: str,
        connection: Connection,
        *,
        is_patient: bool,
        provider: Provider | None = None,
        http_listing: HttpListing | None = None,
        open_arrow: Callable[[], ExactFiles] | None = None,
        relay: Relay | None = None,
    ) -> "ObjectFiles":
        """Return the objects of a bucket. Nothing is sent yet.

        Args:
            kind: of object stores, as in `addresses`.
            bucket: the bucket or container.
            connection: how it is reached.
            is_patient: a read that finds the store busy is sent again for some seconds. Otherwise it is sent once: who
                reads many files decides when to repeat one.
            provider: gives the credential of each request; None: the connection has none, and that of this machine, if
                there is one, is used.
            http_listing: lists single folders, and names that `obstore` can't express; None: the properties have no
                credentials.
            open_arrow: opens the same bucket by Arrow, for such names without an `http_listing`; None: not by it.
            relay: limits the answers of a store whose address is the catalog's; None: only time is limited.
        """
        store: Any = {schemes.S3: S3Store, schemes.GOOGLE: GCSStore, schemes.AZURE: AzureStore}[kind]
        reading: Any = connection.limited(relay, body_bytes=MOST_READ, seconds=WHOLE_SECONDS)
        listing: Any = connection.limited(relay, body_bytes=_LARGEST_PAGE, seconds=_PAGE_SECONDS)
        writing: Any = {**reading, "read_timeout": max(reading["read_timeout"], _ANSWER_TO_A_WRITE)}
        more: Any = {} if provider is None else {"credential_provider": provider}
        with store_errors():
            readable, listable, writable = (
                store(bucket, config=connection.config, client_options=client, retry_config=retries, **more)
                for client, retries in (
                    (reading, _PATIENT_RETRIES if is_patient else _READ_RETRIES),
                    (listing, _PATIENT_RETRIES if is_patient else _READ_RETRIES),
                    (writing, _WRITE_RETRIES),
                )
            )

        def open_bulk() -> Any:
            config: Any = {**connection.config, "disable_bulk_delete": False}
            return S3Store(bucket, config=config, client_options=writing, retry_config=_READ_RETRIES, **more)

        bulk = open_bulk if kind == schemes.S3 else None
        return cls(readable, listable, writable, open_bulk=bulk, listing=http_listing, open_arrow=open_arrow)

    def requests_to_open(self, file_bytes: int | None) -> int:
        """Return the number of requests that opening a file takes."""
        return 0 if file_bytes is not None else 1

    requests_to_create = 0

    def open(self, path: str, file_bytes: int | None) -> "ObjectFile":
        """Open for random access. Raises FileNotFoundError, StoreError."""
        if file_bytes is not None:
            return ObjectFile(self._readable, path, file_bytes, is_proven=False)
        with store_errors():
            return ObjectFile(self._readable, path, int(obstore.head(self._readable, path)["size"]), is_proven=True)

    def read(self, path: str, offset: int, length: int | None) -> bytes:
        """Return up to `length` bytes from byte `offset` with one request; without a length all that follow.

        Raises:
            FileNotFoundError, StoreError: it is missing; the store refused or did not answer.
        """
        wanted: Any = {"offset": offset} if length is None else (offset, offset + length)
        options: Any = {} if length is None and not offset else {"range": wanted}
        try:
            with store_errors():
                return bytes(obstore.get(self._readable, path, options=options).bytes())
        except StoreError as error:
            if ends_before(error):
                return b""
            raise

    def create(self, path: str) -> "ObjectOutput":
        """Begin a file; whether one of its name exists shows when it is sent."""
        return ObjectOutput(self._writable, path)

    def replace(self, path: str, data: bytes) -> None:
        """Write a whole file, also over one that exists. Raises StoreError."""
        with store_errors():
            obstore.put(self._writable, path, data, use_multipart=len(data) >= SINGLE_PUT_BYTES)

    def files(self, folder: str, *, is_recursive: bool) -> Iterator[str]:
        """Yield the paths of all files below a folder; without `is_recursive` only those directly in it.

        Raises StoreError, and `UnclearName` as `listed`.
        """
        if is_recursive:
            for page in self.listed(folder):
                yield from page["path"]
            return
        if self._listing is not None:
            yield from self._listing.files(folder, is_recursive=False)
            return
        try:
            with store_errors():
                found = obstore.list_with_delimiter(self._listable, f"{folder.strip('/')}/")["objects"]
            paths = [each["path"] for each in found]
        except UnclearName:
            if (exact := self._exact()) is None:
                raise
            paths = list(exact.files(folder, is_recursive=False))
        yield from paths

    def folders(self, folder: str) -> Iterator[str]:
        """Yield the paths of the folders directly in a folder: common beginnings of names.

        Raises StoreError, and `UnclearName` for a folder with an empty name, `.`, `..` or control characters.
        """
        if self._listing is not None:
            yield from self._listing.folders(folder)
            return
        prefix = f"{folder.strip('/')}/" if folder.strip("/") else None
        with store_errors():
            yield from obstore.list_with_delimiter(self._listable, prefix)["common_prefixes"]

    def listed(self, folder: str, after: str | None = None) -> Iterator[dict[str, list[Any]]]:
        """Yield the paths, sizes and times (microseconds since 1970) of all files below a folder. Raises StoreError.

        With `after`, only paths that follow it are listed, where `lists_from_a_path` without requests for others. A
        slash at the end of a name is left out: the marker `x/` of a folder has the path `x`. Names that `obstore` can't
        express are listed by another client, where there is one; otherwise, or with `after`, they raise `UnclearName`.
        `obstore` reads HTML as the end of a listing, so that of an empty listing is asked for again by the stores' own
        interfaces, and that of one with a whole page where the store `lists_from_a_path`.
        """
        seen: list[npt.NDArray[np.int64]] = []
        last = after
        try:
            with store_errors():
                listed = obstore.list(self._listable, f"{folder.strip('/')}/", offset=after, chunk_size=LIST_PAGE)
                for page in while_awaited(listed):
                    times = [int(each["last_modified"].timestamp() * 1e6) for each in page]
                    paths = [each["path"] for each in page]
                    seen.append(_hashes(paths))
                    last = max(last or "", *paths)  # the last one may be a marker without its slash
                    yield {"path": paths, "size": [each["size"] for each in page], "modified_us": times}
            count = sum(map(len, seen))
            if self._listing is not None and (not count or (count >= list_requests.PAGE and self.lists_from_a_path)):
                yield from self._listing.listed(folder, last)
        except UnclearName:
            if after is not None or (exact := self._exact()) is None:
                raise
            yield from _without(exact.listed(folder), seen)

    def _exact(self) -> ExactFiles | None:
        return self._listing or (None if self._open_arrow is None else self._open_arrow())

    @property
    def lists_from_a_path(self) -> bool:
        """Whether the store lists in the order of paths, and can begin at any of them."""
        return isinstance(self._readable, S3Store | GCSStore)

    def stat(self, path: str) -> tuple[int, int]:
        """Return the size and time (microseconds since 1970) of a file. Raises FileNotFoundError, StoreError."""
        with store_errors():
            found = obstore.head(self._readable, path)
            return int(found["size"]), int(found["last_modified"].timestamp() * 1e6)

    def delete(self, path: str) -> None:
        """Delete a file. Raises FileNotFoundError, StoreError."""
        with store_errors():
            obstore.delete(self._writable, path)

    @property
    def deletes_at_once(self) -> int:
        """The number of files that `delete_many` can delete."""
        return BULK_DELETES if self._open_bulk is not None else 1

    def delete_many(self, paths: Sequence[str]) -> None:
        """Delete files with one request, which is sent once; files that are missing are not an error.

        Raises:
            StoreError: the store refused or did not answer: any of the files may be left.
            ValueError: a path can't be the name of an object.
        """
        if self._open_bulk is None or len(paths) > BULK_DELETES:
            raise ValueError(f"{len(paths)} files can't be deleted by one request")
        with store_errors():
            if self._bulk is None:
                self._bulk = self._open_bulk()
            obstore.delete(self._bulk, list(paths))


def _without(
    pages: Iterator[dict[str, list[Any]]], seen: Sequence[npt.NDArray[np.int64]]
) -> Iterator[dict[str, list[Any]]]:
    """Yield pages without the files that were listed before."""
    known = np.concatenate([np.empty(0, np.int64), *seen])
    for page in pages:
        new = np.flatnonzero(~np.isin(_hashes(page["path"]), known)).tolist()
        yield {name: [values[at] for at in new] for name, values in page.items()}


def _hashes(paths: Sequence[str]) -> npt.NDArray[np.int64]:
    return np.fromiter(map(hash, paths), np.int64, len(paths))


class ObjectFile:
    """An object that is read by ranges, by any number of threads at once.

    Its size is that of the manifest: the first answer proves it, as each names the size of the whole object.
    """

    def __init__(self, store: Any, path: str, file_bytes: int, *, is_proven: bool) -> None:
        self._store = store
        self._path = path
        self._bytes = file_bytes
        self._is_proven = is_proven

    def size(self) -> int:
        """Return the size of the object in bytes."""
        return self._bytes

    def read(self, offset: int, length: int) -> Any:
        """Return the `length` bytes from byte `offset`. Raises FileNotFoundError, StoreError, OSError for its size."""
        with store_errors():
            if self._is_proven:
                return obstore.get_range(self._store, self._path, start=offset, length=length)
            found = obstore.get(self._store, self._path, options={"range": (offset, offset + length)})
            size = int(found.meta["size"])
            if size != self._bytes:
                raise OSError(f"{size} bytes, but the manifest has {self._bytes}")
            self._is_proven = True
            return found.bytes()

    def close(self) -> None:
        """Do nothing: an object is not held open."""
