"""The Paimon format: catalogs of type `filesystem`, a warehouse folder with `<database>.db/<table>` in it.

Paimon's other catalogs (`rest`, `hive`, `jdbc`) are not supported.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Final

from engine.domain.errors import FieldProblem, InvalidInput, NotEligible, NotFound, TableUnreadable
from engine.domain.tables.capabilities import Capabilities
from engine.domain.tables.table import TableRef
from engine.domain.values.uris import masked
from engine.formats.base import (
    OWN_LOCATION,
    CheckStep,
    FileScope,
    IsWanted,
    PlainProperties,
    TableListing,
    every_namespace,
)
from engine.formats.base.checks import examples, run_steps
from engine.formats.intake.caches import ManifestCache
from engine.formats.paimon.capabilities import CAPABILITIES
from engine.formats.paimon.compaction.core import CoreAccess
from engine.formats.paimon.errors import reading_table
from engine.formats.paimon.files import TableFiles
from engine.formats.paimon.known_snapshots import KnownSnapshots
from engine.formats.paimon.storage import TableStorage
from engine.formats.paimon.table import PaimonTable
from engine.formats.paimon.view import TableView, pointer_of
from engine.formats.paimon.warehouse import Warehouse
from engine.rewriting.kernel.storage.places import Places

CheckLocation = Callable[[str], None]
"""Raises `InvalidInput` for a location whose metadata must not be read."""

_TYPE: Final = "filesystem"
_STORAGE: Final = ("s3.", "client.", "gcs.", "adls.", "hdfs.")
_PLAIN: Final = PlainProperties(
    frozenset(
        {
            *("type", "warehouse", "s3.endpoint", "s3.region", "s3.anonymous", "s3.force-virtual-addressing"),
            *("client.region", "adls.account-name", "gcs.project-id", "gcs.no-auth", "hdfs.host", "hdfs.port"),
        }
    )
)
_LISTED: Final = 5


def anywhere(_location: str) -> None:
    """Allow every location."""


class PaimonFormat:
    """Opens Paimon catalogs. All connections share one cache of metadata files.

    `check_location` raises `InvalidInput` for a location whose metadata must not be read. `core` compacts tables; None:
    they can only be read.
    """

    def __init__(self, *, check_location: CheckLocation = anywhere, core: CoreAccess | None = None) -> None:
        self._core = core
        self._cache = ManifestCache()
        self._known = KnownSnapshots()
        self._check_location = check_location

    def capabilities(self) -> Capabilities:
        """Return the operations that this version supports on Paimon tables."""
        return CAPABILITIES

    def plain_properties(self) -> PlainProperties:
        """Return the properties of catalogs that contain no secrets. Never blocks."""
        return _PLAIN

    def validate(self, properties: Mapping[str, str]) -> None:
        """Validate properties without connecting.

        Raises:
            InvalidInput: one problem for each wrong property.
        """
        if problems := tuple(_problems(properties)):
            raise InvalidInput("these properties can't make a Paimon catalog", problems=problems)

    def connect(self, name: str, properties: Mapping[str, str]) -> "PaimonConnection":  # noqa: ARG002
        """Return a connection to a warehouse; secrets in `properties` are already resolved. Nothing is read yet."""
        self.validate(properties)
        return PaimonConnection(
            properties, cache=self._cache, known=self._known, check_location=self._check_location, core=self._core
        )


def _problems(properties: Mapping[str, str]) -> Iterator[FieldProblem]:
    kind = properties.get("type")
    if kind != _TYPE:
        yield FieldProblem("/properties/type", "is not a supported kind of catalog", kind, f"use {_TYPE}")
    if not properties.get("warehouse"):
        hint = "give the folder of the databases, such as s3://lake/warehouse"
        yield FieldProblem("/properties/warehouse", "is missing", None, hint)
    for name, value in properties.items():
        if name not in ("type", "warehouse") and not name.startswith(_STORAGE):
            hint = f"use type, warehouse and names that begin with {', '.join(_STORAGE)}"
            yield FieldProblem(f"/properties/{name}", "is not a property of this kind of catalog", None, hint)
        elif not value and name != "warehouse":
            yield FieldProblem(f"/properties/{name}", "is empty", value, "give a value or leave the property out")


class PaimonConnection:
    """A thread-safe connection to one warehouse."""

    def __init__(
        self,
        properties: Mapping[str, str],
        *,
        cache: ManifestCache,
        known: KnownSnapshots,
        check_location: CheckLocation,
        core: CoreAccess | None,
    ) -> None:
        self._core = core
        self._properties = {name: value for name, value in properties.items() if name.startswith(_STORAGE)}
        self._root = properties["warehouse"].rstrip("/") or "/"
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
        """List the databases, list their tables, read the first table's metadata."""
        found: list[tuple[str, ...]] = []
        return run_steps(
            [
                ("list_databases", reading_table, self._check_databases),
                ("list_tables", reading_table, lambda: self._check_tables(found)),
                ("read_table", reading_table, lambda: self._check_table(found)),
            ]
        )

    def list_tables(self, limit: int, is_wanted: IsWanted = every_namespace) -> TableListing:
        """List the tables of the accepted databases, ordered by address, at most `limit`.

        Raises:
            StateConflict: the storage refuses the credentials.
            Transient: the storage does not answer.
        """
        with reading_table(f"list the tables of {masked(self._root)}"):
            return self._warehouse().tables(limit, is_wanted)

    def pointers(self, refs: Sequence[TableRef]) -> Mapping[TableRef, str]:
        """Return a value for each table that changes with every commit; tables that can't be read are left out.

        Raises:
            StateConflict: the storage refuses the credentials.
            Transient: the storage does not answer.
        """
        warehouse = self._warehouse()
        found: dict[TableRef, str] = {}
        for ref in refs:
            location = warehouse.location(ref)
            if location is None:
                continue
            with suppress(TableUnreadable, NotEligible), reading_table(f"read the newest snapshot of {ref}"):
                pointer = pointer_of(TableFiles(self._storage(location, OWN_LOCATION), location))
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
        return PaimonTable(self._load(ref, scope), core=self._core, fresh=lambda: self._load(ref, scope))

    def _load(self, ref: TableRef, scope: FileScope) -> TableView:
        location = self._warehouse().location(ref)
        if location is not None:
            with reading_table(f"open table {ref}"):
                files = TableFiles(self._storage(location, scope), location)
                view = TableView.load(ref, files, self._cache.of(ref), self._known)
                if view is not None:
                    _ = view.options, view.codec  # what the schema does not allow to read is reported here
                    return view
        raise NotFound(f"Could not open table {ref}: the warehouse {masked(self._root)} has no such table")

    def _warehouse(self) -> Warehouse:
        self._check_location(self._root)
        return Warehouse(TableStorage(self._properties, places=Places([self._root])), self._root)

    def _storage(self, location: str, scope: FileScope) -> TableStorage:
        return TableStorage(self._properties, places=Places(scope.folders(location)))

    def _check_databases(self) -> str:
        found = self._warehouse().databases()
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
