"""A TCP server on loopback that accepts connections and never answers, or trickles bytes that never end a header."""

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Event, Lock, Thread

import pytest
from pyiceberg.catalog.sql import IcebergTables, SqlCatalog
from sqlalchemy import update

SECRET = "TARPIT_SECRET"
"""Name of the environment variable that catalogs on this server refer to; any value will do."""

_TRICKLE_SECONDS = 0.2
_HEAD = b"HTTP/1.1 200 OK\r\nX-Slow: "


@dataclass
class Tarpit:
    """The server. `trickles`: send one byte of a header at an interval instead of nothing."""

    trickles: bool = False
    accepted: int = 0
    _held: list[socket.socket] = field(default_factory=list)
    _lock: Lock = field(default_factory=Lock)
    _over: Event = field(default_factory=Event)
    _port: int = 0

    @contextmanager
    def running(self) -> Iterator["Tarpit"]:
        """Accept connections until the block ends, then reset those that are held."""
        with socket.create_server(("127.0.0.1", 0), backlog=256) as server:
            self._port = server.getsockname()[1]
            threads = [Thread(target=work, args=(server,)) for work in (self._accept, self._trickle)]
            for thread in threads:
                thread.start()
            try:
                yield self
            finally:
                self._over.set()
                with suppress(OSError):
                    socket.create_connection(("127.0.0.1", self._port)).close()
                for thread in threads:
                    thread.join()
                self.release()

    @property
    def url(self) -> str:
        """The address for clients of HTTP."""
        return f"http://127.0.0.1:{self._port}"

    def properties(self) -> dict[str, str]:
        """Return the catalog properties that make this server the S3 endpoint of the catalog's tables."""
        return {
            "s3.endpoint": self.url,
            "s3.region": "us-east-1",
            "s3.access-key-id": f"env:{SECRET}",
            "s3.secret-access-key": f"env:{SECRET}",
        }

    def swallow(self, catalog: SqlCatalog, namespace: str, name: str) -> None:
        """Point a table of a SQL catalog at metadata on this server's storage."""
        location = f"s3://tarpit/{name}/metadata/00001.metadata.json"
        with catalog.engine.begin() as connection:
            changed = connection.execute(
                update(IcebergTables)
                .where(IcebergTables.table_namespace == namespace, IcebergTables.table_name == name)
                .values(metadata_location=location)
            )
        assert changed.rowcount == 1

    def release(self) -> None:
        """Close the connections that are held: their clients see them end, and may open others."""
        with self._lock:
            for connection in self._held:
                connection.close()
            self._held.clear()

    def wait_accepted(self, count: int, seconds: float = 30.0) -> None:
        """Wait until so many connections were accepted."""
        _until(lambda: self.accepted >= count, seconds)

    def _accept(self, server: socket.socket) -> None:
        while not self._over.is_set():
            connection, _ = server.accept()
            with self._lock:
                self.accepted += 1
                self._held.append(connection)

    @staticmethod
    def _head_for(connection: socket.socket) -> bytes:
        """Return the begin of an answer once there is a request; raises OSError before."""
        connection.recv(1, socket.MSG_DONTWAIT | socket.MSG_PEEK)
        return _HEAD

    def _trickle(self, _server: socket.socket) -> None:
        begun: set[socket.socket] = set()
        while not self._over.wait(_TRICKLE_SECONDS):
            with self._lock:
                held = list(self._held) if self.trickles else []
            for connection in held:
                with suppress(OSError):
                    connection.send(b"x" if connection in begun else self._head_for(connection))
                    begun.add(connection)


@pytest.fixture
def tarpit(monkeypatch: pytest.MonkeyPatch) -> Iterator[Tarpit]:
    """A server that accepts and never answers."""
    monkeypatch.setenv(SECRET, "of no use elsewhere")
    with Tarpit().running() as running:
        yield running


def _until(holds: Callable[[], bool], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, f"not within {seconds} s"
        time.sleep(0.01)
