"""A Paimon table as loaded at one point in time, without what can be done with it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from typing import Self

from engine.domain.errors import TableUnreadable, Transient
from engine.domain.tables.table import TableRef
from engine.formats.base import NoParts
from engine.formats.intake.errors import causes_of
from engine.formats.paimon.catalog.locks import TableLock
from engine.formats.paimon.errors import reading_table
from engine.formats.paimon.rewrite.core import CoreCalls
from engine.formats.paimon.view import TableView


class LoadedTable(NoParts):
    """A loaded table. Methods that read metadata raise `TableUnreadable`, or `Transient` if it expired since."""

    def __init__(
        self,
        view: TableView,
        *,
        core: CoreCalls | None,
        fresh: Callable[[], TableView],
        lock: TableLock | None = None,
    ) -> None:
        self._view = view
        self._properties = view.files.storage.properties
        self._core = core
        self._fresh = fresh
        self._lock = lock
        self._is_native = False

    def at_snapshot(self, snapshot_id: int) -> Self | None:
        """Return the table as of a snapshot that is not expired; see `OpenTable`."""
        with self.reading("read the snapshots of"):
            snapshot = self._view.files.snapshot(snapshot_id)
        if snapshot is None:
            return None
        other = copy(self)
        other._view = self._view.at(snapshot)  # noqa: SLF001 - of this class
        return other

    @contextmanager
    def reading(self, doing: str) -> Iterator[None]:
        """Run a block that reads metadata; see `errors.reading_table`."""
        try:
            with reading_table(f"{doing} {self.ref}"):
                yield
        except TableUnreadable as error:
            if any(isinstance(each, FileNotFoundError) for each in causes_of(error)) and self._has_expired():
                raise Transient(f"{self.ref} changed while it was read, and its old files are gone") from error
            raise

    def _has_expired(self) -> bool:
        """Return whether the snapshot of this view is gone, or another one has its id."""
        with reading_table(f"read the snapshots of {self.ref}"):
            head = self._view.head
            return head is not None and self._view.files.snapshot(head.id) != head

    @property
    def ref(self) -> TableRef:
        """The address under which it was opened."""
        return self._view.ref
