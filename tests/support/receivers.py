"""A receiver of webhooks on loopback, which answers as a test says and keeps what it got."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from cloudevents.core.bindings.http import HTTPMessage, from_http_event

from tests.support.http_servers import serving


@dataclass
class Receiver:
    """`answer`: returns the status for a request, with the number of those before; may raise ConnectionError."""

    url: str = ""
    answer: Callable[[int], int] = lambda _: 204
    requests: list[tuple[dict[str, str], bytes]] = field(default_factory=list)

    @property
    def events(self) -> list[Any]:
        """The events of all requests, as the library of CloudEvents reads them."""
        return [from_http_event(HTTPMessage(headers, body)) for headers, body in self.requests]

    @property
    def ids(self) -> list[str]:
        return [headers["webhook-id"] for headers, _ in self.requests]


@contextmanager
def receiver(answer: Callable[[int], int] = lambda _: 204) -> Iterator[Receiver]:
    """Serve until the block ends."""
    made = Receiver(answer=answer)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            made.requests.append(({name.lower(): value for name, value in self.headers.items()}, body))
            try:
                status = made.answer(len(made.requests) - 1)
            except ConnectionError:
                self.connection.close()
                return
            self.send_response(status)
            self.send_header("Location", "http://169.254.169.254/")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    with serving(Handler) as url:
        made.url = f"{url}/hook"
        yield made
