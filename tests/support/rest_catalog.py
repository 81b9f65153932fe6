"""A small Iceberg REST catalog over a SQL catalog, for tests: real HTTP, and answers that can be lost on the way.

It serves what loading, listing and committing need. `settings` answers `/v1/config`; `table_config`,
`storage_credentials` and `table_properties` go with each table. `answers` are bodies that take the place of a table's
own until it is committed to. `before_answer` runs after a commit took effect and may return another status to answer
with, or `None` to break the connection without an answer.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.exceptions import CommitFailedException, NoSuchTableError, ValidationError
from pyiceberg.table import CommitTableRequest

Verdict = Callable[[int], int | None]


def truthful(status: int) -> int | None:
    """Answer what happened."""
    return status


class RestCatalogServer:
    """The server: its address, the commits it was sent, and the verdicts on them."""

    def __init__(self, *, catalog: SqlCatalog) -> None:
        self.catalog = catalog
        self.commits = 0
        self.answers: dict[tuple[str, str], bytes] = {}
        self.before_commit: Callable[[], int | None] = lambda: None
        self.before_answer: Verdict = truthful
        self.settings: dict[str, dict[str, Any]] = {"defaults": {}, "overrides": {}}
        self.table_config: dict[str, Any] = {}
        self.table_properties: dict[str, str] = {}
        self.storage_credentials: list[dict[str, Any]] = []
        self.credentials: Callable[[], dict[str, str]] | None = None  # what its endpoint for credentials vends
        self.asked: list[str] = []
        self.before_get: Callable[[str], int | None] = lambda _path: None
        self.config: Callable[[], dict[str, str]] = dict  # what each load of a table vends
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())

    @property
    def uri(self) -> str:
        """Where the server listens."""
        return f"http://127.0.0.1:{self._server.server_port}"

    @contextmanager
    def running(self) -> Iterator["RestCatalogServer"]:
        """Serve until the block ends."""
        thread = Thread(target=lambda: self._server.serve_forever(poll_interval=0.02))
        thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            self._server.server_close()
            thread.join()

    def list_endpoints(self) -> None:
        """List the endpoints in the configuration, also that for credentials."""
        table = "namespaces/{namespace}/tables/{table}"
        reads = ("namespaces", "namespaces/{namespace}/tables", table, f"{table}/credentials")
        listed = [f"POST /v1/{{prefix}}/{table}", *(f"GET /v1/{{prefix}}/{each}" for each in reads)]
        self.settings["endpoints"] = listed  # type: ignore[assignment]

    def get(self, path: str) -> tuple[int, Any]:
        """Answer a GET."""
        self.asked.append(path)
        if (refused := self.before_get(path)) is not None:
            return refused, _error("Refused", "before the answer")
        parts = path.partition("?")[0].strip("/").split("/")
        match parts[1:]:
            case ["config"]:
                return 200, self.settings
            case ["namespaces"]:
                return 200, {"namespaces": [list(each) for each in self.catalog.list_namespaces()]}
            case ["namespaces", namespace, "tables"]:
                names = [{"namespace": [namespace], "name": each[-1]} for each in self.catalog.list_tables(namespace)]
                return 200, {"identifiers": names}
            case ["namespaces", namespace, "tables", name, *more]:
                return self._vend() if more else self._load(namespace, name)
        return 404, _error("NoSuchEndpoint", path)

    def post(self, path: str, body: str) -> tuple[int | None, Any]:
        """Answer a POST, which is a commit."""
        _, _, namespace, _, name = path.strip("/").split("/")
        self.commits += 1
        if (refused := self.before_commit()) is not None:
            return refused, _error("Refused", "before the commit")
        request = CommitTableRequest.model_validate_json(body)
        try:
            table = self.catalog.load_table((namespace, name))
            done = self.catalog.commit_table(table, request.requirements, request.updates)
        except ValidationError as error:
            return 400, _error("BadRequestException", str(error))
        except CommitFailedException as error:
            return 409, _error("CommitFailedException", str(error))
        self.answers.pop((namespace, name), None)
        status = self.before_answer(200)
        return status, _document(done) if status == 200 else _error("Lost", "after the commit")

    def _vend(self) -> tuple[int, Any]:
        if self.credentials is None:
            return 404, _error("NoSuchEndpoint", "credentials")
        return 200, {"storage-credentials": [{"prefix": "", "config": self.credentials()}]}

    def _load(self, namespace: str, name: str) -> tuple[int, Any]:
        if (namespace, name) in self.answers:
            return 200, self.answers[namespace, name]
        try:
            said = {"config": {**self.table_config, **self.config()}, "storage-credentials": self.storage_credentials}
            document = _document(self.catalog.load_table((namespace, name)))
            document["metadata"]["properties"] |= self.table_properties
            return 200, document | said
        except NoSuchTableError as error:
            return 404, _error("NoSuchTableException", str(error))

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._answer(*server.get(self.path))

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                self._answer(*server.post(self.path, body))

            def _answer(self, status: int | None, document: Any) -> None:
                self.close_connection = True
                if status is None:
                    return
                body = document if isinstance(document, bytes) else json.dumps(document).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name the library gives it
                """Stay silent."""

        return Handler


def _document(answer: Any) -> dict[str, Any]:
    return {"metadata-location": answer.metadata_location, "metadata": json.loads(answer.metadata.model_dump_json())}


def _error(kind: str, message: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "code": 0}}
