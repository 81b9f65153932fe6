"""The Hive format: catalogs of type `metastore`, whose tables are entries of a Hive Metastore."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from time import monotonic
from typing import Final

from engine.domain.errors import InvalidInput, NotEligible, NotFound, TableUnreadable
from engine.domain.tables.capabilities import Capabilities
from engine.domain.tables.table import TableRef
from engine.domain.values.uris import masked
from engine.formats.base import (
    OWN_LOCATION,
    STORE_PREFIXES,
    CheckStep,
    FileScope,
    IsWanted,
    PlainProperties,
    TableListing,
    every_namespace,
)
from engine.formats.base.checks import examples, run_steps
from engine.formats.hive.capabilities import CAPABILITIES
from engine.formats.hive.catalog.metastore import Metastore
from engine.formats.hive.catalog.properties import PLAIN, problems_of
from engine.formats.hive.errors import asking_metastore, reading_table
from engine.formats.hive.metadata.tables import is_parquet_table
from engine.formats.hive.probes import SHARE, Looks
from engine.formats.hive.table import HiveTable
from engine.formats.hive.view import TableView
from engine.formats.intake.catalogs.metastores.properties import URI
from engine.formats.intake.catalogs.metastores.sessions import servers_of
from engine.formats.intake.parameters import meaningless_in
from engine.outgoing.bounds import CheckLocation, CheckPeer, any_peer, anywhere

_LISTED: Final = 5


class HiveFormat:
    """Opens catalogs of Hive Metastores.

    `check_location` raises `InvalidInput` for a location whose files must not be listed, `check_peer` for the address
    of a server that must not be used. `pause`: see `probes.Looks`.
    """

    def __init__(
        self,
        *,
        check_location: CheckLocation = anywhere,
        check_peer: CheckPeer = any_peer,
        pause: float = SHARE,
    ) -> None:
        self._check_location = check_location
        self._check_peer = check_peer
        self._pause = pause
        self._looks: dict[str, Looks] = {}

    def capabilities(self) -> Capabilities:
        """Return the operations that this version supports on Hive tables."""
        return CAPABILITIES

    def plain_properties(self) -> PlainProperties:
        """Return the properties of catalogs that contain no secrets. Never blocks."""
        return PLAIN

    def validate(self, properties: Mapping[str, str]) -> None:
        """Validate properties without connecting.

        Raises:
            InvalidInput: one problem for each wrong property.
        """
        if problems := tuple(problems_of(properties)):
            raise InvalidInput("these properties can't make a catalog of a Hive Metastore", problems=problems)

    def connect(self, name: str, properties: Mapping[str, str]) -> "HiveConnection":  # noqa: ARG002
        """Return a connection to a catalog; secrets in `properties` are already resolved. Nothing is read yet."""
        self.validate(properties)
        looks = self._looks.setdefault(properties[URI], Looks(self._pause))
        return HiveConnection(
            properties,
            looks=looks,
            check_location=self._check_location,
            check_peer=self._check_peer,
        )


class HiveConnection:
    """A thread-safe connection to one catalog."""

    def __init__(
        self,
        properties: Mapping[str, str],
        *,
        looks: Looks,
        check_location: CheckLocation,
        check_peer: CheckPeer,
    ) -> None:
        self._storage = {name: value for name, value in properties.items() if name.startswith(STORE_PREFIXES)}
        self._uri = properties[URI]
        self._meaningless = meaningless_in(properties)
        self._metastore = Metastore(servers_of(properties, check_peer))
        self._looks = looks
        self._check_location = check_location

    @property
    def has_all_pointers(self) -> bool:
        """False: the files of each table are listed."""
        return False

    def ping(self) -> None:
        """List the databases; see `CatalogConnection.ping`."""
        with asking_metastore(f"list the databases of {masked(self._uri)}"):
            self._metastore.databases()

    def check(self) -> Sequence[CheckStep]:
        """List the databases, list their tables, list the files of the first table."""
        found: list[tuple[str, ...]] = []
        return run_steps(
            [
                ("list_databases", asking_metastore, self._check_databases),
                ("list_tables", asking_metastore, lambda: self._check_tables(found)),
                ("read_table", reading_table, lambda: self._check_table(found)),
            ]
        )

    def list_tables(self, limit: int, is_wanted: IsWanted = every_namespace) -> TableListing:
        """List the tables of Parquet files in the accepted databases, ordered by address, at most `limit`.

        Views and tables of other formats are left out.

        Raises:
            StateConflict: the answers are not those of a Metastore.
            Transient: the Metastore does not answer.
        """
        found: list[tuple[str, ...]] = []
        with asking_metastore(f"list the tables of {masked(self._uri)}"):
            for database in self._metastore.databases():
                if not is_wanted([database]):
                    continue
                for table in self._metastore.tables(database):
                    if is_parquet_table(table):
                        found.append((database, str(table.tableName)))
                    if len(found) > limit:
                        return TableListing(tuple(found[:limit]), is_truncated=True)
        return TableListing(tuple(found), is_truncated=False)

    def expect_changes(self, refs: Sequence[TableRef]) -> None:
        """Let the files of tables be listed again sooner; see `probes`."""
        for ref in refs:
            self._looks.shorten(ref)

    def pointers(self, refs: Sequence[TableRef]) -> Mapping[TableRef, str]:
        """Return a value for each table that changes with its files; tables that can't be read are left out.

        Its files are listed, unless they were so recently, see `probes`.

        Raises:
            StateConflict: the storage refuses the credentials.
            Transient: Metastore or storage do not answer.
        """
        found: dict[TableRef, str] = {}
        for ref in refs:
            if (known := self._looks.standing(ref)) is None:
                # a table without a pointer is opened at each look at it, which reports the error
                with suppress(NotFound, TableUnreadable, NotEligible, InvalidInput):
                    known = self.open_table(ref, self._looks.scope(ref)).pointer
            found |= {} if known is None else {ref: known}
        return found

    def open_table(self, ref: TableRef, scope: FileScope = OWN_LOCATION) -> HiveTable:
        """Load a table and list its files; only folders in the scope are listed.

        Raises:
            NotFound: no such table.
            NotEligible: the files of its store can't be listed.
            InvalidInput: it is in a forbidden location.
            TableUnreadable: it is not a table of Parquet files, or its entry is damaged or too large.
            Away, Transient: Metastore or storage do not answer.
        """
        begun = monotonic()
        view = self._load(ref, scope)
        with reading_table(f"list the files of {ref}"):
            self._looks.took(ref, view.pointer, monotonic() - begun, scope)
        return HiveTable(view, lambda: self._load(ref, scope))

    def open_entry(self, ref: TableRef, scope: FileScope = OWN_LOCATION) -> HiveTable:
        """Load a table without listing its files; raises as `open_table`."""
        return HiveTable(self._load(ref, scope), lambda: self._load(ref, scope))

    def _load(self, ref: TableRef, scope: FileScope) -> TableView:
        with reading_table(f"open table {ref}"):
            view = TableView.load(ref, self._metastore, self._storage, scope, self._meaningless)
            if view is not None:
                self._check_location(view.entry.location)
                return view
        raise NotFound(f"Could not open table {ref}: the Metastore has no such table")

    def _check_databases(self) -> str:
        found = self._metastore.databases()
        return f"{len(found)} databases{examples(found)} at {masked(self._uri)}"

    def _check_tables(self, found: list[tuple[str, ...]]) -> str:
        listed = self.list_tables(_LISTED)
        found += listed.identifiers[:1]
        more = "at least " if listed.is_truncated else ""
        return f"{more}{len(listed.identifiers)} tables{examples('.'.join(each) for each in listed.identifiers)}"

    def _check_table(self, found: list[tuple[str, ...]]) -> str:
        if not found:
            return "no table of Parquet files to read"
        *namespace, name = found[0]
        table = self.open_table(TableRef("", tuple(namespace), name))
        return f"{'.'.join(found[0])}: {table.digest().num_rows} files at {masked(table.location)}"
