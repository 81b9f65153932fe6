"""A proxy before a real HTTP server that loses answers, sends others and refuses tokens: real bytes, real sockets."""

import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from threading import Lock
from typing import Any

import httpx

from tests.support.http_servers import serving

_NOT_PASSED = frozenset({"host", "accept-encoding", "transfer-encoding", "content-length", "expect"})
_OF_CONNECTIONS = frozenset({"connection", "transfer-encoding", "content-encoding", "keep-alive"})

_BODY = b'{"error": {"message": "by the proxy", "type": "Fault", "code": 0}}'
_FAULT = ({"content-type": "application/json", "content-length": str(len(_BODY))}, _BODY)

LOST = 0
"""A status that stands for none: the connection ends without an answer."""


@dataclass(frozen=True, slots=True)
class Request:
    """What came in."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def is_commit(self) -> bool:
        """Whether it asks a REST catalog for a commit to a table."""
        return self.method == "POST" and "/tables/" in self.path and not self.path.endswith("/metrics")


Edit = Callable[[Request, bytes], bytes]
Verdict = Callable[[Request], int | None]
"""Returns a status to answer with, `LOST`, or None for what the server says."""


def truthful(_request: Request) -> int | None:
    """Let everything pass."""
    return None


@dataclass
class FaultyProxy:
    """`before` may answer instead of the server, `after` instead of its answer; `requests` lists all that came.

    `edit` returns the body to pass on in place of the server's.

    With `shows_itself` the server learns this address from the header `Host`, as servers do that answer with links.
    """

    target: str
    before: Verdict = truthful
    after: Verdict = truthful
    edit: Edit = lambda _request, body: body
    requests: list[Request] = field(default_factory=list)
    url: str = ""
    shows_itself: bool = False
    tls: ssl.SSLContext | None = None

    @contextmanager
    def running(self) -> Iterator["FaultyProxy"]:
        """Serve until the block ends."""
        with httpx.Client(timeout=30) as client, serving(self._handler(client, Lock()), self.tls) as self.url:
            yield self

    @property
    def commits(self) -> int:
        """How many commits came."""
        return sum(each.is_commit for each in self.requests)

    def _handler(self, client: httpx.Client, lock: Lock) -> type[BaseHTTPRequestHandler]:
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            def _pass(self) -> None:
                body = _body_of(self)
                request = Request(self.command, self.path, dict(self.headers), body)
                with lock:
                    proxy.requests.append(request)
                    status = proxy.before(request)
                answer = None
                if status is None:
                    passed = _NOT_PASSED - ({"host"} if proxy.shows_itself else set())
                    kept = {k: v for k, v in request.headers.items() if k.lower() not in passed}
                    answer = client.request(self.command, proxy.target + self.path, headers=kept, content=body)
                    status = proxy.after(request)
                self._answer(request, answer, status)

            def _answer(self, request: Request, answer: httpx.Response | None, status: int | None) -> None:
                self.close_connection = True
                if status == LOST:
                    return
                headers, body = _FAULT
                if answer is not None and status is None:
                    status, body = answer.status_code, proxy.edit(request, answer.content)
                    headers = _headers_of(answer, len(body), is_head=self.command == "HEAD")
                self.send_response_only(status or 500)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(body)

            do_GET = do_POST = do_HEAD = do_DELETE = do_PUT = _pass  # noqa: N815 - the library's names

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name the library gives it
                """Stay silent."""

        return Handler


def _body_of(handler: BaseHTTPRequestHandler) -> bytes:
    """Read the body of a request, also one in chunks, as uploads to S3 are."""
    if handler.headers.get("Transfer-Encoding", "").lower() != "chunked":
        return handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
    chunks = []
    while size := int(handler.rfile.readline().partition(b";")[0], 16):
        chunks.append(handler.rfile.read(size))
        handler.rfile.readline()
    handler.rfile.readline()
    return b"".join(chunks)


def _headers_of(answer: httpx.Response, length_of_body: int, *, is_head: bool) -> dict[str, str]:
    """Return what of an answer's headers is passed on; the length is that of the decoded body, if there is one."""
    length = {} if is_head else {"content-length": str(length_of_body)}
    return {name: value for name, value in answer.headers.items() if name not in _OF_CONNECTIONS} | length
