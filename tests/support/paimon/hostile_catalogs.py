"""A server that answers as a REST catalog would, or worse: real bytes, real sockets."""

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import urlsplit

from tests.support.http_servers import serving

CONFIG = "/v1/config"


@dataclass(frozen=True)
class Raw:
    """An answer that is no JSON document with status 200; without an end, `body` is sent again after each pause."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    is_endless: bool = False
    pause_seconds: float = 0.0


_NO_TABLE = Raw(404, b'{"message": "no such table", "resourceType": "TABLE"}')


@dataclass
class HostileCatalog:
    """A server; `asked`: the paths and queries of all requests.

    `answers`: JSON documents or `Raw`, by path, or by path and query; for others that there is no table. Of a list of
    answers each is given once, the last one from then on.
    """

    answers: dict[str, Any] = field(default_factory=lambda: {CONFIG: {}})
    asked: list[str] = field(default_factory=list)
    tokens: list[str | None] = field(default_factory=list)
    url: str = ""

    @contextmanager
    def running(self) -> Iterator["HostileCatalog"]:
        """Serve until the block ends."""
        with serving(self._handler()) as self.url:
            yield self

    def _answer(self, path: str) -> Raw:
        found = self.answers.get(path, self.answers.get(urlsplit(path).path, _NO_TABLE))
        if isinstance(found, list):
            found = found.pop(0) if len(found) > 1 else found[0]
        return found if isinstance(found, Raw) else Raw(body=json.dumps(found).encode())

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        catalog = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                catalog.asked.append(self.path)
                catalog.tokens.append(self.headers["Authorization"])
                answer = catalog._answer(self.path)
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                if not answer.is_endless:
                    self.send_header("Content-Length", str(len(answer.body)))
                self.end_headers()
                self.wfile.write(answer.body)
                try:
                    while answer.is_endless:
                        time.sleep(answer.pause_seconds)
                        self.wfile.write(answer.body)
                except OSError:
                    self.close_connection = True

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                self.do_GET()

            def log_message(self, *_: object) -> None:
                pass

        return Handler
