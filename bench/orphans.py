"""B19: a look for orphans at a million files, beside Iceberg's procedure at a tenth of it, on local disk.

A tenth of the files is referred to by the table of `bench.expiry`; the others are orphans. Both contenders list and
subtract, and delete nothing. CPU seconds are those of all processes: Packhouse's own for `ours`, with Spark's for
`procedure`, after a warm-up on a small table. Packhouse looks in a process of its own, which has none of the
benchmark's lists: `memory_mb` is its resident memory at most, with the interpreter and all libraries.

    python -m bench.orphans [--files 1000000] [--only-ours] [--json orphans.json]

Goals: at most 60 s of CPU and less than 1 GB for a million files.
"""

import argparse
import os
import re
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime, timedelta
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from bench.expiry import NAMESPACE, Lake, Shape, _local
from bench.facts import machine_facts, print_table, write_json
from bench.processes import tree_cpu_seconds
from engine.domain.runs.removals import OrphanRule
from engine.domain.tables.table import TableRef
from engine.embedded.iceberg import SQL_EXTENSIONS, catalog_confs
from engine.embedded.jars import CACHE_FOLDER, ICEBERG_RUNTIME, SQLITE_JDBC, fetch_all
from engine.embedded.spark import EmbeddedSpark
from engine.formats.iceberg import IcebergFormat
from engine.spark.sessions import SparkSessions

_OLD: Final = 1_600_000_000
_PER_FOLDER: Final = 10_000
_RULE: Final = OrphanRule(timedelta(days=3), timedelta(days=7))


def write(lake: Lake, name: str, files: int) -> None:
    """Write a table with a tenth of the files, and the others as orphans."""
    live = files // 10
    lake.write(name, Shape(20, live, live))
    root = _local(lake.catalog.load_table((NAMESPACE, name)).location())
    for path in lake._saved[name]:  # noqa: SLF001 - the files that the metadata names
        _local(path).parent.mkdir(exist_ok=True)
        _local(path).touch()
    for number in range(files - live):
        folder = root / f"data/day={number // _PER_FOLDER}"
        if number % _PER_FOLDER == 0:
            folder.mkdir(parents=True)
        (folder / f"00000-{number}-0b9c1c4e-1111-4222-8333-444455556666-00001.parquet").touch()
    for each in root.rglob("*"):
        if each.is_file():
            os.utime(each, (_OLD, _OLD))


def ours(lake: Lake, name: str) -> dict[str, Any]:
    """Look in a new process, as the dry run of a run does."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(_look, dict(lake.properties), name).result()


def _look(properties: dict[str, str], name: str) -> dict[str, Any]:
    begun, cpu = time.perf_counter(), time.process_time()
    connection = IcebergFormat().connect("bench", {"type": "sql", **properties})
    table: Any = connection.open_table(TableRef("bench", (NAMESPACE,), name))
    plan = table.orphan_removal.preview(_RULE, (), (), lambda _: None)
    connection.close()
    return {
        "cpu_s": round(time.process_time() - cpu, 2),
        "wall_s": round(time.perf_counter() - begun, 2),
        "memory_mb": round(_peak_mb()),
        "listed": plan.details["look"]["listed_files"],
        "orphans": plan.details["look"]["unreferenced"]["files"],
    }


def procedure(spark: Any) -> Callable[[Lake, str], dict[str, Any]]:
    """Return the contender that is Iceberg's `remove_orphan_files`."""

    def call(lake: Lake, name: str) -> dict[str, Any]:
        del lake
        before = (datetime.now(UTC) - timedelta(days=3)).strftime("%Y-%m-%d %H:%M:%S")
        begun, cpu = time.perf_counter(), tree_cpu_seconds()
        found = spark.sql(
            f"CALL bench.system.remove_orphan_files(table => 'bench.{NAMESPACE}.{name}', "
            f"older_than => TIMESTAMP '{before}', dry_run => true)"
        )
        orphans = found.count()
        spent, seconds = tree_cpu_seconds() - cpu, time.perf_counter() - begun
        row = {"cpu_s": round(spent, 2), "wall_s": round(seconds, 2), "memory_mb": None, "listed": None}
        return row | {"orphans": orphans}

    return call


def main() -> None:
    """Measure both contenders and print the rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=1_000_000)
    parser.add_argument("--only-ours", action="store_true", help="leave Iceberg's procedure out")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    with TemporaryDirectory(prefix="bench-orphans-") as folder:
        rows = _measure(given.files, Path(folder), is_only_ours=given.only_ours)
    print_table(rows)
    write_json(given.json, {"benchmark": "B19", "machine": machine_facts(), "rows": rows})


def _measure(files: int, folder: Path, *, is_only_ours: bool) -> list[dict[str, Any]]:
    lake = Lake(folder, None)
    for name, many in (("small", 1000), ("tenth", files // 10), ("whole", files)):
        write(lake, name, many)
    rows = [
        {"contender": "ours", "files": many, **ours(lake, name)}
        for name, many in (("tenth", files // 10), ("whole", files))
    ]
    if is_only_ours:
        return rows
    confs = {**SQL_EXTENSIONS, **catalog_confs("bench", folder / "catalog.db", warehouse=lake.warehouse)}
    jars = fetch_all([ICEBERG_RUNTIME, SQLITE_JDBC], CACHE_FOLDER)
    server = EmbeddedSpark(data_dir=folder / "spark", cores=2, jars=jars, confs=confs)
    sessions = SparkSessions(url=server.start(), user_id="bench")
    try:
        sessions.get().conf.set("spark.sql.session.timeZone", "UTC")
        theirs = procedure(sessions.get())
        theirs(lake, "small")
        rows.append({"contender": "procedure", "files": files // 10, **theirs(lake, "tenth")})
    finally:
        sessions.close()
        server.stop()
    return rows


def _peak_mb() -> float:
    """Return the most resident memory that this process had."""
    found = re.findall(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text("ascii"))
    return int(found[0]) / 1000


if __name__ == "__main__":
    main()
