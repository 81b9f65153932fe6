"""Child processes: started, watched, stopped, and gone when their parent is."""

import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from engine.domain.errors import Transient
from engine.embedded.processes import ChildProcess, free_loopback_port

SERVE = """
import socket, sys, signal
if len(sys.argv) > 2: signal.signal(signal.SIGTERM, signal.SIG_IGN)
listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
print("ready", flush=True)
while True:
    connection, _ = listener.accept()
    connection.recv(1)
"""
PARENT = """
import sys
from pathlib import Path
from engine.embedded.processes import ChildProcess
child = ChildProcess(name="server", command=sys.argv[2:], log_path=Path(sys.argv[1]))
child.start()
child.wait_until(lambda: "ready" in child.log_tail(), timeout_seconds=20)
print("ready", flush=True)
sys.stdin.read()
"""


def serving(port: int, *extra: str) -> list[str]:
    return [sys.executable, "-S", "-c", SERVE, str(port), *extra]


def started(folder: Path, command: list[str]) -> ChildProcess:
    child = ChildProcess(name="server", command=command, log_path=folder / "server.log")
    child.start()
    child.wait_until(lambda: "ready" in child.log_tail(), timeout_seconds=20)
    return child


def test_a_server_runs_until_it_is_stopped_and_neither_starts_nor_stops_twice(tmp_path: Path) -> None:
    child = started(tmp_path, serving(free_loopback_port()))
    pid = child.pid
    child.start()
    assert (child.is_running, child.pid) == (True, pid)
    for _ in range(2):
        child.stop()
        assert (child.is_running, child.pid) == (False, None)


def test_a_server_that_ignores_the_request_to_end_or_does_not_get_ready_is_stopped(tmp_path: Path) -> None:
    child = started(tmp_path, serving(free_loopback_port(), "stubborn"))
    child.stop(patience_seconds=0.05)
    assert not child.is_running
    child = started(tmp_path, serving(free_loopback_port()))
    with pytest.raises(Transient, match=r"server was not ready after 0 s"):
        child.wait_until(lambda: False, timeout_seconds=0)
    assert not child.is_running


def test_a_server_outlives_the_thread_that_asked_for_it(tmp_path: Path) -> None:
    port = free_loopback_port()
    child = ChildProcess(name="server", command=serving(port), log_path=tmp_path / "server.log")
    thread = threading.Thread(target=child.start)
    thread.start()
    thread.join()
    child.wait_until(lambda: "ready" in child.log_tail(), timeout_seconds=20)
    with socket.create_connection(("127.0.0.1", port), timeout=5):
        assert child.is_running
    child.stop()


def test_a_server_dies_with_a_parent_that_was_killed(tmp_path: Path) -> None:
    port = free_loopback_port()
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(tmp_path / "server.log"), *serving(port)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with parent:
        assert parent.stdout.readline() == b"ready\n"
        with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
            parent.kill()
            assert read_until_closed(connection) == b""


def test_a_command_that_does_not_exist_or_ends_at_once_is_reported_with_its_log(tmp_path: Path) -> None:
    child = ChildProcess(name="server", command=["no-such-server"], log_path=tmp_path / "server.log")
    with pytest.raises(Transient, match="no-such-server"):
        start_and_wait(child)
    command = [sys.executable, "-c", "raise SystemExit('the disk is full')"]
    child = ChildProcess(name="server", command=command, log_path=tmp_path / "server.log")
    child.start()
    with pytest.raises(Transient, match=r"(?s)server ended with 1.*the disk is full"):
        child.wait_until(lambda: False, timeout_seconds=20)


def test_the_log_tail_starts_with_the_last_start(tmp_path: Path) -> None:
    (tmp_path / "server.log").write_text("of yesterday\n")
    child = started(tmp_path, serving(free_loopback_port()))
    child.stop()
    assert child.log_tail() == "ready"
    assert (tmp_path / "server.log").read_text().startswith("of yesterday")


def start_and_wait(child: ChildProcess) -> None:
    child.start()
    child.wait_until(lambda: False, timeout_seconds=20)


def read_until_closed(connection: socket.socket) -> bytes:
    """Return what comes until the other side is gone; a reset is an end too."""
    try:
        return connection.recv(1)
    except ConnectionResetError:
        return b""
