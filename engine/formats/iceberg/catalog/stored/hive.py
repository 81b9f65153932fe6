"""A Hive Metastore as a catalog of Iceberg: the entry of a table has the location of its metadata file.

A commit holds the table's lock in the Metastore, as all clients of Iceberg do, while it reads the entry again and
replaces it. It also names the location that it replaces, which newer servers compare themselves (HIVE-26882), so that
there a lock that was lost loses no commit. The metadata file is written before, so that the lock is held for two calls.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from typing import Any, Final

from hive_metastore.ttypes import EnvironmentContext, MetaException, NoSuchObjectException
from pyiceberg.catalog import METADATA_LOCATION
from pyiceberg.catalog.hive import HiveCatalog
from pyiceberg.exceptions import CommitFailedException, NoSuchNamespaceError, NoSuchTableError
from pyiceberg.table import StagedTable, Table
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.typedef import Identifier
from thrift.Thrift import TException
from thrift.transport.TTransport import TTransportException

from engine.domain.errors import RequestNotServed, StateConflict
from engine.formats.iceberg.catalog.stored.entries import by_database, following, is_iceberg, location_in, spelled_as
from engine.formats.iceberg.catalog.stored.pointers import Replace, StoredPointers
from engine.formats.intake.catalogs.metastores.errors import GRANT, condition_of, is_denial
from engine.formats.intake.catalogs.metastores.locks import MetastoreLock
from engine.formats.intake.catalogs.metastores.sessions import MetastoreServers, servers_of
from engine.formats.intake.errors import printable
from engine.formats.intake.limits import Malformed
from engine.outgoing.bounds import CheckLocation, CheckPeer, any_peer, anywhere
from engine.rewriting.kernel.storage.abandoned import stop_if_abandoned

MOST_TABLES: Final = 100_000
"""Tables of one database that are listed."""

_AT_ONCE: Final = 100
_CHANGED: Final = "has been modified"
"""Text of the server's answer to a change of an entry that is not the expected one any more."""

_COMPARES_SINCE: Final = 4
"""Release of which every server compares it (HIVE-26882)."""

_CURRENT: Final = "current-snapshot-"
_SUMMED: Final = {"numFiles": "total-data-files", "numRows": "total-records", "totalSize": "total-files-size"}
"""Parameters of an entry that state figures of the current snapshot, with their names in its summary."""
_LONGEST: Final = 4000
"""Characters of a parameter that Metastores store, a default of Iceberg's own catalogs."""
_OUTLIVED: Final = "the lock of the table was held for too long, as by a machine that slept"


class GuardedHiveCatalog(StoredPointers, HiveCatalog):
    """A catalog in a Hive Metastore whose calls have limits and reach only allowed servers.

    Every method raises:
        StateConflict: the Metastore refuses the user or the call, or the settings of the connection are wrong.
        Away: it does not answer.
        Transient: it answers with an error.
    """

    def __init__(self, name: str, *, servers: MetastoreServers, **properties: str) -> None:
        self._servers = servers
        super().__init__(name, **properties)

    @staticmethod
    def _create_hive_client(properties: dict[str, str]) -> Any:  # noqa: ARG004 - the library's signature
        """Return nothing: every call has a session of its own."""
        return None

    def load_table(self, identifier: str | Identifier) -> Table:
        """Load a table. Raises `NoSuchTableError` also for an entry that is not of an Iceberg table."""
        database, name = self.identifier_to_database_and_table(identifier, NoSuchTableError)
        with self._session("read the entry of a table") as client:
            entry = _entry(client, database, name)
        return self._of_entry(entry)

    def list_namespaces(self, namespace: str | Identifier = ()) -> list[Identifier]:
        """Return the databases; a Metastore does not nest them."""
        if namespace:
            return []
        with self._session("list the databases") as client:
            return [(str(each),) for each in client.get_all_databases()]

    def list_tables(self, namespace: str | Identifier) -> list[Identifier]:
        """Return the Iceberg tables of a database. Raises `NoSuchNamespaceError`, StateConflict for too many."""
        database = self.identifier_to_database(namespace, NoSuchNamespaceError)
        with self._session("list the tables") as client:
            try:
                client.get_database(database)
            except NoSuchObjectException as error:
                raise NoSuchNamespaceError(f"there is no database {database}") from error
            names = client.get_all_tables(database)
            if len(names) > MOST_TABLES:
                raise StateConflict(f"database {database} has more than {MOST_TABLES} tables: spread them over others")
            return [(database, str(each.tableName)) for each in _entries(client, database, sorted(names))]

    def locations(self, tables: Collection[Identifier]) -> Mapping[Identifier, str]:
        """Return the locations of metadata files, by a call for 100 tables of a database."""
        found: dict[Identifier, str] = {}
        with self._session("read the entries of tables") as client:
            for database, names in by_database(tables):
                for each in _entries(client, database, names):
                    found[database, str(each.tableName)] = location_in(each.parameters)
        return spelled_as(tables, found)

    def replaceable(self, identifier: Identifier) -> tuple[Table, Replace]:
        """Return a table; its entry is replaced under its lock, and only if it still names the same metadata file."""
        database, name = self.identifier_to_database_and_table(identifier, NoSuchTableError)
        current = self.load_table((database, name))

        def replace(staged: StagedTable) -> None:
            with self._session("commit to a table") as client, self._lock(client, database, name) as lock:
                entry = _entry(client, database, name)
                if location_in(entry.parameters) != current.metadata_location:
                    raise CommitFailedException(f"another commit changed {database}.{name}")
                figures = _figures(entry.parameters, staged.metadata)
                entry.parameters = {**following(entry.parameters, staged.metadata_location), **figures}
                if lock.is_outlived:
                    raise CommitFailedException(
                        "the lock of the table was held for too long, as by a machine that slept"
                    )
                try:
                    _replace(client, entry, expected=current.metadata_location)
                except (TTransportException, OSError, Malformed):
                    if not self._has_landed(entry, lock):
                        raise

        return current, replace

    def check_writing(self, table: Table) -> str:
        """Check that the table's lock can be taken; no call tells whether its entry may be changed."""
        database, name = self.identifier_to_database_and_table(table.name(), NoSuchTableError)
        with self._session("take the lock of a table") as client, self._lock(client, database, name):
            return f"the lock of {database}.{name} can be taken; whether entries may be changed is not known before"

    def _lock(self, client: Any, database: str, name: str) -> MetastoreLock:
        return MetastoreLock(client, database, name, self._servers.session)

    def _has_landed(self, sent: Any, lock: MetastoreLock) -> bool:
        """Return whether an entry whose change was not answered is the one that was sent, by another connection.

        Otherwise the change may still be executed. The lock has to outlast it if the server compares no locations.
        """
        lock.is_needed = True
        with suppress(TException, OSError, Malformed, NoSuchTableError), self._servers.session() as client:
            present = _entry(client, sent.dbName, sent.tableName)
            has_landed = location_in(present.parameters) == location_in(sent.parameters)
            lock.is_needed = not has_landed and not _compares(str(client.getVersion()))
            return has_landed
        return False

    def _of_entry(self, entry: Any) -> Table:
        return self.read_table((str(entry.dbName), str(entry.tableName)), location_in(entry.parameters))

    def _session(self, doing: str) -> "_Translated":
        stop_if_abandoned()
        return _Translated(self._servers, doing)


class _Translated:
    """A session whose errors become those of the domain; see `MetastoreSession` for why it is a class."""

    def __init__(self, servers: MetastoreServers, doing: str) -> None:
        self._session, self._doing = servers.session(), doing

    def __enter__(self) -> Any:
        try:
            return self._session.__enter__()
        except TException as error:
            raise self._condition(error) from error

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._session.__exit__(kind, error, trace)
        if isinstance(error, TException):
            raise self._condition(error) from error

    def _condition(self, error: TException) -> Exception:
        text = str(getattr(error, "message", None) or error) or type(error).__name__
        return condition_of(error, f"Could not {self._doing}: {printable(text[:300], ' ')}")


def _entry(client: Any, database: str, name: str) -> Any:
    try:
        entry = client.get_table(database, name)
    except NoSuchObjectException as error:
        raise NoSuchTableError(f"there is no table {database}.{name}") from error
    if not is_iceberg(entry.parameters):
        raise NoSuchTableError(f"{database}.{name} is not an Iceberg table: its entry names no metadata file")
    return entry


def _entries(client: Any, database: str, names: list[str]) -> Iterator[Any]:
    """Yield the entries of those tables that exist and are Iceberg's."""
    for start in range(0, len(names), _AT_ONCE):
        stop_if_abandoned()
        with suppress(NoSuchObjectException):  # of the database
            found = client.get_table_objects_by_name(database, names[start : start + _AT_ONCE])
            yield from (each for each in found if is_iceberg(each.parameters))


def _compares(version: str) -> bool:
    """Return whether a server certainly compares the location that a change states; one of 2.3 calls itself 3.0."""
    major = version.partition(".")[0]
    return major.isdecimal() and int(major) >= _COMPARES_SINCE


def _replace(client: Any, entry: Any, *, expected: str) -> None:
    """Replace an entry; newer servers do so only if it still has the expected metadata file.

    Raises:
        CommitFailedException: it has another. RequestNotServed: the user may not. MetaException: any other refusal.
    """
    context = {
        "DO_NOT_UPDATE_STATS": "true",
        "expected_parameter_key": METADATA_LOCATION,
        "expected_parameter_value": expected,
    }
    try:
        client.alter_table_with_environment_context(
            entry.dbName, entry.tableName, entry, EnvironmentContext(properties=context)
        )
    except MetaException as error:
        if _CHANGED in str(error.message):
            raise CommitFailedException(f"another commit changed {entry.dbName}.{entry.tableName}") from error
        if is_denial(error):
            refusal = f"the Metastore refuses the commit: {printable(str(error.message)[:300], ' ')}; {GRANT}"
            raise RequestNotServed(refusal) from error
        raise


def _figures(parameters: Mapping[str, str], metadata: TableMetadata) -> Mapping[str, str]:
    """Return the parameters of an entry that state what the current snapshot is, as far as the entry has them."""
    snapshot = metadata.current_snapshot()
    if snapshot is None or snapshot.summary is None:
        return {}
    summary = {"operation": snapshot.summary.operation.value, **snapshot.summary.additional_properties}
    found = {name: summary[key] for name, key in _SUMMED.items() if key in summary}
    found |= {
        f"{_CURRENT}id": str(snapshot.snapshot_id),
        f"{_CURRENT}timestamp-ms": str(snapshot.timestamp_ms),
        f"{_CURRENT}summary": json.dumps(summary, separators=(",", ":")),
        "snapshot-count": str(len(metadata.snapshots)),
    }
    return {name: value for name, value in found.items() if name in parameters and len(value) <= _LONGEST}


def open_hive_catalog(
    name: str, properties: dict[str, str], *, check_location: CheckLocation = anywhere, check_peer: CheckPeer = any_peer
) -> GuardedHiveCatalog:
    """Return a catalog of a Metastore; nothing is asked yet."""
    catalog = GuardedHiveCatalog(name, servers=servers_of(properties, check_peer), **properties)
    catalog.check_location = check_location
    return catalog
