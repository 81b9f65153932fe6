"""The database of a JDBC catalog: rows of its tables and of its locks, as Paimon 1.4 stores them.

The only SQL of the formats. Every call opens a connection and closes it, so that an idle catalog holds none. Names
come from the database and are not trusted; see `jdbc` for what they may be.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final
from urllib.parse import quote

from sqlalchemy import URL, Connection, Engine, NullPool, bindparam, create_engine, inspect, make_url, text
from sqlalchemy.exc import ArgumentError, IntegrityError, ProgrammingError, SQLAlchemyError

from engine.domain.errors import Away, StateConflict, Transient
from engine.domain.fleet.dependencies import DependencyKind
from engine.extras import require
from engine.formats.intake.catalogs.databases import (
    ANSWER_SECONDS,
    is_database_away,
    is_locked,
    with_time_limit,
    wrong_settings,
)
from engine.formats.intake.errors import summary_of
from engine.formats.paimon.catalog.properties import CATALOG_KEY, LOCK_TIME_ZONE, PASSWORD, USER
from engine.formats.paimon.catalog.rest.properties import URI
from engine.outgoing.bounds import CheckPeer, any_peer
from engine.rewriting.kernel.storage.abandoned import stop_if_abandoned
from engine.sql.addresses import MYSQL, SQLITE, check_servers, servers_of
from engine.sql.answers import limit_answers

DEFAULT_KEY: Final = "jdbc"
LOCKS: Final = "paimon_distributed_locks"
MOST_DATABASES: Final = 100_000

_NO_CATALOG: Final = "this database has no Paimon catalog: check `uri`"
_ANSWER_MS: Final = "10000"
_PAIRS: Final = 500
_SET: Final = text("SELECT set_config(:name, :value, true)")
_DATABASES: Final = text(
    "SELECT database_name FROM paimon_tables WHERE catalog_key = :key"
    " UNION SELECT database_name FROM paimon_database_properties WHERE catalog_key = :key"
    " ORDER BY database_name LIMIT :most"
)
_TABLES: Final = text(
    "SELECT table_name FROM paimon_tables WHERE catalog_key = :key AND database_name = :database"
    " ORDER BY table_name LIMIT :most"
)
_EXISTING: Final = text(
    "SELECT database_name, table_name FROM paimon_tables"
    " WHERE catalog_key = :key AND database_name IN :databases AND table_name IN :names"
).bindparams(bindparam("databases", expanding=True), bindparam("names", expanding=True))
_LOCK: Final = text("INSERT INTO paimon_distributed_locks (lock_id, expire_time_seconds) VALUES (:id, :seconds)")
_HELD: Final = text("SELECT acquired_at, expire_time_seconds FROM paimon_distributed_locks WHERE lock_id = :id")
_UNLOCK: Final = text(
    "DELETE FROM paimon_distributed_locks"
    " WHERE lock_id = :id AND acquired_at IS NOT DISTINCT FROM :acquired_at AND expire_time_seconds = :seconds"
)
_UNLOCK_IN_MYSQL: Final = text(_UNLOCK.text.replace("IS NOT DISTINCT FROM", "<=>"))
_WAIT_IN_MYSQL: Final = text("SET SESSION innodb_lock_wait_timeout = 10")


@dataclass(frozen=True, slots=True)
class LockRow:
    """A row of the table of locks: its time as the database has it, and after how many seconds it expires."""

    lock_id: str
    acquired_at: Any
    expire_seconds: int


class CatalogDatabase:
    """The rows of one catalog. Thread-safe; nothing is sent by the constructor.

    `check_peer` is called with the address of a server before each connection.

    Every method raises `Away` if the database does not answer, `StateConflict` if the properties are wrong, and
    `Transient` for another failure.
    """

    def __init__(self, properties: Mapping[str, str], *, check_peer: CheckPeer = any_peer) -> None:
        self._check_peer = check_peer
        self.key = properties.get(CATALOG_KEY, DEFAULT_KEY)
        self._zone = properties.get(LOCK_TIME_ZONE, "UTC")
        self._properties = properties

    def databases(self) -> Sequence[str]:
        """Return the names of the databases, in order.

        Raises:
            StateConflict: there are more than `MOST_DATABASES`.
        """
        with self._asking("list the databases") as connection:
            asked = {"key": self.key, "most": MOST_DATABASES + 1}
            found = sorted(str(name) for (name,) in connection.execute(_DATABASES, asked))
        if len(found) > MOST_DATABASES:
            raise StateConflict(f"the catalog {self.key[:200]} has more than {MOST_DATABASES} databases")
        return found

    def tables(self, database: str, most: int) -> Sequence[str]:
        """Return the names of the tables of a database, in order, at most `most`."""
        with self._asking(f"list the tables of {database[:200]}") as connection:
            asked = {"key": self.key, "database": database, "most": most}
            return sorted(str(name) for (name,) in connection.execute(_TABLES, asked))

    def existing(self, tables: Iterable[tuple[str, str]]) -> frozenset[tuple[str, str]]:
        """Return those of the tables, each with its database, that the catalog has."""
        wanted, found = sorted(set(tables)), set[tuple[str, str]]()
        with self._asking("look up tables") as connection:
            for some in (wanted[at : at + _PAIRS] for at in range(0, len(wanted), _PAIRS)):
                asked = {
                    "key": self.key,
                    "databases": sorted({database for database, _ in some}),
                    "names": sorted({name for _, name in some}),
                }
                found.update((row[0], row[1]) for row in connection.execute(_EXISTING, asked))
        return frozenset(found & set(wanted))

    def has_locks(self) -> bool:
        """Return whether the database has the table of locks: a writer with a lock has opened the catalog."""
        with self._asking("look for the table of locks") as connection:
            return inspect(connection).has_table(LOCKS)

    def lock(self, lock_id: str, expire_seconds: int) -> LockRow | None:
        """Insert the row of a lock as Paimon does; None if there is one. After an error it may be there."""
        with self._asking("take the lock of a table") as connection:
            try:
                connection.execute(_LOCK, {"id": lock_id, "seconds": expire_seconds})
            except IntegrityError:
                return None
            made = _row(connection, lock_id)
            connection.commit()
            return made

    def held(self, lock_id: str) -> LockRow | None:
        """Return the row of a lock, None if there is none."""
        with self._asking("look at the lock of a table") as connection:
            return _row(connection, lock_id)

    def unlock(self, row: LockRow) -> bool:
        """Delete exactly this row; return False if it is gone or another one has its place."""
        with self._asking("release the lock of a table") as connection:
            asked = {"id": row.lock_id, "acquired_at": row.acquired_at, "seconds": row.expire_seconds}
            is_mysql = connection.dialect.name in MYSQL
            deleted = connection.execute(_UNLOCK_IN_MYSQL if is_mysql else _UNLOCK, asked).rowcount
            connection.commit()
            return deleted > 0

    @contextmanager
    def _asking(self, doing: str) -> Iterator[Connection]:
        try:
            with self._connected() as connection:
                if connection.dialect.name == "postgresql":
                    for name, value in (("TimeZone", self._zone), ("statement_timeout", _ANSWER_MS)):
                        connection.execute(_SET, {"name": name, "value": value})
                if connection.dialect.name in MYSQL:
                    connection.execute(_WAIT_IN_MYSQL)
                yield connection
        except SQLAlchemyError as error:
            message = f"Could not {doing} in the catalog's database: {summary_of(error)}"
            wrong = wrong_settings(error, tables="paimon_", no_catalog=_NO_CATALOG)
            if wrong is not None:
                raise StateConflict(f"{message}; {wrong}") from error
            if is_database_away(error) and not is_locked(error):
                raise Away(DependencyKind.CATALOG, message) from error
            raise Transient(message) from error

    def _connected(self) -> Connection:
        try:
            return self._engine.connect()
        except (TypeError, ValueError, ArgumentError, ProgrammingError) as error:  # such as an unknown parameter
            raise StateConflict(f"the catalog's `uri` is not an address of a database: {summary_of(error)}") from error

    @cached_property
    def _engine(self) -> Engine:
        url = make_url(with_time_limit(self._properties[URI]))
        if url.get_backend_name() == SQLITE and url.database:  # SQLite would create a database at a mistyped path
            url = url.set(database=f"file:{quote(url.database)}").update_query_dict({"uri": "true", "mode": "rw"})
        url = url.set(
            username=self._properties.get(USER, url.username), password=self._properties.get(PASSWORD, url.password)
        )
        if url.get_backend_name() in MYSQL:
            return self._mysql_engine(url)
        made = create_engine(url, poolclass=NullPool)
        check_servers(made, self._check_peer)
        limit_answers(made, seconds=ANSWER_SECONDS, check=stop_if_abandoned)
        return made

    def _mysql_engine(self, url: URL) -> Engine:
        """Return the engine of a database in MySQL. Raises ValueError for an address that may name another server."""
        require("pymysql", purpose="a JDBC catalog in MySQL", install="'packhouse-server[mysql]'")
        from engine.sql.mysql import limit_connections  # noqa: PLC0415 - needs the extra

        servers_of(url.render_as_string(hide_password=False))
        made = create_engine(url, poolclass=NullPool)
        limit_connections(made, seconds=ANSWER_SECONDS, check=stop_if_abandoned, check_peer=self._check_peer)
        return made


def _row(connection: Connection, lock_id: str) -> LockRow | None:
    found = connection.execute(_HELD, {"id": lock_id}).one_or_none()
    if found is None:
        return None
    if not isinstance(found[1], int):
        raise StateConflict(f"{LOCKS} has a row whose expire_time_seconds is not a number: {str(found[1])[:80]!r}")
    return LockRow(lock_id, found[0], found[1])
