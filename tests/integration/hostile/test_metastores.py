"""Hostile servers in place of a Hive Metastore: a call ends within its limits, and its error names the server (F59)."""

import struct

import pytest

from engine.domain.errors import Away, PackhouseError
from engine.domain.tables.table import TableRef
from engine.formats.hive import HiveFormat
from engine.formats.intake.catalogs.metastores import sockets
from tests.support.hostile.behaviours import Way, answer, drip, flood, once, silent
from tests.support.hostile.budgets import error_within
from tests.support.hostile.clients import DEADLINE_SECONDS, MOST_SECONDS
from tests.support.hostile.servers import HostileServer

_NAME = b"get_all_databases"
_REPLY = b"\x80\x01\0\2" + struct.pack(">i", len(_NAME)) + _NAME + bytes(4)
_LIST = _REPLY + b"\x0f\0\0\x0b"
"""The begin of a list of texts."""
WAYS: dict[str, Way] = {
    "drip, silent": silent,
    "drip, a name": drip(b"\x80\x01\0\2\0\0\x10\0", b"x"),
    "drip, texts": drip(_LIST + b"\0\x0f\xff\xff", b"\0\0\0\1x"),
    "endless, texts": flood(_LIST + b"\x7f\xff\xff\xff", b"\0\0\0\1x"),
    "endless, empty texts": flood(_LIST + b"\0\xff\xff\xff", bytes(4)),
    "endless, fields": flood(_REPLY, b"\2\0\7\1"),
    "huge, a text": flood(_LIST + b"\0\0\0\1\x5d\xc0\0\0", b"x"),
    "huge, texts": flood(_LIST + b"\0\0\xff\xff", struct.pack(">i", 2**20) + b"x" * 2**20),
    "lie, html": once(answer(b"<html>welcome</html>", kind="text/html")),
    "lie, zeros": once(bytes(2**16)),
}


@pytest.mark.parametrize("way", WAYS)
def test_f59_a_call_to_a_metastore_ends_within_its_limits(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if way.startswith("drip"):  # the others end by their size, which takes longer
        monkeypatch.setattr(sockets, "_ANSWER_SECONDS", DEADLINE_SECONDS)
    with HostileServer(WAYS[way], waits_for=_NAME).running() as server:
        properties = {"type": "metastore", "uri": f"thrift://127.0.0.1:{server.port}"}
        error = error_within(MOST_SECONDS, HiveFormat(pause=0).connect("lake", properties).ping)
    assert isinstance(error, PackhouseError), repr(error)
    assert f"127.0.0.1:{server.port}" in str(error) or "check that `uri`" in str(error), error


def test_f59_the_error_of_a_table_whose_metastore_is_silent_names_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sockets, "_ANSWER_SECONDS", 0.1)
    with HostileServer(silent, waits_for=b"get_table").running() as server:
        properties = {"type": "metastore", "uri": f"thrift://127.0.0.1:{server.port}"}
        with pytest.raises(Away, match=f"127.0.0.1:{server.port} did not answer within 0.1 s"):
            HiveFormat(pause=0).connect("lake", properties).open_table(TableRef("lake", ("sales",), "orders"))
