"""B19: a look for orphans at a million files, beside Iceberg's procedure at a tenth of it, on local disk.

A tenth of the files is referred to by the table of `bench.expiry`; the others are orphans. Both contenders list and
subtract, and delete nothing. CPU seconds are those of all processes: Packhouse's own for `ours`, with Spark's for
`procedure`, after a warm-up on a small table. `memory_mb` is by how much the resident memory grew at most.

    python -m bench.orphans [--files 1000000] [--json orphans.json]

Goals: at most 60 s of CPU and less than 1 GB for a million files.
"""

import argparse
import os
import re
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
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
        (folder / f"{number:08d}-0b9c1c4e-1111-4222-8333-444455556666-00001.parquet").touch()
    for each in root.rglob("*"):
        if each.is_file():
            os.utime(each, (_OLD, _OLD))


def ours(lake: Lake, name: str) -> dict[str, Any]:
    """Look, as the dry run of a run does."""
    connection = IcebergFormat().connect("bench", {"type": "sql", **lake.properties})
    table: Any = connection.open_table(TableRef("bench", (NAMESPACE,), name))
    plan = table.preview_orphans(_RULE, (), (), lambda _: None)
    connection.close()
    return {"listed": plan.details["look"]["listed_files"], "orphans": plan.details["look"]["unreferenced"]["files"]}


def procedure(spark: Any) -> Callable[[Lake, str], dict[str, Any]]:
    """Return the contender that is Iceberg's `remove_orphan_files`."""

    def call(lake: Lake, name: str) -> dict[str, Any]:
        del lake
        before = (datetime.now(UTC) - timedelta(days=3)).strftime("%Y-%m-%d %H:%M:%S")
        found = spark.sql(
            f"CALL bench.system.remove_orphan_files(table => 'bench.{NAMESPACE}.{name}', "
            f"older_than => TIMESTAMP '{before}', dry_run => true)"
        )
        return {"listed": None, "orphans": found.count()}

    return call


def main() -> None:
    """Measure both contenders and print the rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=1_000_000)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    with TemporaryDirectory(prefix="bench-orphans-") as folder:
        rows = _measure(given.files, Path(folder))
    print_table(rows)
    write_json(given.json, {"benchmark": "B19", "machine": machine_facts(), "rows": rows})


def _measure(files: int, folder: Path) -> list[dict[str, Any]]:
    lake = Lake(folder, None)
    for name, many in (("small", 1000), ("tenth", files // 10), ("whole", files)):
        write(lake, name, many)
    rows = [_taken(lake, name, many, ours) for name, many in (("tenth", files // 10), ("whole", files))]
    confs = {**SQL_EXTENSIONS, **catalog_confs("bench", folder / "catalog.db", warehouse=lake.warehouse)}
    jars = fetch_all([ICEBERG_RUNTIME, SQLITE_JDBC], CACHE_FOLDER)
    server = EmbeddedSpark(data_dir=folder / "spark", cores=2, jars=jars, confs=confs)
    sessions = SparkSessions(url=server.start(), user_id="bench")
    try:
        sessions.get().conf.set("spark.sql.session.timeZone", "UTC")
        theirs = procedure(sessions.get())
        theirs(lake, "small")
        rows.append(_taken(lake, "tenth", files // 10, theirs))
    finally:
        sessions.close()
        server.stop()
    return rows


def _taken(lake: Lake, name: str, files: int, contender: Callable[[Lake, str], dict[str, Any]]) -> dict[str, Any]:
    Path("/proc/self/clear_refs").write_text("5", "ascii")
    before = _memory_mb("VmRSS")
    begun, cpu = time.perf_counter(), tree_cpu_seconds()
    done = contender(lake, name)
    spent = tree_cpu_seconds() - cpu
    grown = _memory_mb("VmHWM") - before
    named = "ours" if contender is ours else "procedure"
    return {
        "contender": named,
        "files": files,
        "cpu_s": round(spent, 2),
        "wall_s": round(time.perf_counter() - begun, 2),
        "memory_mb": round(grown) if contender is ours else None,
        **done,
    }


def _memory_mb(name: str) -> float:
    """Return the resident memory of this process: `VmRSS` now, `VmHWM` at most since `clear_refs` was written."""
    found = re.findall(rf"{name}:\s+(\d+) kB", Path("/proc/self/status").read_text("ascii"))
    return int(found[0]) / 1000


if __name__ == "__main__":
    main()
