"""Catalogs whose `uri` leads to a hostile server instead of a Postgres: a call ends within its limits (F59)."""

import socket
from collections.abc import Callable
from functools import partial

import pytest

from engine.domain.errors import Away, StateConflict
from engine.formats.iceberg import IcebergFormat
from engine.formats.iceberg.catalog.stored import sql as catalogs
from engine.formats.paimon.catalog import database
from engine.formats.paimon.connection import PaimonFormat
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
