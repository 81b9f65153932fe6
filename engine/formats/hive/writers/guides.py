"""The write guide of a loaded table, as `formats.base.WriteGuide`."""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.domain.runs.open_groups import OpenGroup
from engine.domain.tables.write_locations import WriteLocations, WrittenFile
from engine.formats.hive.view import TableView
from engine.formats.hive.writers.locations import partition_name, write_locations, written_file
from engine.formats.intake.guards import Reading, reads


@dataclass(frozen=True, slots=True)
class HiveWriteGuide:
    """Folders of a view's partitions."""

    view: TableView
    reading: Reading

    def partition_name(self, given: str) -> str:
        """Return the canonical JSON of a partition; see `WriteGuide.partition_name`."""
        return partition_name(self.view.keys, given)

    def written_file(self, given: str | None) -> WrittenFile:
        """Return a file by its name, or a new one; see `WriteGuide.written_file`."""
        return written_file(given)

    @reads("read a partition of")
    def write_locations(self, partition: str, file: WrittenFile, groups: Sequence[OpenGroup]) -> WriteLocations:
        """Return the folders of a partition to write a file to; see `WriteGuide.write_locations`."""
        return write_locations(self.view, partition, file, groups)
