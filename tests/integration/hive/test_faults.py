"""Metastores that are away, slow or something else, and entries that no Metastore should have."""

import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from hive_metastore.ttypes import MetaException, Partition

from engine.domain.errors import Away, InvalidInput, PackhouseError, StateConflict, TableUnreadable, Transient
from engine.domain.tables.table import TableRef
from engine.formats.base import Engine
from engine.formats.hive import HiveFormat
from engine.formats.hive.connection import HiveConnection
from engine.formats.intake.catalogs.metastores import sockets
from engine.services.catalogs.locations import LocationRules
from tests.support.hive.lakes import HiveLake
from tests.support.hive.stated_metastore import StatedMetastore, stated_partition, stated_table
from tests.support.tarpit import Tarpit

REF = TableRef("lake", ("lake",), "events")
CALLS: dict[str, Callable[[HiveConnection], Any]] = {
    "get_all_databases": lambda connection: connection.ping(),
    "get_all_tables": lambda connection: connection.list_tables(5),
    "get_table_objects_by_name": lambda connection: connection.list_tables(5),
    "get_table": lambda connection: connection.open_table(REF),
    "get_partition_names": lambda connection: connection.open_table(REF),
    "get_partitions_by_names": lambda connection: connection.open_table(REF),
}


@pytest.fixture
def table(hive_lake: HiveLake) -> HiveLake:
    hive_lake.create_table().append(["2026-11-01"], [{"id": 1, "value": 0.5}])
    return hive_lake


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("fault", ["cut", "lost"])
def test_a_connection_that_ends_at_a_call_is_a_wait(table: HiveLake, call: str, fault: str) -> None:
    with table.metastore.switched() as (behind, switch):
        setattr(switch, fault, call)
        with pytest.raises(Away, match="Could not"):
            CALLS[call](_connect(behind.uri))
    assert switch.faults == 1


@pytest.mark.parametrize("call", ["get_all_databases", "get_table"])
def test_a_metastore_that_does_not_answer_in_time_is_a_wait(
    table: HiveLake, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    monkeypatch.setattr(sockets, "_ANSWER_SECONDS", 0.2)
    with table.metastore.switched() as (behind, switch):
        switch.stall()
        with pytest.raises(Away, match="timeout"):
            CALLS[call](_connect(behind.uri))


def test_an_answer_that_trickles_in_ends_at_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each byte arrives before the socket's own timeout."""
    monkeypatch.setattr(sockets, "_ANSWER_SECONDS", 1)
    with _trickling() as uri, pytest.raises(Away, match=r"timeout: 127\.0\.0\.1:[0-9]+ did not answer within 1 s"):
        _connect(uri).ping()


def test_a_metastore_that_is_away_is_a_wait_and_names_its_address() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        port = server.getsockname()[1]
    connection = _connect(f"thrift://127.0.0.1:{port}")

    with pytest.raises(Away, match=f"127.0.0.1:{port}"):
        connection.ping()
    assert [step.ok for step in connection.check()][:1] == [False]


def test_the_next_address_is_used_if_the_first_does_not_answer(table: HiveLake) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        port = server.getsockname()[1]
    connection = _connect(f"thrift://127.0.0.1:{port}, {table.metastore.uri}")

    assert connection.open_table(REF).digest().num_rows == 1


@pytest.mark.parametrize(
    "answer",
    [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\x15\x03\x01\x00\x02\x02\x28", bytes(64), b"\xff" * 64],
    ids=["http", "tls", "zeros", "ones"],
)
def test_a_server_of_another_protocol_is_named_as_such(monkeypatch: pytest.MonkeyPatch, answer: bytes) -> None:
    monkeypatch.setattr(sockets, "_ANSWER_SECONDS", 1)
    for name in ("get_all_databases", "get_table"):
        with _answering(answer) as uri, pytest.raises(PackhouseError, match="Could not") as raised:
            CALLS[name](_connect(uri))
        assert isinstance(raised.value, StateConflict | Away | Transient)
        assert not isinstance(raised.value, TableUnreadable)


def test_a_web_server_is_no_metastore() -> None:
    """The begin of its answer reads as a text of more than a gigabyte."""
    answer = b"HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain\r\n\r\nInvalid HTTP request received."
    with _answering(answer) as uri, pytest.raises(StateConflict, match="check that `uri` is the address of a Hive"):
        _connect(uri).ping()


def test_an_address_without_a_server_is_named() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        port = server.getsockname()[1]
    with pytest.raises(Away, match=f"no connection to 127.0.0.1:{port}"):
        _connect(f"thrift://127.0.0.1:{port}").ping()


def test_a_silent_server_is_a_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sockets, "_ANSWER_SECONDS", 0.2)
    with Tarpit().running() as tarpit, pytest.raises(Away, match="timeout"):
        _connect(tarpit.url.replace("http:", "thrift:")).ping()


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("error", [MetaException("its database does not answer"), RuntimeError("internal")])
def test_an_error_of_the_metastore_is_a_wait(call: str, error: Exception) -> None:
    """The exceptions of its client are immutable: nothing may set an attribute of them."""
    partitions = {"events": [stated_partition(["a"], "file:/nowhere/a")]}
    stated = StatedMetastore({"events": stated_table("file:/nowhere")}, partitions, fails=error, at=call)
    with stated.running() as server, pytest.raises(Transient, match="Could not"):
        CALLS[call](_connect(server.uri))


def test_an_answer_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sockets, "_LARGEST_ANSWER", 100_000)
    tables = {"events": stated_table("file:/nowhere", columns=10_000)}
    with StatedMetastore(tables).running() as server, pytest.raises(TableUnreadable, match="larger than"):
        _connect(server.uri).open_table(REF)


def test_a_database_that_is_dropped_during_the_listing_has_no_tables(table: HiveLake) -> None:
    def drop(namespace: Sequence[str]) -> bool:
        if list(namespace) == ["lake"]:
            with table.metastore.client() as client:
                client.drop_database("lake", False, True)
        return True

    listed = _connect(table.metastore.uri).list_tables(100, drop)
    HiveLake(table.metastore, table.root).create()

    assert "lake" not in [database for database, _ in listed.identifiers]


def test_a_loopback_address_is_refused_in_production(table: HiveLake) -> None:
    locations = LocationRules(allows_local=False)
    connection = HiveFormat(check_peer=locations.check_peer).connect(
        "lake", {"type": "metastore", "uri": table.metastore.uri}
    )
    with pytest.raises(InvalidInput, match="names a forbidden address"):
        connection.ping()


@pytest.mark.parametrize(
    ("partition", "reason"),
    [
        (stated_partition(["a", "b"], "file:/x"), "2 values, the table 1 partition keys"),
        (stated_partition([], "file:/x"), "0 values"),
        (Partition(None, "lake", "events"), "0 values"),
    ],
    ids=["two values", "no value", "nothing"],
)
def test_damaged_partitions_make_the_table_unreadable(tmp_path: Path, partition: Partition, reason: str) -> None:
    stated = StatedMetastore({"events": stated_table(f"file:{tmp_path}")}, {"events": [partition]})
    with stated.running() as server, pytest.raises(TableUnreadable, match=reason):
        _connect(server.uri).open_table(REF)


@pytest.mark.parametrize(
    "partition",
    [
        Partition(["a"], "lake", "events"),
        stated_partition(["a"], None),
        stated_partition(["a"], ""),
        stated_partition(["a"], "/" + "x" * 10_000),
    ],
    ids=["no descriptor", "no location", "empty", "endless"],
)
def test_f47_a_partition_without_a_location_is_left_out(tmp_path: Path, partition: Partition) -> None:
    """F47: the table is read all the same, and its other partitions are rewritten."""
    good = stated_partition(["b"], f"file:{tmp_path}/day=b")
    stated = StatedMetastore({"events": stated_table(f"file:{tmp_path}")}, {"events": [partition, good]})
    with stated.running() as server:
        kernel = _connect(server.uri).open_table(REF).engines[Engine.ARROW]
        conditions = {each.name: each for each in kernel.conditions()}
    assert all(conditions[name].holds for name in ("known_partitions", "separate_locations", "locations_allowed"))
    assert conditions["known_partitions"].detail == (
        '1 of 2 partitions are left out: {"day":"a"}: its entry has no location'
    )


def test_damaged_tables_are_unreadable_and_not_listed(tmp_path: Path) -> None:
    """F41: too wide or too deep schemas are refused before anything is computed from them."""
    bare, wide, placeless = stated_table(None), stated_table(f"file:{tmp_path}", columns=30_000), stated_table(None)
    bare.sd = None
    deep = stated_table(f"file:{tmp_path}", keys=[("day", "struct<a:" * 79 + "decimal(10,2)" + ">" * 79)])
    acid = stated_table(f"file:{tmp_path}")
    acid.parameters["transactional"] = "TRUE"
    twice = stated_table(f"file:{tmp_path}", keys=[("day", "string"), ("day", "int")])
    for entry, reason in (
        (bare, "no storage descriptor"),
        (wide, "its schema has 30,001 fields, .* 20,000 is the limit"),
        (deep, "nested 80 levels deep; 64 is the limit"),
        (placeless, "no location"),
        (acid, "transactional table"),
        (twice, "two columns named day"),
    ):
        with StatedMetastore({"events": entry}).running() as server:
            with pytest.raises(TableUnreadable, match=reason):
                _connect(server.uri).open_table(REF)
            assert _connect(server.uri).pointers([REF]) == {}
            assert list(_connect(server.uri).list_tables(5).identifiers) in ([], [("lake", "events")])


@pytest.mark.parametrize("location", ["s3://other/place", "relative", "file://host/x", "hdfs:x", "file:/a\x00b", ".."])
def test_locations_that_the_table_does_not_own_are_not_listed(tmp_path: Path, location: str) -> None:
    stated = StatedMetastore(
        {"events": stated_table(f"file:{tmp_path}")}, {"events": [stated_partition(["a"], location)]}
    )
    with stated.running() as server:
        opened = _connect(server.uri).open_table(REF)
        assert (opened.digest().num_rows, opened.describe()["partitions_outside"]) == (0, 1)


@pytest.mark.parametrize("spelling", ["file:{}/a", "file://{}/a", "file:{}//a", "{}/a", "file:{}/a/"])
def test_spellings_that_a_metastore_would_change_have_the_files_of_their_folder(tmp_path: Path, spelling: str) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "file").write_bytes(b"PAR1")
    partitions = [stated_partition(["a"], spelling.format(tmp_path)), stated_partition(["b"], f"file:{tmp_path}/b")]
    entry = stated_table(f"file:{tmp_path}")
    with StatedMetastore({"events": entry}, {"events": partitions}).running() as server:
        opened = _connect(server.uri).open_table(REF)
        assert opened.digest().num_rows == 1
        assert {each.name: each.holds for each in opened.engines[Engine.ARROW].conditions()}["separate_locations"]
    partitions[1].sd.location = f"file:{tmp_path}/a"
    with StatedMetastore({"events": entry}, {"events": partitions}).running() as server:
        opened = _connect(server.uri).open_table(REF)
        assert not {each.name: each.holds for each in opened.engines[Engine.ARROW].conditions()}["separate_locations"]


def test_odd_values_and_times_are_kept_as_texts(tmp_path: Path) -> None:
    values = ["a\nb", "\x00", '"', "\\", "", "x" * 100_000, "\u0661"]
    entry = stated_table(f"file:{tmp_path}", keys=[("day", "int")])
    entry.createTime = -5
    partitions = []
    for number, value in enumerate(values):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "file").write_bytes(b"PAR1")
        partitions.append(stated_partition([value], f"file:{tmp_path}/{number}"))
    with StatedMetastore({"events": entry}, {"events": partitions}).running() as server:
        opened = _connect(server.uri).open_table(REF)
    assert opened.digest().num_rows == len(values)
    assert opened.figures().times == {}
    assert opened.pointer.startswith("state-")


@pytest.mark.parametrize(
    ("properties", "pointer"),
    [
        ({"uri": "thrift://metastore:9083"}, "/properties/type"),
        ({"type": "hive", "uri": "thrift://metastore:9083"}, "/properties/type"),
        ({"type": "glue", "uri": "thrift://metastore:9083"}, "/properties/uri"),
        ({"type": "glue", "glue.id": "12"}, "/properties/glue.id"),
        ({"type": "glue", "client.region": "local"}, "/properties/client.region"),
        ({"type": "glue", "glue.endpoint": "glue.internal"}, "/properties/glue.endpoint"),
        ({"type": "glue", "client.role-arn": "packhouse"}, "/properties/client.role-arn"),
        ({"type": "glue", "glue.skip-archive": "true"}, "/properties/glue.skip-archive"),
        ({"type": "glue", "client.access-key-id": "a"}, "/properties/client.secret-access-key"),
        ({"type": "metastore"}, "/properties/uri"),
        ({"type": "metastore", "uri": "http://metastore:9083"}, "/properties/uri"),
        ({"type": "metastore", "uri": "thrift://metastore"}, "/properties/uri"),
        ({"type": "metastore", "uri": "thrift://user@metastore:9083"}, "/properties/uri"),
        ({"type": "metastore", "uri": "thrift://metastore:9083", "ugi": ":group"}, "/properties/ugi"),
        ({"type": "metastore", "uri": "thrift://metastore:70000"}, "/properties/uri"),
        ({"type": "metastore", "uri": "thrift://a:9083,,thrift://b:9083"}, "/properties/uri"),
        ({"type": "metastore", "uri": "thrift://a:9083", "warehouse": "/x"}, "/properties/warehouse"),
        ({"type": "metastore", "uri": "thrift://a:9083", "s3.endpoint": ""}, "/properties/s3.endpoint"),
    ],
)
def test_wrong_properties_are_named(properties: dict[str, str], pointer: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        HiveFormat().validate(properties)
    assert [problem.pointer for problem in raised.value.problems] == [pointer]


def _connect(uri: str) -> HiveConnection:
    return HiveFormat(pause=0).connect("lake", {"type": "metastore", "uri": uri})


@contextmanager
def _answering(answer: bytes) -> Iterator[str]:
    """Serve one connection with one answer."""

    def serve() -> None:
        connection, _ = server.accept()
        with connection:
            connection.recv(4096)
            connection.sendall(answer)

    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        thread = Thread(target=serve)
        thread.start()
        yield f"thrift://127.0.0.1:{server.getsockname()[1]}"
        thread.join()


@contextmanager
def _trickling() -> Iterator[str]:
    """Answer with a message that never ends, a byte at a time."""
    over = Event()

    def serve() -> None:
        connection, _ = server.accept()
        with connection, suppress(OSError):
            connection.recv(4096)
            connection.sendall(b"\x80\x01\x00\x02\x00\x00\x10\x00")
            while not over.wait(0.1):
                connection.sendall(b"x")

    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        thread = Thread(target=serve)
        thread.start()
        yield f"thrift://127.0.0.1:{server.getsockname()[1]}"
        over.set()
        thread.join()
