"""Calls to a Hive Metastore by Thrift, each on a connection of its own, with limits of time and size."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any, Final

from hive_metastore.ThriftHiveMetastore import Client
from hive_metastore.ttypes import EnvironmentContext, NoSuchObjectException, Partition, Table
from thrift.transport.TSocket import TSocket
from thrift.transport.TTransport import TTransportException

from engine.formats.hive.catalog.answers import protocol_on
from engine.formats.intake.limits import Malformed
from engine.outgoing.bounds import CheckPeer, any_peer
from engine.rewriting.kernel.storage.abandoned import stop_if_abandoned

MOST_PARTITIONS: Final = 1_000_000
"""Limit of the partitions of one table; the Metastore answers with about 1 KB for each."""

_CONNECT_MS: Final = 10_000
_ANSWER_MS: Final = 60_000
_PAGE: Final = 1000
_COLUMNS_AT_ONCE: Final = 40_000
"""Columns of all partitions of a page: about 37 bytes of the answer and 225 bytes of memory each."""
_TABLES_AT_ONCE: Final = 100
_LARGEST_ANSWER: Final = 128 * 2**20


@dataclass(frozen=True, slots=True)
class Metastore:
    """A Metastore with several addresses, of which the first one that answers is used.

    Every method raises `TException` and `OSError`; `asking_metastore` translates them.
    """

    addresses: Sequence[tuple[str, int]]
    check_peer: CheckPeer = any_peer

    def databases(self) -> Sequence[str]:
        """Return the names of the databases, in order."""
        with self._client() as client:
            return sorted(client.get_all_databases())

    def tables(self, database: str) -> Iterator[Table]:
        """Yield the tables of a database by name, as far as they still exist; none if it was dropped."""
        with self._client() as client:
            names = sorted(client.get_all_tables(database))
            for start in range(0, len(names), _TABLES_AT_ONCE):
                found = client.get_table_objects_by_name(database, names[start : start + _TABLES_AT_ONCE])
                yield from sorted(found, key=lambda each: str(each.tableName))

    def table(self, database: str, name: str) -> Table | None:
        """Return a table, None if there is none."""
        with self._client() as client:
            try:
                return client.get_table(database, name)
            except NoSuchObjectException:
                return None

    def partitions(self, database: str, name: str, columns: int = 0) -> Iterator[Partition]:
        """Yield the partitions of a table, in pages; one that is dropped meanwhile may be missing.

        Each has a copy of all the columns of the table, whose number makes pages smaller.

        Raises:
            Malformed: there are more than `MOST_PARTITIONS`, or more than were asked for.
        """
        with self._client() as client:
            names = client.get_partition_names(database, name, -1)
            if len(names) > MOST_PARTITIONS:
                raise Malformed(f"it has {len(names)} partitions; the limit is {MOST_PARTITIONS}")
            page = max(1, min(_PAGE, _COLUMNS_AT_ONCE // max(1, columns)))
            for start in range(0, len(names), page):
                found = client.get_partitions_by_names(database, name, names[start : start + page])
                if len(found) > page:
                    raise Malformed(f"the Metastore answered with {len(found)} partitions of {page}")
                yield from found

    def partition(self, database: str, name: str, values: Sequence[str]) -> Partition | None:
        """Return one partition by the texts of its keys, None if there is none."""
        with self._client() as client:
            try:
                return client.get_partition(database, name, list(values))
            except NoSuchObjectException:
                return None

    def change_partition(self, database: str, name: str, changed: Partition) -> None:
        """Replace everything that the Metastore has of a partition, whatever that is by now; nothing is computed.

        Raises:
            InvalidOperationException: it was dropped.
            TTransportException: no answer; the change may still happen later.
        """
        with self._client() as client:
            client.alter_partition_with_environment_context(
                database, name, changed, EnvironmentContext({"DO_NOT_UPDATE_STATS": "true"})
            )

    def _client(self) -> "_MetastoreSession":
        return _MetastoreSession(self._connected())

    def _connected(self) -> TSocket:
        """Return an open connection to the first address that answers; raises the error of the last one."""
        failed: TTransportException | None = None
        for host, port in self.addresses:
            socket = _LimitedSocket(host, port)
            socket.check_peer = self.check_peer
            socket.setTimeout(_CONNECT_MS)
            try:
                socket.open()
            except TTransportException:
                failed = TTransportException(TTransportException.NOT_OPEN, f"no connection to {host}:{port}")
                continue
            return socket
        raise failed or TTransportException(TTransportException.NOT_OPEN, "no address")


class _LimitedSocket(TSocket):  # type: ignore[misc] # the library has no types
    """A socket that limits the time and size of each answer; the library's timeout begins again with every byte.

    The addresses of the server are checked before they are connected to, so that what answers there is not told.
    """

    check_peer: CheckPeer = staticmethod(any_peer)

    def _resolveAddr(self) -> Any:  # noqa: N802 - a method of the library
        found = super()._resolveAddr()
        for *_, address in found:
            self.check_peer(address[0])
        return found

    def write(self, buff: bytes) -> None:
        """Send a request, whose answer must be complete within the limits."""
        stop_if_abandoned()
        self._until, self._left = monotonic() + _ANSWER_MS / 1000, _LARGEST_ANSWER
        self.setTimeout(_ANSWER_MS)
        super().write(buff)

    def read(self, sz: int) -> bytes:
        """Return the next bytes of an answer.

        Raises:
            Malformed: the answer is too large.
            TTransportException: it is not complete in time, or the connection ended.
        """
        left_ms = (self._until - monotonic()) * 1000
        if left_ms <= 0:
            raise self._late()
        self.setTimeout(left_ms)
        try:
            found: bytes = super().read(sz)
        except TTransportException as error:
            if error.type != TTransportException.TIMED_OUT:
                raise
            raise self._late() from error
        self._left -= len(found)
        if self._left < 0:
            raise Malformed(f"an answer of the Metastore is larger than {_LARGEST_ANSWER} bytes")
        return found

    def _late(self) -> TTransportException:
        message = f"read timeout: {self.host}:{self.port} did not answer within {_ANSWER_MS / 1000:g} s"
        return TTransportException(TTransportException.TIMED_OUT, message)


class _MetastoreSession:
    """A client on an open connection, which ends with the block.

    It is not a generator with `contextmanager`, which sets an attribute of a passing exception: those of the
    Metastore's client are immutable, and raise `TypeError` instead.
    """

    def __init__(self, socket: TSocket) -> None:
        self._socket = socket

    def __enter__(self) -> Any:
        return Client(protocol_on(self._socket))

    def __exit__(self, *_raised: object) -> None:
        self._socket.close()
