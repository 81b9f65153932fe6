"""Tables with orphans: old files that nothing refers to, looks for them, and the passing of a quarantine."""

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa

from engine.domain.runs.removals import OrphanRule
from engine.formats.iceberg.removal.orphan_files import IcebergOrphans
from engine.formats.iceberg.removal.records import RecordFolder, records_root
from engine.formats.removal.bulk_deletes import BulkDelete, Tally
from engine.formats.removal.orphan_files import OrphanFiles
from engine.formats.removal.scopes import Scope
from engine.formats.removal.searches import SearchResult, StoredSearches
from tests.support.expired_files import Deletion
from tests.support.iceberg_tables import BY_CITY, RUN_ID, Lake, append_files, orders

WEEK = timedelta(days=7)
RULE = OrphanRule(older_than=timedelta(days=3), quarantine=WEEK)
LONG_AGO = 1_600_000_000
UUID = "0b9c1c4e-1111-4222-8333-444455556666"


def root(lake: Lake) -> Path:
    """Return the folder of the table."""
    return Path("/" + lake.load().location().removeprefix("file:").lstrip("/"))


def table(lake: Lake) -> None:
    """Create a table of several snapshots whose files are old."""
    created = lake.create(spec=BY_CITY)
    append_files(created, 3, city="Aachen")
    created.overwrite(orders(range(5000, 5020), city="Aachen"), overwrite_filter="city == 'Aachen'")
    grow_old(lake)


def grow_old(lake: Lake) -> None:
    """Make all files of the table old."""
    for path in root(lake).rglob("*"):
        if path.is_file() and "packhouse-deletions" not in str(path):
            os.utime(path, (LONG_AGO, LONG_AGO))


def named(folder: str = "data", number: int = 0) -> str:
    """Return the path of a data file with a name that writers of Iceberg give."""
    return f"{folder}/00000-{number}-{UUID}.parquet"


def orphan(lake: Lake, name: str) -> Path:
    """Write an old file that nothing refers to."""
    path = root(lake) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"orphan")
    os.utime(path, (LONG_AGO, LONG_AGO))
    return path


class RunSearch(OrphanFiles):
    """A search for orphans by a run that is not paced."""

    def look(self, rule: OrphanRule) -> SearchResult:
        """List the files, and store those that nothing refers to."""
        self._rule = rule
        for _ in self.looking(lambda _: None):
            pass
        return self.result

    def delete(self, removal: BulkDelete) -> Tally:
        """Record the files past quarantine, then delete those that the current metadata does not need."""
        recorded = self.record()
        if recorded.plan.total.files:
            removal.remove(recorded.files.batches())
        return removal.tally


def search(
    lake: Lake, rule: OrphanRule = RULE, *, scope: Scope | None = None, open_runs: Sequence[str] = ()
) -> RunSearch:
    """Return a search for orphans by a run."""
    where = scope or Scope.of(lake.load().location())
    return RunSearch(IcebergOrphans(load=Deletion(lake).view, scope=where, open_runs=open_runs), RUN_ID, rule)


def stored_looks(lake: Lake) -> StoredSearches:
    """Return the stored looks of the table."""
    view = Deletion(lake).view()
    return StoredSearches(RecordFolder(view), records_root(view))


def pass_time(lake: Lake, by: timedelta = WEEK) -> None:
    """Make the stored look earlier."""
    looks, us = stored_looks(lake), by // timedelta(microseconds=1)
    look = looks.latest()
    assert look is not None
    since = pa.array([each - us for each in look.files["since_us"].to_pylist()], pa.int64())
    files = look.files.set_column(3, "since_us", since)
    looks.write(replace(look, taken_us=look.taken_us - us, files=files))


def remove(
    lake: Lake,
    *,
    rule: OrphanRule = RULE,
    removal: BulkDelete | None = None,
    before_batch: Callable[[int], None] = lambda _: None,
    **more: Any,
) -> Tally:
    """Look, wait for the quarantine, look again and delete."""
    search(lake, **more).look(rule)
    pass_time(lake)
    files = search(lake, **more)
    files.look(rule)
    return files.delete(removal or Deletion(lake, before_batch=before_batch).removal())


def deleted(tally: Tally) -> int:
    """Return the number of deleted files."""
    return sum(each.files for each in tally.deleted.values())
