"""PyIceberg's file access: objects of stores by one request (`objects`), else Arrow's clients, shared by tables.

Arrow creates an S3 client only while no S3 request of the process is in flight (its finalizer takes a lock that each
request holds, seen with 26.0.1). PyIceberg creates two clients for each load of a table, so one store that does not
answer would block every load from any S3 store. Here one client is created for each bucket and set of properties. The
first client of a bucket, and one for new credentials, still waits.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Final

import pyarrow as pa
from pyarrow.fs import FileSystem
from pyiceberg.io import InputFile, OutputFile
from pyiceberg.io.pyarrow import PyArrowFileIO

from engine.domain.errors import NotEligible
from engine.formats.iceberg.catalog.objects import stored_object, stored_objects
from engine.rewriting.kernel.storage.stores.arrow_files import LIMITS_OF_TIME, ArrowFiles, check_regular
from engine.rewriting.kernel.storage.stores.files import Files
from engine.uris.schemes import AZURE, FILE, GOOGLE, S3, SCHEMES

CONNECTIONS: Final = 160
"""Connections per client: 16 concurrent calls of a catalog, 8 manifest readers each. Arrow uses its I/O threads."""

_S3_CLIENTS: Final = frozenset({S3, "oss"})
_ONLY_OBSTORE: Final = frozenset({GOOGLE, AZURE})
"""Arrow's clients of these stores use this machine's credentials where they don't know those of the properties."""

_S3_PROPERTIES: Final = ("s3.", "client.")


class SharedFileIO(PyArrowFileIO):
    """Objects of stores, and Arrow's file access for other files; equal properties share their clients."""

    def new_input(self, location: str) -> InputFile:  # type: ignore[override]
        """Return a file to read; nothing is opened yet. Raises as `check_regular` for one of the local disk."""
        stored = stored_object(location, self.properties)
        if stored is not None:
            return stored
        scheme, _, path = self.parse_location(location, self.properties)
        if scheme == FILE:
            check_regular(path)
        return super().new_input(location)

    def new_output(self, location: str) -> OutputFile:  # type: ignore[override]
        """Return a file to write; nothing is opened yet."""
        stored = stored_object(location, self.properties)
        return super().new_output(location) if stored is None else stored

    def delete(self, location: str | InputFile | OutputFile) -> None:
        """Delete a file. Raises FileNotFoundError, OSError."""
        path = location if isinstance(location, str) else location.location
        stored = stored_object(path, self.properties)
        if stored is None:
            super().delete(path)
        else:
            stored.delete()

    def files(self, location: str, *, is_recursive: bool) -> Sequence[str]:
        """Return the paths of all files below a location, spelled like it; without `is_recursive` only those in it."""
        stored = stored_objects(location, self.properties)
        if stored is None:
            scheme, netloc, root = self.parse_location(location, self.properties)
            store: Files = ArrowFiles(self.fs_by_scheme(scheme, netloc))
        else:
            store, root = stored
        return [location + path[len(root.rstrip("/")) :] for path in store.files(root, is_recursive=is_recursive)]

    def _initialize_fs(self, scheme: str, netloc: str | None = None) -> FileSystem:
        store = SCHEMES.get(scheme)
        if store in _ONLY_OBSTORE:
            raise NotEligible(f"{scheme}://{netloc}: reading it needs the package obstore")
        if store not in _S3_CLIENTS:
            return super()._initialize_fs(scheme, netloc)
        given = {name: str(value) for name, value in self.properties.items() if name.startswith(_S3_PROPERTIES)}
        named = {**LIMITS_OF_TIME, **given}
        key = (scheme, netloc, frozenset(named.items()))
        return _CLIENTS.get(key, lambda: PyArrowFileIO(named).fs_by_scheme(scheme, netloc))


@dataclass(slots=True)
class _StoreClient:
    lock: Lock = field(default_factory=Lock)
    made: FileSystem | None = None


class _Clients:
    """LRU cache of clients by their properties; callers wait for a client that is being created."""

    def __init__(self, *, most: int) -> None:
        self._most = most
        self._lock = Lock()
        self._clients: OrderedDict[Hashable, _StoreClient] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], FileSystem]) -> FileSystem:
        """Return the cached client, or the one that `make` returns."""
        with self._lock:
            client = self._clients.setdefault(key, _StoreClient())
            self._clients.move_to_end(key)
            if len(self._clients) > self._most:
                self._clients.popitem(last=False)
        with client.lock:
            if client.made is None:
                if pa.io_thread_count() < CONNECTIONS:
                    pa.set_io_thread_count(CONNECTIONS)
                client.made = make()
            return client.made


_CLIENTS: Final = _Clients(most=256)
