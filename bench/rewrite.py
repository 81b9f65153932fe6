"""B1, B2, B3: a rewrite by us, by Iceberg's procedure and by a bare pyarrow loop, on copies of the same table.

One warm Spark Connect server serves both of us. Contenders alternate, each on a fresh copy (same data files), after one
round that is not counted. CPU seconds are those of this process and all that it started (the Spark server and its
Python workers, those that ended too), so they hold what the JVM does on the side; their least and median are printed,
with the machine's load. The page cache is warm for everybody. The bare loop runs on one core, in this process, and
commits nothing: a bound, not a peer.

Cases: B1 lineitem-like in 6 MB files; B1-wide the same with 100 columns; B2 five files, 26 MB, where seconds count; B3
files of 125 kB. Ours is measured over HTTP, from the trigger to the verified commit.

    python -m bench.rewrite [--cases B1,B2,B3] [--megabytes 192] [--repeats 3] [--cores 2] [--json rewrite.json]

`--megabytes 1500` is the size the goals are stated for; B3 takes a sixth of it (250 MB: 2,000 files).
"""

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.contenders import CONTENDERS, Done
from bench.cpu import counted_cpu
from bench.facts import machine_facts, print_table, write_json
from bench.lake import Lake
from bench.lineitem import lineitem_columns, wide_columns
from engine.embedded.jars import ICEBERG_RUNTIME

MB, KB = 1_000_000, 1_000


@dataclass(frozen=True, slots=True)
class Case:
    """A table to rewrite; sizes in bytes."""

    name: str
    columns: str
    files: int
    file_bytes: int


@dataclass(frozen=True, slots=True)
class Taken:
    """One measurement."""

    wall: float
    cpu: float
    done: Done


def main() -> None:
    """Run the chosen cases one after the other on one server."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", default="B1,B2,B3", help="comma-separated: B1, B1-wide, B2, B3")
    parser.add_argument("--megabytes", type=int, default=192, help="of B1")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    with (
        counted_cpu() as cpu,
        TemporaryDirectory(prefix="bench-rewrite-") as folder,
        Lake(folder=Path(folder), cores=options.cores) as lake,
    ):
        known = _cases(options.megabytes)
        for name in options.cases.split(","):
            rows += _measure(lake, known[name], options.repeats, cpu)
            print_table(rows)
            print(f"load average: {machine_facts()['load_average']}")
    facts = machine_facts() | {"peer": ICEBERG_RUNTIME, "spark_cores": options.cores}
    write_json(options.json, {"benchmark": "B1 B2 B3", "machine": facts, "repeats": options.repeats, "rows": rows})


def _cases(megabytes: int) -> dict[str, Case]:
    lineitem = lineitem_columns()
    cases = (
        Case("B1", lineitem, max(5, megabytes // 6), 6 * MB),
        Case("B1-wide", wide_columns(), max(5, megabytes // 6), 6 * MB),
        Case("B2", lineitem, 5, 26 * MB // 5),
        Case("B3", lineitem, max(5, megabytes * 8 // 6), 125 * KB),
    )
    return {case.name: case for case in cases}


def _measure(lake: Lake, case: Case, repeats: int, cpu: Callable[[], float]) -> list[dict[str, Any]]:
    table = case.name.lower().replace("-", "_")
    lake.write(table, columns=case.columns, files=case.files, file_bytes=case.file_bytes)
    sizes = [size for _, size in lake.files(table)]
    print(f"{case.name}: {len(sizes)} files, {sum(sizes) / MB:,.0f} MB")
    taken: dict[str, list[Taken]] = {name: [] for name in CONTENDERS}
    for warm_up in (True, *[False] * repeats):
        for name in CONTENDERS:
            measured = timed(lake, name, lake.copy(table), cpu)
            if not warm_up:
                taken[name].append(measured)
    return [
        {"case": case.name, "contender": name}
        | _figures(
            taken[name],
            peer=taken["procedure"],
            megabytes=sum(sizes) / MB,
            cores=1 if name == "bare loop" else lake.cores,
        )
        for name in CONTENDERS
    ]


def timed(lake: Lake, contender: str, table: str, cpu: Callable[[], float]) -> Taken:
    """Rewrite a table by a contender, and return what it took; `cpu` returns the CPU seconds so far."""
    began, before = time.perf_counter(), cpu()
    done = CONTENDERS[contender](lake, table)
    return Taken(time.perf_counter() - began, cpu() - before, done)


def _figures(taken: Sequence[Taken], *, peer: Sequence[Taken], megabytes: float, cores: int) -> dict[str, Any]:
    wall, cpu = (statistics.median(getattr(one, key) for one in taken) for key in ("wall", "cpu"))
    return {
        "wall_s": wall,
        "worst_s": max(one.wall for one in taken),
        "cpu_s": cpu,
        "least_cpu_s": min(one.cpu for one in taken),
        "MB/cpu_s": megabytes / cpu,
        "MB/core_s": megabytes / (wall * cores),
        "cpu_vs_procedure": statistics.median(p.cpu / t.cpu for p, t in zip(peer, taken, strict=True)),
        "output_files": taken[-1].done.output_files,
        "output_MB": taken[-1].done.output_bytes / MB,
    }


if __name__ == "__main__":
    main()
