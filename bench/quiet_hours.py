"""B13: bytes that a rewrite moves later than 5 s after a window began that interrupts it. The goal: none.

A paced rewrite of a table in Spark, over HTTP. When its first file groups are under way, a blackout with `on_start:
interrupt` is declared that begins a little later (each group takes twice the time until then; groups that can't end
before a window that is known are not begun) and lasts for a while; the run waits, goes on when it is over, and has to
succeed. Measured from the outside, ten times a second: `rchar + wchar` of every Python process of Spark, from
/proc/<pid>/io. That counts the bytes of every read and write call, files, pipes and imports alike, so it can only say
more than the tasks moved: Spark's idle processes exchange some kilobytes when they are told to end, less than any read
of this table's 6 MB files. Below `CONTROL_BYTES` the goal counts as held. `told`: the states that the run showed.

Written are a JSON document and a plot of the rate over time that crosses the start and the end of the window.

    python -m bench.quiet_hours [--megabytes 192] [--lead 25] [--window 20] [--cores 2] [--json …] [--svg …]
"""

import argparse
import threading
import time
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

from bench.facts import machine_facts, print_table, write_json
from bench.lake import TARGET_BYTES, Lake
from bench.lineitem import lineitem_columns
from bench.plots import Curve, write_svg
from bench.processes import moved_bytes, python_workers
from engine.services.runs.hold_watch import POLICY_SECONDS

MB = 1_000_000
LATE_SECONDS = 5.0
SAMPLES_PER_SECOND, BIN_SECONDS = 10, 0.5
LONGEST_SECONDS = 900.0
CONTROL_BYTES = 64 * 1024


@dataclass
class Meter:
    """Bytes that Spark's Python processes moved so far, sampled; those of processes that ended stay counted."""

    began: float
    samples: list[tuple[float, int]] = field(default_factory=list)
    _seen: dict[int, int] = field(default_factory=dict)
    _ended: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Self:
        """Begin to sample."""
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """End it."""
        self._ended.set()
        self._thread.join()

    def at(self, second: float) -> int:
        """Return what was moved until a second since the beginning."""
        return self.samples[max(0, bisect_right(self.samples, (second, 2**63)) - 1)][1]

    def _run(self) -> None:
        while not self._ended.wait(1 / SAMPLES_PER_SECOND):
            for pid in python_workers():
                try:
                    self._seen[pid] = max(self._seen.get(pid, 0), moved_bytes(pid))
                except ProcessLookupError:
                    continue
            self.samples.append((time.monotonic() - self.began, sum(self._seen.values())))


@dataclass(frozen=True, slots=True)
class Crossing:
    """One run that crossed a window. Seconds are since it was submitted; `states` what it said, with when."""

    meter: Meter
    begin: float
    end: float
    limit: float
    run: dict[str, Any]
    states: Sequence[tuple[float, str]]


def main() -> None:
    """Let one run cross a window, print and write what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=192, help="of the table")
    parser.add_argument(
        "--lead",
        type=float,
        default=25.0,
        help=f"seconds from the first file groups to the window, above {POLICY_SECONDS:g}",
    )
    parser.add_argument("--window", type=float, default=20.0, help="seconds that it lasts, above 5")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--svg", type=Path)
    options = parser.parse_args()
    with (
        TemporaryDirectory(prefix="bench-quiet-hours-") as folder,
        Lake(folder=Path(folder), cores=options.cores) as lake,
    ):
        crossing = _cross(lake, options.megabytes, options.lead, options.window)
    row = _row(crossing)
    print_table([row])
    write_json(options.json, {"benchmark": "B13", "machine": machine_facts(), "rows": [row], "told": crossing.states})
    if options.svg is not None:
        write_svg(options.svg, _curve(crossing))


def _cross(lake: Lake, megabytes: int, lead: float, window: float) -> Crossing:
    lake.write("quiet", columns=lineitem_columns(), files=max(4 * lake.cores, megabytes // 6), file_bytes=6 * MB)
    sizes = [size for _, size in lake.files("quiet")]
    limit = sum(sizes) / (2 * lead)  # read + written: a group of one core takes 2 · lead
    group = sum(sizes) // (2 * lake.cores) + max(sizes)
    rewrite = {"target_file_bytes": TARGET_BYTES, "max_group_bytes": max(TARGET_BYTES, group), "min_input_files": 2}
    limits = {"parallel_groups": lake.cores, "bandwidth": int(limit)}
    table = lake.copy("quiet", {"rewrite": rewrite, "limits": limits})
    with Meter(time.monotonic()) as meter:
        run_id, states = lake.service.submit(table), list[tuple[float, str]]()
        _follow(lake, run_id, meter, states, until=lambda run: run["state"] == "rewriting" or run["is_terminal"])
        begin = time.monotonic() - meter.began + lead
        begin_at = datetime.now(UTC) + timedelta(seconds=lead)
        freeze = {"from": begin_at.isoformat(), "to": (begin_at + timedelta(seconds=window)).isoformat()}
        freeze |= {"reason": "bench", "on_start": "interrupt"}
        lake.service.set_policy(table, {"rewrite": rewrite, "limits": limits, "blackouts": [freeze]}, replaces=1)
        run = _follow(lake, run_id, meter, states, until=lambda run: run["is_terminal"])
        time.sleep(1.0)  # let the meter see the end
    return Crossing(meter, begin, begin + window, limit, run, states)


def _follow(
    lake: Lake, run_id: str, meter: Meter, states: list[tuple[float, str]], *, until: Callable[[dict[str, Any]], bool]
) -> dict[str, Any]:
    """Return the run when it is so far; note each state that it shows, with the second at which it was seen first."""
    while (second := time.monotonic() - meter.began) < LONGEST_SECONDS:
        run = lake.service.run(run_id)
        shown = run["state"] if run["waiting_for"] is None else f"{run['state']}: {run['waiting_for']}"
        if not states or states[-1][1] != shown:
            states.append((round(second, 2), shown))
        if until(run):
            return run
        time.sleep(0.1)
    raise SystemExit(f"the run did not end within {LONGEST_SECONDS:g} seconds")


def _row(crossing: Crossing) -> dict[str, Any]:
    meter, begin, end = crossing.meter, crossing.begin, crossing.end
    if crossing.run["state"] != "succeeded":
        raise SystemExit(f"the run {crossing.run['state']}: {crossing.run['reason']}: {crossing.run['detail']}")
    parked = next((at for at, state in crossing.states if state == "queued: blackout" and at > begin), None)
    if parked is None:
        raise SystemExit(f"the run was not at work when the window began: {crossing.states}")
    late = meter.at(end) - meter.at(begin + LATE_SECONDS)
    moving = [at for (_, moved), (at, then) in pairwise(meter.samples) if then - moved >= CONTROL_BYTES / 10]
    last = max((at for at in moving if at < end), default=begin)
    return {
        "limit_MB/s": crossing.limit / MB,
        "before_MB": (meter.at(begin) - meter.at(0.0)) / MB,
        "rate_before_MB/s": (meter.at(begin) - meter.at(begin - 3)) / 3 / MB,
        "late_bytes": late,
        "moving_until_s": last - begin,
        "parked_s": parked - begin,
        "resumed_s": next((at for at in moving if at >= end), end) - end,
        "after_MB": (meter.samples[-1][1] - meter.at(end)) / MB,
        "attempts": crossing.run["attempt"],
        "verdict": "held" if late < CONTROL_BYTES else "broken",
    }


def _curve(crossing: Crossing) -> Curve:
    meter = crossing.meter
    count = int(meter.samples[-1][0] / BIN_SECONDS)
    edges = [number * BIN_SECONDS for number in range(count + 1)]
    rates = [(meter.at(edge) - meter.at(edge - BIN_SECONDS)) / BIN_SECONDS / MB for edge in edges[1:]]
    return Curve(
        title="B13: a rewrite across quiet hours, on_start: interrupt",
        value_label="MB/s read + written by Spark's Python processes since the run was submitted",
        points=list(zip(edges[1:], rates, strict=True)),
        band=(crossing.begin, crossing.end, "window"),
        mark=(crossing.begin + LATE_SECONDS, "begin + 5 s"),
        level=(crossing.limit / MB, f"limit {crossing.limit / MB:.3g} MB/s"),
    )


if __name__ == "__main__":
    main()
