"""`packhouse-server health`, which container engines run every few seconds."""

import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from api.server.health_check import check_health, main
from engine.domain.errors import Transient
from engine.settings.model import Settings


@contextmanager
def answering(statuses: dict[str, int]) -> Iterator[int]:
    """Serve a status for each path at a free port of this machine."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(statuses[self.path])
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def unused_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def test_the_api_is_asked_first_then_the_port_of_metrics(unused_port: int) -> None:
    with answering({"/healthz": 200, "/readyz": 503}) as port:
        assert check_health(Settings(port=port), ready=False) == f"127.0.0.1:{port}/healthz answers 200"
        worker = Settings(port=unused_port, metrics_port=port, host="0.0.0.0")
        assert check_health(worker, ready=False) == f"127.0.0.1:{port}/healthz answers 200"
        with pytest.raises(Transient, match=f":{port}/readyz answers 503"):
            check_health(Settings(port=port), ready=True)


def test_a_process_that_is_away_or_says_nothing_is_not_well(
    unused_port: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PACKHOUSE_PORT", str(unused_port))
    assert main([]) == 1
    assert f"127.0.0.1:{unused_port} does not answer: [Errno 111]" in capsys.readouterr().err
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setattr("api.server.health_check._SECONDS", 0.05)
        monkeypatch.setenv("PACKHOUSE_PORT", str(silent.getsockname()[1]))
        assert main([]) == 1
        assert "does not answer: timed out" in capsys.readouterr().err
    with pytest.raises(Transient, match="PACKHOUSE_PORT is 0"):
        check_health(Settings(port=0), ready=False)


def test_it_starts_without_the_application() -> None:
    heavy = ("fastapi", "sqlalchemy", "pyarrow")
    program = f"import sys, api.__main__; print([each for each in {heavy} if each in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
