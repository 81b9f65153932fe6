"""Catalogs whose `uri` leads to a hostile server instead of a Postgres: a call ends within its limits (F59)."""

import socket
from collections.abc import Callable
from functools import partial

import pytest

from engine.domain.errors import Away, StateConflict, Transient
from engine.formats.iceberg import IcebergFormat
from engine.formats.iceberg.catalog.stored import sql as catalogs
from engine.formats.paimon.catalog import database
from engine.formats.paimon.connection import PaimonFormat
from engine.sql import mysql
from tests.support.hostile.behaviours import Way, answer, drip, flood, once, silent
from tests.support.hostile.budgets import error_within
from tests.support.hostile.clients import DEADLINE_SECONDS, MOST_SECONDS
from tests.support.hostile.servers import HostileServer

_ACCEPTED = b"R\0\0\0\x08\0\0\0\0"
_READY = b"Z\0\0\0\x05I"
_PARAMETER = b"S\0\0\0\x08a\0b\0"
_NOTICE = b"N\x3f\xff\xff\xffSNOTICE\0M"
"""The begin of a notice of 1 GiB."""


def _after_a_query(way: Way) -> Way:
    def send(connection: socket.socket) -> None:
        connection.sendall(_ACCEPTED + _READY)
        connection.recv(2**16)
        way(connection)

    return send


WAYS: dict[str, Way] = {
    "drip, silent": silent,
    "drip, parameters": drip(_ACCEPTED, _PARAMETER),
    "drip, a notice to a query": _after_a_query(drip(_NOTICE, b"x")),
    "endless, an error": flood(b"Eerror ", b"x"),
    "endless, parameters": flood(_ACCEPTED, _PARAMETER),
    "endless, a notice": flood(_ACCEPTED + _NOTICE, b"x"),
    "endless, a notice to a query": _after_a_query(flood(_NOTICE, b"x")),
    "lie, no Postgres": once(b"-ERR no such command\r\n" * 10),
    "lie, html": once(answer(b"<html>welcome</html>", kind="text/html")),
}


def _iceberg(uri: str) -> None:
    IcebergFormat().connect("lake", {"type": "sql", "uri": uri}).ping()


def _paimon(uri: str) -> None:
    PaimonFormat().connect("lake", {"type": "jdbc", "uri": uri, "warehouse": "/tmp/none"}).ping()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("call", [_iceberg, _paimon])
def test_f59_a_call_to_the_database_of_a_catalog_ends_within_its_limits(
    call: Callable[[str], None], way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if way.startswith("drip"):  # the others end by their size, which takes longer
        for module in (catalogs, database):
            monkeypatch.setattr(module, "ANSWER_SECONDS", DEADLINE_SECONDS)
    with HostileServer(WAYS[way], waits_for=b"\0").running() as server:
        uri = f"postgresql://u:p@127.0.0.1:{server.port}/lake?sslmode=disable&connect_timeout=1"
        error = error_within(MOST_SECONDS, partial(call, uri))
    assert isinstance(error, Away | StateConflict), repr(error)
    assert "127.0.0.1" in error.message or "check the catalog's `uri`" in error.message


_HELLO = b"\x0a8.0.40\0" + bytes(4) + b"12345678\0" + b"\xff\xf7\x21\x02\0\xff\x81\x15" + bytes(10) + b"123456789012\0"
_GREETING = bytes([len(_HELLO) + 22, 0, 0, 0]) + _HELLO + b"mysql_native_password\0"
_FINE = b"\x07\0\0\x02\0\0\0\x02\0\0\0"
_LARGE = b"\xff\xff\xff"


def _after_a_login(way: Way) -> Way:
    def send(connection: socket.socket) -> None:
        connection.sendall(_GREETING)
        connection.recv(2**16)
        connection.sendall(_FINE)
        while b"SELECT" not in connection.recv(2**16):
            connection.sendall(_FINE.replace(b"\x02", b"\x01", 1))
        way(connection)

    return send


_COLUMNS = b"\x01\0\0\x01\x01\x17\0\0\x02\x03def\0\0\0\x01a\0\x0c\x21\0\xff\0\0\0\xfd\0\0\0\0\0\x05\0\0\x03\xfe\0\0\2\0"
_ROWS = b"".join(bytes([1, 0, 0, number % 256, 0xFB]) for number in range(4, 260))
"""Of one column that is null, with numbers as of the packets of an answer that begins with the columns."""

OF_MYSQL: dict[str, Way] = {
    "drip, silent": silent,
    "drip, a greeting": drip(b"\xe8\x03\0\0\x0a", b"8"),
    "drip, an answer": _after_a_login(drip(b"\xe8\x03\0\x01", b"x")),
    "endless, a greeting": flood(_LARGE + b"\0", b"x"),
    "endless, an answer": _after_a_login(flood(_LARGE + b"\x01", b"x")),
    "endless, rows": _after_a_login(flood(_COLUMNS, _ROWS)),
    "lie, a file is asked for": _after_a_login(once(b"\x0c\0\0\x01\xfb/etc/passwd")),
    "lie, a short packet": _after_a_login(once(b"\x01\0\0\x01\xfe")),
    "lie, no MySQL": once(answer(b"<html>welcome</html>", kind="text/html")),
}


@pytest.mark.parametrize("way", OF_MYSQL)
def test_f59_a_call_to_a_database_in_mysql_ends_within_its_limits(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if way.startswith("drip"):
        monkeypatch.setattr(database, "ANSWER_SECONDS", DEADLINE_SECONDS)
        monkeypatch.setattr(mysql, "_CONNECT_SECONDS", DEADLINE_SECONDS)
    with HostileServer(OF_MYSQL[way], waits_for=b"").running() as server:
        error = error_within(MOST_SECONDS, partial(_paimon, f"mysql://u:hidden@127.0.0.1:{server.port}/lake"))
    assert isinstance(error, Transient | StateConflict), repr(error)
    assert "hidden" not in error.message
    assert ("is longer than 64 MiB" in error.message) is (way == "endless, rows")
