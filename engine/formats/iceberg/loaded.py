"""Base of the parts of a loaded table: its view, its catalog, and errors that name the table."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from threading import Lock
from typing import Self

from pyiceberg.catalog import Catalog
from pyiceberg.table import Table

from engine.domain.errors import TableUnreadable, Transient
from engine.domain.tables.table import TableRef
from engine.formats.base import NoParts
from engine.formats.iceberg.commits.tries import CommitTries
from engine.formats.iceberg.errors import reading_table
from engine.formats.iceberg.metadata.digest import LiveFiles
from engine.formats.iceberg.metadata.views import TableView
from engine.formats.intake.caches import Cache
from engine.formats.intake.errors import causes_of


class LoadedTable(NoParts):
    """A table as loaded at one point in time; `load` returns its newer versions."""

    def __init__(
        self,
        *,
        ref: TableRef,
        catalog: Catalog,
        load: Callable[[], Table],
        table: Table,
        cache: Cache,
        spark_catalog: str | None = None,
    ) -> None:
        self._ref = ref
        self._catalog = catalog
        self._load = load
        self._cache = cache
        self._view = TableView.of(table, cache)
        self._files: LiveFiles | None = None
        self._spark_catalog = spark_catalog
        self._lock = Lock()

    def at_snapshot(self, snapshot_id: int) -> Self | None:
        """Return the table as of a snapshot of its metadata; see `OpenTable`."""
        with self.reading("read the metadata of"):
            snapshot = self._view.metadata.snapshot_by_id(snapshot_id)
        if snapshot is None:
            return None
        other = copy(self)
        other._view = replace(self._view, head=snapshot)  # noqa: SLF001 - of this class
        other._files = None  # noqa: SLF001
        return other

    @contextmanager
    def reading(self, doing: str) -> Iterator[None]:
        """Run a block that reads metadata; errors name the table and `doing`.

        Raises:
            Transient: files are missing because the table changed meanwhile.
            TableUnreadable, StateConflict: as `errors.reading_table`.
        """
        try:
            with reading_table(f"{doing} {self._ref}"):
                yield
        except TableUnreadable as error:
            if any(isinstance(each, FileNotFoundError) for each in causes_of(error)) and self._has_moved():
                raise Transient(f"{self._ref} changed while it was read, and its old files are gone") from error
            raise

    def _has_moved(self) -> bool:
        """Return whether the catalog points to other metadata than this view's."""
        with reading_table(f"load table {self._ref}"):
            return self._load().metadata_location != self._view.table.metadata_location

    def _fresh(self) -> TableView:
        return TableView.of(self._load(), self._cache)

    def _tries(self) -> CommitTries:
        return CommitTries(catalog=self._catalog, load=self._load, cache=self._cache)
