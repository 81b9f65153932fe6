"""Calls to a Hive Metastore by Thrift, each on a connection of its own, with limits of time and size."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from hive_metastore.ThriftHiveMetastore import Client
from hive_metastore.ttypes import EnvironmentContext, NoSuchObjectException, Partition, Table
from thrift.protocol.TBinaryProtocol import TBinaryProtocolAccelerated
from thrift.transport.TSocket import TSocket
from thrift.transport.TTransport import TBufferedTransport, TTransportException

from engine.formats.intake.limits import Malformed

CheckPeer = Callable[[str], None]
"""Raises `InvalidInput` if the address of a connected server is refused."""

MOST_PARTITIONS: Final = 1_000_000
"""Limit of the partitions of one table; the Metastore answers with about 1 KB for each."""

_CONNECT_MS: Final = 10_000
_ANSWER_MS: Final = 60_000
_PAGE: Final = 1000
_TABLES_AT_ONCE: Final = 100
_LONGEST_TEXT: Final = 64 * 2**20
_LONGEST_LIST: Final = 2_000_000


def any_peer(_address: str) -> None:
    """Allow every server."""


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
        """Yield the tables of a database by name, as far as they still exist."""
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

    def partitions(self, database: str, name: str) -> Iterator[Partition]:
        """Yield the partitions of a table, in pages; one that is dropped meanwhile may be missing.

        Raises:
            Malformed: there are more than `MOST_PARTITIONS`.
        """
        with self._client() as client:
            names = client.get_partition_names(database, name, -1)
            if len(names) > MOST_PARTITIONS:
                raise Malformed(f"it has {len(names)} partitions; the limit is {MOST_PARTITIONS}")
            for start in range(0, len(names), _PAGE):
                yield from client.get_partitions_by_names(database, name, names[start : start + _PAGE])

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

    @contextmanager
    def _client(self) -> Iterator[Any]:
        socket = self._connected()
        transport = TBufferedTransport(socket)
        try:
            yield Client(
                TBinaryProtocolAccelerated(
                    transport, string_length_limit=_LONGEST_TEXT, container_length_limit=_LONGEST_LIST
                )
            )
        finally:
            transport.close()

    def _connected(self) -> TSocket:
        """Return an open connection to the first address that answers; raises the error of the last one."""
        failed: TTransportException | None = None
        for host, port in self.addresses:
            socket = TSocket(host, port)
            socket.setTimeout(_CONNECT_MS)
            try:
                socket.open()
            except TTransportException as error:
                failed = error
                continue
            try:
                self.check_peer(socket.handle.getpeername()[0])
            except BaseException:
                socket.close()
                raise
            socket.setTimeout(_ANSWER_MS)
            return socket
        raise failed or TTransportException(TTransportException.NOT_OPEN, "no address")
