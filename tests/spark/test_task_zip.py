"""The zip that executors get: complete, the same each time, and really what runs."""

import hashlib
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

import engine
from engine.domain.errors import SparkFailed
from engine.rewriting.entry import run_task
from engine.rewriting.kernel.contract import GroupResult
from engine.rewriting.kernel.library import loading
from engine.rewriting.kernel.splicing.row_groups import FAILED_BEFORE
from engine.spark import task_zip
from engine.spark.dispatch import SparkDispatcher
from engine.spark.sessions import SparkSessions
from engine.spark.task_zip import libraries, write_task_zip
from tests.support.broken_library import CRASH, broken_library
from tests.support.eventually import eventually
from tests.support.spark_server import USER
from tests.support.task_functions import waiting_for
from tests.unit.kernel.building import make_task, outputs_of, write
from tests.unit.kernel.spliced import FLAT, table


def test_it_holds_kernel_and_core_and_the_packages_above_them(tmp_path: Path) -> None:
    root = Path(engine.__file__).parents[1]
    above = {f"{name}/__init__.py" for name in ("engine", "engine/formats", "engine/formats/paimon")}
    expected = {
        str(module.relative_to(root))
        for name in ("outgoing", "rewriting", "uris", "formats/paimon/task")
        for module in (root / "engine" / name).rglob("*.py")
    }
    built = {f"engine/rewriting/compiled/lib/{each.name}" for each in libraries()}
    for asked, added in ((True, built), (False, set())):
        with zipfile.ZipFile(write_task_zip(tmp_path, with_libraries=asked)) as archive:
            assert set(archive.namelist()) == above | expected | added


def test_equal_sources_give_equal_bytes_and_names(tmp_path: Path) -> None:
    first = write_task_zip(tmp_path)
    content = first.read_bytes()
    second = write_task_zip(tmp_path)
    assert (second, second.read_bytes()) == (first, content)


def test_it_needs_nothing_else_of_ours(tmp_path: Path) -> None:
    script = (
        "import importlib, pkgutil, sys, engine as tasks\n"
        "names = [m.name for m in pkgutil.walk_packages(tasks.__path__, 'engine.')]\n"
        "for name in names: print(importlib.import_module(name).__file__)\n"
        "assert not {'pydantic', 'sqlalchemy', 'pyiceberg', 'pyspark'} & set(sys.modules)\n"
    )
    paths = os.pathsep.join([str(write_task_zip(tmp_path)), str(Path(pa.__file__).parents[1])])
    run = subprocess.run(
        [sys.executable, "-S", "-c", script],  # -S: an installed Packhouse (a .pth file) is not seen
        env={**os.environ, "PYTHONPATH": paths},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert "kernel/contract.py" in run.stdout
    assert "paimon/task/entry.py" in run.stdout
    assert all(".zip/engine/" in line for line in run.stdout.splitlines())


def test_tasks_run_the_code_of_the_zip(spark_url: str, tmp_path: Path) -> None:
    def digest() -> Callable[[str], str]:
        def work(payload: str) -> str:
            import importlib  # noqa: PLC0415 - in a Spark task, where this module does not exist

            loader = importlib.import_module(payload).__loader__
            with open(loader.archive, "rb") as archive:  # type: ignore[union-attr]  # noqa: PTH123
                return hashlib.sha256(archive.read()).hexdigest()

        return work

    ours = hashlib.sha256(write_task_zip(tmp_path).read_bytes()).hexdigest()
    sessions = SparkSessions(url=spark_url, user_id=USER)
    dispatcher = SparkDispatcher(sessions=sessions)
    modules = ["engine", "engine.rewriting", "engine.rewriting.kernel.contract", "engine.formats.paimon.task.entry"]
    assert dispatcher.run(dispatcher.ticket("run_zip", 1, 1), digest(), modules) == [ours] * 4
    sessions.close()


def test_a_crash_inside_the_library_ends_its_task_and_no_other(
    spark_url: str, tmp_path: Path, background: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its group is written by a task without the pass, as `Lanes` sends it again."""
    crashing = {f"engine/rewriting/compiled/lib/{loading.NAME}": broken_library(tmp_path, None, 1, CRASH)}
    monkeypatch.setattr(task_zip, "_libraries", lambda: crashing)
    sessions = SparkSessions(url=spark_url, user_id=f"{USER}-crash")
    dispatcher = SparkDispatcher(sessions=sessions)
    rows = table(1, 150, FLAT)
    task = make_task(tmp_path, [write(tmp_path / f"{i}.parquet", rows) for i in range(2)], FLAT)
    other = background.submit(dispatcher.run, dispatcher.ticket("run", 1, 1), waiting_for(tmp_path / "end"), ["a"])
    try:
        eventually((tmp_path / "end.started").exists)
        with pytest.raises(SparkFailed, match="Python worker exited unexpectedly"):
            dispatcher.run(dispatcher.ticket("run", 1, 2), run_task, [task.to_json()])
        again = replace(task, uses_pass=False, name_prefix="again-")
        [answer] = dispatcher.run(dispatcher.ticket("run", 1, 3), run_task, [again.to_json()])
    finally:
        (tmp_path / "end").touch()
    result = GroupResult.from_json(answer)
    assert (result.outcome, result.pass_limit) == ("written", FAILED_BEFORE)
    assert outputs_of(result).equals(pa.concat_tables([rows, rows]))
    assert other.result(timeout=30) == ["a"]
    sessions.close()
