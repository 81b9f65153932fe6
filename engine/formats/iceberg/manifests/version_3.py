"""Write manifests and manifest lists of format version 3, which PyIceberg (0.12) reads and does not write.

Entries of files that stay or go carry their first row ids; those of new files and of delete files have none. A manifest
list assigns the ids of new files: each data manifest without a first row id gets the next one, and takes as many as its
rows that have none.
"""

from collections.abc import Mapping
from typing import Self

from pyiceberg.avro.codecs import AvroCompressionCodec
from pyiceberg.avro.file import AvroOutputFile
from pyiceberg.io import OutputFile
from pyiceberg.manifest import (
    ManifestContent,
    ManifestEntry,
    ManifestEntryStatus,
    ManifestFile,
    ManifestListWriterV2,
    ManifestWriterV2,
)
from pyiceberg.partitioning import PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.typedef import TableVersion

from engine.domain.errors import NotEligible
from engine.formats.iceberg.manifests.delete_entries import with_integer_ids
from engine.formats.iceberg.manifests.inheritance import first_row_id_of
from engine.formats.iceberg.manifests.lineage import (
    LIST_SCHEMA,
    first_row_id,
    with_fields,
    with_first_row_id,
)
from engine.formats.iceberg.metadata.row_ids import MOST_ROW_ID
from engine.formats.intake.limits import Malformed


class DataManifestWriterV3(ManifestWriterV2):
    """Writer of a manifest of data files.

    Attributes:
        unassigned_rows: rows of live files without a first row id, for which the manifest list assigns ids.
    """

    def __init__(
        self,
        spec: PartitionSpec,
        schema: Schema,
        output_file: OutputFile,
        snapshot_id: int,
        compression: AvroCompressionCodec,
        *,
        schema_json: str | None = None,
    ) -> None:
        super().__init__(spec, schema, output_file, snapshot_id, compression)
        self.unassigned_rows = 0
        self._schema_json = schema_json

    def __enter__(self) -> Self:
        """Open the file."""
        super().__enter__()
        return self

    @property
    def version(self) -> TableVersion:
        """The format version of the manifest."""
        return 3

    @property
    def _meta(self) -> dict[str, str]:
        """The header: with the schema as the table's metadata has it, whose types PyIceberg need not know."""
        return {**super()._meta, **({} if self._schema_json is None else {"schema": self._schema_json})}

    def _with_partition(self, format_version: TableVersion) -> Schema:  # noqa: ARG002 - records have all fields
        return with_integer_ids(super()._with_partition(self.version))

    def prepare_entry(self, entry: ManifestEntry) -> ManifestEntry:
        """Return the entry to write, and count its rows if it is live and has no first row id."""
        entry = super().prepare_entry(entry)
        keeps = entry.status != ManifestEntryStatus.ADDED
        entry.data_file = with_fields(entry.data_file, keeps_row_ids=keeps)
        if entry.status != ManifestEntryStatus.DELETED and first_row_id(entry.data_file) is None:
            self.unassigned_rows += entry.data_file.record_count
        return entry


class DeleteManifestWriterV3(DataManifestWriterV3):
    """Writer of a manifest of delete files and deletion vectors."""

    def content(self) -> ManifestContent:
        """Return that the entries are delete files."""
        return ManifestContent.DELETES

    @property
    def _meta(self) -> dict[str, str]:
        return {**super()._meta, "content": "deletes"}


class ManifestListWriterV3(ManifestListWriterV2):
    """Writer of a manifest list that assigns row ids.

    Args of the constructor, beyond those of version 2:
        first_row_id: the table's next row id.
        unassigned: rows without a row id in each data manifest without a first row id, by path.
    """

    def __init__(
        self,
        output_file: OutputFile,
        snapshot_id: int,
        parent_snapshot_id: int | None,
        sequence_number: int,
        compression: AvroCompressionCodec,
        *,
        first_row_id: int,
        unassigned: Mapping[str, int],
    ) -> None:
        super().__init__(output_file, snapshot_id, parent_snapshot_id, sequence_number, compression)
        self._format_version = 3
        self._meta = {**self._meta, "format-version": "3", "first-row-id": str(first_row_id)}
        self._first = self._following = first_row_id
        self._unassigned = unassigned

    @property
    def added_rows(self) -> int:
        """Row ids that the manifests written so far take."""
        return self._following - self._first

    def __enter__(self) -> Self:
        """Open the file."""
        self._writer = AvroOutputFile[ManifestFile](
            output_file=self._output_file,
            record_schema=LIST_SCHEMA,
            file_schema=LIST_SCHEMA,
            schema_name="manifest_file",
            metadata=self._meta,
        )
        self._writer.__enter__()
        return self

    def prepare_manifest(self, manifest_file: ManifestFile) -> ManifestFile:
        """Return the entry to write.

        Raises:
            NotEligible: the ids of 64 bits are used up.
            Malformed: the manifest has ids that the table has not assigned yet.
        """
        if manifest_file.content != ManifestContent.DATA:
            return super().prepare_manifest(with_first_row_id(manifest_file, None))
        first = first_row_id_of(manifest_file)
        if first is None:
            first = self._following
            self._following += self._unassigned[manifest_file.manifest_path]
        elif not 0 <= first <= self._first:
            text = f"manifest {manifest_file.manifest_path} has the row ids from {first}"
            raise Malformed(f"{text}, but the table's next-row-id is {self._first}")
        if self._following > MOST_ROW_ID:
            raise NotEligible(
                f"the table has no row ids left: its next-row-id is {self._first}, and {self.added_rows} rows need one"
            )
        return super().prepare_manifest(with_first_row_id(manifest_file, first))
