"""The child JVM: it ends with its parent, and its end is the result of one group only."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine.formats.paimon.task.core_process import CORE_PROCESSES
from tests.support.eventually import eventually
from tests.support.paimon.compactions import HEAP, compact, own_files, paimon_jar, tasks
from tests.support.paimon.core import ROOT
from tests.support.paimon.lakes import PaimonLake, made_once

pytestmark = pytest.mark.usefixtures("core_child")

BUSY = """
import sys, threading
from engine.formats.paimon.task.core_process import CORE_PROCESSES
with CORE_PROCESSES.lend(sys.argv[1], 64 * 2**20) as child:
    if sys.argv[2] == "busy":
        threading.Thread(target=lambda: child.jvm.java.lang.Thread.sleep(600_000), daemon=True).start()
    print(child.pid, flush=True)
    sys.stdin.read()
"""


def keyed(lake: PaimonLake) -> PaimonLake:
    return filled(lake, runs=3, rows=50, text_bytes=100)


def large(lake: PaimonLake) -> PaimonLake:
    return filled(lake, runs=4, rows=400, text_bytes=25_000)


def filled(lake: PaimonLake, *, runs: int, rows: int, text_bytes: int) -> PaimonLake:
    def make(made: PaimonLake) -> None:
        made.create([("id", "BIGINT NOT NULL"), ("text", "STRING")], primary_keys=["id"], bucket="1", write_only="true")
        for seed in range(runs):
            made.call("fill", rows=rows, text_bytes=text_bytes, seed=seed)

    return made_once(lake.core, lake.root, f"{runs} runs of {rows} rows of {text_bytes} bytes", make)


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", maxsplit=1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.fixture
def parent(request: pytest.FixtureRequest) -> Iterator["subprocess.Popen[str]"]:
    with subprocess.Popen(
        [sys.executable, "-c", BUSY, paimon_jar(), request.param],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield process
        process.kill()


@pytest.mark.parametrize("parent", ["idle", "busy"], indirect=True)
def test_it_ends_when_its_parent_is_killed(parent: "subprocess.Popen[str]") -> None:
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    assert is_running(pid)
    parent.send_signal(signal.SIGKILL)
    eventually(lambda: not is_running(pid), within_seconds=10)


def test_tasks_of_one_process_share_it(lake: PaimonLake) -> None:
    task = tasks(keyed(lake))[0]
    pids = set()
    for _ in range(2):
        assert compact(task).outcome == "written"
        with CORE_PROCESSES.lend(task.jar, task.heap_bytes) as child:
            pids.add(child.pid)
    assert len(pids) == 1


def test_another_heap_needs_another_child() -> None:
    CORE_PROCESSES.close()  # a larger heap would do
    with CORE_PROCESSES.lend(paimon_jar(), HEAP) as first:
        pass
    with CORE_PROCESSES.lend(paimon_jar(), HEAP + 2**20) as second:
        assert int(second.jvm.java.lang.Runtime.getRuntime().maxMemory()) <= HEAP + 2**20
    assert (first.pid != second.pid, is_running(first.pid), is_running(second.pid)) == (True, False, True)


def test_it_listens_on_the_loopback_interface_only() -> None:
    with CORE_PROCESSES.lend(paimon_jar(), HEAP) as child:
        inodes = {str(each.readlink()) for each in Path(f"/proc/{child.pid}/fd").iterdir()}
        found = set()
        for table in ("tcp", "tcp6"):
            for line in Path(f"/proc/{child.pid}/net/{table}").read_text().splitlines()[1:]:
                fields = line.split()
                if fields[3] == "0A" and f"socket:[{fields[9]}]" in inodes:
                    found.add(fields[1].split(":")[0])
    assert found <= {"0100007F", "0000000000000000FFFF00000100007F"}
    assert found


def test_a_child_that_was_killed_is_replaced(lake: PaimonLake) -> None:
    task = tasks(keyed(lake))[0]
    with CORE_PROCESSES.lend(task.jar, task.heap_bytes) as child:
        os.kill(child.pid, signal.SIGKILL)
        eventually(lambda: not is_running(child.pid), within_seconds=5)
    assert compact(task).outcome == "written"


def test_too_small_a_heap_fails_one_group_only(lake: PaimonLake, tmp_path: Path) -> None:
    large_one, small = large(replace(lake, root=tmp_path / "large")), 24 * 2**20
    CORE_PROCESSES.close()  # a larger heap would do
    result = compact(replace(tasks(large_one)[0], heap_bytes=small))
    assert result.outcome == "failed"
    assert result.reason == (
        "OutOfHeap: the heap of Paimon's core, 24 MiB, is too small for this bucket: raise "
        "PACKHOUSE_PAIMON_HEAP_BYTES, or give the table more buckets"
    )
    assert own_files(large_one) == []
    assert compact(replace(tasks(keyed(lake))[0], heap_bytes=small)).outcome == "written"


def test_a_heap_that_is_too_small_is_raised_to_the_limit_once(lake: PaimonLake) -> None:
    task = tasks(large(lake))[0]
    CORE_PROCESSES.close()
    result = compact(replace(task, heap_bytes=24 * 2**20, heap_limit_bytes=HEAP))
    assert (result.outcome, result.reason) == ("written", None)
    assert {each.name for each in own_files(lake)} == {Path(each.path).name for each in result.outputs}


def test_a_bucket_that_needs_more_than_the_limit_is_refused_before_a_jvm_is_started(lake: PaimonLake) -> None:
    task = tasks(keyed(lake))[0]
    CORE_PROCESSES.close()
    result = compact(replace(task, heap_bytes=3 * 2**30, heap_limit_bytes=2 * 2**30))
    assert CORE_PROCESSES._child is None
    assert result.outcome == "refused"
    assert result.reason == (
        "heap_limit: the bucket needs about 3072 MiB of heap, and PACKHOUSE_PAIMON_HEAP_BYTES allows 2048 MiB: raise "
        "it, give the table more buckets, or lower its sort-spill-threshold"
    )


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"heap_bytes": 1024}, "CoreFault: the JVM of Paimon's core did not start: "),
        ({"jar": "/nowhere/paimon.jar"}, "CoreFault: /nowhere/paimon.jar does not exist on the executor"),
    ],
    ids=["heap", "jar"],
)
def test_a_child_that_cannot_start_fails_the_group(lake: PaimonLake, changes: dict[str, object], reason: str) -> None:
    result = compact(replace(tasks(keyed(lake))[0], **changes))
    assert (result.outcome, str(result.reason)[: len(reason)]) == ("failed", reason)


@pytest.mark.parametrize(
    ("variable", "reason"),
    [
        ("JAVA_HOME", "which has no bin/java: set spark.executorEnv.JAVA_HOME"),
        ("SPARK_HOME", "which Paimon's core needs: set spark.executorEnv.SPARK_HOME"),
    ],
    ids=["java", "spark"],
)
def test_a_missing_part_of_the_executor_is_named(
    lake: PaimonLake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, reason: str
) -> None:
    (tmp_path / "jars").mkdir()
    CORE_PROCESSES.close()
    monkeypatch.setenv(variable, str(tmp_path))
    result = compact(tasks(keyed(lake))[0])
    assert result.outcome == "failed"
    assert reason in str(result.reason)
