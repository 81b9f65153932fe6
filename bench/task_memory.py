"""Memory of tasks that read an object store with up to 128 requests at once: of one task, and of four side by side.

Each task is a process of its own, as in Spark. `disk` is the same task on local files, which are not read ahead. `peak`
is the greatest resident size of one process by the kernel's account, `sum` the greatest of all tasks together, sampled
every 20 ms. The store waits 100 ms before each answer, so that as many requests as allowed are sent.

    python -m bench.task_memory [--latency 100] [--tasks 4]

Goals: four tasks stay below four times the peak of one; no task takes more than 64 MiB of inputs ahead.
"""

import argparse
import multiprocessing
import time
from collections.abc import Sequence
from dataclasses import replace
from multiprocessing.process import BaseProcess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.facts import print_table
from bench.object_store import local, uploaded
from engine.rewriting.kernel.kernel_task import SentKernelTask
from engine.rewriting.kernel.task import rewrite_group
from tests.support.store_server import Manners, StoreServer, store_server

MIB = 2**20
SIZES = ((2000, 125), (100, 6000))


def main() -> None:
    """Measure small and large inputs, by one task and by several."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--latency", type=int, default=100, help="milliseconds to the first byte")
    parser.add_argument("--tasks", type=int, default=4)
    given = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for files, kilobytes in SIZES:
        with TemporaryDirectory(prefix="bench-memory-") as folder, store_server() as store:
            task = uploaded(store, Path(folder), files, kilobytes)
            store.control(manners=Manners(latency=given.latency / 1000))
            rows.append(_measured(store, local(task, Path(folder)), 1, kilobytes))
            rows += [_measured(store, task, count, kilobytes) for count in (1, given.tasks)]
    print_table(rows)


def _measured(store: StoreServer, task: SentKernelTask, count: int, kilobytes: int) -> dict[str, Any]:
    store.control(forget=True)
    tasks = [replace(task, name_prefix=f"{time.monotonic_ns()}-{number}-") for number in range(count)]
    peaks, total = _peak_of([_started(rewrite_group, each.to_json()) for each in tasks])
    return {
        "store": "disk" if task.task.write.folder.startswith("/") else "object store",
        "inputs": f"{len(task.task.read.files):,} x {kilobytes} kB",
        "tasks": count,
        "peak_MiB": max(peaks) / MIB,
        "sum_MiB": total / MIB,
        "requests_at_once": store.control()["most_at_once"],
    }


def _started(function: Any, argument: str) -> BaseProcess:
    process = multiprocessing.get_context("spawn").Process(target=function, args=(argument,))
    process.start()
    return process


def _peak_of(processes: Sequence[BaseProcess]) -> tuple[list[float], float]:
    """Return the peak of each process, and that of their sum, in bytes."""
    peaks, total = [0.0] * len(processes), 0.0
    while any(each.is_alive() for each in processes):
        sizes = [_resident(each.pid) for each in processes]
        peaks = [max(found) for found in zip(peaks, (peak for _, peak in sizes), strict=True)]
        total = max(total, sum(now for now, _ in sizes))
        time.sleep(0.02)
    if any(each.exitcode for each in processes):
        raise SystemExit("a task failed")
    return peaks, total


def _resident(pid: int | None) -> tuple[float, float]:
    """Return the resident size of a process in bytes, now and at its greatest; 0 for one that ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0, 0.0
    found = {line.partition(":")[0]: line.split()[1] for line in lines if line.startswith(("VmRSS", "VmHWM"))}
    return 1024 * float(found.get("VmRSS", 0)), 1024 * float(found.get("VmHWM", 0))


if __name__ == "__main__":
    main()
