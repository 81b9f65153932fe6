"""B12: what rewrites really move per second, against the limit, with 1 to 8 tasks, alone and beside a second run.

Each task is the kernel in a process of its own, rewriting local files again and again. With one run, tasks have static
shares of limit ÷ tasks. With two runs the limit is that of the fleet: the second begins after a third of the time and
ends after two, and shares are re-dealt over Redis and the pace channel (see `bench/shared_pacing.py`).

Measured from the outside: this process adds up `rchar + wchar` of /proc/<pid>/io ten times a second. That counts the
bytes of every read and write call, files, pipes and imports alike, so it can only say more than the kernel moved; it
does not count what is read through a memory map. "highest" and "lowest" are over all windows of 10 s from the first
second of work on. The goal: never above 105 % of the limit, never below 85 % where the machine can go faster: `free` is
what the same tasks of one run move without any limit, and a limit above it is machine-bound.

    python -m bench.pacing [--limits 5,20,80] [--tasks 1,4] [--runs 1,2] [--seconds 30] [--json …] [--svg …]

The picture is that of the last measurement with the most runs: the rate of each second against the limit.
"""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from bench.facts import machine_facts, print_table, write_json
from bench.paced_tasks import Workers, write_inputs
from bench.plots import Curve, write_svg
from bench.processes import moved_bytes
from bench.shared_pacing import shared_samples
from engine.rewriting.kernel.contract import Pace
from engine.rewriting.kernel.kernel_task import SentKernelTask

MB = 1_000_000
WINDOW_SECONDS, SAMPLES_PER_SECOND = 10.0, 10


def main() -> None:
    """Run every number of tasks without and with each limit, in each number of runs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limits", default="5,20,80", help="MB per second, read + written, comma-separated")
    parser.add_argument("--tasks", default="1,4", help="numbers of tasks of each run, comma-separated")
    parser.add_argument("--runs", default="1,2", help="numbers of runs, comma-separated: 1, 2 or both")
    parser.add_argument("--seconds", type=float, default=30.0, help="of each measurement, above 10")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--svg", type=Path)
    options = parser.parse_args()
    rows, curves = [], {}
    with TemporaryDirectory(prefix="bench-pacing-") as folder:
        template = write_inputs(Path(folder))
        for tasks in map(int, options.tasks.split(",")):
            free = _rates(_samples(template, tasks=tasks, limit=None, seconds=options.seconds)).mean()
            for limit in map(float, options.limits.split(",")):
                for runs in sorted(map(int, options.runs.split(","))):
                    given = {"tasks": tasks, "limit": limit * MB, "seconds": options.seconds}
                    state = Path(folder) / f"state-{tasks}-{limit:g}"
                    samples = shared_samples(state, template, **given) if runs > 1 else _samples(template, **given)
                    rows.append(_row(runs, tasks, limit, _rates(samples) / MB, free / MB))
                    curves[f"{runs} runs, {tasks} tasks, {limit:g} MB/s"] = _curve(samples)
                    print_table(rows[-1:])
    print_table(rows)
    facts = {"benchmark": "B12", "machine": machine_facts(), "rows": rows, "MB_per_second_by_second": curves}
    write_json(options.json, facts)
    if options.svg is not None:
        _draw(options.svg, *list(curves.items())[-1], limit=limit, seconds=options.seconds)


def _row(runs: int, tasks: int, limit: float, rates: Any, free: float) -> dict[str, Any]:
    highest, lowest = 100 * rates.max() / limit, 100 * rates.min() / limit
    bound = free < limit / 0.85
    verdict = "machine-bound" if bound else "held" if lowest >= 85 else "too slow"
    return {
        "runs": runs,
        "tasks": tasks,
        "limit_MB/s": limit,
        "free_MB/s": float(free),
        "highest_%": float(highest),
        "lowest_%": float(lowest),
        "verdict": verdict if highest <= 105 else "broken",
    }


def _curve(samples: Sequence[tuple[float, int]]) -> list[tuple[float, float]]:
    """Return MB per second of each second."""
    at, moved = (np.array(column, dtype=np.float64) for column in zip(*samples, strict=True))
    seconds = np.arange(0.0, at[-1], 1.0)
    totals = np.interp(seconds, at, moved)
    return [(float(second), float(rate)) for second, rate in zip(seconds[1:], np.diff(totals) / MB, strict=True)]


def _draw(path: Path, title: str, points: Sequence[tuple[float, float]], *, limit: float, seconds: float) -> None:
    write_svg(
        path,
        Curve(
            title=f"B12: {title}",
            value_label="MB/s, read + written, all runs together",
            points=points,
            band=(seconds / 3, seconds * 2 / 3, "two runs at work"),
            mark=None,
            level=(limit, f"limit: {limit:g} MB/s"),
        ),
    )


def _rates(samples: Sequence[tuple[float, int]]) -> Any:
    """Return bytes per second over every window, from pairs of seconds and bytes so far."""
    at, moved = (np.array(column, dtype=np.float64) for column in zip(*samples, strict=True))
    ends = np.searchsorted(at, at + WINDOW_SECONDS)
    starts = np.flatnonzero(ends < len(at))
    if not len(starts):
        raise SystemExit(f"measure for more than {WINDOW_SECONDS:g} seconds: no window is complete")
    return (moved[ends[starts]] - moved[starts]) / (at[ends[starts]] - at[starts])


def _samples(template: SentKernelTask, *, tasks: int, limit: float | None, seconds: float) -> list[tuple[float, int]]:
    with Workers(tasks) as workers:
        workers.begin(template, Pace(bytes_per_second=None if limit is None else limit / tasks))
        began = time.monotonic()
        samples = []
        while (now := time.monotonic() - began) < seconds:
            samples.append((now, sum(map(moved_bytes, workers.pids))))
            time.sleep(1 / SAMPLES_PER_SECOND)
    return samples


if __name__ == "__main__":
    main()
