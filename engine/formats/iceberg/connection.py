"""The Iceberg format: catalogs of type `sql` and `rest` through PyIceberg.

A connection opens its catalog on first use, so that creating one never blocks and `check` can report every step.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from threading import Lock
from typing import Any, Final
from uuid import uuid4

from engine.domain.errors import FieldProblem, InvalidInput
from engine.domain.tables.capabilities import Capabilities
from engine.domain.tables.table import TableRef
from engine.domain.values.uris import masked
from engine.formats.base import (
    OWN_LOCATION,
    SPARK_CATALOG,
    CheckStep,
    FileScope,
    IsWanted,
    PlainProperties,
    TableListing,
    every_namespace,
    problems_of_type,
)
from engine.formats.base.checks import examples, run_steps
from engine.formats.iceberg.capabilities import CAPABILITIES
from engine.formats.iceberg.catalog.catalogs import CATALOG_NAME, GuardedCatalog, load
from engine.formats.iceberg.catalog.file_access import names_code
from engine.formats.iceberg.catalog.known_properties import PLAIN, TYPES, misspelt
from engine.formats.iceberg.catalog.listing import list_tables
from engine.formats.iceberg.catalog.paths import metadata_location
from engine.formats.iceberg.catalog.pointers import pointers
from engine.formats.iceberg.catalog.rest.catalog import CheckAddresses, any_address
from engine.formats.iceberg.catalog.rest.signing import ENABLED, is_of_s3_tables
from engine.formats.iceberg.catalog.rest.tls import problems_of_tls
from engine.formats.iceberg.catalog.stored.sql import GuardedSqlCatalog
from engine.formats.iceberg.errors import asking_catalog, reading_table
from engine.formats.iceberg.metadata.known_parents import KnownParents
from engine.formats.iceberg.table import IcebergTable
from engine.formats.intake.caches import ManifestCache
from engine.formats.intake.catalogs.glue.properties import ELSEWHERE, REGIONS, SWITCH, problems_of_aws
from engine.formats.intake.catalogs.metastores.properties import problems_of_access
from engine.formats.intake.catalogs.vended import problems_of_vended_hosts
from engine.outgoing.bounds import CheckLocation, CheckPeer, any_peer, anywhere

_LOOKED_INTO: Final = 5
"""Namespaces in which a check looks for a table."""

_MAINTAINED: Final = (
    "S3 Tables compacts tables and expires snapshots itself: switch its maintenance off for tables that Packhouse keeps"
)
_LOADING: Final = "snapshot-loading-mode"
_SCHEMES: Final = {
    "rest": ("http://", "https://"),
    "sql": ("sqlite:///", "postgresql://", "postgresql+psycopg://", "postgresql+psycopg2://"),
}


class IcebergFormat:
    """Opens Iceberg catalogs. All connections share one cache of manifests, which are immutable.

    `check_location` raises `InvalidInput` for a location whose metadata must not be read, `check_peer` for a forbidden
    server address, `check_addresses` for forbidden addresses in a REST catalog's responses.
    """

    def __init__(
        self,
        *,
        check_location: CheckLocation = anywhere,
        check_peer: CheckPeer = any_peer,
        check_addresses: CheckAddresses = any_address,
    ) -> None:
        self._cache = ManifestCache()
        self._check_location = check_location
        self._check_peer = check_peer
        self._check_addresses = check_addresses

    def capabilities(self) -> Capabilities:
        """Return the operations that this version supports on Iceberg tables."""
        return CAPABILITIES

    def plain_properties(self) -> PlainProperties:
        """Return the properties of catalogs that contain no secrets. Never blocks."""
        return PLAIN

    def validate(self, properties: Mapping[str, str]) -> None:
        """Validate properties without connecting.

        Raises:
            InvalidInput: one problem for each wrong property.
        """
        if problems := tuple(_problems(properties)):
            raise InvalidInput("these properties can't make an Iceberg catalog", problems=problems)

    def connect(self, name: str, properties: Mapping[str, str]) -> "IcebergConnection":
        """Return a connection that opens its catalog on first use; secrets in `properties` are already resolved."""
        self.validate(properties)
        return IcebergConnection(
            name=name,
            properties=properties,
            cache=self._cache,
            check_location=self._check_location,
            check_peer=self._check_peer,
            check_addresses=self._check_addresses,
        )


def _problems(properties: Mapping[str, str]) -> Iterator[FieldProblem]:
    kind = properties.get("type")
    yield from problems_of_type(properties, TYPES)
    forms = {ENABLED: SWITCH, **(REGIONS if kind == "glue" else {})}
    yield from problems_of_aws(properties, forms=forms, services=("client", "glue", "rest"))
    if kind == "hive":
        yield from problems_of_access(properties)
    uri = properties.get("uri")
    schemes = _SCHEMES.get(kind or "", ())
    if not uri and (schemes or not kind):
        yield FieldProblem(
            "/properties/uri",
            "is missing",
            None,
            f"give the catalog's address, such as {schemes[0] if schemes else 'https://'}…",
        )
    elif uri and schemes and not uri.startswith((*schemes, "env:", "file:")):
        hint = f"begin it with one of {', '.join(schemes)}"
        yield FieldProblem("/properties/uri", f"is not an address of a {kind} catalog", masked(uri), hint)
    if (mode := properties.get(_LOADING, "all")) != "all":
        hint = "leave it out: upkeep must see every snapshot, or it would delete the files of the others"
        yield FieldProblem(f"/properties/{_LOADING}", "is not allowed", mode, hint)
    yield from problems_of_vended_hosts(properties)
    yield from problems_of_tls(properties)
    for key, value in properties.items():
        if names_code(key):
            hint = "leave it out: Packhouse runs no code that properties name"
            yield FieldProblem(f"/properties/{key}", "is not allowed", value, hint)
        elif not value:
            yield FieldProblem(f"/properties/{key}", "is empty", value, "give a value or leave the property out")


class IcebergConnection:
    """A thread-safe connection to one catalog."""

    def __init__(
        self,
        *,
        name: str,
        properties: Mapping[str, str],
        cache: ManifestCache,
        check_location: CheckLocation = anywhere,
        check_peer: CheckPeer = any_peer,
        check_addresses: CheckAddresses = any_address,
    ) -> None:
        self._name = name
        self._properties = dict(properties)
        self._cache = cache
        self._parents = KnownParents()
        self._check_location = check_location
        self._check_peer = check_peer
        self._check_addresses = check_addresses
        self._lock = Lock()
        self._catalog: GuardedCatalog | None = None

    @property
    def has_all_pointers(self) -> bool:
        """Whether one request returns the pointers of many tables: true where the catalog stores only these."""
        return self._properties["type"] != "rest"

    def check(self) -> Sequence[CheckStep]:
        """Open the catalog, list its namespaces and tables of the first ones, read one, see whether it may be changed.

        The first step only reports properties that look misspelt: there is no complete list of valid properties.
        """
        found: dict[str, Any] = {}
        return [
            CheckStep("properties", True, _spelling(self._properties)),
            *run_steps(
                [
                    ("open_catalog", asking_catalog, self._check_catalog),
                    ("list_namespaces", asking_catalog, lambda: self._check_namespaces(found)),
                    ("list_tables", asking_catalog, lambda: self._check_tables(found)),
                    ("read_table", reading_table, lambda: self._check_table(found)),
                    ("write_file", reading_table, lambda: self._check_store(found)),
                    ("may_commit", asking_catalog, lambda: self._check_writing(found)),
                ]
            ),
        ]

    def ping(self) -> None:
        """Ask for the namespaces; see `CatalogConnection.ping`."""
        with asking_catalog("list the namespaces"):
            self._open().list_namespaces()

    def list_tables(self, limit: int, is_wanted: IsWanted = every_namespace) -> TableListing:
        """List the tables of the accepted namespaces, ordered by address, at most `limit`.

        Raises:
            StateConflict: the catalog refuses the credentials, or its properties are wrong.
            Transient: the catalog does not answer.
        """
        with asking_catalog("list the tables"):
            return list_tables(self._open(), limit, is_wanted)

    def expect_changes(self, refs: Sequence[TableRef]) -> None:
        """Do nothing: each call of `pointers` asks the catalog."""

    def pointers(self, refs: Sequence[TableRef]) -> Mapping[TableRef, str]:
        """Return the metadata location of each table that the catalog has.

        Raises:
            StateConflict: the catalog refuses the credentials, or its properties are wrong.
            Transient: the catalog does not answer.
        """
        with asking_catalog("read the metadata locations of tables"):
            return pointers(self._open(), refs)

    def open_table(self, ref: TableRef, scope: FileScope = OWN_LOCATION) -> IcebergTable:
        """Load a table's current metadata; only files in the scope are opened.

        Raises:
            NotFound: no such table or namespace.
            NotEligible: its metadata file is outside of the scope.
            InvalidInput: its metadata is in a forbidden location.
            StateConflict: the catalog refuses the credentials, or its properties are wrong.
            TableUnreadable: its metadata is damaged, too large or not supported.
            Transient: the catalog does not answer.
        """
        with asking_catalog(f"open the catalog of {ref}"):
            opened = self._open()
        with reading_table(f"open table {ref}"):
            identifier = (*ref.namespace, ref.name)
            table = opened.within(scope).load_table(identifier)
            # later loads are restricted to the location found now
            catalog = opened.within(replace(scope, location=scope.location or table.metadata.location))
            return IcebergTable(
                ref=ref,
                catalog=catalog,
                load=lambda: catalog.load_table(identifier),
                table=table,
                cache=self._cache.of(ref),
                parents=self._parents,
                spark_catalog=self._properties.get(SPARK_CATALOG),
            )

    def open_entry(self, ref: TableRef, scope: FileScope = OWN_LOCATION) -> IcebergTable:
        """Load a table, as `open_table` does: no files are listed."""
        return self.open_table(ref, scope)

    def close(self) -> None:
        """Close the catalog's connections; the next use reopens it."""
        with self._lock:
            if self._catalog is not None:
                self._catalog.close()
            self._catalog = None

    def _open(self) -> GuardedCatalog:
        with self._lock:
            if self._catalog is None:
                self._catalog = load(
                    self._name,
                    self._properties,
                    check_location=self._check_location,
                    check_peer=self._check_peer,
                    check_addresses=self._check_addresses,
                )
            return self._catalog

    def _check_catalog(self) -> str:
        self._open()
        named = self._properties.get(CATALOG_NAME, self._name)
        place = self._properties.get("uri") or self._properties.get("glue.endpoint")
        said = f"{self._properties['type']} catalog {named}{f' at {masked(place)}' if place else ''}"
        return f"{said}; {_MAINTAINED}" if is_of_s3_tables(self._properties) else said

    def _check_namespaces(self, found: dict[str, Any]) -> str:
        catalog = self._open()
        found["namespaces"] = namespaces = sorted(tuple(each) for each in catalog.list_namespaces())
        if not namespaces and isinstance(catalog, GuardedSqlCatalog) and (others := catalog.other_names()):
            found_others = f"the database has tables of other catalogs{examples(others)}"
            return f"0 namespaces; {found_others}: set {CATALOG_NAME} to one of them"
        if not namespaces and self._properties["type"] == "glue":
            return f"0 databases; {ELSEWHERE}"
        return f"{len(namespaces)} namespaces{examples('.'.join(each) for each in namespaces)}"

    def _check_tables(self, found: dict[str, Any]) -> str:
        """List the tables of the first namespace that has any, of a few."""
        looked_into = found["namespaces"][:_LOOKED_INTO]
        for namespace in looked_into:
            if tables := sorted(self._open().list_tables(namespace)):
                found["table"] = tuple(tables[0])
                return f"{len(tables)} tables in {'.'.join(namespace)}{examples(each[-1] for each in tables)}"
        return f"0 tables in {', '.join('.'.join(each) for each in looked_into)}" if looked_into else "no namespace"

    def _check_table(self, found: dict[str, Any]) -> str:
        if "table" not in found:
            return "no table to read"
        table = found["read"] = self._open().load_table(found["table"])
        return f"{'.'.join(found['table'])}: {len(table.metadata.snapshots)} snapshots at {masked(table.location())}"

    def _check_store(self, found: Mapping[str, Any]) -> str:
        """Return a sentence about the right to write and delete files, by an empty one beside the metadata."""
        if "read" not in found:
            return "no table whose store could be asked"
        table = found["read"]
        folder = metadata_location(table.metadata)
        probe = f"{folder}/packhouse-check-{uuid4()}"
        self._check_location(probe)
        table.io.new_output(probe).create().close()
        table.io.delete(probe)
        return f"a file in {masked(folder)} can be written and deleted"

    def _check_writing(self, found: Mapping[str, Any]) -> str:
        """Return a sentence about the right to commit, which is looked for with a commit that changes nothing."""
        if "read" not in found:
            return "no table to ask about"
        return self._open().check_writing(found["read"])


def _spelling(properties: Mapping[str, str]) -> str:
    found = [f"{name!r} is not known; did you mean {near!r}?" for name, near in misspelt(properties).items()]
    return "; ".join(found) or "none looks misspelt"
