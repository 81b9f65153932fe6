"""B32: what readers pay for the files that the kernel writes, against the same rows written fresh.

Inputs are lineitem-like files of 125 kB (or of 6 MB: `--files 24 --rows 200000`). "fresh" decodes and encodes every row
(a kernel without splicing), "kernel" is the kernel as it is, "without the pass" leaves the compiled pass out. Each file
is read by pyarrow, DuckDB, polars and Spark with their default settings: all columns, three, and a filter on one value.
Figures are CPU seconds of everything on the machine that reads (Spark's JVM too), the least of `--rounds` alternating
ones, and their share of the fresh file's: above 1.05 misses the goal.

    python -m bench.readers [--files 2000] [--rounds 5] [--json readers.json]
"""

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from unittest import mock

import duckdb
import polars as pl
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark.sql.connect.session import SparkSession

from bench.cpu import counted_cpu
from bench.facts import machine_facts, print_table, write_json
from bench.kernel import kernel_output, lineitem_file
from engine.embedded.spark import EmbeddedSpark
from engine.rewriting.kernel.splicing.compiled import CompiledPass
from engine.rewriting.kernel.splicing.row_groups import Splicer
from engine.spark.sessions import SparkSessions

MOST_SHARE: Final = 1.05
THREE: Final = ["l_orderkey", "l_shipmode", "l_shipdate"]
_KEY: Final = "l_partkey"
_ROWS_OF_A_FILE: Final = 3_500

Read = Callable[[], object]


def main() -> None:
    """Write the three files, and read each in turn by each reader."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--rows", type=int, default=_ROWS_OF_A_FILE, help="of each file; 200,000 are about 6 MB")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    with counted_cpu() as cpu, TemporaryDirectory(prefix="bench-readers-") as scratch:
        folder = Path(scratch)
        inputs = [lineitem_file(folder / f"in-{i}.parquet", given.rows, i) for i in range(given.files)]
        outputs = _outputs(inputs, folder)
        server = EmbeddedSpark(data_dir=folder, cores=1)
        sessions = SparkSessions(url=server.start(), user_id="bench")
        try:
            reads = {name: _reads(sessions.get(), paths) for name, paths in outputs.items()}
            rows = _compared(reads, given.rounds, cpu)
        finally:
            sessions.close()
            server.stop()
    print_table(rows)
    write_json(given.json, {"benchmark": "B32", "machine": machine_facts(), "rows": rows})


def _outputs(inputs: list[Path], folder: Path) -> Mapping[str, list[str]]:
    with mock.patch.object(Splicer, "suits", return_value=False):
        fresh = kernel_output(inputs, folder)
    with mock.patch.object(CompiledPass, "of", return_value=None):
        without = kernel_output(inputs, folder)
    made = {"fresh": fresh, "kernel": kernel_output(inputs, folder), "without the pass": without}
    for name, paths in made.items():
        print(f"{name}: {sum(Path(path).stat().st_size for path in paths) / 1e6:,.1f} MB")
    return made


def _reads(spark: SparkSession, paths: list[str]) -> Mapping[str, Read]:
    """Return the reads of one output by name: reader and what is read."""
    key = pq.read_table(paths[0], columns=[_KEY])[_KEY][0].as_py()
    listed = f"read_parquet({paths!r})"
    rows = spark.read.parquet(*paths)

    def sums(columns: list[str]) -> Read:
        return lambda: rows.selectExpr(*(f"sum(hash({name}))" for name in columns)).collect()

    return {
        "pyarrow: all": lambda: [pq.read_table(path, use_threads=False).nbytes for path in paths],
        "pyarrow: three": lambda: [pq.read_table(path, columns=THREE, use_threads=False).nbytes for path in paths],
        "pyarrow: filter": lambda: pq.read_table(paths, filters=pc.field(_KEY) == key).num_rows,
        "DuckDB: all": lambda: duckdb.sql(f"SELECT {_counts(rows.columns)} FROM {listed}").fetchall(),
        "DuckDB: three": lambda: duckdb.sql(f"SELECT {_counts(THREE)} FROM {listed}").fetchall(),
        "DuckDB: filter": lambda: duckdb.sql(f"SELECT * FROM {listed} WHERE {_KEY} = {key}").fetchall(),
        "polars: all": lambda: pl.read_parquet(paths).height,
        "polars: three": lambda: pl.read_parquet(paths, columns=THREE).height,
        "polars: filter": lambda: pl.scan_parquet(paths).filter(pl.col(_KEY) == key).collect().height,
        "Spark: all": sums(rows.columns),
        "Spark: three": sums(THREE),
        "Spark: filter": lambda: rows.filter(f"{_KEY} = {key}").collect(),
    }


def _counts(columns: list[str]) -> str:
    """Return sums that need every value of the columns."""
    return ", ".join(f"bit_xor(hash({name}))" for name in columns)


def _compared(outputs: Mapping[str, Mapping[str, Read]], rounds: int, cpu: Callable[[], float]) -> list[dict[str, Any]]:
    rows = []
    for read in outputs["fresh"]:
        taken: dict[str, list[float]] = {name: [] for name in outputs}
        for number in range(rounds + 1):  # the first round is not counted
            for name, reads in outputs.items():
                before = cpu()
                reads[read]()
                if number:
                    taken[name].append(cpu() - before)
        least = {name: min(each) for name, each in taken.items()}
        shares = {name: least[name] / least["fresh"] for name in outputs if name != "fresh"}
        verdict = "held" if shares["kernel"] <= MOST_SHARE else "missed"
        rows.append({"read": read, "fresh_cpu_s": least["fresh"], **shares, "verdict": verdict})
    return rows


if __name__ == "__main__":
    main()
