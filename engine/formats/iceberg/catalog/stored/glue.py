"""AWS Glue as a catalog: a table's entry has the location of its metadata file, and a version for each change.

A commit replaces an entry only if its version is still the one that was read. Everything else of the entry stays as it
is, as its columns: Packhouse changes no schema. PyIceberg would build the entry again from its own model.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from traceback import walk_tb
from typing import Any, Final

from pyiceberg.catalog.glue import GlueCatalog
from pyiceberg.exceptions import CommitFailedException, NoSuchNamespaceError, NoSuchTableError
from pyiceberg.table import CommitTableResponse, Table
from pyiceberg.table.update import TableRequirement, TableUpdate
from pyiceberg.typedef import Identifier
from pyiceberg.utils.properties import property_as_bool

from engine.aws.sessions import AwsSession, code_of, is_throttled, named_errors, remedy_of
from engine.domain.errors import Away, PackhouseError, StateConflict
from engine.domain.fleet.dependencies import DependencyKind
from engine.formats.iceberg.catalog.file_access import KeptStorage
from engine.formats.iceberg.catalog.known_properties import CATALOG_ID, ENDPOINT, SKIP_ARCHIVE
from engine.formats.iceberg.catalog.rest.pages import MOST_NAMES, MOST_PAGES
from engine.formats.iceberg.catalog.stored.entries import by_database, following, is_iceberg, location_in
from engine.formats.iceberg.catalog.stored.pointers import StoredPointers
from engine.formats.intake.errors import printable
from engine.outgoing.bounds import CheckLocation, CheckPeer, any_peer, anywhere
from engine.rewriting.kernel.storage.abandoned import stop_if_abandoned

_SERVICE: Final = "glue"
_WRITABLE: Final = (
    *("Name", "Description", "Owner", "LastAccessTime", "LastAnalyzedTime", "Retention", "StorageDescriptor"),
    *("PartitionKeys", "ViewOriginalText", "ViewExpandedText", "TableType", "Parameters", "TargetTable"),
)
"""Parts of an entry that `UpdateTable` takes; Glue sets the others itself."""

_BY_TABLE: Final = "Lake Formation"
"""The service of AWS that gives rights by table; it refuses requests for tables that do not exist."""
_OTHER_SERVER: Final = f"check the catalog's properties client.region and {ENDPOINT}"
_MISSING: Final = "EntityNotFoundException"
_CHANGED: Final = "ConcurrentModificationException"
_FULL: Final = "ResourceNumberLimitExceededException"
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
        client = session.client(endpoint=properties.get(ENDPOINT), check_peer=check_peer)
        if catalog_id := properties.get(CATALOG_ID):

            def named(params: dict[str, Any], **_: Any) -> None:
                params.setdefault("CatalogId", catalog_id)

            client.meta.events.register("provide-client-params.glue", named)
        super().__init__(name, client=client, **properties)

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
        return found

    def commit_table(
        self, table: Table, requirements: tuple[TableRequirement, ...], updates: tuple[TableUpdate, ...]
    ) -> CommitTableResponse:
        """Write a new metadata file and update the table's entry to it, unless the entry changed since it was read.

        Raises:
            CommitFailedException: a requirement does not hold, or the entry was changed.
        """
        database, name = self.identifier_to_database_and_table(table.name(), NoSuchTableError)
        entry = self._entry(database, name)
        current = self._of_entry(entry)
        if not (version := entry.get("VersionId")):
            raise StateConflict(f"Glue's entry of {database}.{name} has no version: a commit could undo another one")
        staged = self._update_and_stage_table(current, table.name(), requirements, updates)
        self._write_metadata(staged.metadata, staged.io, staged.metadata_location)
        changed = {part: entry[part] for part in _WRITABLE if part in entry}
        changed["Parameters"] = following(entry["Parameters"], staged.metadata_location)
        skips = property_as_bool(self.properties, SKIP_ARCHIVE, default=True)
        self._ask(
            self.glue.update_table,
            DatabaseName=database, TableInput=changed, VersionId=str(version), SkipArchive=skips,
        )  # fmt: skip
        return CommitTableResponse(metadata=staged.metadata, metadata_location=staged.metadata_location)

    def check_writing(self, table: Table) -> str:
        """Check the right to commit with an update of a table that does not exist: AWS looks at the rights first."""
        database, _ = self.identifier_to_database_and_table(table.name(), NoSuchTableError)
        absent = {"Name": "packhouse_check_of_rights"}
        try:
            self._ask(self.glue.update_table, DatabaseName=database, TableInput=absent, SkipArchive=True)
        except NoSuchTableError:
            pass
        except StateConflict as error:
            if _BY_TABLE not in error.message:
                raise
            return f"{_BY_TABLE} decides for each table of {database}: whether they may be changed is not known before"
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
                yield self._ask(self.glue.get_table, DatabaseName=database, Name=name)["Table"]

    def _entry(self, database: str, name: str) -> dict[str, Any]:
        answer = self._ask(self.glue.get_table, DatabaseName=database, Name=name)
        entry: dict[str, Any] = answer["Table"]
        if not is_iceberg(entry.get("Parameters")):
            raise NoSuchTableError(f"{database}.{name} is not an Iceberg table: its entry names no metadata file")
        return entry

    def _of_entry(self, entry: Mapping[str, Any]) -> Table:
        return self.read_table((str(entry["DatabaseName"]), str(entry["Name"])), location_in(entry["Parameters"]))

    def _pages(
        self, ask: Callable[..., Any], part: str, *, missing: type[Exception] = NoSuchTableError, **options: Any
    ) -> Iterator[Mapping[str, Any]]:
        """Yield what all pages of a list have. Raises StateConflict for one without an end."""
        names, more = 0, dict(options)
        for _ in range(MOST_PAGES):
            answer = self._ask(ask, missing=missing, MaxResults=100, **more)
            yield from answer[part]
            names += len(answer[part])
            if not (token := answer.get("NextToken")):
                return
            if names > MOST_NAMES or token == more.get("NextToken"):
                break
            more["NextToken"] = token
        raise StateConflict(f"a list of Glue has more than {MOST_NAMES} names, or no end")

    def _ask(self, ask: Callable[..., Any], *, missing: type[Exception] = NoSuchTableError, **options: Any) -> Any:
        """Send a request; translate what Glue answers."""
        from botocore.exceptions import ClientError  # noqa: PLC0415 - of the extra `aws`

        stop_if_abandoned()
        with named_errors():
            try:
                return ask(**options)
            except ClientError as error:
                raise _translated(error, missing) from error
            except (
                AttributeError,
                KeyError,
                TypeError,
                ValueError,
            ) as error:  # botocore takes an answer's form as given
                raise StateConflict(f"an answer is not Glue's; {_OTHER_SERVER}") from error


def _is_of_parser(error: BaseException) -> bool:
    """Return whether code of botocore raised an error, as its parser does for an answer of another form."""
    *_, (last, _line) = walk_tb(error.__traceback__)
    return str(last.f_globals.get("__name__", "")).startswith("botocore.")


def _translated(error: Any, missing: type[Exception]) -> Exception:
    code, text = code_of(error), printable(str(error)[:300], " ")
    if code == _MISSING:
        return missing(text)
    if code == _CHANGED:
        return CommitFailedException(text)
    if is_throttled(error):
        return Away(DependencyKind.CATALOG, f"Glue can't answer now: {text}")
    if code == _FULL:
        return StateConflict(
            f"Glue keeps no more versions of this table: {text}; delete archived ones, and leave {SKIP_ARCHIVE} true"
        )
    if code.isdigit():  # a status without a code of AWS
        return StateConflict(f"the answer {code} is not Glue's; {_OTHER_SERVER}")
    remedy = remedy_of(text) or "give the catalog's properties credentials that may do this"
    return StateConflict(f"Glue refuses the request: {text}; {remedy}")


def open_glue_catalog(
    name: str, properties: dict[str, str], *, check_location: CheckLocation = anywhere, check_peer: CheckPeer = any_peer
) -> GuardedGlueCatalog:
    """Return a catalog of Glue; its credentials are looked for, nothing else is asked."""
    session = AwsSession(properties, service=_SERVICE)
    catalog = GuardedGlueCatalog(name, session=session, check_peer=check_peer, **properties)
    catalog.check_location = check_location
    return catalog
