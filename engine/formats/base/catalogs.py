"""A table format and its catalogs: what can be done to its tables, and connections that open them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from engine.domain.errors import FieldProblem
from engine.domain.tables.capabilities import Capabilities, CatalogType
from engine.domain.tables.table import OutsideFiles, TableRef
from engine.formats.base.tables import OpenTable


@dataclass(frozen=True, slots=True)
class CheckStep:
    """One step of a connection check: its name, whether it succeeded, and its findings (no secrets)."""

    name: str
    ok: bool
    detail: str


IsWanted = Callable[[Sequence[str]], bool]
"""Predicate on namespaces: returns whether their tables are listed."""


def every_namespace(_namespace: Sequence[str]) -> bool:
    """Accept every namespace."""
    return True


@dataclass(frozen=True, slots=True)
class TableListing:
    """Addresses of a catalog's tables, each with its namespace levels and its name; `truncated`: there are more."""

    identifiers: tuple[tuple[str, ...], ...]
    is_truncated: bool


@dataclass(frozen=True, slots=True)
class FileScope:
    """Locations in which the files of one table may be.

    `location`: the table's location as registered; None: the one in its metadata. `allowed`: the catalog's allowed
    locations, empty without any. `outside_files`: which files may be outside of the table's location.
    """

    location: str | None = None
    allowed: tuple[str, ...] = ()
    outside_files: OutsideFiles = OutsideFiles.REFUSE

    def folders(self, stated: str) -> tuple[str, ...]:
        """Return the folders that may contain files; `stated` is the location in the table's metadata."""
        is_open = self.outside_files is OutsideFiles.ALLOWED_LOCATIONS
        return (self.location or stated, *(self.allowed if is_open else ()))


SPARK_CATALOG: Final = "packhouse.spark-catalog"
"""Catalog property with the catalog's name in Spark."""

STORE_PREFIXES: Final = ("s3.", "client.", "gcs.", "adls.", "hdfs.")
"""Beginnings of the names of properties for access to tables' files, which are the same for every format."""

_WITHOUT_SECRETS: Final = """
client.region client.role-arn client.role-session-name client.profile-name
s3.endpoint s3.region s3.anonymous s3.connect-timeout s3.request-timeout s3.force-virtual-addressing
s3.path-style-access s3.resolve-region s3.role-arn s3.role-session-name s3.profile-name s3.proxy-uri
s3.server-side-encryption s3.sse.type s3.signer s3.signer.endpoint s3.signer.uri s3.requester-pays
adls.account-name adls.auth.shared-key.account.name adls.account-host adls.anon adls.client-id adls.tenant-id
adls.blob-storage-authority adls.blob-storage-scheme adls.dfs-storage-authority adls.dfs-storage-scheme
gcs.project-id gcs.user-project gcs.no-auth gcs.service.host gcs.default-bucket-location gcs.requester-pays
gcs.version-aware gcs.consistency gcs.cache-timeout gcs.access gcs.oauth2.token-expires-at
hdfs.host hdfs.port hdfs.user
"""

PLAIN_OF_STORES: Final = frozenset(_WITHOUT_SECRETS.split())
"""Those of them whose values are not secrets, in lower case."""

OWN_LOCATION: Final = FileScope()
"""Only the location in the table's metadata."""


def problems_of_type(properties: Mapping[str, str], types: Sequence[CatalogType]) -> Iterator[FieldProblem]:
    """Yield the problem of a catalog whose property `type` is missing, or none of the types of its format."""
    found = properties.get("type")
    served = sorted(each.type for each in types if each.reason is None)
    if found not in served:
        reason = next((each.reason for each in types if each.type == found), None)
        hint = f"use one of {', '.join(served)}" if len(served) > 1 else f"use {served[0]}"
        message = (reason or "is not a type of catalog of this format") if found else "is missing"
        yield FieldProblem("/properties/type", message, found, hint)


@dataclass(frozen=True, slots=True)
class PlainProperties:
    """Properties of catalogs whose values are not secrets: their names, and prefixes of names, in lower case.

    Any other property counts as a secret.
    """

    names: frozenset[str]
    prefixes: tuple[str, ...] = ()

    def have(self, name: str) -> bool:
        """Return whether the values of a property are not secrets."""
        return name.lower() in self.names or name.lower().startswith(self.prefixes)


class CatalogConnection(Protocol):
    """An open connection to one catalog."""

    @property
    def has_all_pointers(self) -> bool:
        """Whether `pointers` sends one request for many tables; otherwise it sends one request per table."""

    def ping(self) -> None:
        """Send the catalog a request that depends on no table.

        Raises:
            Away: it does not answer.
            StateConflict, Transient: it answers with an error.
        """

    def check(self) -> Sequence[CheckStep]:
        """Test the connection step by step; never raises for a broken connection."""

    def list_tables(self, limit: int, is_wanted: IsWanted = every_namespace) -> TableListing:
        """List the tables of the accepted namespaces, ordered by address, at most `limit`.

        Raises:
            StateConflict: the catalog refuses the credentials, or its properties are wrong.
            Transient: the catalog does not answer.
        """

    def expect_changes(self, refs: Sequence[TableRef]) -> None:
        """Note that tables are reported to have changed, so that `pointers` repeats a costly answer for less long."""

    def pointers(self, refs: Sequence[TableRef]) -> Mapping[TableRef, str]:
        """Return the catalog's pointer for each table: a value that changes with every commit.

        As cheap as the catalog allows. Tables that are missing or can't be read are left out: open one for the reason.

        Raises:
            StateConflict: the catalog refuses the credentials, or its properties are wrong.
            Transient: the catalog does not answer.
        """

    def open_table(self, ref: TableRef, scope: FileScope = OWN_LOCATION) -> OpenTable:
        """Load a table's current metadata. No file outside of the scope is read, written or deleted through it.

        Raises:
            NotFound: no such table.
            NotEligible: the metadata requires a file outside of the scope; also raised by later calls.
            TableUnreadable: its metadata can't be read; also raised by the methods of `OpenTable`.
            StateConflict: the catalog refuses the credentials, or its properties are wrong.
            Transient: the catalog does not answer.
        """

    def open_entry(self, ref: TableRef, scope: FileScope = OWN_LOCATION) -> OpenTable:
        """Load a table as `open_table` does; formats that list files do so at their first use only."""


class TableFormat(Protocol):
    """A table format: opens catalogs of its kind."""

    def capabilities(self) -> Capabilities:
        """Return the supported operations of this format, with the reason for each unsupported one. Never blocks."""

    def plain_properties(self) -> PlainProperties:
        """Return the properties of its catalogs that may be given, shown and logged in clear text. Never blocks."""

    def validate(self, properties: Mapping[str, str]) -> None:
        """Raise `InvalidInput`, naming the field, for properties that can't make a connection."""

    def connect(self, name: str, properties: Mapping[str, str]) -> CatalogConnection:
        """Open a connection; secrets in `properties` are already resolved.

        Raises:
            Transient: the catalog does not answer.
        """
