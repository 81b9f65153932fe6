"""B25: rewrites of tables of format version 3, whose rows keep their ids, beside version 2 and Iceberg's procedure.

Spark writes each table twice, once in each version, with the same rows. Cases: lineitem-like; plain-heavy, nearly
unique values, which Spark stores without dictionaries; both also with deletes of every fiftieth row, which are deletion
vectors in version 3 and position-delete files in version 2.

Contenders, in turn, each on a fresh copy, after one round that is not counted: `v3` (the rows of version 3 are always
compared), `v2` (`verification: metadata`, the default), `v2 compared` (`content`, what version 3 has), `procedure`
(`rewrite_data_files` on the table of version 3). CPU seconds as in `bench.rewrite`. Then the kernel alone on the same
files, in this process, without comparison: what the two columns of row lineage cost (`kernel v2`, `kernel v3`). With
`--kernel-only` nothing else, on files as `bench.kernel` makes them, without dictionaries in the case `plain`.

    python -m bench.lineage [--cases lineitem,plain] [--megabytes 192] [--repeats 3] [--cores 2] [--json lineage.json]
    python -m bench.lineage --kernel-only
"""

import argparse
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from bench.contenders import ours, procedure
from bench.cpu import counted_cpu
from bench.facts import machine_facts, print_table, write_json
from bench.kernel import cpu_seconds, lineitem_file
from bench.lake import TARGET_BYTES, Lake, spark_name
from bench.lineitem import lineitem_columns
from engine.embedded.jars import ICEBERG_RUNTIME
from engine.rewriting.kernel.contract import GroupResult, TaskInput, WriteSettings
from engine.rewriting.kernel.reading.lineage import ROW_ID, SEQUENCE_NUMBER
from engine.rewriting.kernel.task import rewrite_group
from engine.rewriting.kernel.writing.layout import output_count
from tests.support.kernel_tasks import kernel_task

FILE_BYTES: Final = 6_000_000
DELETED: Final = "{key} % 50 = 7"
COLUMNS: Final = {
    "lineitem": (lineitem_columns(), "l_partkey"),
    "plain": (", ".join(["id AS key", *(f"xxhash64(id, {at}) AS c{at}" for at in range(9))]), "key"),
}
"""By case: the columns over `id`, and the key of the rows that are deleted."""

CONTENDERS: Final[Mapping[str, tuple[int, str]]] = {
    "v3": (3, "metadata"),
    "v2": (2, "metadata"),
    "v2 compared": (2, "content"),
    "procedure": (3, "metadata"),
}
"""By contender: the format version of its table, and the verification that it asks for."""


def main() -> None:
    """Measure the chosen cases on one server and print medians."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", default="lineitem,plain", help="comma-separated")
    parser.add_argument("--megabytes", type=int, default=192, help="of each table")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--kernel-only", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    if options.kernel_only:
        for case in options.cases.split(","):
            rows += _made_files(case, options.megabytes, options.repeats)
        print_table(rows)
        return
    with (
        counted_cpu() as cpu,
        TemporaryDirectory(prefix="bench-lineage-") as folder,
        Lake(folder=Path(folder), cores=options.cores) as lake,
    ):
        for case in options.cases.split(","):
            files = max(5, options.megabytes * 1_000_000 // FILE_BYTES)
            rows += _measure(lake, case, files, options.repeats, cpu)
            print_table(rows)
    facts = machine_facts() | {"peer": ICEBERG_RUNTIME, "spark_cores": options.cores}
    write_json(options.json, {"benchmark": "B25", "machine": facts, "repeats": options.repeats, "rows": rows})


def _measure(lake: Lake, case: str, files: int, repeats: int, cpu: Callable[[], float]) -> list[dict[str, Any]]:
    columns, key = COLUMNS[case]
    lake.write(case, columns=columns, files=files, file_bytes=FILE_BYTES)
    megabytes = sum(size for _, size in lake.files(case)) / 1e6
    for version in (2, 3):
        table = f"{case}_v{version}"
        lake.duplicate(case, table)
        modes = "'write.delete.mode' = 'merge-on-read'"
        lake.spark.sql(f"ALTER TABLE {spark_name(table)} SET TBLPROPERTIES ('format-version' = '{version}', {modes})")
        # the first commit after the upgrade gives the rows their ids
        lake.spark.sql(f"INSERT INTO {spark_name(table)} SELECT * FROM {spark_name(table)} LIMIT 1").collect()
    rows = _compared(lake, case, megabytes, deletes="none", repeats=repeats, cpu=cpu)
    rows += _kernel_alone([path for path, _ in lake.files(case)], case, repeats)
    for version in (2, 3):
        deleted = DELETED.format(key=key)
        lake.spark.sql(f"DELETE FROM {spark_name(f'{case}_v{version}')} WHERE {deleted}").collect()
    return rows + _compared(lake, case, megabytes, deletes="2 %", repeats=repeats, cpu=cpu)


def _compared(
    lake: Lake, case: str, megabytes: float, *, deletes: str, repeats: int, cpu: Callable[[], float]
) -> list[dict[str, Any]]:
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in CONTENDERS}
    for warm_up in (True, *[False] * repeats):
        for name, (version, verification) in CONTENDERS.items():
            policy = {
                "rewrite": {"target_file_bytes": TARGET_BYTES},
                "limits": {"parallel_groups": lake.cores},
                "verification": verification,
            }
            copied = lake.copy(f"{case}_v{version}", policy)
            began, before = time.perf_counter(), cpu()
            (procedure if name == "procedure" else ours)(lake, copied)
            if not warm_up:
                taken[name].append((cpu() - before, time.perf_counter() - began))
    return _rows(case, deletes, megabytes, taken, least="v2", peer="procedure")


def _made_files(case: str, megabytes: int, repeats: int) -> list[dict[str, Any]]:
    with TemporaryDirectory(prefix="bench-lineage-") as folder:
        count = max(2, megabytes * 1_000_000 // FILE_BYTES)
        files = [
            lineitem_file(Path(folder) / f"{at}.parquet", 200_000, at, plain=case == "plain") for at in range(count)
        ]
        return _kernel_alone(files, case, repeats)


def _kernel_alone(files: list[Path], case: str, repeats: int) -> list[dict[str, Any]]:
    """Rewrite files as one group in this process, with and without the columns of row lineage."""
    megabytes = sum(path.stat().st_size for path in files) / 1e6
    taken: dict[str, list[tuple[float, float]]] = {"kernel v2": [], "kernel v3": []}
    with TemporaryDirectory(prefix="bench-lineage-", dir=files[0].parent) as folder:
        for warm_up in (True, *[False] * repeats):
            for name, runs in taken.items():
                began, before = time.perf_counter(), cpu_seconds()
                _rewrite(files, Path(folder), has_lineage=name == "kernel v3")
                if not warm_up:
                    runs.append((cpu_seconds() - before, time.perf_counter() - began))
    return _rows(case, "none", megabytes, taken, least="kernel v2", peer="kernel v2")


def _rewrite(files: list[Path], folder: Path, *, has_lineage: bool) -> None:
    inputs, first = [], 0
    for path in files:
        one = TaskInput(f"file:{path}", path.stat().st_size, pq.read_metadata(path).num_rows)
        inputs.append(replace(one, first_row_id=first, sequence_number=1) if has_lineage else one)
        first += one.record_count
    schema = pq.read_schema(files[0]).remove_metadata()
    for number, name in ((ROW_ID, "_row_id"), (SEQUENCE_NUMBER, "_last_updated_sequence_number")):
        if has_lineage:
            schema = schema.append(pa.field(name, pa.int64(), metadata={"PARQUET:field_id": str(number)}))
    task = kernel_task(
        inputs,
        schema,
        f"file:{folder}",
        name_prefix=f"out-{time.monotonic_ns()}-",
        file_count=output_count(sum(one.file_bytes for one in inputs), TARGET_BYTES),
        settings=WriteSettings(target_file_bytes=TARGET_BYTES),
    )
    result = GroupResult.from_json(rewrite_group(task.to_json()))
    assert result.outcome == "written", result.reason
    for output in result.outputs:
        Path(output.path.removeprefix("file:")).unlink()


def _rows(
    case: str,
    deletes: str,
    megabytes: float,
    taken: Mapping[str, list[tuple[float, float]]],
    *,
    least: str,
    peer: str,
) -> list[dict[str, Any]]:
    medians = {name: statistics.median(cpu for cpu, _ in runs) for name, runs in taken.items()}
    return [
        {
            "case": case,
            "deletes": deletes,
            "contender": name,
            "cpu_s": medians[name],
            "least_cpu_s": min(cpu for cpu, _ in runs),
            "wall_s": statistics.median(wall for _, wall in runs),
            "MB/cpu_s": megabytes / medians[name],
            "cpu_to_v2": medians[name] / medians[least],
            "peer_cpu_to_it": medians[peer] / medians[name],
        }
        for name, runs in taken.items()
    ]


if __name__ == "__main__":
    main()
