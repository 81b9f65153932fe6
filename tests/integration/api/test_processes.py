"""`packhouse-server`: started as a process of its own, and the commands and settings that end it at once."""

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from api.__main__ import main
from api.server.parts import STUCK_SECONDS, Parts, serve
from engine.domain.errors import Transient
from engine.services.catalogs.table_access import TableAccess
from engine.settings.model import Settings
from tests.support.eventually import eventually, seen_when
from tests.support.processes import environment_of
from tests.support.server_command import server_command
from tests.support.settings import settings_of

NOWHERE = {"redis_url": "redis://127.0.0.1:1", "spark_url": "sc://127.0.0.1:1", "secret_key": "x"}


def test_a_part_alone_needs_the_servers_that_it_shares(tmp_path: Path) -> None:
    done = server_command("worker", data_dir=tmp_path)
    assert done.returncode == 1
    assert "PACKHOUSE_REDIS_URL" in done.stderr
    assert "packhouse-server up" in done.stderr


def test_an_unknown_command_shows_those_that_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["fly"])
    assert "coordinator" in capsys.readouterr().err


def test_migrate_makes_the_database(tmp_path: Path) -> None:
    assert server_command("migrate", data_dir=tmp_path).returncode == 0
    assert (tmp_path / "packhouse.sqlite3").stat().st_size > 0


@pytest.mark.parametrize("part", ["api", "worker", "coordinator"])
def test_a_part_alone_does_not_migrate_and_names_the_command_that_does(tmp_path: Path, part: str) -> None:
    url = f"sqlite+aiosqlite:///{tmp_path}/packhouse.sqlite3"
    done = server_command(part, data_dir=tmp_path, database_url=url, port=0, **NOWHERE)
    assert done.returncode == 1
    assert "the database has no schema yet, this version needs schema 00" in done.stderr
    assert "run `packhouse-server migrate` of this version" in done.stderr


def test_settings_that_do_not_fit_together_are_refused_at_the_start(sqlite_url: str, tmp_path: Path) -> None:
    wrong = NOWHERE | {"prometheus_url": "http://127.0.0.1:1"}
    done = server_command("coordinator", data_dir=tmp_path, database_url=sqlite_url, **wrong)
    assert done.returncode == 1
    assert "PACKHOUSE_LATENCY_QUERY is not set" in done.stderr


def test_an_address_for_tasks_without_their_listener_is_refused_at_the_start(sqlite_url: str, tmp_path: Path) -> None:
    wrong = NOWHERE | {"pace_url": "http://127.0.0.1:8080/internal/pace"}
    done = server_command("api", data_dir=tmp_path, database_url=sqlite_url, port=0, **wrong)
    assert done.returncode == 1
    assert "PACKHOUSE_PACE_URL is set and PACKHOUSE_TASKS_PORT is not" in done.stderr


@pytest.mark.parametrize("parts", [Parts(api=True), Parts(api=True, worker=True, coordinator=True)])
async def test_tasks_have_a_listener_of_their_own_that_ends_with_the_process(
    redis_url: str, sqlite_url: str, tmp_path: Path, parts: Parts
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = settings_of(tmp_path, database_url=sqlite_url, redis_url=redis_url, port=0, tasks_port=port)
    said = list[str]()
    serving = asyncio.create_task(serve(settings, parts, say=said.append))
    async with httpx.AsyncClient() as client:

        async def status(url: str) -> int:
            with suppress(httpx.TransportError):
                return (await client.post(f"{url}/internal/pace", json={})).status_code
            return 0

        assert await seen_when(lambda: status(f"http://127.0.0.1:{port}")) == 401
        [public] = [line.split()[3] for line in said if line.startswith("Packhouse is at")]
        assert await seen_when(lambda: status(public)) == 404
        os.kill(os.getpid(), signal.SIGTERM)
        await asyncio.wait_for(serving, 30)
        assert [await status(url) for url in (public, f"http://127.0.0.1:{port}")] == [0, 0]


async def test_the_api_prints_where_its_first_key_is_and_ends_on_a_signal(
    redis_url: str, sqlite_url: str, tmp_path: Path
) -> None:
    settings = settings_of(tmp_path, database_url=sqlite_url, redis_url=redis_url, port=0, console_dir=tmp_path)
    first = await asyncio.to_thread(_start_and_stop, settings)
    assert "The console is not built" in first
    assert f"The first admin key is in {tmp_path}/admin-key" in first
    key = (tmp_path / "admin-key").read_text().strip()
    (tmp_path / "index.html").write_text("<!doctype html>")
    second = await _announced(settings)
    assert re.search(rf"The console is at http://\S+/console: .* in {tmp_path}/admin-key\n", second)
    assert "admin key" not in second
    assert key not in first + second


def _start_and_stop(settings: Settings) -> str:
    """Start the api as a process, see it answer, stop it; return what it printed and logged."""
    log = settings.data_dir / "stderr.log"
    command = [sys.executable, "-m", "api", "api"]
    with (
        log.open("wb") as errors,
        subprocess.Popen(
            command, env=environment_of(settings), stdout=subprocess.PIPE, stderr=errors, text=True
        ) as process,
    ):
        assert process.stdout is not None
        said = process.stdout.readline()
        try:
            url = said.split()[3]
            eventually(lambda: _answers(url))
        finally:
            process.send_signal(signal.SIGTERM)
            said += process.stdout.read()
            process.wait(timeout=30)
    assert process.returncode == 0
    return said + log.read_text()


def _answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/healthz").is_success
    except httpx.TransportError:
        return False


async def test_f41_a_process_with_a_read_that_can_not_be_ended_stops_with_the_reason(
    redis_url: str, sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F41: nothing but the end of the process ends a library that computes for ever; then it is started again."""
    monkeypatch.setattr(TableAccess, "stuck_seconds", lambda _formats: STUCK_SECONDS)
    settings = settings_of(tmp_path, database_url=sqlite_url, redis_url=redis_url, port=0)
    async with asyncio.timeout(60):
        with pytest.raises(Transient, match="a read of a table computed on after it was ended: start it again"):
            await serve(settings, Parts(api=True, worker=True, coordinator=True), say=print)


async def _announced(settings: Settings) -> str:
    """Start the api in this process until the console is announced; return what it printed."""
    said, is_announced = list[str](), asyncio.Event()

    def say(line: str) -> None:
        said.append(f"{line}\n")
        if "console" in line:
            is_announced.set()

    serving = asyncio.create_task(serve(settings, Parts(api=True), say=say))
    await asyncio.wait_for(is_announced.wait(), 30)
    serving.cancel()
    with suppress(asyncio.CancelledError):
        await serving
    return "".join(said)
