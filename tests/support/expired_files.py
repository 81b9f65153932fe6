"""Files of real Iceberg tables, found by PyIceberg's own objects: an oracle for what an expiry may delete."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pyiceberg.table import Table
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.table.update import RemoveSnapshotsUpdate, RemoveStatisticsUpdate

from engine.formats.base import Condition
from engine.formats.iceberg.catalog.paths import normalised
from engine.formats.iceberg.metadata.views import TableView
from engine.formats.iceberg.removal.expired_files import IcebergExpired
from engine.formats.removal.bulk_deletes import BulkDelete, Tally
from engine.formats.removal.deletions import UnneededFiles
from engine.formats.removal.expired_files import ExpiredFiles, FoundFiles
from engine.formats.removal.scopes import Scope
from tests.support.iceberg_tables import RUN_ID, Lake


def needed(table: Table) -> set[str]:
    """Return every file that a retained snapshot needs, normalised: live files, manifests, lists, statistics."""
    metadata = table.metadata
    found = {normalised(table.metadata_location), *(normalised(each.metadata_file) for each in metadata.metadata_log)}
    found |= {normalised(each.statistics_path) for each in (*metadata.statistics, *metadata.partition_statistics)}
    for snapshot in metadata.snapshots:
        found.add(normalised(snapshot.manifest_list))
        for manifest in snapshot.manifests(table.io):
            found.add(normalised(manifest.manifest_path))
            for entry in manifest.fetch_manifest_entry(table.io, discard_deleted=True):
                found.add(normalised(entry.data_file.file_path))
    return found


def stored(table: Table) -> set[str]:
    """Return every file below the location of a local table, normalised, without the lists of Packhouse."""
    root = Path("/" + table.location().removeprefix("file:").lstrip("/"))
    found = {normalised(str(path)) for path in root.rglob("*") if path.is_file()}
    return {path for path in found if "/packhouse-deletions/" not in path}


def drop_snapshots(table: Table, snapshot_ids: Sequence[int]) -> None:
    """Remove snapshots from a table's metadata in one commit, as an expiry does."""
    gone = frozenset(snapshot_ids)
    statistics = [each.snapshot_id for each in table.metadata.statistics if each.snapshot_id in gone]
    updates = [RemoveStatisticsUpdate(snapshot_id=each) for each in statistics]
    table.catalog.commit_table(table, (), (*updates, RemoveSnapshotsUpdate(snapshot_ids=sorted(gone))))


class RunFiles(ExpiredFiles):
    """The files of one run, deleted without pauses between its steps."""

    def __init__(self, source: IcebergExpired) -> None:
        super().__init__(source)
        self.announce = source.announce

    def find(self) -> FoundFiles:
        """Find the files, as `record`."""
        found = super().find()
        self.unneeded = UnneededFiles(found.files, self._source.references(found.files))
        return found

    def delete(self, removal: BulkDelete) -> Tally:
        """Delete the files that were found."""
        removal.remove(self.unneeded.batches())
        return removal.tally

    def prove(self) -> Sequence[Condition]:
        """Read the table: whether it needs a deleted file."""
        return self.unneeded.prove()


@dataclass
class Deletion:
    """A deletion for one run of a table of a lake; `others` are locations of other tables."""

    lake: Lake
    name: str = "orders"
    run_id: str = RUN_ID
    others: Sequence[str] = ()
    batches: list[int] = field(default_factory=list)
    before_batch: Callable[[int], None] = lambda _: None

    def view(self) -> TableView:
        """Return the table as Packhouse has it now."""
        return self.lake.open(self.name)._fresh()

    def begin(self) -> RunFiles:
        """Return a deletion that knows nothing, as a new process does."""
        scope = Scope.of(self.location, self.others)
        return RunFiles(IcebergExpired(load=self.view, run_id=self.run_id, scope=scope))

    @property
    def location(self) -> str:
        return self.lake.load(self.name).location()

    def removal(self) -> BulkDelete:
        """Return access to the store that does not wait."""

        def before(requests: int) -> None:
            self.before_batch(requests)
            self.batches.append(requests)

        return BulkDelete(self.view().table.io.properties, before_batch=before, sleep=lambda _: None)

    def expire(self, snapshot_ids: Sequence[int]) -> RunFiles:
        """Announce and remove snapshots; return the deletion, of which nothing is recorded yet."""
        files = self.begin()
        files.announce(self.view(), snapshot_ids)
        drop_snapshots(self.lake.load(self.name), snapshot_ids)
        return files

    def finish(self, files: RunFiles) -> tuple[FoundFiles, Tally, Sequence[Condition]]:
        """Record, delete, prove and close."""
        recorded = files.find()
        tally = files.delete(self.removal())
        proof = files.prove()
        files.close()
        return recorded, tally, proof

    def run(self, snapshot_ids: Sequence[int]) -> tuple[FoundFiles, Tally, Sequence[Condition]]:
        """Expire snapshots and delete their files."""
        return self.finish(self.expire(snapshot_ids))


def ids(metadata: TableMetadata) -> list[int]:
    """Return the ids of all snapshots in the order of their commits."""
    return [each.snapshot_id for each in sorted(metadata.snapshots, key=lambda each: each.timestamp_ms)]
