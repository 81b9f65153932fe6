"""What one answer of a Metastore may take in memory, however few its bytes are."""

import struct
import tracemalloc
from collections.abc import Iterator
from contextlib import closing, contextmanager
from socket import create_server
from threading import Thread

import pytest
from hive_metastore.ThriftHiveMetastore import get_partitions_by_names_result
from hive_metastore.ttypes import FieldSchema, Partition, StorageDescriptor, Table
from thrift.protocol.TBinaryProtocol import TBinaryProtocolAccelerated
from thrift.protocol.TProtocol import TProtocolException
from thrift.transport.TTransport import TMemoryBuffer

from engine.formats.hive.catalog.metastore import Metastore
from engine.formats.intake.catalogs.metastores.answers import check_memory
from engine.formats.intake.catalogs.metastores.sessions import MetastoreServers
from engine.formats.intake.limits import Malformed

STRUCT, STRING, LIST, MAP, I64, BOOL = b"\x0c", b"\x0b", b"\x0f", b"\x0d", b"\x0a", b"\x02"
END = b"\0"
MIB = 2**20


def items(kind: bytes, count: int, each: bytes) -> bytes:
    return kind + struct.pack("!i", count) + each * count


def field(kind: bytes, number: int, value: bytes) -> bytes:
    return kind + struct.pack("!h", number) + value


def message(call: str, result: bytes) -> bytes:
    """Return the answer to a call."""
    name = call.encode()
    return b"\x80\x01\x00\x02" + struct.pack("!i", len(name)) + name + struct.pack("!i", 0) + result


@contextmanager
def answering(answer: bytes) -> Iterator[tuple[str, int]]:
    """Serve one connection with one answer, at an address."""

    def serve() -> None:
        connection, _ = server.accept()
        with connection:
            connection.recv(4096)
            connection.sendall(answer)

    with closing(create_server(("127.0.0.1", 0))) as server:
        thread = Thread(target=serve)
        thread.start()
        yield server.getsockname()
        thread.join()


def test_f42_an_answer_that_takes_much_memory_is_refused_before_its_objects_are_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """F42: 2 MiB of empty columns take 230 MB, though each list is below the limit of one."""
    made: list[str] = []
    monkeypatch.setattr(FieldSchema, "__init__", lambda _self: made.append("column"))
    columns = items(STRUCT, 1_000_000, END)
    table = field(LIST, 8, columns) + field(STRUCT, 7, field(LIST, 1, columns) + END) + END
    refused = pytest.raises(Malformed, match="an answer of the Metastore takes more than 256 MiB of memory")
    with answering(message("get_table", field(STRUCT, 0, table) + END)) as address, refused:
        Metastore(MetastoreServers([address])).table("lake", "events")
    assert not made


HOSTILE = {
    "structs": lambda: field(LIST, 8, items(STRUCT, 1_000_000, END)),
    "texts": lambda: field(LIST, 1, items(STRING, 2_000_000, b"\0\0\0\1x")),
    "wide characters": lambda: field(STRING, 1, struct.pack("!i", 20 * MIB) + b"x" * (20 * MIB - 4) + "💥".encode()),
    "lists": lambda: field(LIST, 1, items(LIST, 2_000_000, BOOL + bytes(4))),
    "maps": lambda: field(MAP, 1, STRING + items(STRING, 2_000_000, b"\0\0\0\1x\0\0\0\1y")),
    "numbers": lambda: field(LIST, 1, items(LIST, 4, items(I64, 2_000_000, bytes(8)))),
    "flags": lambda: field(LIST, 1, items(LIST, 4, items(BOOL, 2_000_000, b"\1"))),
}


@pytest.mark.parametrize("result", [field(b"\x63", 0, b"x") + END, field(LIST, 0, items(I64, 2, bytes(8))) + END])
def test_f42_a_damaged_answer_is_no_fault_of_ours(result: bytes) -> None:
    """F42: Thrift's extension raises TypeError for other types than it knows or expects."""
    with answering(message("get_all_databases", result)) as address, pytest.raises(TProtocolException, match="damaged"):
        Metastore(MetastoreServers([address])).databases()


@pytest.mark.parametrize("kind", HOSTILE)
def test_f42_every_kind_of_value_counts(kind: str) -> None:
    """F42: whatever the bytes are that become many objects."""
    with pytest.raises(Malformed, match="takes more than 64 MiB"):
        check_memory(HOSTILE[kind]() + END, 0, limit=64 * 2**20)


def test_f42_the_largest_sound_answers_are_accepted() -> None:
    """F42: a million names of 64 characters, and a page of partitions of a table with 20,000 columns."""
    check_memory(field(LIST, 0, items(STRING, 1_000_000, struct.pack("!i", 64) + b"x" * 64)) + END, 0)
    columns = [FieldSchema(f"column_of_a_table_{number}", "string", "") for number in range(20_000)]
    parts = [Partition(["2026-11-01"], "lake", "events", sd=StorageDescriptor(cols=columns)) for _ in range(2)]
    target = TMemoryBuffer()
    get_partitions_by_names_result(success=parts).write(TBinaryProtocolAccelerated(target))
    check_memory(target.getvalue(), 0)
    tracemalloc.start()
    made = [Table() for _ in range(1000)]
    assert tracemalloc.get_traced_memory()[0] / len(made) <= 340, "the largest object"
    tracemalloc.stop()
