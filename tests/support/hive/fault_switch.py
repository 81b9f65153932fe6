"""A TCP proxy in front of a Metastore that cuts connections, holds calls back, or loses the answers of calls.

`FaultyProxy` speaks HTTP; Thrift frames nothing, so that this one decides by the bytes of a request: its call's name is
near the begin of them.
"""

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Event, Lock, Thread

_CHUNK = 65_536


@dataclass
class FaultSwitch:
    """`lost`: calls that are executed and not answered; `cut`: calls that end their connection before they arrive.

    With `dies` the first fault is the end of the server: all connections end, and new ones are refused.
    """

    target: int
    lost: str = ""
    cut: str = ""
    dies: bool = False
    port: int = 0
    faults: int = 0
    _server: socket.socket = field(init=False)
    _passes: Event = field(default_factory=Event)
    _open: list[socket.socket] = field(default_factory=list)
    _lock: Lock = field(default_factory=Lock)
    _threads: list[Thread] = field(default_factory=list)

    @contextmanager
    def running(self) -> Iterator["FaultSwitch"]:
        """Serve until the block ends."""
        self._passes.set()
        with socket.create_server(("127.0.0.1", 0)) as server:
            self.port = server.getsockname()[1]
            self._server = server
            accepting = Thread(target=self._accept, args=(server,))
            accepting.start()
            try:
                yield self
            finally:
                self.target = 0
                self._refuse()
                accepting.join()
                self._passes.set()
                self.cut_all()
                for thread in self._threads:
                    thread.join()

    def stall(self) -> None:
        """Pass nothing on until `resume`."""
        self._passes.clear()

    def resume(self) -> None:
        """Pass on what was held back."""
        self._passes.set()

    def cut_all(self) -> None:
        """End all connections."""
        with self._lock:
            for each in self._open:
                with suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)
                each.close()
            self._open.clear()

    def _refuse(self) -> None:
        """Accept no connection any more: this also ends the wait for the next one."""
        with suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()

    def _accept(self, server: socket.socket) -> None:
        while True:
            try:
                near, _ = server.accept()
            except OSError:
                return
            far = socket.create_connection(("127.0.0.1", self.target))
            with self._lock:
                self._open += [near, far]
            loses = Event()
            for source, sink, is_request in ((near, far, True), (far, near, False)):
                thread = Thread(target=self._pump, args=(source, sink, loses, is_request))
                self._threads.append(thread)
                thread.start()

    def _pump(self, source: socket.socket, sink: socket.socket, loses: Event, is_request: bool) -> None:
        with suppress(OSError):
            while chunk := source.recv(_CHUNK):
                self._passes.wait()
                if is_request and self._names(chunk, self.lost):
                    loses.set()
                if (loses.is_set() and not is_request) or (is_request and self._names(chunk, self.cut)):
                    self.faults += 1
                    if self.dies:
                        self._refuse()
                        self.cut_all()
                    break
                sink.sendall(chunk)
        for each in (source, sink):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    @staticmethod
    def _names(chunk: bytes, call: str) -> bool:
        return bool(call) and len(call).to_bytes(4, "big") + call.encode() in chunk[:200]
