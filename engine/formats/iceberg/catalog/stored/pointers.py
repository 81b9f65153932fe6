"""Base of SQL, Glue and Hive catalogs, which store the location of a table's metadata file.

PyIceberg imports classes named in table properties, and configures storage from table properties. Here only
`file_access` creates storage, from the catalog's own properties, and it opens only files in the table's scope.
"""

from abc import abstractmethod
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from copy import copy
from typing import Any, Self, TypeAlias

from pyiceberg.catalog import MetastoreCatalog
from pyiceberg.exceptions import CommitFailedException, NoSuchTableError
from pyiceberg.table import CommitTableResponse, StagedTable, Table
from pyiceberg.table.locations import load_location_provider
from pyiceberg.table.update import TableRequirement, TableUpdate
from pyiceberg.typedef import EMPTY_DICT, Identifier, Properties

from engine.domain.errors import LockHeld, NotEligible, RequestNotServed
from engine.formats.base import OWN_LOCATION, FileScope
from engine.formats.iceberg.catalog.file_access import GuardedFileIO, file_io, own_properties
from engine.formats.iceberg.catalog.metadata_updates import DocumentMetadata, updated_document
from engine.formats.iceberg.catalog.paths import own_location_provider
from engine.formats.iceberg.intake.metadata_files import MetadataFiles
from engine.formats.iceberg.intake.read_tables import ReadTable
from engine.formats.intake.parameters import meaningless_in
from engine.outgoing.bounds import CheckLocation, anywhere

Replace: TypeAlias = Callable[[StagedTable], None]
"""Lets an entry name staged metadata; raises `CommitFailedException` if it is not the entry that was read."""


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

    @abstractmethod
    def replaceable(self, identifier: Identifier) -> tuple[Table, Replace]:
        """Return a table, and a function that replaces the location in its present entry. Raises NoSuchTableError."""

    def commit_table(
        self, table: Table, requirements: tuple[TableRequirement, ...], updates: tuple[TableUpdate, ...]
    ) -> CommitTableResponse:
        """Write a new metadata file and let the table's entry name it, unless the entry changed since it was read.

        Raises:
            CommitFailedException: a requirement does not hold, or the entry was changed, or there is no table.
        """
        try:
            current, replace = self.replaceable(table.name())
        except NoSuchTableError as error:
            raise CommitFailedException(str(error)) from error
        staged = self._update_and_stage_table(current, table.name(), requirements, updates)
        self._write_metadata(staged.metadata, staged.io, staged.metadata_location)
        try:
            replace(staged)
        except (RequestNotServed, LockHeld):
            _discard(staged)
            raise
        except CommitFailedException:
            if not self._is_committed(staged, current.metadata_location):
                raise
        return CommitTableResponse(metadata=staged.metadata, metadata_location=staged.metadata_location)

    def _is_committed(self, staged: StagedTable, before: str) -> bool:
        """Return whether a table has the metadata of a commit that was refused; delete it if it never will.

        A client, or the server itself, may have repeated a request that took effect, and got a refusal of the second.
        The log of metadata shows which, if it still has the location that the commit was to replace: no request that
        was refused takes effect after another commit.
        """
        with suppress(Exception):  # the next try loads the table as well, and reports what keeps it from being read
            found = self.load_table(staged.name())
            known = {found.metadata_location, *(each.metadata_file for each in found.metadata.metadata_log)}
            if staged.metadata_location in known:
                return True
            if before in known - {found.metadata_location}:
                _discard(staged)
        return False

    def read_table(self, identifier: Identifier, location: str) -> ReadTable:
        """Return the table whose metadata file is at a location."""
        self.check_location(location)
        try:
            file = self._load_file_io(location=location).new_input(location)
        except NotEligible as error:
            message = f"{error.message}; if the table was moved or created again, delete its registration first"
            raise NotEligible(message) from error
        read = self._metadata_files.read(file)
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


def _discard(staged: StagedTable) -> None:
    """Delete the metadata file of a commit that never takes effect, as far as the store lets it."""
    with suppress(OSError, NotEligible):
        staged.io.delete(staged.metadata_location)
