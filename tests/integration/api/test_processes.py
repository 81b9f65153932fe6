"""`packhouse-server` as a process of its own."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from api.__main__ import main
from tests.support.eventually import eventually

PYTHON = [sys.executable, "-m", "api"]


def environment(**settings: object) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PACKHOUSE_")}
    return kept | {f"PACKHOUSE_{name.upper()}": str(value) for name, value in settings.items()}


def test_a_part_alone_needs_the_servers_that_it_shares(tmp_path: Path) -> None:
    done = subprocess.run(
        [*PYTHON, "worker"], env=environment(data_dir=tmp_path), capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "PACKHOUSE_REDIS_URL" in done.stderr
    assert "packhouse-server up" in done.stderr


def test_an_unknown_command_shows_those_that_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["fly"])
    assert "coordinator" in capsys.readouterr().err


def test_the_api_prints_where_its_first_key_is_and_ends_on_a_signal(
    redis_url: str, sqlite_url: str, tmp_path: Path
) -> None:
    variables = environment(
        data_dir=tmp_path,
        database_url=sqlite_url,
        redis_url=redis_url,
        spark_url="sc://127.0.0.1:1",
        secret_key="x",
        port=0,
        console_dir=tmp_path,
    )
    first = _start_and_stop(variables)
    assert "The console is not built" in first
    assert f"The first admin key is in {tmp_path}/admin-key" in first
    key = (tmp_path / "admin-key").read_text().strip()
    (tmp_path / "index.html").write_text("<!doctype html>")
    second = _start_and_stop(variables)
    assert re.search(rf"The console is at http://\S+/console: .* in {tmp_path}/admin-key\n", second)
    assert "admin key" not in second
    assert key not in first + second


def test_migrate_makes_the_database(tmp_path: Path) -> None:
    subprocess.run([*PYTHON, "migrate"], env=environment(data_dir=tmp_path), check=True, capture_output=True)
    assert (tmp_path / "packhouse.sqlite3").stat().st_size > 0


def test_a_part_alone_does_not_migrate_and_names_the_command_that_does(tmp_path: Path) -> None:
    url = f"sqlite+aiosqlite:///{tmp_path}/packhouse.sqlite3"
    variables = environment(
        data_dir=tmp_path,
        database_url=url,
        redis_url="redis://127.0.0.1:1",
        spark_url="sc://127.0.0.1:1",
        secret_key="x",
        port=0,
    )
    for part in ("api", "worker", "coordinator"):
        done = subprocess.run([*PYTHON, part], env=variables, capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode == 1
        assert "the database has no schema yet, this version needs schema 00" in done.stderr
        assert "run `packhouse-server migrate` of this version" in done.stderr


def _start_and_stop(variables: dict[str, str]) -> str:
    """Start the api, see it answer, stop it; return what it printed and logged."""
    log = Path(variables["PACKHOUSE_DATA_DIR"]) / "stderr.log"
    with (
        log.open("wb") as errors,
        subprocess.Popen([*PYTHON, "api"], env=variables, stdout=subprocess.PIPE, stderr=errors, text=True) as process,
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


def test_settings_that_do_not_fit_together_are_refused_at_the_start(sqlite_url: str, tmp_path: Path) -> None:
    variables = environment(
        data_dir=tmp_path,
        database_url=sqlite_url,
        redis_url="redis://127.0.0.1:1",
        spark_url="sc://127.0.0.1:1",
        secret_key="x",
        prometheus_url="http://127.0.0.1:1",
    )
    done = subprocess.run([*PYTHON, "coordinator"], env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "PACKHOUSE_LATENCY_QUERY is not set" in done.stderr
