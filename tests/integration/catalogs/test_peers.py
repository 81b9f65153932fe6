"""The address of a REST catalog's server is checked on the open connection: its name may resolve anew each time."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

from engine.domain.errors import InvalidInput
from engine.formats.iceberg.connection import IcebergFormat
from engine.services.catalogs.locations import LocationRules


class Recorder(BaseHTTPRequestHandler):
    """Keeps the request lines that arrive."""

    seen: list[str]

    def do_GET(self) -> None:
        self.seen.append(self.requestline)
        self.send_error(503)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@contextmanager
def recorder() -> Iterator[tuple[str, list[str]]]:
    seen: list[str] = []
    server = HTTPServer(("127.0.0.1", 0), type("Handler", (Recorder,), {"seen": seen}))
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", seen
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize("is_production", [True, False])
async def test_nothing_is_sent_to_a_server_at_a_refused_address(is_production: bool) -> None:
    rules = LocationRules(allows_local=not is_production)
    with recorder() as (uri, seen):
        connection = IcebergFormat(check_peer=rules.check_peer).connect("lake", {"type": "rest", "uri": uri})
        steps = await asyncio.to_thread(connection.check)
        if is_production:
            with pytest.raises(InvalidInput, match="names a forbidden address"):
                await asyncio.to_thread(connection.list_tables, 1)
    assert not steps[-1].ok
    assert bool(seen) is not is_production
