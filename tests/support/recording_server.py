"""An HTTP server of this process on loopback that records every request with its headers and body.

It plays a store that a stranger runs: a test gives its address to clients, and looks for secrets in what they sent.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler

from tests.support.http_servers import serving


@dataclass
class RecordingServer:
    """The server. `requests`: method, path, headers and body of each as one text. Answers 404, without a body."""

    requests: list[str] = field(default_factory=list)
    url: str = ""

    @property
    def host(self) -> str:
        """The host and port, without a scheme."""
        return self.url.partition("://")[2]

    @contextmanager
    def running(self) -> Iterator["RecordingServer"]:
        """Serve until the block ends."""
        with serving(self._handler()) as self.url:
            yield self

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        recorder = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"] or 0)).decode("latin-1")
                recorder.requests.append(f"{self.command} {self.path}\n{self.headers}{body}")
                self.send_response(404)
                self.send_header("Content-Length", "0")
                self.end_headers()

            do_HEAD = do_PUT = do_POST = do_DELETE = do_GET  # noqa: N815 - names of the library

            def log_message(self, *_: object) -> None:
                pass

        return Handler
