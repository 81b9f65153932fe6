"""A server on loopback that answers `/api/v1/query` as Prometheus does, with what it was told to.

Forms and words of the answers are those of Prometheus 2.42 (Debian 12), read off the real server.
"""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs

NOW = 1795300000.123


def vector(*samples: tuple[Mapping[str, str], str]) -> dict[str, Any]:
    """Return the answer to a query with an instant vector: labels and value of each series."""
    result = [{"metric": dict(labels), "value": [NOW, value]} for labels, value in samples]
    return {"status": "success", "data": {"resultType": "vector", "result": result}}


def scalar(value: str) -> dict[str, Any]:
    """Return the answer to a query with a scalar."""
    return {"status": "success", "data": {"resultType": "scalar", "result": [NOW, value]}}


def refusal(said: str) -> dict[str, Any]:
    """Return the answer to a query that can't be read."""
    return {"status": "error", "errorType": "bad_data", "error": said}


class PrometheusServer:
    """Answers `status`, `headers`, `body`. Of questions: `asked` are the forms, `tokens` the Authorization headers."""

    def __init__(self) -> None:
        self.status = 200
        self.headers: dict[str, str] = {"Content-Type": "application/json"}
        self.body: bytes = b""
        self.asked: list[dict[str, list[str]]] = []
        self.tokens: list[str | None] = []
        self.paths: list[str] = []
        self.gate = threading.Event()
        self.gate.set()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def says(self, document: Any, *, status: int = 200) -> None:
        """Answer this from now on."""
        self.status, self.body = status, json.dumps(document).encode()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers.get("Content-Length", 0))
                server.paths.append(self.path)
                server.asked.append(parse_qs(self.rfile.read(length).decode()))
                server.tokens.append(self.headers.get("Authorization"))
                server.gate.wait(30)
                self.send_response(server.status)
                for name, value in server.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(server.body)))
                self.end_headers()
                self.wfile.write(server.body)

            def log_message(self, *_arguments: object) -> None:
                pass

        return Handler

    def start(self) -> None:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def stop(self) -> None:
        self.gate.set()
        self._server.shutdown()
        self._server.server_close()


@contextmanager
def prometheus_server() -> Iterator[PrometheusServer]:
    """Run a server that says 0.5 seconds about everything."""
    server = PrometheusServer()
    server.says(vector(({}, "0.5")))
    server.start()
    try:
        yield server
    finally:
        server.stop()
