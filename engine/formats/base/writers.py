"""The part of tables whose writers put files into a partition's folder, which a rewrite replaces by another folder."""

from collections.abc import Sequence
from typing import Protocol

from engine.domain.runs.open_groups import OpenGroup
from engine.domain.tables.write_locations import NamedFile, WriteLocations


class WriteGuide(Protocol):
    """Names the folders of a partition into which writers put their files. All calls may block."""

    def partition_name(self, given: str) -> str:
        """Return the canonical JSON of a partition that is given as a JSON object.

        Raises:
            InvalidInput: it is not an object with a value for each partition key.
            NotEligible: the table has no partitions.
        """

    def written_file(self, given: str | None) -> NamedFile:
        """Return a file by its name, or a new one without a name.

        Raises:
            InvalidInput: the name has another form, or is not valid any more.
        """

    def write_locations(self, partition: str, file: NamedFile, groups: Sequence[OpenGroup]) -> WriteLocations:
        """Return the folders of a partition to write to.

        Args:
            partition: its canonical JSON.
            file: the file in question.
            groups: the file groups of the partition, read before this call.

        Raises:
            NotFound: there is no such partition.
            NotEligible: it is in a place whose files must not be opened.
        """
