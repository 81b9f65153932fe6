"""Compactions of a table's buckets by the core's child JVM, as Packhouse sends them."""

import base64
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import pytest

from engine.embedded.jars import CACHE_FOLDER, fetch
from engine.formats.paimon.manifests.live_files import LiveFiles
from engine.formats.paimon.rewrite.heap import COMMIT_HEAP_BYTES
from engine.formats.paimon.task.commits import CommitAnswer, CoreCommit
from engine.formats.paimon.task.contract import ONE_BUCKET, CoreTask
from engine.formats.paimon.task.core_process import CORE_PROCESSES
from engine.rewriting.entry import run_task
from engine.rewriting.kernel.contract import GroupResult, TaskInput
from tests.support.paimon.core import PAIMON
from tests.support.paimon.lakes import PaimonLake

HEAP: Final = 256 * 2**20
"""The least heap that a run asks for, so that all tests share a child JVM."""

PREFIX: Final = "packhouse-run-1-1-"


@pytest.fixture(scope="session")
def core_child() -> Iterator[None]:
    """Start the child JVM of this process, which all tests share, and end it after the last one.

    It has the heap of commits: a smaller one would be replaced at the first commit.
    """
    with CORE_PROCESSES.lend(paimon_jar(), COMMIT_HEAP_BYTES):
        pass
    yield
    CORE_PROCESSES.close()


def paimon_jar() -> str:
    return str(fetch(PAIMON, CACHE_FOLDER).absolute())


def live_files(lake: PaimonLake) -> LiveFiles:
    return lake.open()._view.live


def paths(lake: PaimonLake) -> set[str]:
    return set(live_files(lake).paths().to_pylist())


def tasks(lake: PaimonLake, *, kind: str = ONE_BUCKET, full: bool = True, **options: str) -> list[CoreTask]:
    """Return a task for each bucket; underscores in names of options are dashes, two of them dots."""
    live = live_files(lake)
    found: dict[tuple[bytes, int], list[TaskInput]] = {}
    for row, path in zip(live.files.to_pylist(), live.paths().to_pylist(), strict=True):
        one = TaskInput(path, row["file_bytes"], row["record_count"])
        found.setdefault((row["partition"], row["bucket"]), []).append(one)
    return [
        CoreTask(
            run_id="run",
            attempt=1,
            group=number,
            table=str(lake.folder),
            bucket=bucket,
            partition=base64.b64encode(partition).decode(),
            inputs=tuple(inputs),
            kind=kind,
            full=full,
            options={name.replace("__", ".").replace("_", "-"): value for name, value in options.items()},
            jar=paimon_jar(),
            heap_bytes=HEAP,
            name_prefix=PREFIX,
        )
        for number, ((partition, bucket), inputs) in enumerate(sorted(found.items()))
    ]


def compact(task: CoreTask) -> GroupResult:
    return GroupResult.from_json(run_task(task.to_json()))


def own_files(lake: PaimonLake) -> list[Path]:
    """Return the files of the table that tasks wrote."""
    return sorted(lake.folder.rglob(f"{PREFIX}*"))


@dataclass(frozen=True)
class Commits:
    """Commits of results to the table at a location, by one user."""

    location: Path | str
    user: str = "packhouse-run-1"
    properties: dict[str, str] = field(default_factory=dict)

    def commit(self, *results: GroupResult, identifier: int = 1, **changes: Any) -> CommitAnswer:
        asked = CoreCommit(
            table=str(self.location),
            jar=paimon_jar(),
            heap_bytes=HEAP,
            user=self.user,
            identifier=identifier,
            messages=tuple(each.message for each in results),
            properties=self.properties,
        )
        return CommitAnswer.from_json(run_task(replace(asked, **changes).to_json()))
