"""B12: what rewrites really move per second, against the limit, with 1 to 8 tasks.

Each task is the kernel in a process of its own with a static share of limit ÷ tasks, rewriting local files again and
again. Measured from the outside: this process adds up `rchar + wchar` of /proc/<pid>/io ten times a second. That counts
the bytes of every read and write call, files, pipes and imports alike, so it can only say more than the kernel moved;
it does not count what is read through a memory map. "highest" and "lowest" are over all windows of 10 s from the first
second of work on. The goal: never above 105 % of the limit, never below 85 % where the machine can go faster: `free` is
what the same tasks move without any limit, and a limit above it is machine-bound.

    python -m bench.pacing [--limits 5,20,80] [--tasks 1,4] [--seconds 16] [--json pacing.json]
"""

import argparse
import base64
import multiprocessing
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bench.facts import machine_facts, print_table, write_json
from bench.processes import moved_bytes
from engine.embedded.demo_rows import make_rows
from engine.rewriting.kernel.contract import GroupResult, GroupTask, Pace, TaskInput, WriteSettings
from engine.rewriting.kernel.task import rewrite_group

MB = 1_000_000
WINDOW_SECONDS, SAMPLES_PER_SECOND = 10.0, 10
INPUT_FILES, ROWS_PER_FILE, REPEATS = 16, 80_000, 8


def main() -> None:
    """Run every number of tasks without and with each limit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limits", default="5,20,80", help="MB per second, read + written, comma-separated")
    parser.add_argument("--tasks", default="1,4", help="numbers of tasks, comma-separated")
    parser.add_argument("--seconds", type=float, default=16.0, help="of each measurement, above 10")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = []
    with TemporaryDirectory(prefix="bench-pacing-") as folder:
        template = _write_inputs(Path(folder))
        for tasks in map(int, options.tasks.split(",")):
            free = _rates(_samples(template, tasks=tasks, limit=None, seconds=options.seconds)).mean()
            for limit in map(float, options.limits.split(",")):
                samples = _samples(template, tasks=tasks, limit=limit * MB, seconds=options.seconds)
                rows.append(_row(tasks, limit, _rates(samples) / MB, free / MB))
                print_table(rows[-1:])
    print_table(rows)
    write_json(options.json, {"benchmark": "B12", "machine": machine_facts(), "rows": rows})


def _row(tasks: int, limit: float, rates: Any, free: float) -> dict[str, Any]:
    highest, lowest = 100 * rates.max() / limit, 100 * rates.min() / limit
    bound = free < limit / 0.85
    verdict = "machine-bound" if bound else "held" if lowest >= 85 else "too slow"
    return {
        "tasks": tasks,
        "limit_MB/s": limit,
        "free_MB/s": float(free),
        "highest_%": float(highest),
        "lowest_%": float(lowest),
        "verdict": verdict if highest <= 105 else "broken",
    }


def _rates(samples: Sequence[tuple[float, int]]) -> Any:
    """Return bytes per second over every window, from pairs of seconds and bytes so far."""
    at, moved = (np.array(column, dtype=np.float64) for column in zip(*samples, strict=True))
    ends = np.searchsorted(at, at + WINDOW_SECONDS)
    starts = np.flatnonzero(ends < len(at))
    if not len(starts):
        raise SystemExit(f"measure for more than {WINDOW_SECONDS:g} seconds: no window is complete")
    return (moved[ends[starts]] - moved[starts]) / (at[ends[starts]] - at[starts])


def _samples(template: GroupTask, *, tasks: int, limit: float | None, seconds: float) -> list[tuple[float, int]]:
    pace = Pace(bytes_per_second=None if limit is None else limit / tasks)
    with _running(template, pace, tasks) as processes:
        pids = [process.pid for process in processes if process.pid is not None]
        began = time.monotonic()
        samples = []
        while (now := time.monotonic() - began) < seconds:
            if not all(process.is_alive() for process in processes):
                raise SystemExit("a task ended: see its error above")
            samples.append((now, sum(map(moved_bytes, pids))))
            time.sleep(1 / SAMPLES_PER_SECOND)
    return samples


@contextmanager
def _running(template: GroupTask, pace: Pace, tasks: int) -> Iterator[list[SpawnProcess]]:
    """Start the tasks together, once all have their imports behind them; end them by force."""
    spawn = multiprocessing.get_context("spawn")
    pipes = [spawn.Pipe() for _ in range(tasks)]
    processes = [spawn.Process(target=_work, args=(theirs,), daemon=True) for _, theirs in pipes]
    try:
        for process in processes:
            process.start()
        for ours, _ in pipes:
            ours.recv()
        for group, (ours, _) in enumerate(pipes):
            fields = {name: getattr(template, name) for name in GroupTask.__slots__}
            ours.send(GroupTask(**{**fields, "pace": pace, "group": group}).to_json())
        yield processes
    finally:
        for process in processes:
            process.kill()
            process.join()


def _work(pipe: Connection) -> None:
    """Rewrite one group for ever, removing what was written."""
    pipe.send("ready")
    task = GroupTask.from_json(pipe.recv())
    fields = {name: getattr(task, name) for name in GroupTask.__slots__}
    attempt = 0
    while True:
        attempt += 1
        prefix = f"bench-{os.getpid()}-{attempt}-"
        text = GroupTask(**{**fields, "attempt": attempt, "name_prefix": prefix}).to_json()
        result = GroupResult.from_json(rewrite_group(text))
        if result.outcome != "written":
            raise SystemExit(f"the kernel answered {result.outcome}: {result.reason}")
        for output in result.outputs:
            Path(output.path.removeprefix("file://")).unlink()


def _write_inputs(folder: Path) -> GroupTask:
    """Write the inputs and return the task that each process varies; a file appears in it several times."""
    schema = _with_field_ids(make_rows(first_id=0, days=1, rows_per_day=1, seed=1).schema)
    inputs = []
    for at in range(INPUT_FILES):
        path = folder / f"input-{at:02d}.parquet"
        rows = make_rows(first_id=at * ROWS_PER_FILE, days=1, rows_per_day=ROWS_PER_FILE, seed=1)
        pq.write_table(rows.cast(schema), path, compression="zstd", compression_level=3)
        inputs.append(TaskInput(path.as_uri(), path.stat().st_size, ROWS_PER_FILE))
    out = folder / "out"
    out.mkdir()
    return GroupTask(
        run_id="bench",
        attempt=1,
        group=0,
        inputs=tuple(inputs * REPEATS),
        schema=base64.b64encode(schema.serialize()).decode(),
        output_dir=out.as_uri(),
        name_prefix="bench-",
        output_files=4,
        write=WriteSettings(target_file_bytes=128 * 2**20),
    )


def _with_field_ids(schema: pa.Schema) -> pa.Schema:
    numbers = iter(range(1, 10_000))

    def numbered(field: pa.Field) -> pa.Field:
        own = {"PARQUET:field_id": str(next(numbers))}
        kind = field.type
        if pa.types.is_struct(kind):
            kind = pa.struct([numbered(child) for child in kind])
        elif pa.types.is_list(kind):
            kind = pa.list_(numbered(kind.value_field))
        return pa.field(field.name, kind, nullable=field.nullable, metadata=own)

    return pa.schema([numbered(field) for field in schema])


if __name__ == "__main__":
    main()
