"""An output in an object store: sent with one request when it is complete, or in parts while more is encoded.

Memory: an output below `SINGLE_PUT_BYTES` is kept until it is complete; of a larger one at most `UPLOADS + 1` parts of
`PART_BYTES` are in memory.
"""

from typing import Any, Final
from uuid import uuid4

from engine.rewriting.kernel.storage.stores.files import EXISTS
from engine.rewriting.kernel.storage.stores.object_errors import store_errors

try:
    import obstore
    from obstore.exceptions import AlreadyExistsError, NotSupportedError
except ImportError:  # an executor without it
    obstore = None  # type: ignore[assignment]

PART_BYTES: Final = 10 * 2**20
UPLOADS: Final = 4
SINGLE_PUT_BYTES: Final = 16 * 2**20

_WRITER: Final = "packhousewriter"
"""Key of an object's own metadata with the output that wrote it; plain letters, as Azure takes only identifiers."""


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
        """Return the number of requests that it takes to write `length` further bytes."""
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
        """Discard the unsent bytes; end the upload of parts, as its object is about to be deleted."""
        self._kept = []
        if self._parts is not None:
            with store_errors():
                self._parts.close()
