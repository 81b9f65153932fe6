"""A server of the Metastore's protocol that answers with stated tables, also ones that no Metastore would keep."""

import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Thread
from typing import Final

from hive_metastore.ThriftHiveMetastore import Processor
from hive_metastore.ttypes import FieldSchema, NoSuchObjectException, Partition, SerDeInfo, StorageDescriptor, Table
from thrift.protocol.TBinaryProtocol import TBinaryProtocolAccelerated
from thrift.transport.TSocket import TSocket
from thrift.transport.TTransport import TBufferedTransport, TTransportException

_PARQUET: Final = "org.apache.hadoop.hive.ql.io.parquet"


@dataclass
class StatedMetastore:
    """One database `lake` with tables by name and the partitions of each; raises `fails` at the call `at`."""

    tables: dict[str, Table] = field(default_factory=dict)
    partitions: dict[str, Sequence[Partition]] = field(default_factory=dict)
    fails: Exception | None = None
    at: str = ""
    port: int = 0
    users: list[tuple[str, list[str]]] = field(default_factory=list)

    @property
    def uri(self) -> str:
        return f"thrift://127.0.0.1:{self.port}"

    @contextmanager
    def running(self) -> Iterator["StatedMetastore"]:
        """Serve until the block ends."""
        with socket.create_server(("127.0.0.1", 0)) as server:
            self.port = server.getsockname()[1]
            accepting = Thread(target=self._accept, args=(server,), daemon=True)
            accepting.start()
            try:
                yield self
            finally:
                server.shutdown(socket.SHUT_RDWR)
                accepting.join()

    def set_ugi(self, user: str, groups: list[str]) -> list[str]:
        self.users.append((user, groups))
        return [user]

    def get_all_databases(self) -> list[str]:
        self._fail("get_all_databases")
        return ["lake"]

    def get_all_tables(self, _database: str) -> list[str]:
        self._fail("get_all_tables")
        return list(self.tables)

    def get_table_objects_by_name(self, _database: str, names: list[str]) -> list[Table]:
        self._fail("get_table_objects_by_name")
        return [self.tables[name] for name in names if name in self.tables]

    def get_table(self, _database: str, name: str) -> Table:
        self._fail("get_table")
        if name not in self.tables:
            raise NoSuchObjectException(name)
        return self.tables[name]

    def get_partition_names(self, _database: str, name: str, _limit: int) -> list[str]:
        self._fail("get_partition_names")
        return list(map(str, range(len(self.partitions.get(name, ())))))

    def get_partitions_by_names(self, _database: str, name: str, numbers: list[str]) -> list[Partition]:
        self._fail("get_partitions_by_names")
        return [self.partitions[name][int(number)] for number in numbers]

    def get_partition(self, _database: str, name: str, values: list[str]) -> Partition:
        self._fail("get_partition")
        for each in self.partitions.get(name, ()):
            if each.values == values:
                return each
        raise NoSuchObjectException(name)

    def alter_partition_with_environment_context(
        self, _database: str, name: str, changed: Partition, _context: object
    ) -> None:
        self._fail("alter_partition_with_environment_context")
        self.partitions[name] = [changed if each.values == changed.values else each for each in self.partitions[name]]

    def _fail(self, call: str) -> None:
        if self.fails is not None and call == self.at:
            raise self.fails

    def _accept(self, server: socket.socket) -> None:
        with suppress(OSError):  # it is shut down
            while True:
                connection, _ = server.accept()
                Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        accepted = TSocket()
        accepted.setHandle(connection)
        transport = TBufferedTransport(accepted)
        protocol, processor = TBinaryProtocolAccelerated(transport), Processor(self)
        with suppress(TTransportException), connection:
            while True:
                processor.process(protocol, protocol)


def stated_table(
    location: str | None, keys: Sequence[tuple[str, str]] = (("day", "string"),), columns: int = 1
) -> Table:
    """Return an entry of a Parquet table."""
    return Table(
        tableName="events",
        dbName="lake",
        createTime=1_700_000_000,
        sd=_descriptor(location, [FieldSchema(f"c{number}", "bigint", "") for number in range(columns)]),
        partitionKeys=[FieldSchema(name, kind, "") for name, kind in keys],
        parameters={},
        tableType="EXTERNAL_TABLE",
    )


def stated_partition(values: Sequence[str], location: str | None) -> Partition:
    """Return a partition, also with values and a location that no Metastore would accept."""
    return Partition(list(values), "lake", "events", sd=_descriptor(location, []), parameters={})


def _descriptor(location: str | None, columns: list[FieldSchema]) -> StorageDescriptor:
    return StorageDescriptor(
        cols=columns,
        location=location,
        inputFormat=f"{_PARQUET}.MapredParquetInputFormat",
        serdeInfo=SerDeInfo(serializationLib=f"{_PARQUET}.serde.ParquetHiveSerDe", parameters={}),
        bucketCols=[],
        parameters={},
    )
