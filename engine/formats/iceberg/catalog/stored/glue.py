"""AWS Glue as a catalog: a table's entry has the location of its metadata file, and a version for each change.

A commit replaces an entry only if its version is still the one that was read. Everything else of the entry stays as it
is, as its columns: Packhouse changes no schema. PyIceberg would build the entry again from its own model.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from pyiceberg.catalog.glue import GlueCatalog
from pyiceberg.exceptions import CommitFailedException, NoSuchNamespaceError, NoSuchTableError
from pyiceberg.table import StagedTable, Table
from pyiceberg.typedef import Identifier
from pyiceberg.utils.properties import property_as_bool

from engine.aws.sessions import AwsSession
from engine.domain.errors import PackhouseError, StateConflict
from engine.formats.iceberg.catalog.file_access import KeptStorage
from engine.formats.iceberg.catalog.stored.entries import by_database, following, is_iceberg, location_in, spelled_as
from engine.formats.iceberg.catalog.stored.pointers import Replace, StoredPointers
from engine.formats.intake.catalogs.glue.properties import SKIP_ARCHIVE
from engine.formats.intake.catalogs.glue.requests import (
    BY_TABLE,
    SERVICE,
    EntryChanged,
    NoEntity,
    ask,
    client_of,
    pages,
    part_of,
)
from engine.outgoing.bounds import CheckLocation, CheckPeer, any_peer, anywhere

_WRITABLE: Final = (
    *("Name", "Description", "Owner", "LastAccessTime", "LastAnalyzedTime", "Retention", "StorageDescriptor"),
    *("PartitionKeys", "ViewOriginalText", "ViewExpandedText", "TableType", "Parameters", "TargetTable"),
)
"""Parts of an entry that `UpdateTable` takes; Glue sets the others itself."""

_FEW: Final = 20
"""Tables of a database of which each is asked for; of more, all pages of the database are read."""


class GuardedGlueCatalog(StoredPointers, GlueCatalog):
    """A Glue catalog whose requests have limits and reach only allowed servers.

    Every method raises:
        StateConflict: AWS refuses the credentials or the request, or there are none.
        Away: Glue does not answer, or answers that it can't now.
    """

    def __init__(self, name: str, *, session: AwsSession, check_peer: CheckPeer = any_peer, **properties: str) -> None:
        self._session, self._kept_storage = session, KeptStorage()
        super().__init__(name, client=client_of(session, properties, check_peer=check_peer), **properties)

    def storage_properties(self) -> Mapping[str, str]:
        """Return the properties of file access, with the credentials of the catalog's profile or role, renewed."""
        own = super().storage_properties()
        return self._kept_storage.of(self.name, self._session.storage(own), lambda: self._newer(own))

    def _newer(self, own: Mapping[str, str]) -> Mapping[str, str]:
        """Return the properties of file access as the session has them now. Raises OSError."""
        try:
            return self._session.storage(own)
        except PackhouseError as error:
            raise OSError(error.message) from error

    def load_table(self, identifier: str | Identifier) -> Table:
        """Load a table. Raises `NoSuchTableError` also for an entry that is not of an Iceberg table."""
        database, name = self.identifier_to_database_and_table(identifier, NoSuchTableError)
        return self._of_entry(self._entry(database, name))

    def list_namespaces(self, namespace: str | Identifier = ()) -> list[Identifier]:
        """Return the databases; Glue does not nest them."""
        if namespace:
            return []
        found = self._pages(self.glue.get_databases, "DatabaseList")
        return [(str(each["Name"]),) for each in found]

    def list_tables(self, namespace: str | Identifier) -> list[Identifier]:
        """Return the Iceberg tables of a database. Raises `NoSuchNamespaceError`."""
        database = self.identifier_to_database(namespace, NoSuchNamespaceError)
        return [(database, str(each["Name"])) for each in self._tables(database) if is_iceberg(each.get("Parameters"))]

    def locations(self, tables: Collection[Identifier]) -> Mapping[Identifier, str]:
        """Return the locations of metadata files: of few tables one by one, of many by pages of 100 tables."""
        found: dict[Identifier, str] = {}
        for database, names in by_database(tables):
            with suppress(NoSuchNamespaceError):  # its tables are not there either
                found |= {
                    (database, str(each["Name"])): location_in(each["Parameters"])
                    for each in self._entries(database, names)
                    if is_iceberg(each.get("Parameters"))
                }
        return spelled_as(tables, found)

    def replaceable(self, identifier: Identifier) -> tuple[Table, Replace]:
        """Return a table; its entry is replaced only if its version is still the one that is read here."""
        database, name = self.identifier_to_database_and_table(identifier, NoSuchTableError)
        entry = self._entry(database, name)
        if not (version := entry.get("VersionId")):
            raise StateConflict(f"Glue's entry of {database}.{name} has no version: a commit could undo another one")

        def replace(staged: StagedTable) -> None:
            changed = {part: entry[part] for part in _WRITABLE if part in entry}
            changed["Parameters"] = following(entry["Parameters"], staged.metadata_location)
            skips = property_as_bool(self.properties, SKIP_ARCHIVE, default=True)
            update = self.glue.update_table
            self._ask(update, DatabaseName=database, TableInput=changed, VersionId=str(version), SkipArchive=skips)

        return self._of_entry(entry), replace

    def check_writing(self, table: Table) -> str:
        """Check the right to commit with an update of a table that does not exist: AWS looks at the rights first."""
        database, _ = self.identifier_to_database_and_table(table.name(), NoSuchTableError)
        absent = {"Name": "packhouse_check_of_rights"}
        try:
            self._ask(self.glue.update_table, DatabaseName=database, TableInput=absent, SkipArchive=True)
        except NoSuchTableError:
            pass
        except StateConflict as error:
            if BY_TABLE not in error.message:
                raise
            return f"{BY_TABLE} decides for each table of {database}: whether they may be changed is not known before"
        return f"the credentials may change tables of {database}"

    def _tables(self, database: str) -> Iterator[Mapping[str, Any]]:
        return self._pages(self.glue.get_tables, "TableList", missing=NoSuchNamespaceError, DatabaseName=database)

    def _entries(self, database: str, names: Sequence[str]) -> Iterator[Mapping[str, Any]]:
        """Yield the entries of those tables that are there, and maybe of others of the database."""
        if len(names) > _FEW:
            yield from self._tables(database)
            return
        for name in names:
            with suppress(NoSuchTableError):
                yield part_of(self._ask(self.glue.get_table, DatabaseName=database, Name=name), "Table")

    def _entry(self, database: str, name: str) -> dict[str, Any]:
        answer = self._ask(self.glue.get_table, DatabaseName=database, Name=name)
        entry: dict[str, Any] = part_of(answer, "Table")
        if not is_iceberg(entry.get("Parameters")):
            raise NoSuchTableError(f"{database}.{name} is not an Iceberg table: its entry names no metadata file")
        return entry

    def _of_entry(self, entry: Mapping[str, Any]) -> Table:
        return self.read_table((str(entry["DatabaseName"]), str(entry["Name"])), location_in(entry["Parameters"]))

    def _pages(
        self, call: Callable[..., Any], part: str, *, missing: type[Exception] = NoSuchTableError, **options: Any
    ) -> Iterator[Mapping[str, Any]]:
        """Yield what all pages of a list have. Raises StateConflict for one without an end."""
        try:
            yield from pages(call, part, **options)
        except NoEntity as error:
            raise missing(str(error)) from error

    def _ask(self, call: Callable[..., Any], **options: Any) -> Any:
        """Send a request; translate what Glue answers."""
        try:
            return ask(call, **options)
        except NoEntity as error:
            raise NoSuchTableError(str(error)) from error
        except EntryChanged as error:
            raise CommitFailedException(str(error)) from error


def open_glue_catalog(
    name: str, properties: dict[str, str], *, check_location: CheckLocation = anywhere, check_peer: CheckPeer = any_peer
) -> GuardedGlueCatalog:
    """Return a catalog of Glue; its credentials are looked for, nothing else is asked."""
    session = AwsSession(properties, service=SERVICE)
    catalog = GuardedGlueCatalog(name, session=session, check_peer=check_peer, **properties)
    catalog.check_location = check_location
    return catalog
