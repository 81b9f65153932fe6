"""The embedded server: it starts, reports why it does not, ends with its parent, and comes back after a kill."""

import asyncio
import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from engine.domain.errors import PackhouseError, Rejected, Transient
from engine.domain.runs.run import RunState
from engine.embedded.spark import EmbeddedSpark
from engine.spark.connection import DirectCalls
from engine.spark.dispatch import SparkDispatcher
from engine.spark.sessions import SparkSessions
from tests.support.databases import FreshDatabase
from tests.support.eventually import eventually
from tests.support.outages import outage_of, probe_once, submit_all, with_twins, work_off
from tests.support.processes import command_lines
from tests.support.settings import settings_of
from tests.support.spark_server import USER
from tests.support.task_functions import holding, is_held, upper_case
from tests.support.world import make_lake, open_on

PROBES = 6

START_IN_BACKGROUND = """
import sys, threading
from pathlib import Path
from engine.embedded.spark import EmbeddedSpark
server = EmbeddedSpark(data_dir=Path(sys.argv[1]), cores=1)
threading.Thread(target=server.start, daemon=True).start()
while server.pid is None:
    pass
print(server.pid, flush=True)
threading.Event().wait()
"""


@pytest.mark.deep
@pytest.mark.parametrize("fresh_database", ["sqlite", "postgres"], indirect=True)
@pytest.mark.usefixtures("redis")
async def test_live_runs_outlive_a_server_that_was_killed_and_stayed_away_longer_than_all_retries(
    mortal_spark: EmbeddedSpark,
    fresh_database: FreshDatabase,
    redis_url: str,
    background: ThreadPoolExecutor,
    tmp_path: Path,
) -> None:
    """A task ends with its server, whose client then reports that it is away, and works again when it is back."""
    url = await asyncio.to_thread(mortal_spark.start)
    sessions = SparkSessions(url=url, user_id=USER)
    dispatcher = SparkDispatcher(sessions=sessions)
    running = background.submit(dispatcher.run, dispatcher.ticket("run_1", 1, 1), holding(tmp_path / "file"), ["a"])
    await asyncio.to_thread(eventually, lambda: is_held(tmp_path / "file"), within_seconds=60)
    lake = await asyncio.to_thread(make_lake, tmp_path / "lake", days=1)
    settings = settings_of(
        tmp_path / "state", database_url=fresh_database.url, redis_url=redis_url, spark_url=url, watch=False
    )
    async with open_on(lake, settings, on_spark=True) as world:
        rows = lake.rows()
        runs = await submit_all(world, await with_twins(world))
        world.at("rewriting", mortal_spark.kill)
        await asyncio.gather(*(world.container.worker.advance(run.id) for run in runs))
        assert isinstance(running.exception(timeout=20), Transient)
        with pytest.raises(Transient):
            sessions.version()
        await asyncio.to_thread(eventually, lambda: not is_held(tmp_path / "file"))
        for _ in range(PROBES):
            await probe_once(world, fresh_database)
            assert await work_off(world) == 0
        assert (await outage_of(world, "spark")) is not None
        await asyncio.to_thread(mortal_spark.start)
        ticket = dispatcher.ticket("run_1", 2, 1)
        assert await asyncio.to_thread(dispatcher.run, ticket, upper_case(), ["a"]) == ["A"]
        await probe_once(world, fresh_database)
        await work_off(world)
        ended = [await world.get(run.id) for run in runs]
        assert [(run.state, run.failures) for run in ended] == [(RunState.SUCCEEDED, 0)] * 3, [r.detail for r in ended]
        assert lake.rows() == rows
    sessions.close()


@pytest.mark.deep
def test_a_restart_while_nothing_runs_is_not_noticed(mortal_spark: EmbeddedSpark) -> None:
    url = mortal_spark.start()
    sessions = SparkSessions(url=url, user_id=USER)
    dispatcher = SparkDispatcher(sessions=sessions)
    assert dispatcher.run(dispatcher.ticket("run_1", 1, 1), upper_case(), ["a"]) == ["A"]
    mortal_spark.stop()
    assert not mortal_spark.is_running
    assert mortal_spark.start() == url
    assert mortal_spark.is_running
    assert dispatcher.run(dispatcher.ticket("run_1", 1, 2), upper_case(), ["a"]) == ["A"]
    sessions.close()


def test_a_task_that_spark_tried_again_is_told(mortal_spark: EmbeddedSpark, tmp_path: Path) -> None:
    """U9: the first try dies without a word, the second answers. Spark says so by the number of the try alone."""

    def dying_once() -> Callable[[str], str]:
        def work(payload: str) -> str:
            if not (tmp_path / "died").exists():
                (tmp_path / "died").touch()
                os._exit(3)
            return payload

        return work

    sessions = SparkSessions(url=mortal_spark.start(), user_id=USER)
    dispatcher = SparkDispatcher(sessions=sessions)
    tickets = [dispatcher.ticket(name, 1, 1) for name in ("run_again", "run_once")]
    assert [dispatcher.run(ticket, dying_once(), ["a"]) for ticket in tickets] == [["a"], ["a"]]
    told = [dispatcher.has_repeated(each.tag, session_id=each.session_id) for each in tickets]
    assert told == [True, False]
    began = time.monotonic()
    assert all(dispatcher.wait_gone(each.tag, session_id=each.session_id, timeout=20) for each in tickets)
    assert time.monotonic() - began > 1, "a lost try has some seconds to die"
    sessions.close()


def test_a_client_without_the_token_is_refused(mortal_spark: EmbeddedSpark) -> None:
    url = mortal_spark.start()
    stranger = DirectCalls(url=url.partition("/;")[0], user_id=USER)
    with pytest.raises(PackhouseError, match=r"(?i)unauthenticated|token"):
        stranger.ask("0" * 8 + "-0000-0000-0000-" + "0" * 12)
    stranger.close()


def test_the_token_is_in_a_file_of_its_owner_and_on_no_command_line(mortal_spark: EmbeddedSpark) -> None:
    token = mortal_spark.start().partition("token=")[2]
    assert len(token) == 64
    file = mortal_spark.log_path.with_name("spark.properties")
    assert token in file.read_text()
    assert file.stat().st_mode & 0o777 == 0o600
    assert token not in command_lines()
    assert token not in mortal_spark.log_path.read_text(errors="replace")


def test_a_server_that_runs_copies_of_tasks_is_refused(tmp_path: Path) -> None:
    server = EmbeddedSpark(data_dir=tmp_path, cores=1, confs={"spark.speculation": "true"})
    sessions = SparkSessions(url=server.start(), user_id=USER)
    with pytest.raises(Rejected, match=r"spark\.speculation=true"):
        sessions.get()
    sessions.close()
    server.stop()


def test_a_server_that_does_not_start_says_why(tmp_path: Path) -> None:
    server = EmbeddedSpark(data_dir=tmp_path, cores=1, confs={"spark.driver.memory": "nonsense"})
    with pytest.raises(Transient, match="Spark Connect ended with 1") as failure:
        server.start()
    assert "nonsense" in failure.value.message
    assert not server.is_running


def test_missing_java_is_named_with_its_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Transient, match="apt-get install openjdk-17-jre-headless"):
        EmbeddedSpark(data_dir=tmp_path, cores=1).start()


def test_two_servers_do_not_share_a_folder(tmp_path: Path) -> None:
    (tmp_path / "spark").mkdir()
    with (tmp_path / "spark" / "lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(Transient, match="in use by another Packhouse"):
            EmbeddedSpark(data_dir=tmp_path, cores=1).start()


def test_a_server_dies_with_the_process_that_started_it(tmp_path: Path) -> None:
    command = [sys.executable, "-c", START_IN_BACKGROUND, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        eventually(lambda: Path(f"/proc/{pid}/comm").read_text().strip() == "java")
        parent.send_signal(signal.SIGKILL)
    eventually(lambda: not Path(f"/proc/{pid}").exists() or "State:\tZ" in Path(f"/proc/{pid}/status").read_text())
