"""Files in object stores through `obstore`: no request for a size that is known, and creation only if nothing is there.

`obstore` is an optional package of the executors. Connections are kept as long as the process, which serves many tasks:
the pool is warm then.

Memory: an output below `SINGLE_PUT_BYTES` is kept until it is complete, and sent with one request; of a larger one at
most `UPLOADS + 1` parts of `PART_BYTES` are in memory, and are sent while more is encoded.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from typing import Any, Final
from uuid import uuid4

from engine.rewriting.kernel.storage.answers import StoreError, ends_before
from engine.rewriting.kernel.storage.stores import addresses
from engine.rewriting.kernel.storage.stores.clients import Connection
from engine.rewriting.kernel.storage.stores.files import EXISTS
from engine.rewriting.kernel.storage.stores.object_errors import store_errors

try:
    import obstore
    from obstore.exceptions import AlreadyExistsError, NotSupportedError
    from obstore.store import AzureStore, GCSStore, S3Store
except ImportError:  # an executor without it
    obstore = None  # type: ignore[assignment]

LIST_PAGE: Final = 1000
"""Objects that stores list by one request."""

BULK_DELETES: Final = 1000
"""Most objects that S3 deletes by one request."""

PART_BYTES: Final = 10 * 2**20
UPLOADS: Final = 4
SINGLE_PUT_BYTES: Final = 16 * 2**20

_WRITER: Final = "packhousewriter"
"""Key of an object's own metadata with the output that wrote it; plain letters, as Azure takes only identifiers."""

_ANSWER_TO_A_WRITE: Final = timedelta(seconds=60)
"""A write is answered when its whole body has arrived, which takes its time on a slow line."""

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

    def __init__(self, readable: Any, writable: Any, open_bulk: Callable[[], Any] | None = None) -> None:
        self._readable = readable
        self._writable = writable
        self._open_bulk = open_bulk
        self._bulk: Any = None

    @classmethod
    def open_store(
        cls, kind: str, bucket: str, connection: Connection, *, is_patient: bool, provider: Provider | None = None
    ) -> "ObjectFiles":
        """Return the objects of a bucket. Nothing is sent yet.

        Args:
            kind: of object stores, as in `addresses`.
            bucket: the bucket or container.
            connection: how it is reached.
            is_patient: a read that finds the store busy is sent again for some seconds. Otherwise it is sent once: who
                reads many files decides when to repeat one.
            provider: gives the credential of each request, instead of the connection's own.
        """
        store: Any = {addresses.S3: S3Store, addresses.GOOGLE: GCSStore, addresses.AZURE: AzureStore}[kind]
        reading: Any = dict(connection.client)
        writing: Any = {**reading, "read_timeout": max(reading["read_timeout"], _ANSWER_TO_A_WRITE)}
        more: Any = {} if provider is None else {"credential_provider": provider}
        with store_errors():
            readable, writable = (
                store(bucket, config=connection.config, client_options=client, retry_config=retries, **more)
                for client, retries in (
                    (reading, _PATIENT_RETRIES if is_patient else _READ_RETRIES),
                    (writing, _WRITE_RETRIES),
                )
            )

        def open_bulk() -> Any:
            config: Any = {**connection.config, "disable_bulk_delete": False}
            return S3Store(bucket, config=config, client_options=writing, retry_config=_READ_RETRIES, **more)

        return cls(readable, writable, open_bulk if kind == addresses.S3 else None)

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
        """Yield the paths of all files below a folder; without `is_recursive` only those directly in it."""
        prefix = f"{folder.strip('/')}/"
        with store_errors():
            if is_recursive:
                for page in obstore.list(self._readable, prefix=prefix):
                    yield from (each["path"] for each in page)
            else:
                yield from (each["path"] for each in obstore.list_with_delimiter(self._readable, prefix)["objects"])

    def folders(self, folder: str) -> Iterator[str]:
        """Yield the paths of the folders directly in a folder: common beginnings of names. Raises StoreError."""
        prefix = f"{folder.strip('/')}/" if folder.strip("/") else None
        with store_errors():
            yield from obstore.list_with_delimiter(self._readable, prefix)["common_prefixes"]

    def listed(self, folder: str, after: str | None = None) -> Iterator[dict[str, list[Any]]]:
        """Yield the paths, sizes and times (microseconds since 1970) of all files below a folder. Raises StoreError.

        With `after`, only paths that follow it are listed, where `lists_from_a_path` without requests for others. A
        slash at the end of a name is left out: the marker `x/` of a folder has the path `x`. Raises `UnclearName` for
        a page with a name that the library can't express.
        """
        with store_errors():
            for page in obstore.list(self._readable, f"{folder.strip('/')}/", offset=after, chunk_size=LIST_PAGE):
                times = [int(each["last_modified"].timestamp() * 1e6) for each in page]
                columns = {name: [each[name] for each in page] for name in ("path", "size")}
                yield {**columns, "modified_us": times}

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
        """Delete files with one request, which is sent once; files that are missing are no error.

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


class ObjectOutput:
    """An object that is being written. `exists`: the store may have it, and it is this task's own."""

    def __init__(self, store: Any, path: str) -> None:
        self._store = store
        self._path = path
        self._kept: list[bytes] = []
        self._written = 0
        self._writer = str(uuid4())
        self._parts: Any = None
        self.exists = False

    @property
    def is_repeatable(self) -> bool:
        """Whether `finish` may be called again after it failed."""
        return self._parts is None

    def requests_to_write(self, length: int) -> int:
        """Return the number of requests that writing so many bytes more takes."""
        total = self._written + length
        if total < SINGLE_PUT_BYTES:
            return 0
        begun = self._written // PART_BYTES if self._parts is not None else -2  # a look for the name, and a beginning
        return total // PART_BYTES - begun

    def write(self, data: memoryview) -> None:
        """Keep or send all of `data`. Raises FileExistsError, StoreError."""
        self._written += len(data)
        if self._parts is None and self._written < SINGLE_PUT_BYTES:
            self._kept.append(bytes(data))
            return
        with store_errors():
            if self._parts is None:
                self._begin_parts()
            self._parts.write(data)

    def _begin_parts(self) -> None:
        """Begin an upload of parts, which no store can make conditional before its end: look for the name first."""
        self._check_name()
        self._parts = obstore.open_writer(
            self._store,
            self._path,
            attributes={_WRITER: self._writer},
            buffer_size=PART_BYTES,
            max_concurrency=UPLOADS,
        )
        self.exists = True
        self._parts.write(b"".join(self._kept))
        self._kept = []

    def _check_name(self) -> None:
        try:
            obstore.head(self._store, self._path)
        except FileNotFoundError:
            return
        raise FileExistsError(EXISTS)

    def requests_to_finish(self) -> int:
        """Return the number of requests that `finish` takes."""
        return 1 if self._parts is None else 2 + bool(self._written % PART_BYTES)

    def finish(self) -> int:
        """Complete the object and return its size in the store.

        A store confirms a single request only if it has all of its bytes. The end of an upload of parts is looked at:
        it may have been sent twice, and the second answer then says nothing of the object.

        Raises:
            FileExistsError: an object of that name was there; it is left alone.
            StoreError: the store refused, or did not answer.
        """
        with store_errors():
            if self._parts is not None:
                return self._complete()
            self._put(b"".join(self._kept))
        self._kept = []
        return self._written

    def _complete(self) -> int:
        """End the upload of parts and return the object's size. Raises FileNotFoundError, OSError."""
        try:
            self._parts.close()
        except FileNotFoundError:  # no such upload any more: the answer to its end was lost
            if not self._is_ours():
                raise
        return int(obstore.head(self._store, self._path)["size"])

    def _put(self, data: bytes) -> None:
        try:
            obstore.put(
                self._store, self._path, data, mode="create", attributes={_WRITER: self._writer}, use_multipart=False
            )
        except AlreadyExistsError as error:
            if not self._is_ours():
                raise FileExistsError(EXISTS) from error
        except NotSupportedError:  # a store without conditional requests
            self._check_name()
            obstore.put(self._store, self._path, data, use_multipart=False)
        self.exists = True

    def _is_ours(self) -> bool:
        """Return whether the object was made by an earlier sending of this very request, whose answer was lost."""
        found = obstore.get(self._store, self._path, options={"range": (0, 1)})
        return found.attributes.get(_WRITER) == self._writer

    def abandon(self) -> None:
        """Give up what was not sent; end the upload of parts, as its object is about to be deleted."""
        self._kept = []
        if self._parts is not None:
            with store_errors():
                self._parts.close()
