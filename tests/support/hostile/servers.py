"""A TCP server on loopback that plays one way of harming its clients, and records what they sent."""

import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Thread
from typing import Final

from tests.support.hostile.behaviours import Way

_LARGEST_REQUEST: Final = 2**16


@dataclass
class HostileServer:
    """The server. `received`: the first bytes of each request, one for each connection.

    `waits_for` ends a request; empty: the server speaks first. `tls`: None for plain connections.
    """

    way: Way
    waits_for: bytes = b"\r\n\r\n"
    tls: ssl.SSLContext | None = None
    received: list[bytes] = field(default_factory=list)
    port: int = 0
    _open: list[socket.socket] = field(default_factory=list)

    @property
    def url(self) -> str:
        """The address for clients of HTTP."""
        return f"{'http' if self.tls is None else 'https'}://127.0.0.1:{self.port}"

    @contextmanager
    def running(self) -> Iterator["HostileServer"]:
        """Serve until the block ends."""
        with socket.create_server(("127.0.0.1", 0), backlog=128) as listener:
            self.port = listener.getsockname()[1]
            thread = Thread(target=self._accept, args=(listener,), daemon=True)
            thread.start()
            try:
                yield self
            finally:
                listener.shutdown(socket.SHUT_RDWR)  # ends accept
                thread.join()
                for each in self._open:
                    with suppress(OSError):
                        each.shutdown(socket.SHUT_RDWR)

    def _accept(self, listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                self._open.append(connection)
                Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with suppress(OSError), self._wrapped(connection) as connection:  # noqa: PLR1704
            request = b""
            while self.waits_for not in request and len(request) < _LARGEST_REQUEST:
                part = connection.recv(_LARGEST_REQUEST)
                if not part:
                    return
                request += part
            self.received.append(request)
            self.way(connection)

    def _wrapped(self, connection: socket.socket) -> socket.socket:
        return connection if self.tls is None else self.tls.wrap_socket(connection, server_side=True)
