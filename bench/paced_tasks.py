"""Tasks for measurements of pacing: the kernel in processes of their own, rewriting the same local files for ever."""

import multiprocessing
import os
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Self

import pyarrow as pa
import pyarrow.parquet as pq

from engine.embedded.demo_rows import make_rows
from engine.rewriting.kernel.contract import GroupResult, Pace, TaskInput
from engine.rewriting.kernel.kernel_task import SentKernelTask
from engine.rewriting.kernel.task import rewrite_group
from tests.support.kernel_tasks import changed, kernel_task

INPUT_FILES, ROWS_PER_FILE, REPEATS = 16, 80_000, 8
MOST_TASKS = 1000


class Workers:
    """Processes with their imports behind them, each for one task; `with` ends them by force."""

    def __init__(self, count: int) -> None:
        spawn = multiprocessing.get_context("spawn")
        self._pipes = [spawn.Pipe() for _ in range(count)]
        self._processes = [spawn.Process(target=_work, args=(theirs,), daemon=True) for _, theirs in self._pipes]

    def __enter__(self) -> Self:
        """Start them all; takes seconds."""
        for process in self._processes:
            process.start()
        for ours, _ in self._pipes:
            ours.recv()
        return self

    def __exit__(self, *_: object) -> None:
        """End them."""
        self.end()

    def end(self) -> None:
        """End them."""
        for process in self._processes:
            process.kill()
            process.join()

    @property
    def pids(self) -> list[int]:
        """Their ids; SystemExit when one has ended."""
        if not all(process.is_alive() for process in self._processes):
            raise SystemExit("a task ended: see its error above")
        return [process.pid for process in self._processes if process.pid is not None]

    def begin(self, template: SentKernelTask, pace: Pace) -> None:
        """Let all begin to rewrite at this pace."""
        for group, (ours, _) in enumerate(self._pipes):
            ours.send(changed(template, pace=pace, group=group).to_json())


def _work(pipe: Connection) -> None:
    """Rewrite one group for ever, removing what was written; each time it is another group to the pace channel."""
    pipe.send("ready")
    task = SentKernelTask.from_json(pipe.recv())
    attempt = 0
    while True:
        attempt += 1
        prefix = f"bench-{os.getpid()}-{attempt}-"
        group = task.task.identity.group + attempt * MOST_TASKS
        sent = changed(task, group=group, attempt=attempt, name_prefix=prefix)
        result = GroupResult.from_json(rewrite_group(sent.to_json()))
        if result.outcome != "written":
            raise SystemExit(f"the kernel answered {result.outcome}: {result.reason}")
        for output in result.outputs:
            Path(output.path.removeprefix("file://")).unlink()


def write_inputs(folder: Path) -> SentKernelTask:
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
    return kernel_task(inputs * REPEATS, schema, out.as_uri(), run_id="bench", file_count=4)


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
