"""Servers whose lists have no end: REST catalogs of Iceberg and Paimon, and a store that speaks S3."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from tests.support.http_servers import serving

PAGE: Final = 100
Answer = Callable[[int, str], Mapping[str, Any]]
"""Returns the page of a list, by the number of requests before and the namespace that is listed."""


def _next(number: int) -> dict[str, str]:
    return {"next-page-token": f"{number:x}" * 100}


def _namespaces(number: int, inside: str) -> Mapping[str, Any]:
    return {"namespaces": [[*filter(None, [inside]), f"n{number}-{each}"] for each in range(PAGE)]}


def _tables(number: int, inside: str) -> Mapping[str, Any]:
    return {"identifiers": [{"namespace": [inside], "name": f"t{number}-{each}"} for each in range(PAGE)]}


def _no_tables(_number: int, _inside: str) -> Mapping[str, Any]:
    return {"identifiers": []}


def _one(_number: int, inside: str) -> Mapping[str, Any]:
    return {"namespaces": [] if inside else [["a"]]}


def _paged(page: Answer, *, is_same: bool = False) -> Answer:
    """Return an answer that names a next page, or the same page for ever."""
    return lambda number, inside: {**page(number, inside), **_next(7 if is_same else number)}


ENDLESS: Final[Mapping[str, tuple[Answer, Answer]]] = {
    "namespaces": (_paged(_namespaces), _no_tables),
    "tables": (_one, _paged(_tables)),
    "empty pages": (_paged(lambda *_: {"namespaces": []}), _no_tables),
    "the same page": (_paged(_one, is_same=True), _no_tables),
    "a tree": (_namespaces, _no_tables),
    "long names": (_paged(lambda *_: {"namespaces": [["x" * 2**20]] * 4}), _no_tables),
}
"""The lists of namespaces and of tables, by what has no end."""


def _objects(number: int) -> str:
    keys = "".join(f"<Contents><Key>t/{number}-{each}</Key>{_DETAILS}</Contents>" for each in range(PAGE))
    more = f"<IsTruncated>true</IsTruncated><NextContinuationToken>{number}</NextContinuationToken>"
    return f"<ListBucketResult><Name>b</Name><KeyCount>{PAGE}</KeyCount>{more}{keys}</ListBucketResult>"


_DETAILS: Final = '<LastModified>2024-01-01T00:00:00.000Z</LastModified><ETag>"e"</ETag><Size>1</Size>'


@dataclass
class EndlessLists:
    """The server. `kind`: one of `ENDLESS`, `objects`, `databases of Paimon`. `requests`: how many it has answered."""

    kind: str
    requests: int = 0
    url: str = ""

    @contextmanager
    def running(self) -> Iterator["EndlessLists"]:
        """Serve until the block ends."""
        with serving(self._handler()) as self.url:
            yield self

    def _answer(self, path: str) -> Mapping[str, Any] | str:
        self.requests += 1
        found = urlsplit(path)
        if self.kind == "objects":
            return _objects(self.requests)
        if self.kind == "databases of Paimon" and found.path.endswith("/databases"):
            return {
                "databases": [f"d{self.requests}-{each}" for each in range(PAGE)],
                "nextPageToken": str(self.requests),
            }
        namespaces, tables = ENDLESS.get(self.kind, (_one, _no_tables))
        if found.path.endswith("/config"):
            return {"defaults": {}, "overrides": {}}
        if found.path.endswith("/tables"):
            return tables(self.requests, found.path.split("/")[-2])
        return namespaces(self.requests, parse_qs(found.query).get("parent", [""])[0])

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = 2**16  # one packet for head and body: two wait for one another

            def do_GET(self) -> None:
                answer = server._answer(self.path)
                body = (answer if isinstance(answer, str) else json.dumps(answer)).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        return Handler
