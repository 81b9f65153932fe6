"""B4: sort, zorder and hilbert against own binpack, in CPU seconds, and against the procedure's sort and zorder.

Two tables. The first is the kernel alone: one group, in this process, contenders in turn (paired ratios); `encoded` is
binpack without the splicing of pages, which no order of rows can use. The second is ours and Iceberg's procedure on
copies of one table written by Spark, on one warm server, each to its commit; CPU seconds are those of this process and
all its descendants. `--kernel` leaves the second out: it starts no Spark.

Everything is ordered by `l_shipdate` and `l_partkey`. Of the kernel alone every order is measured three times: rows in
memory; `on disk`, with `--memory` MiB for them, as in a partition that is many times larger; and `in groups`, the
inputs cut into four groups, each in memory and an order by itself, which is what one order of them all is paid against.
The first repeat of the kernel alone is not counted.

    python -m bench.ordering [--kernel] [--megabytes 192] [--repeats 3] [--cores 2] [--memory 64] [--json FILE]
    python -m cProfile -s tottime -m bench.ordering --kernel --repeats 1 | head -40
"""

import argparse
import statistics
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from unittest.mock import patch

import pyarrow.parquet as pq

from bench.contenders import Done, ours
from bench.facts import machine_facts, print_table, write_json
from bench.kernel import cpu_seconds, lineitem_file
from bench.lake import CATALOG, NAMESPACE, TARGET_BYTES, Lake
from bench.lineitem import lineitem_columns
from bench.processes import tree_cpu_seconds
from engine.embedded.jars import ICEBERG_RUNTIME
from engine.rewriting.kernel.contract import GroupResult, RowOrder, SortColumn, TaskInput, WriteSettings
from engine.rewriting.kernel.kernel_task import SentKernelTask
from engine.rewriting.kernel.splicing.row_groups import Splicer
from engine.rewriting.kernel.task import rewrite_group
from engine.rewriting.kernel.writing.layout import output_count
from tests.support.kernel_tasks import changed, kernel_task

MB: Final = 1_000_000
COLUMNS: Final = ("l_shipdate", "l_partkey")
STRATEGIES: Final = ("binpack", "sort", "zorder", "hilbert")
ENCODED: Final = "encoded"
GROUPS: Final = 4
_SORT_ORDER: Final = {
    "binpack": "",
    "sort": f", strategy => 'sort', sort_order => '{', '.join(COLUMNS)}'",
    "zorder": f", strategy => 'sort', sort_order => 'zorder({', '.join(COLUMNS)})'",
}


def main() -> None:
    """Measure the kernel alone, then both engines on one server."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernel", action="store_true")
    parser.add_argument("--megabytes", type=int, default=192)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--memory", type=int, default=64, help="MiB for rows that wait on disk")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with TemporaryDirectory(prefix="bench-ordering-") as folder:
        alone = _kernel_alone(Path(folder), options.megabytes, options.repeats, options.memory * 2**20)
    print_table(alone)
    rows: list[dict[str, Any]] = []
    if not options.kernel:
        with (
            TemporaryDirectory(prefix="bench-ordering-") as folder,
            Lake(folder=Path(folder), cores=options.cores) as lake,
        ):
            rows = _engines(lake, options.megabytes, options.repeats)
        print_table(rows)
    facts = machine_facts() | {"peer": ICEBERG_RUNTIME, "spark_cores": options.cores}
    write_json(options.json, {"benchmark": "B4", "machine": facts, "kernel": alone, "engines": rows})


def _kernel_alone(folder: Path, megabytes: int, repeats: int, memory_bytes: int) -> list[dict[str, Any]]:
    files = [
        lineitem_file(folder / f"in-{number}.parquet", 200_000, number) for number in range(max(GROUPS, megabytes // 8))
    ]
    tasks = _contenders(files, folder, memory_bytes)
    taken: dict[str, list[float]] = {name: [] for name in tasks}
    written: dict[str, int] = {}
    for is_warm_up in (True, *[False] * repeats):
        for name, made in tasks.items():
            begun = cpu_seconds()
            with patch.object(Splicer, "suits", lambda *_: False) if name == ENCODED else nullcontext():
                written[name] = sum(map(_run, made))
            if not is_warm_up:
                taken[name].append(cpu_seconds() - begun)
    read = sum(path.stat().st_size for path in files) / MB
    return [
        {
            "kernel alone": name,
            "input_MB": read,
            "cpu_s": statistics.median(seconds),
            "MB/cpu_s": read / statistics.median(seconds),
            "cpu / own binpack": _paired(seconds, taken["binpack"]),
            "cpu / encoded": _paired(seconds, taken[ENCODED]),
            "cpu / in memory": _paired(seconds, taken[name.split(",")[0]]),
            "output_MB": written[name] / MB,
        }
        for name, seconds in taken.items()
    ]


def _contenders(files: list[Path], folder: Path, memory_bytes: int) -> dict[str, list[SentKernelTask]]:
    """Return the tasks of each, one after the other."""
    names = list(pq.read_schema(files[0]).names)
    columns = tuple(SortColumn(names.index(name) + 1) for name in COLUMNS)
    whole, parts = _task(files, folder), [_task(files[at::GROUPS], folder) for at in range(GROUPS)]
    made = {"binpack": [whole], ENCODED: [whole]}
    for strategy in STRATEGIES[1:]:
        in_memory, on_disk = (RowOrder(strategy, columns, memory_bytes=most) for most in (2**40, memory_bytes))
        made[strategy] = [changed(whole, order=in_memory)]
        made[f"{strategy}, on disk"] = [changed(whole, order=on_disk)]
        made[f"{strategy}, in groups"] = [changed(part, order=in_memory) for part in parts]
    return made


def _task(files: list[Path], folder: Path) -> SentKernelTask:
    inputs = tuple(TaskInput(f"file:{p}", p.stat().st_size, pq.read_metadata(p).num_rows) for p in files)
    return kernel_task(
        inputs,
        pq.read_schema(files[0]).remove_metadata(),
        f"file:{folder}",
        file_count=output_count(sum(one.file_bytes for one in inputs), TARGET_BYTES),
        settings=WriteSettings(target_file_bytes=TARGET_BYTES),
    )


def _run(task: SentKernelTask) -> int:
    named = replace(task, name_prefix=f"out-{time.monotonic_ns()}-")
    result = GroupResult.from_json(rewrite_group(named.to_json()))
    assert result.outcome == "written", result.reason
    for output in result.outputs:
        Path(output.path.removeprefix("file:")).unlink()
    return sum(output.file_bytes for output in result.outputs)


def _engines(lake: Lake, megabytes: int, repeats: int) -> list[dict[str, Any]]:
    lake.write("b4", columns=lineitem_columns(), files=max(5, megabytes // 6), file_bytes=6 * MB)
    read = sum(size for _, size in lake.files("b4")) / MB
    contenders: dict[str, tuple[str, Callable[[Lake, str], Done]]] = {
        f"ours: {name}": (name, ours) for name in STRATEGIES
    }
    contenders |= {f"procedure: {name}": (name, _procedure(name)) for name in _SORT_ORDER}
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in contenders}
    done: dict[str, Done] = {}
    for is_warm_up in (True, *[False] * repeats):
        for name, (strategy, run) in contenders.items():
            table = lake.copy("b4", _policy(strategy, lake.cores))
            began, cpu = time.perf_counter(), tree_cpu_seconds()
            done[name] = run(lake, table)
            if not is_warm_up:
                taken[name].append((time.perf_counter() - began, tree_cpu_seconds() - cpu))
    return [
        {
            "contender": name,
            "input_MB": read,
            "wall_s": statistics.median(wall for wall, _ in measured),
            "cpu_s": statistics.median(cpu for _, cpu in measured),
            "cpu / own binpack": _cpu_ratio(measured, taken[f"{name.split(':')[0]}: binpack"]),
            "procedure's cpu / ours": _cpu_ratio(taken[f"procedure: {_peer(name)}"], measured),
            "output_files": done[name].output_files,
            "output_MB": done[name].output_bytes / MB,
        }
        for name, measured in taken.items()
    ]


def _peer(name: str) -> str:
    """Return the procedure's way to compare with: it has no Hilbert curve."""
    strategy = name.split(": ")[1]
    return "zorder" if strategy == "hilbert" else strategy


def _policy(strategy: str, cores: int) -> dict[str, Any]:
    columns = [] if strategy == "binpack" else list(COLUMNS)
    rewrite = {"target_file_bytes": TARGET_BYTES, "strategy": strategy, "columns": columns}
    return {"rewrite": rewrite, "limits": {"parallel_groups": cores}}


def _procedure(strategy: str) -> Callable[[Lake, str], Done]:
    def call(lake: Lake, name: str) -> Done:
        options = f"options => map('target-file-size-bytes', '{TARGET_BYTES}', 'rewrite-all', 'true')"
        table = f"table => '{NAMESPACE}.{name}'"
        statement = f"CALL {CATALOG}.system.rewrite_data_files({table}{_SORT_ORDER[strategy]}, {options})"
        row = lake.spark.sql(statement).collect()[0].asDict()
        files = lake.files(name)
        if row["failed_data_files_count"] or row["added_data_files_count"] != len(files):
            raise SystemExit(f"the procedure did not do it all: {row}, {len(files)} files")
        return Done(len(files), sum(size for _, size in files))

    return call


def _paired(seconds: list[float], others: list[float]) -> float:
    return statistics.median(one / other for one, other in zip(seconds, others, strict=True))


def _cpu_ratio(measured: list[tuple[float, float]], others: list[tuple[float, float]]) -> float:
    return _paired([cpu for _, cpu in measured], [cpu for _, cpu in others])


if __name__ == "__main__":
    main()
