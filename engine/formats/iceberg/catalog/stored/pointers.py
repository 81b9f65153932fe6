"""Base of SQL, Glue and Hive catalogs, which store the location of a table's metadata file.

PyIceberg imports classes named in table properties, and configures storage from table properties. Here only
`file_access` creates storage, from the catalog's own properties, and it opens only files in the table's scope.
"""

from abc import abstractmethod
from collections.abc import Collection, Mapping
from copy import copy
from typing import Any, Self

from pyiceberg.catalog import MetastoreCatalog
from pyiceberg.exceptions import CommitFailedException
from pyiceberg.table import StagedTable, Table
from pyiceberg.table.locations import load_location_provider
from pyiceberg.table.update import TableRequirement, TableUpdate
from pyiceberg.typedef import EMPTY_DICT, Identifier, Properties

from engine.domain.errors import NotEligible
from engine.formats.base import OWN_LOCATION, FileScope
from engine.formats.iceberg.catalog.file_access import GuardedFileIO, file_io, own_properties
from engine.formats.iceberg.catalog.metadata_updates import DocumentMetadata, updated_document
from engine.formats.iceberg.catalog.paths import own_location_provider
from engine.formats.iceberg.intake.metadata_files import MetadataFiles
from engine.formats.iceberg.intake.read_tables import ReadTable
from engine.formats.intake.parameters import meaningless_in
from engine.outgoing.bounds import CheckLocation, anywhere


class StoredPointers(MetastoreCatalog):
    """Reads metadata files, and stages new ones, within the locations of the table.

    `check_location` raises `InvalidInput` for a metadata file that must not be read; `scope` is that of one table.
    """

    check_location: CheckLocation = staticmethod(anywhere)
    scope: FileScope = OWN_LOCATION

    def __init__(self, name: str, **properties: Any) -> None:
        self._metadata_files = MetadataFiles()
        super().__init__(name, **properties)

    def within(self, scope: FileScope) -> Self:
        """Return this catalog, with the same connections, for a table whose files are in a scope."""
        other = copy(self)
        other.scope = scope
        return other

    def storage_properties(self) -> Mapping[str, str]:
        """Return the properties of file access."""
        return own_properties(self.properties)

    @abstractmethod
    def locations(self, tables: Collection[Identifier]) -> Mapping[Identifier, str]:
        """Return the locations of the metadata files of those tables that the catalog has."""

    @abstractmethod
    def check_writing(self, table: Table) -> str:
        """Check the right to commit to a table without a commit; return a sentence about what was found.

        Raises:
            StateConflict: the catalog's credentials may not.
        """

    def read_table(self, identifier: Identifier, location: str) -> ReadTable:
        """Return the table whose metadata file is at a location."""
        self.check_location(location)
        read = self._metadata_files.read(self._load_file_io(location=location).new_input(location))
        return ReadTable(
            identifier=identifier,
            metadata=read.metadata,
            metadata_location=location,
            io=file_io(self.storage_properties(), self.scope.folders(read.metadata.location)),
            catalog=self,
            fields=read.fields,
            newer_types=read.newer_types,
            is_translated=read.is_translated,
            document=read.document,
            meaningless=meaningless_in(self.properties),
        )

    def _update_and_stage_table(self, current_table: Table | None, *args: Any, **kwargs: Any) -> StagedTable:
        """Stage new metadata; a table with a location provider class or an outside location counts as a lost race."""
        if current_table is not None and (found := own_location_provider(current_table.properties)):
            raise CommitFailedException(f"the table has a location provider of its own ({found})")
        if isinstance(current_table, ReadTable) and current_table.document is not None:
            staged = self._staged_document(current_table, current_table.document, *args, **kwargs)
        else:
            staged = super()._update_and_stage_table(current_table, *args, **kwargs)
        try:
            self._load_file_io().check(staged.metadata_location)
        except NotEligible as error:
            raise CommitFailedException(error.message) from error
        return staged

    def _staged_document(
        self,
        current: ReadTable,
        document: Mapping[str, Any],
        identifier: Identifier,
        requirements: tuple[TableRequirement, ...],
        updates: tuple[TableUpdate, ...],
    ) -> StagedTable:
        """Stage a change of the document of a table whose format version PyIceberg does not write."""
        for each in requirements:
            each.validate(current.metadata)
        changed = updated_document(document, updates, replaces=current.metadata_location)
        metadata = DocumentMetadata.of(changed)
        version = self._parse_metadata_version(current.metadata_location) + 1
        provider = load_location_provider(metadata.location, metadata.properties)
        location = provider.new_table_metadata_file_location(version)
        return StagedTable(identifier, metadata, location, self._load_file_io(location=location), self)

    def _load_file_io(self, properties: Properties = EMPTY_DICT, location: str | None = None) -> GuardedFileIO:  # noqa: ARG002
        """Return storage for metadata that is not read yet; ignores the table properties passed by PyIceberg.

        Without a registered location, only `check_location` has checked the location of the metadata file.
        """
        folder = (location or "").rpartition("/")[0]
        folders = self.scope.folders(folder) if self.scope.location else (folder,)
        return file_io(self.storage_properties(), folders)
