"""B20: one task's rewrite in an object store at several latencies: files a second, requests, wall and CPU.

The store is in memory, in another process (`tests/support/store_server.py`), and waits before each answer. Contenders
take turns: `obstore`, as executors with that package read S3; `arrow`, as the others do; `disk`, the same files on the
disk, is the bound. CPU seconds are those of the task's process with all its threads. One core serves, one rewrites.
Iceberg's procedure is not measured here: it asks twice per small file and reads one after the other in each task.

    python -m bench.object_store [--files 2000] [--kilobytes 125] [--latencies 0,10,30,100] [--json store.json]
    python -m bench.object_store --files 250 --kilobytes 6000

Goals: at 30 ms at least 90 % of the rate at 0 ms; at most 1.05 requests for a small input.
"""

import argparse
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow.parquet as pq

from bench.facts import machine_facts, print_table, write_json
from bench.kernel import TARGET_BYTES, cpu_seconds, lineitem_file
from engine.rewriting.kernel.contract import GroupResult, TaskInput, WriteSettings
from engine.rewriting.kernel.kernel_task import SentKernelTask
from engine.rewriting.kernel.storage.stores import objects
from engine.rewriting.kernel.task import rewrite_group
from engine.rewriting.kernel.writing.layout import output_count
from tests.support.kernel_tasks import changed, kernel_task
from tests.support.store_server import BUCKET, Manners, StoreServer, store_server

ROWS_PER_KILOBYTE = 28


def main() -> None:
    """Measure every contender at every latency and print the rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--kilobytes", type=int, default=125)
    parser.add_argument("--latencies", default="0,10,30,100", help="milliseconds to the first byte")
    parser.add_argument("--repeats", type=int, default=2, help="rounds; the best counts")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    latencies = [int(each) / 1000 for each in given.latencies.split(",")]
    with TemporaryDirectory(prefix="bench-store-") as folder, store_server() as store:
        task = uploaded(store, Path(folder), given.files, given.kilobytes)
        rows = [_disk(local(task, Path(folder)), given.repeats)]
        for latency in latencies:
            store.control(manners=Manners(latency=latency))
            rows += [_measured(store, task, name, latency, given.repeats) for name in ("obstore", "arrow")]
    print_table(rows)
    write_json(given.json, {"benchmark": "B20", "machine": machine_facts(), "rows": rows})


def uploaded(store: StoreServer, folder: Path, files: int, kilobytes: int) -> SentKernelTask:
    """Make the input files in the folder and in the store, and return the task for the latter."""
    inputs = []
    for number in range(files):
        path = lineitem_file(folder / f"in-{number}.parquet", ROWS_PER_KILOBYTE * kilobytes, number)
        store.put(f"in/{path.name}", path.read_bytes())
        inputs.append(TaskInput(f"s3://{BUCKET}/in/{path.name}", path.stat().st_size, pq.read_metadata(path).num_rows))
    return kernel_task(
        inputs,
        pq.read_schema(folder / "in-0.parquet").remove_metadata(),
        f"s3://{BUCKET}/out",
        name_prefix="",
        file_count=output_count(sum(one.file_bytes for one in inputs), TARGET_BYTES),
        settings=WriteSettings(target_file_bytes=TARGET_BYTES),
        storage=store.properties(),
    )


def local(task: SentKernelTask, folder: Path) -> SentKernelTask:
    """Return the same task for the files in the folder."""
    inputs = [replace(one, path=f"{folder}/{one.path.rpartition('/')[2]}") for one in task.task.read.files]
    return changed(task, files=tuple(inputs), folder=f"{folder}/out", allowed_folders=(str(folder),))


def _disk(task: SentKernelTask, repeats: int) -> dict[str, Any]:
    return _best("disk", 0.0, [_once(task) for _ in range(repeats)], task)


def _measured(store: StoreServer, task: SentKernelTask, name: str, latency: float, repeats: int) -> dict[str, Any]:
    with _without_obstore() if name == "arrow" else _as_it_is():
        store.control(forget=True)
        taken = [_once(task) for _ in range(repeats)]
        most = store.control()["most_at_once"]
    return _best(name, latency, taken, task) | {"most_at_once": most}


@contextmanager
def _without_obstore() -> Iterator[None]:
    present = vars(objects)["obstore"]
    vars(objects)["obstore"] = None
    try:
        yield
    finally:
        vars(objects)["obstore"] = present


@contextmanager
def _as_it_is() -> Iterator[None]:
    yield


def _once(task: SentKernelTask) -> tuple[float, float, GroupResult]:
    begun, cpu = time.perf_counter(), cpu_seconds()
    fresh = replace(task, name_prefix=f"{time.monotonic_ns()}-")
    result = GroupResult.from_json(rewrite_group(fresh.to_json()))
    assert result.outcome == "written", result.reason
    return time.perf_counter() - begun, cpu_seconds() - cpu, result


def _best(
    name: str, latency: float, taken: Sequence[tuple[float, float, GroupResult]], task: SentKernelTask
) -> dict[str, Any]:
    wall, cpu, result = min(taken, key=lambda one: one[0])
    files = len(task.task.read.files)
    return {
        "contender": name,
        "latency_ms": round(1000 * latency),
        "wall_s": wall,
        "files/s": files / wall,
        "cpu_s": cpu,
        "waiting_s": result.seconds_reading,
        "requests per input": result.requests / files,
        "most_at_once": 0,
    }


if __name__ == "__main__":
    main()
