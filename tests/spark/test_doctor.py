"""`packhouse-server doctor`: against real servers, all in order, and with each of them wrong in turn."""

import json
import re
import shutil
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from subprocess import CompletedProcess
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from pyspark.sql.connect import udf

from api.server.doctor import checks
from tests.support.eventually import eventually
from tests.support.processes import child, environment_of
from tests.support.server_command import server_command
from tests.support.settings import settings_of
from tests.support.tarpit import Tarpit

KEY = "a key of a test, which is no secret at all"
PASSWORD = "hunter2-of-the-test"
CHECKS = ["settings", "data folder", "database", "redis", "spark", "executor", "pace", "clocks"]


@pytest.fixture(scope="module")
def ports(tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path, redis_url: str) -> Iterator[tuple[int, int]]:
    """Ports of an api: the public one, and that of its listener for tasks."""
    folder = tmp_path_factory.mktemp("api")
    database = shutil.copyfile(sqlite_template, folder / "packhouse.sqlite3")
    with socket.socket() as one, socket.socket() as two:
        for each in (one, two):
            each.bind(("127.0.0.1", 0))
        public, tasks = one.getsockname()[1], two.getsockname()[1]
    url = f"sqlite+aiosqlite:///{database}"
    settings = settings_of(folder, database_url=url, redis_url=redis_url, secret_key=KEY, port=public, tasks_port=tasks)
    with child(environment_of(settings), "api", "api", log=folder / "log"):
        eventually(lambda: answers(public), within_seconds=60)
        yield public, tasks


def answers(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/healthz").is_success
    except httpx.TransportError:
        return False


@pytest.fixture
def settings(
    tmp_path: Path, postgres_url: str, redis_url: str, spark_url: str, ports: tuple[int, int]
) -> dict[str, str]:
    """Settings of an installation in order."""
    return {
        "data_dir": f"{tmp_path}/data",
        "database_url": postgres_url,
        "redis_url": redis_url,
        "spark_url": spark_url,
        "secret_key": KEY,
        "pace_url": f"http://127.0.0.1:{ports[1]}/internal/pace",
    }


def failed(done: CompletedProcess[str]) -> dict[str, dict[str, Any]]:
    """Return the checks that failed, by name; every check is there, and the status tells whether one failed."""
    told = json.loads(done.stdout)
    assert [each["check"] for each in told["checks"]] == CHECKS
    wrong = {each["check"]: each for each in told["checks"] if not each["ok"]}
    assert (done.returncode, told["ok"]) == ((1, False) if wrong else (0, True))
    assert all(each["remedy"] for each in wrong.values())
    return wrong


def test_an_installation_in_order_passes_with_a_line_for_each_check(settings: dict[str, str]) -> None:
    done = server_command("doctor", **settings)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert [line[8:19].strip() for line in lines] == CHECKS
    assert all(line.startswith("ok ") for line in lines)
    python = ".".join(map(str, sys.version_info[:3]))
    for found in (
        "production",
        "Postgres is at schema 00",
        "Redis ",
        "Spark 4.",
        f"Python {python}",
        "same secret key",
    ):
        assert found in done.stdout


def test_servers_that_are_away_hide_neither_one_another_nor_the_rest(settings: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file in the place of the folder")
    away = {
        "database_url": f"postgresql+psycopg://someone:{PASSWORD}@127.0.0.1:1/packhouse",
        "redis_url": f"redis://:{PASSWORD}@127.0.0.1:1",
        "spark_url": f"sc://127.0.0.1:1/;token={PASSWORD}",
        "secret_key": PASSWORD,
    }
    done = server_command("doctor", "--json", **settings | away)
    wrong = failed(done)
    assert list(wrong) == CHECKS
    assert "shorter than 32 characters" in wrong["settings"]["found"]
    assert "File exists" in wrong["data folder"]["found"]
    assert "PACKHOUSE_DATABASE_URL" in wrong["database"]["remedy"]
    assert wrong["redis"]["found"].startswith("Redis did not answer")
    assert wrong["spark"]["found"].startswith("Spark does not answer")
    assert wrong["executor"]["remedy"] == wrong["pace"]["remedy"] == "make the check `spark` pass first"
    assert PASSWORD not in done.stdout + done.stderr


def test_servers_that_never_answer_end_their_checks_in_time(
    settings: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "SERVER_SECONDS", 1.0)
    monkeypatch.setattr(checks, "SPARK_SECONDS", 2.0)
    began = time.monotonic()
    with Tarpit().running() as tarpit:
        port = tarpit.url.rpartition(":")[2]
        silent = {
            "database_url": f"postgresql+psycopg://someone:{PASSWORD}@127.0.0.1:{port}/packhouse",
            "redis_url": f"redis://:{PASSWORD}@127.0.0.1:{port}",
            "spark_url": f"sc://127.0.0.1:{port}/;token={PASSWORD}",
        }
        wrong = failed(server_command("doctor", "--json", **settings | silent))
        assert time.monotonic() - began < 15
    assert [wrong[name]["found"] for name in ("database", "redis")] == ["no answer within 1 s"] * 2
    assert wrong["spark"]["found"] == "no answer within 2 s"


def test_missing_and_unreadable_addresses_are_named_without_their_values(settings: dict[str, str]) -> None:
    given = {name: value for name, value in settings.items() if name not in ("spark_url", "pace_url")}
    given |= {"redis_url": f"{PASSWORD}@somewhere", "database_url": f"oracle://someone:{PASSWORD}@somewhere/x"}
    done = server_command("doctor", "--json", **given)
    wrong = failed(done)
    assert wrong["database"]["found"] == "database_url: no such driver"
    assert wrong["redis"]["found"] == "PACKHOUSE_REDIS_URL is not a URL of Redis"
    assert wrong["spark"]["found"] == "PACKHOUSE_SPARK_URL is not set"
    given |= {"spark_url": f"http://somewhere/;token={PASSWORD}", "database_url": f"{PASSWORD}@somewhere"}
    again = server_command("doctor", "--json", **given)
    wrong = failed(again)
    assert wrong["database"]["found"] == "it failed with ArgumentError"
    assert wrong["spark"]["found"] == "it failed with PySparkValueError"
    assert PASSWORD not in done.stdout + done.stderr + again.stdout + again.stderr


def test_a_database_of_another_schema_is_named_with_the_command_that_migrates(
    settings: dict[str, str], tmp_path: Path
) -> None:
    wrong = failed(
        server_command("doctor", "--json", **settings | {"database_url": f"sqlite+aiosqlite:///{tmp_path}/x"})
    )
    assert list(wrong) == ["database"]
    assert "the database has no schema yet" in wrong["database"]["found"]
    assert wrong["database"]["remedy"].startswith("run `packhouse-server migrate`")


def test_executors_with_another_python_are_told_from_ours(
    settings: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(udf, "sys", SimpleNamespace(version_info=(3, 99, 0)))  # what the tasks say of their sender
    wrong = failed(server_command("doctor", "--json", **settings))
    assert list(wrong) == ["spark", "executor", "pace"]
    assert "PYTHON_VERSION_MISMATCH" in wrong["spark"]["found"]
    assert "executors need Python 3." in wrong["spark"]["remedy"]


def test_packages_that_executors_lack_are_named(settings: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.services.operations.tasks.executors.PACKAGES", ("pyarrow", "hdfs-native-of-nobody"))
    wrong = failed(server_command("doctor", "--json", **settings))
    assert list(wrong) == ["executor"]
    assert "lacks numpy, obstore (object stores) or hdfs-native (HDFS)" in wrong["executor"]["found"]


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        ({"pace_url": "http://127.0.0.1:1/internal/pace"}, "does not reach http://127.0.0.1:1/internal/pace: "),
        ({"pace_url": "http://127.0.0.1:{public}/internal/pace"}, "but the public listener of an api, or another path"),
        ({"pace_url": "http://127.0.0.1:{public}/healthz"}, "but another server: it answers 405"),
        ({"pace_url": "ftp://127.0.0.1/internal/pace"}, "the pace channel is an http or https URL"),
        ({"secret_key": "another key of the test, which is no secret"}, "refuses this installation's token"),
    ],
)
def test_a_pace_url_that_leads_elsewhere_is_told_with_what_is_there(
    settings: dict[str, str], ports: tuple[int, int], changed: dict[str, str], found: str
) -> None:
    given = {name: value.format(public=ports[0]) for name, value in changed.items()}
    wrong = failed(server_command("doctor", "--json", **settings | given))
    assert list(wrong) == ["pace"]
    assert found in wrong["pace"]["found"]


def test_clocks_that_are_apart_are_named(settings: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    ahead = SimpleNamespace(time=lambda: time.time() + 60)
    monkeypatch.setattr(checks, "time", ahead)
    wrong = failed(server_command("doctor", "--json", **settings))
    assert list(wrong) == ["clocks"]
    for name in ("database", "Redis", "executor"):
        assert re.search(
            rf"that of {name} is (5\d|60) s behind", wrong["clocks"]["found"]
        )  # the longer it took, the less
