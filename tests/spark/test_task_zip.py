"""The zip that executors get: complete, the same each time, and really what runs."""

import hashlib
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa

import engine
from engine.spark.dispatch import SparkDispatcher
from engine.spark.sessions import SparkSessions
from engine.spark.task_zip import libraries, write_task_zip
from tests.support.spark_server import USER


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
