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
_END_SECONDS: Final = 10.0
"""In which the thread of a connection ends after it, also on a machine with much other work."""


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
    _threads: list[Thread] = field(default_factory=list)

    @property
    def url(self) -> str:
        """The address for clients of HTTP."""
        return f"{'http' if self.tls is None else 'https'}://127.0.0.1:{self.port}"

    @contextmanager
    def running(self) -> Iterator["HostileServer"]:
        """Serve until the block ends; then end the connections, and the threads that serve them."""
        with self._listening() as listener:
            self.port = listener.getsockname()[1]
            accepting = Thread(target=self._accept, args=(listener,), daemon=True)
            accepting.start()
            try:
                yield self
            finally:
                _shut_down(listener)  # ends accept
                accepting.join()
                for each in self._open:
                    _shut_down(each)
                for thread in self._threads:
                    thread.join(_END_SECONDS)
                assert not any(thread.is_alive() for thread in self._threads), "a connection is still served"

    def _listening(self) -> socket.socket:
        listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        if self.tls is None:
            return listener
        return self.tls.wrap_socket(listener, server_side=True, do_handshake_on_connect=False)  # but in its thread

    def _accept(self, listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                self._open.append(connection)
                self._threads.append(Thread(target=self._serve, args=(connection,), daemon=True))
                self._threads[-1].start()

    def _serve(self, connection: socket.socket) -> None:
        with suppress(OSError), connection:
            request = b""
            while self.waits_for not in request and len(request) < _LARGEST_REQUEST:
                part = connection.recv(_LARGEST_REQUEST)
                if not part:
                    return
                request += part
            self.received.append(request)
            self.way(connection)


def _shut_down(end: socket.socket) -> None:
    with suppress(OSError):  # it ended before
        socket.socket.shutdown(end, socket.SHUT_RDWR)  # that of TLS takes the connection from the thread that uses it
