"""The Hive format: catalogs of types `metastore` and `glue`, with tables of a Hive Metastore or of AWS Glue."""

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
from engine.formats.hive.catalog.glue import GlueCatalog
from engine.formats.hive.catalog.metastore import Metastore
from engine.formats.hive.catalog.properties import GLUE, PLAIN, problems_of
from engine.formats.hive.catalog.roles import HiveCatalog
from engine.formats.hive.errors import reading_table
from engine.formats.hive.metadata.tables import is_parquet_table
from engine.formats.hive.probes import SHARE, Looks
from engine.formats.hive.table import HiveTable
from engine.formats.hive.view import TableView
from engine.formats.intake.catalogs.glue.properties import GLUE_PROPERTIES
from engine.formats.intake.catalogs.metastores.errors import asking_metastore
from engine.formats.intake.catalogs.metastores.properties import URI
from engine.formats.intake.catalogs.metastores.sessions import servers_of
from engine.formats.intake.parameters import meaningless_in
from engine.outgoing.bounds import CheckLocation, CheckPeer, any_peer, anywhere

_LISTED: Final = 5


class HiveFormat:
    """Opens catalogs of Hive Metastores and of AWS Glue.

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
            raise InvalidInput("these properties can't make a catalog of Hive-style tables", problems=problems)

    def connect(self, name: str, properties: Mapping[str, str]) -> "HiveConnection":  # noqa: ARG002
        """Return a connection to a catalog; secrets in `properties` are already resolved. Nothing is read yet."""
        self.validate(properties)
        catalog = open_catalog(properties, self._check_peer)
        return HiveConnection(
            catalog,
            meaningless=meaningless_in(properties),
            looks=self._looks.setdefault(_identity(properties), Looks(self._pause)),
            check_location=self._check_location,
        )


def open_catalog(properties: Mapping[str, str], check_peer: CheckPeer = any_peer) -> HiveCatalog:
    """Return the catalog of properties that have no problem and whose secrets are resolved; nothing is asked yet."""
    files = {name: value for name, value in properties.items() if name.startswith(STORE_PREFIXES)}
    if properties["type"] == GLUE:
        return GlueCatalog(properties, files, check_peer)
    return Metastore(servers_of(properties, check_peer), masked(properties[URI]), files)


def _identity(properties: Mapping[str, str]) -> str:
    """Return a text that identifies the catalog of these properties."""
    return properties.get(URI) or repr([properties.get(each.name) for each in GLUE_PROPERTIES if not each.is_secret])


class HiveConnection:
    """A thread-safe connection to one catalog."""

    def __init__(
        self,
        catalog: HiveCatalog,
        *,
        meaningless: Sequence[str],
        looks: Looks,
        check_location: CheckLocation,
    ) -> None:
        self._catalog = catalog
        self._meaningless = meaningless
        self._looks = looks
        self._check_location = check_location

    @property
    def has_all_pointers(self) -> bool:
        """False: the files of each table are listed."""
        return False

    def ping(self) -> None:
        """List the databases; see `CatalogConnection.ping`."""
        with asking_metastore(f"list the databases of {self._catalog.address}"):
            self._catalog.databases()

    def check(self) -> Sequence[CheckStep]:
        """List the databases, list their tables, list the files of the first table; ask whether it may be changed."""
        found: list[tuple[str, ...]] = []
        steps = run_steps(
            [
                ("list_databases", asking_metastore, self._check_databases),
                ("list_tables", asking_metastore, lambda: self._check_tables(found)),
                ("read_table", reading_table, lambda: self._check_table(found)),
                ("may_commit", asking_metastore, lambda: self._check_changes(found)),
            ]
        )
        return [each for each in steps if each.detail]

    def list_tables(self, limit: int, is_wanted: IsWanted = every_namespace) -> TableListing:
        """List the tables of Parquet files in the accepted databases, ordered by address, at most `limit`.

        Views and tables of other formats are left out.

        Raises:
            StateConflict: the catalog refuses the credentials, or its answers are not those of such a catalog.
            Transient: the catalog does not answer.
        """
        found: list[tuple[str, ...]] = []
        with asking_metastore(f"list the tables of {self._catalog.address}"):
            for database in self._catalog.databases().names:
                if not is_wanted([database]):
                    continue
                for table in self._catalog.tables(database):
                    if is_parquet_table(table):
                        found.append((database, str(table.tableName)))
                    if len(found) > limit:
                        return TableListing(tuple(sorted(found[:limit])), is_truncated=True)
        return TableListing(tuple(sorted(found)), is_truncated=False)

    def expect_changes(self, refs: Sequence[TableRef]) -> None:
        """Let the files of tables be listed again sooner; see `probes`."""
        for ref in refs:
            self._looks.shorten(ref)

    def pointers(self, refs: Sequence[TableRef]) -> Mapping[TableRef, str]:
        """Return a value for each table that changes with its files; tables that can't be read are left out.

        Its files are listed, unless they were so recently, see `probes`.

        Raises:
            StateConflict: the storage refuses the credentials.
            Transient: catalog or storage do not answer.
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
            Away, Transient: catalog or storage do not answer.
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
            view = TableView.load(ref, self._catalog, scope, self._meaningless)
            if view is not None:
                self._check_location(view.entry.location)
                return view
        raise NotFound(f"Could not open table {ref}: {self._catalog.label} has no such table")

    def _check_databases(self) -> str:
        found = self._catalog.databases()
        text = f"{len(found.names)} databases{examples(found.names)} at {self._catalog.address}"
        if not found.others:
            return text
        others = f"{len(found.others)} more{examples(found.others)} lead to other catalogs"
        return f"{text}; {others}: register those themselves"

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

    def _check_changes(self, found: Sequence[tuple[str, ...]]) -> str:
        """Return a sentence about the right to change partitions; empty if the catalog shows none before."""
        database = found[0][0] if found else next(iter(self._catalog.databases().names), None)
        return "" if database is None else self._catalog.check_changes(database) or ""
