"""The deletion of a run's orphans from a loaded table, as `formats.base.OrphanDeletion` defines it."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager

from engine.domain.runs.removals import FileCount, OrphanRule, RemovalFigures, RemovalPlan
from engine.formats.deletion.table_deletions import TableDeletion
from engine.formats.iceberg.metadata.views import TableView
from engine.formats.iceberg.orphans.orphan_files import OrphanFiles


class TableOrphans(TableDeletion):
    """The deletion of one run's orphans, an `OrphanDeletion`; arguments as for `TableDeletion`."""

    def __init__(
        self,
        *,
        reading: Callable[[str], AbstractContextManager[None]],
        load: Callable[[], TableView],
        files: OrphanFiles,
        rule: OrphanRule,
    ) -> None:
        super().__init__(reading=reading, storage=lambda: load().table.io.properties, files=files, what="orphans")
        self._orphans = files
        self._rule = rule
        self._looking: Iterator[None] | None = None
        self._earlier: Mapping[str, FileCount] = {}

    def look(self, before_page: Callable[[int], None], seconds: float) -> bool:
        """List files for a time; see `OrphanDeletion.look`."""
        self._before_batch = before_page
        until = time.monotonic() + seconds
        with self._reading("look for orphans of"):
            if self._looking is None:
                self._looking = self._orphans.looking(self._rule, self._ask)
            for _ in self._looking:
                if time.monotonic() >= until:
                    return True
            self._earlier = self._orphans.gone()
        return False

    def figures(self) -> RemovalFigures:
        """Return what this object, and earlier attempts of the run, deleted so far."""
        return super().figures().with_earlier(self._earlier)


def preview_orphans(files: OrphanFiles, rule: OrphanRule, before_page: Callable[[int], None]) -> RemovalPlan:
    """Return which orphans would be deleted now. Nothing is written. Raises as `OrphanFiles.looking`."""
    for _ in files.looking(rule, before_page, is_stored=False):
        pass
    return files.looked.plan()
