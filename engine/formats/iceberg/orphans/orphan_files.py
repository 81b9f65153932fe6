"""Look for orphans and delete those that an earlier look, a quarantine ago, found as well.

A look writes a probe, whose time is the store's clock, loads the table, lists every file below its location, loads the
table again, and subtracts the files that either version refers to. Nothing is deleted on a listing that lacks a file
that must exist. A process that was killed is followed by another look: the stored looks and records make it go on.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.table.metadata import TableMetadata

from engine.domain.errors import NotEligible, StateConflict
from engine.formats.iceberg.catalog.paths import all_locations, metadata_location, own_location_provider
from engine.formats.iceberg.deletion.file_lists import LISTED, FileKind, FileList, ListWriter, Origin, listed
from engine.formats.iceberg.deletion.path_keys import Keys, are_in, keys_of
from engine.formats.iceberg.deletion.reachability import Reachability, check_may_delete, check_newer
from engine.formats.iceberg.deletion.records import Records
from engine.formats.iceberg.deletion.removal import Removal, Tally
from engine.formats.iceberg.deletion.scopes import Refused, Scope
from engine.formats.iceberg.manifests.outside_files import are_outside
from engine.formats.iceberg.metadata.views import TableView
from engine.formats.iceberg.orphans.listings import FOUND, ListedFiles, files_below
from engine.formats.iceberg.orphans.looks import CANDIDATES, Look, StoredLooks
from engine.formats.iceberg.orphans.references import References

OF_OPEN_RUN: Final = "of_open_run"
LEAST_AGE: Final = timedelta(days=1)
_FILES_BETWEEN_LOOKS: Final = 50_000
_COMMIT: Final = r"(?P<commit>[0-9a-f-]{36})-m[0-9]+\.avro$"


@dataclass(frozen=True, slots=True)
class OrphanRule:
    """Which files are orphans: those of at least this age, found by two looks that are `quarantine` apart."""

    older_than: timedelta
    quarantine: timedelta
    longest_run: timedelta = timedelta(0)

    @property
    def age_us(self) -> int:
        """The least age of an orphan: at least a day, and twice the longest run."""
        return max(self.older_than, LEAST_AGE, 2 * self.longest_run) // timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Looked:
    """A look: the look that is stored, the number of listed files, files past quarantine, and what is left alone."""

    look: Look
    listed: int
    due: FileList
    refused: Refused


class OrphanFiles:
    """The search and deletion for one run of a table; `load` returns the current version of the table."""

    def __init__(
        self, *, load: Callable[[], TableView], run_id: str, scope: Scope, open_runs: Sequence[str] = ()
    ) -> None:
        self._load = load
        self._run_id = run_id
        self._scope = scope
        self._open_runs = open_runs

    def look(self, rule: OrphanRule) -> Looked:
        """List the files, and store those that nothing refers to.

        Raises:
            NotEligible: the table forbids to delete files, or has files in other places than its location.
            StateConflict: the listing is incomplete, or the table lost references that no expiry explains.
            Malformed: a manifest or list can't be read.
            TableReplaced: the catalog has another table under this name.
            Fatal: the catalog's pointer moved to older metadata.
            OSError: the store does not answer.
        """
        before = self._load()
        _check_places(before.metadata, self._scope)
        looks = StoredLooks(before)
        earlier = looks.latest()
        if earlier is not None:
            check_newer(before.metadata, earlier.origin)
        now_us = self._store_time(looks)
        found, keys = self._listed(before, now_us - rule.age_us)
        ids = sorted(each.snapshot_id for each in before.metadata.snapshots)
        _check_shrinkage(earlier, len(keys), ids)
        refused = Refused()
        unneeded = [batch.filter(pa.array(~are_in(keys, keys_of(batch["path"])))) for batch in found.old()]
        orphans = self._allowed(pa.concat_tables([FOUND.empty_table(), *unneeded]), refused)
        is_usable = earlier is not None and earlier.taken_us <= now_us
        since = earlier.first_seen(orphans, now_us) if earlier and is_usable else pa.repeat(now_us, orphans.num_rows)
        files = pa.table([*orphans.columns, since], schema=CANDIDATES)
        look = Look(Origin.of(before.metadata), now_us, len(keys), ids, files)
        looks.write(look)
        return Looked(look, found.files, _due(look, rule, before.metadata), refused)

    def delete(self, looked: Looked, removal: Removal) -> Tally:
        """Record the files past quarantine, then delete those that the current metadata does not need.

        Raises:
            Away, CredentialsExpired, StateConflict, Exception: as `Removal.remove`; begin again with `look`.
            NotEligible, Malformed, TableReplaced, Fatal, OSError: as `look`.
        """
        if looked.due.rows:
            view = self._load()
            folder = Records(view, self._run_id).folder
            StoredLooks(view).put(f"{folder}/orphans-{looked.look.taken_us}.parquet", looked.due.body)
            removal.remove(self._unneeded(looked.due))
        return removal.tally

    def _unneeded(self, due: FileList) -> Iterator[pa.Table]:
        reachability, start, since = Reachability(due.keys()), 0, _FILES_BETWEEN_LOOKS
        for batch in due.batches():
            if since >= _FILES_BETWEEN_LOOKS:
                view, since = self._load(), 0
                _check_places(view.metadata, self._scope)
                check_newer(view.metadata, due.origin)
                reachability.look(view)
            is_free = ~reachability.is_needed[start : start + batch.num_rows]
            yield batch.filter(pa.array(is_free))
            start, since = start + batch.num_rows, since + batch.num_rows

    def _store_time(self, looks: StoredLooks) -> int:
        probe = f"{looks.folder}/probe"
        looks.put(probe, self._run_id.encode())
        for batch in files_below(looks.folder, looks.view.table.io.properties):
            if (own := batch.filter(pc.equal(batch["path"], probe))).num_rows:
                return int(own["modified_us"][0].as_py())
        raise StateConflict("the store's listing lacks a file that was just written, so nothing is deleted by it")

    def _listed(self, before: TableView, before_us: int) -> tuple[ListedFiles, Keys]:
        """Return the files, and the keys of those that versions of before and after the listing refer to."""
        references, found = References(self._scope), ListedFiles(before_us)
        references.add(before)
        for batch in files_below(before.metadata.location, before.table.io.properties):
            found.add(batch)
        after = self._load()
        _check_places(after.metadata, self._scope)
        check_newer(after.metadata, Origin.of(before.metadata))
        left = {each.snapshot_id for each in after.metadata.snapshots}
        if lost := {each.snapshot_id for each in before.metadata.snapshots} - left:
            raise StateConflict(f"{len(lost)} snapshots were removed while files were listed: look again")
        _check_complete(found, references.existing())
        references.add(after)
        return found, references.keys()

    def _allowed(self, files: pa.Table, refused: Refused) -> pa.Table:
        as_content = listed(files["path"], FileKind.DATA, file_bytes=files["file_bytes"])
        allowed = self._scope.allowed(as_content, refused)["path"]
        files = files.filter(pc.is_in(files["path"], value_set=allowed))
        for text in self._marks(files["path"]):
            is_open = pc.match_substring(files["path"], text)
            refused.add(files.filter(is_open)["path"], OF_OPEN_RUN)
            files = files.filter(pc.invert(is_open))
        return files

    def _marks(self, paths: pa.ChunkedArray) -> list[str]:
        """Return texts that the paths of files of open runs contain: their ids, and the UUIDs of their commits."""
        commits: list[str] = []
        for run_id in self._open_runs:
            own = pc.extract_regex(paths.filter(pc.match_substring(paths, run_id)), _COMMIT)
            commits += pc.struct_field(own, "commit").unique().drop_null().to_pylist()
        return [*self._open_runs, *dict.fromkeys(commits)]


def _due(look: Look, rule: OrphanRule, metadata: TableMetadata) -> FileList:
    """Return the files past quarantine: data before metadata."""
    waits_until = look.taken_us - rule.quarantine // timedelta(microseconds=1)
    is_earlier = pc.and_(
        pc.less_equal(look.files["since_us"], waits_until), pc.less(look.files["since_us"], look.taken_us)
    )
    due = look.files.filter(is_earlier)
    is_metadata = pc.starts_with(due["path"], f"{metadata_location(metadata)}/")
    writer = ListWriter(look.origin)
    for kind, some in ((FileKind.DATA, pc.invert(is_metadata)), (FileKind.METADATA, is_metadata)):
        files = due.filter(some)
        writer.add(listed(files["path"], kind, file_bytes=files["file_bytes"]).cast(LISTED))
    return writer.finish()


def _check_places(metadata: TableMetadata, scope: Scope) -> None:
    """Raise `NotEligible` unless all files of the table are written below its own location."""
    check_may_delete(metadata)
    if named := own_location_provider(metadata.properties):
        raise NotEligible(f"the table has its own location provider ({named}), so its files can't be listed")
    places = [f"{each.rstrip('/')}/x" for each in (*all_locations(metadata), metadata_location(metadata))]
    outside = are_outside(pa.chunked_array([pa.array(places, pa.string())]), scope.own)
    if pc.any(outside).as_py():
        moved = places[outside.to_pylist().index(True)][:-2]
        raise NotEligible(f"the table writes to {moved[:300]}, outside of its registered location: no file is deleted")


def _check_complete(found: ListedFiles, existing: Keys) -> None:
    """Raise `StateConflict` if a listing lacks a file that must exist."""
    keys = found.keys()
    missing = int((~are_in(keys, existing)).sum()) if len(keys) else len(existing)
    if missing:
        raise StateConflict(
            f"{missing} of {len(existing)} files that snapshots need are missing in the listing of {found.files} "
            "files: the listing is not complete, so nothing is deleted"
        )


def _check_shrinkage(earlier: Look | None, referenced: int, ids: Sequence[int]) -> None:
    """Raise `StateConflict` if more than a tenth of the references is gone, though no snapshot is."""
    if earlier is None or referenced * 10 >= earlier.referenced * 9:
        return
    if set(earlier.snapshot_ids) <= set(ids):
        raise StateConflict(
            f"the table refers to {referenced} files, {earlier.referenced} at the last look, though no snapshot was "
            "removed since: no file is deleted"
        )
