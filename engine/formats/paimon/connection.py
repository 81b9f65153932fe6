"""The Paimon format: catalogs of types `filesystem`, `jdbc`, `hive` and `rest`.

Tables of the first two are in `<database>.db/<table>` of a folder; the others name the place of each.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
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
from engine.formats.intake.caches import ManifestCache
from engine.formats.intake.catalogs.metastores.sessions import servers_of
from engine.formats.intake.catalogs.vended import vended_hosts
from engine.formats.intake.parameters import meaningless_in
from engine.formats.intake.table_storage import TableStorage
from engine.formats.paimon.capabilities import CAPABILITIES
from engine.formats.paimon.catalog.database import CatalogDatabase
from engine.formats.paimon.catalog.hive import HiveWarehouse
from engine.formats.paimon.catalog.hive_locks import HiveTableLock, takes_lock
from engine.formats.paimon.catalog.jdbc import JdbcWarehouse
from engine.formats.paimon.catalog.locks import CatalogLock, Sightings, TableLock
from engine.formats.paimon.catalog.properties import (
    HIVE,
    IN_PARAMETERS,
    JDBC,
    LOCK_ENABLED,
    PLAIN,
    REST,
    WAREHOUSE,
    problems_of,
)
from engine.formats.paimon.catalog.rest.client import NoSuch, RequestRefused, RestClient
from engine.formats.paimon.catalog.rest.data_tokens import DataTokens
from engine.formats.paimon.catalog.rest.properties import DATA_TOKENS, URI, auth_of
from engine.formats.paimon.catalog.rest.warehouse import RestWarehouse
from engine.formats.paimon.catalog.warehouse import Warehouse
from engine.formats.paimon.errors import reading_table
from engine.formats.paimon.files import TableFiles
from engine.formats.paimon.known_snapshots import KnownSnapshots
from engine.formats.paimon.rewrite.core import CoreCalls
from engine.formats.paimon.table import PaimonTable
from engine.formats.paimon.view import TableView, pointer_of
from engine.outgoing.bounds import CheckLocation, CheckPeer, any_peer, anywhere
from engine.rewriting.kernel.storage.abandoned import while_awaited
from engine.rewriting.kernel.storage.places import AllowedFolders

_LISTED: Final = 5


class ForbiddenPlace(InvalidInput):
    """The location that a catalog states for one table must not be read."""


_OF_ONE_TABLE: Final = (TableUnreadable, NotEligible, NoSuch, RequestRefused, ForbiddenPlace)
"""Errors that leave a table without a pointer. Tables without one are opened at each look, which reports the error."""


def _truth(value: str | None) -> bool | None:
    return None if value is None else value == "true"


class PaimonFormat:
    """Opens Paimon catalogs. All connections share one cache of metadata files.

    `check_location` raises `InvalidInput` for a location whose metadata must not be read. `core` compacts tables; None:
    they can only be read. `check_peer` raises it for a forbidden address of a REST catalog's server.
    """

    def __init__(
        self,
        *,
        check_location: CheckLocation = anywhere,
        check_peer: CheckPeer = any_peer,
        core: CoreCalls | None = None,
    ) -> None:
        self._core = core
        self._check_peer = check_peer
        self._cache = ManifestCache()
        self._known = KnownSnapshots()
        self._check_location = check_location

    def capabilities(self) -> Capabilities:
        """Return the operations that this version supports on Paimon tables."""
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
            raise InvalidInput("these properties can't make a Paimon catalog", problems=problems)

    def connect(self, name: str, properties: Mapping[str, str]) -> "PaimonConnection":  # noqa: ARG002
        """Return a connection to a catalog; secrets in `properties` are already resolved. Nothing is read yet."""
        self.validate(properties)
        return PaimonConnection(
            properties,
            cache=self._cache,
            known=self._known,
            check_location=self._check_location,
            check_peer=self._check_peer,
            core=self._core,
        )


class PaimonConnection:
    """A thread-safe connection to one catalog."""

    def __init__(
        self,
        properties: Mapping[str, str],
        *,
        cache: ManifestCache,
        known: KnownSnapshots,
        check_location: CheckLocation,
        check_peer: CheckPeer,
        core: CoreCalls | None,
    ) -> None:
        self._core = core
        self._properties = {name: value for name, value in properties.items() if name.startswith(STORE_PREFIXES)}
        self._meaningless = meaningless_in(properties)
        self._root = properties[URI if properties["type"] == HIVE else WAREHOUSE].rstrip("/") or "/"
        self._database = CatalogDatabase(properties, check_peer=check_peer) if properties["type"] == JDBC else None
        self._rest: RestWarehouse | None = None
        self._tokens: DataTokens | None = None
        if properties["type"] == REST:
            client = RestClient(uri=properties[URI], auth=auth_of(properties), check_peer=check_peer)
            self._rest = RestWarehouse(client, properties[WAREHOUSE])
            if properties.get(DATA_TOKENS) == "true":
                self._tokens = DataTokens(client, self._properties, vended_hosts(properties))
        self._hive: HiveWarehouse | None = None
        if properties["type"] == HIVE:
            self._hive = HiveWarehouse(servers_of(properties, check_peer), properties.get(IN_PARAMETERS) == "true")
        self._takes_lock = takes_lock(properties)
        self._sightings = Sightings()
        self._is_lock_required = _truth(properties.get(LOCK_ENABLED))
        self._cache = cache
        self._known = known
        self._check_location = check_location

    @property
    def has_all_pointers(self) -> bool:
        """False: four requests are sent for each table."""
        return False

    def ping(self) -> None:
        """List the warehouse's folders; see `CatalogConnection.ping`."""
        with reading_table(f"list the databases of {masked(self._root)}"):
            self._warehouse().databases()

    def check(self) -> Sequence[CheckStep]:
        """List the databases, list their tables, read the first table's metadata, take its lock in a Metastore."""
        found: list[tuple[str, ...]] = []
        steps = [
            ("list_databases", reading_table, self._check_databases),
            ("list_tables", reading_table, lambda: self._check_tables(found)),
            ("read_table", reading_table, lambda: self._check_table(found)),
        ]
        if (hive := self._hive) is not None and self._takes_lock:
            steps.append(("take_lock", reading_table, lambda: self._check_lock(found, hive)))
        return run_steps(steps)

    def list_tables(self, limit: int, is_wanted: IsWanted = every_namespace) -> TableListing:
        """List the tables of the accepted databases, ordered by address, at most `limit`.

        Raises:
            StateConflict: the storage refuses the credentials.
            Transient: the storage does not answer.
        """
        with reading_table(f"list the tables of {masked(self._root)}"):
            return self._warehouse().tables(limit, is_wanted)

    def expect_changes(self, refs: Sequence[TableRef]) -> None:
        """Do nothing: each call of `pointers` asks the catalog."""

    def pointers(self, refs: Sequence[TableRef]) -> Mapping[TableRef, str]:
        """Return a value for each table that changes with every commit; tables that can't be read are left out.

        Raises:
            StateConflict: the storage refuses the credentials.
            Transient: the storage does not answer.
        """
        with reading_table(f"look up tables of {masked(self._root)}"):
            locations = {} if self._rest is not None else self._folders().locations(refs)
        found: dict[TableRef, str] = {}
        for ref in while_awaited(refs if self._rest is not None else locations):
            with suppress(*_OF_ONE_TABLE), reading_table(f"read the newest snapshot of {ref}"):
                files = self._files_of(ref, OWN_LOCATION, locations.get(ref))
                pointer = None if files is None else pointer_of(files)
                found |= {} if pointer is None else {ref: pointer}
        return found

    def open_table(self, ref: TableRef, scope: FileScope = OWN_LOCATION) -> PaimonTable:
        """Load a table's newest schema and snapshot; only files in the scope are opened.

        Raises:
            NotFound: no such table.
            NotEligible: its location is outside of the scope.
            InvalidInput: its metadata is in a forbidden location.
            TableUnreadable: its metadata is damaged, too large or not supported.
            Transient: the storage does not answer.
        """
        return PaimonTable(
            self._load(ref, scope),
            core=self._core,
            fresh=lambda: self._load(ref, scope),
            lock=self._lock_of(ref),
        )

    def open_entry(self, ref: TableRef, scope: FileScope = OWN_LOCATION) -> PaimonTable:
        """Load a table, as `open_table` does: no files are listed."""
        return self.open_table(ref, scope)

    def _load(self, ref: TableRef, scope: FileScope) -> TableView:
        with reading_table(f"open table {ref}"):
            files = self._files_of(ref, scope)
            if files is not None:
                view = TableView.load(ref, files, self._cache.of(ref), self._known, self._meaningless)
                if view is not None:
                    _ = view.options, view.codec  # what the schema does not allow to read is reported here
                    return view
        raise NotFound(f"Could not open table {ref}: {self._lacking(ref, None if files is None else files.location)}")

    def _files_of(self, ref: TableRef, scope: FileScope, location: str | None = None) -> TableFiles | None:
        """Return the files of a table, None if the catalog has none of this name; `location`: None: not known yet."""
        if self._rest is not None:
            table = self._rest.table(ref)
            place = None if table is None else table.location
        else:
            table, place = None, location or self._folders().locations([ref]).get(ref)
        if place is None:
            return None
        is_named = self._rest is not None or self._hive is not None
        if is_named:
            self._check_named(place)
        properties: Mapping[str, str] = self._properties
        if self._tokens is not None and table is not None:
            properties = self._tokens.properties(table.path)
        storage = TableStorage(properties, places=AllowedFolders(scope.folders(place)))
        return TableFiles(storage, place, table, is_named=is_named)

    def _check_named(self, location: str) -> None:
        """Check the location that a catalog names for a table."""
        try:
            self._check_location(location)
        except InvalidInput as error:
            raise ForbiddenPlace(error.message, problems=error.problems) from error

    def _lacking(self, ref: TableRef, location: str | None) -> str:
        if self._hive is not None:
            return self._hive.lacking(ref) if location is None else self._hive.advice(masked(location))
        if self._database is None and self._rest is None:
            return f"the warehouse {masked(self._root)} has no such table"
        holder = "the catalog" if self._database is None else "the catalog's database"
        if location is not None:
            return f"{holder} has it, but there is no table at {masked(location)}"
        return f"{holder} has no table of this name, or the name can't be that of a folder"

    def _warehouse(self) -> Warehouse | JdbcWarehouse | HiveWarehouse | RestWarehouse:
        return self._folders() if self._rest is None else self._rest

    def _folders(self) -> Warehouse | JdbcWarehouse | HiveWarehouse:
        if self._hive is not None:
            return self._hive
        self._check_location(self._root)
        if self._database is not None:
            return JdbcWarehouse(self._database, self._root)
        return Warehouse(TableStorage(self._properties, places=AllowedFolders([self._root])), self._root)

    def _lock_of(self, ref: TableRef) -> CatalogLock | None:
        if self._hive is not None:
            return self._metastore_lock(ref, self._hive)
        if self._database is None:
            return None
        return TableLock(
            database=self._database,
            namespace=ref.namespace[0],
            name=ref.name,
            sightings=self._sightings,
            is_required=self._is_lock_required,
        )

    def _metastore_lock(self, ref: TableRef, hive: HiveWarehouse) -> HiveTableLock:
        return HiveTableLock(servers=hive.servers, namespace=ref.namespace[0], name=ref.name, is_taken=self._takes_lock)

    def _check_databases(self) -> str:
        found = self._warehouse().databases()
        if not found and self._database is not None:
            return f"the catalog's database has no database with the catalog key {self._database.key}"
        if self._hive is not None:
            return f"{len(found)} databases{examples(found)} in the Metastore at {masked(self._root)}"
        if not found and self._rest is not None:
            return f"the catalog has no database in the warehouse {masked(self._root)} that the token may list"
        if not found:
            return f"no database in {masked(self._root)}: it has no folder <database>.db, or there is no such folder"
        return f"{len(found)} databases{examples(found)} in {masked(self._root)}"

    def _check_tables(self, found: list[tuple[str, ...]]) -> str:
        listed = self._warehouse().tables(_LISTED, every_namespace)
        found += listed.identifiers[:1]
        more = "at least " if listed.is_truncated else ""
        return f"{more}{len(listed.identifiers)} tables{examples('.'.join(each) for each in listed.identifiers)}"

    def _check_table(self, found: list[tuple[str, ...]]) -> str:
        if not found:
            return "no table to read"
        *namespace, name = found[0]
        table = self.open_table(TableRef("", tuple(namespace), name))
        return f"{'.'.join(found[0])}: snapshot {table.head_snapshot_id or 'none'} at {masked(table.location)}"

    def _check_lock(self, found: list[tuple[str, ...]], hive: HiveWarehouse) -> str:
        if not found:
            return "no table whose lock could be taken"
        *namespace, name = found[0]
        return self._metastore_lock(TableRef("", tuple(namespace), name), hive).check()
