"""B15: predictions of runs compared with their measurements, over kinds and sizes of tables.

Each round Spark appends files of random number and size to every table, then one run for each table, sent over HTTP,
rewrites them. Tables take turns, so that the first run of a table follows runs of other kinds: it is predicted from
those and from the prior, later runs also from the table's own. Errors are (predicted - measured) / measured, as in
every run's result; the factor of seconds is the larger of predicted / measured and its inverse. No peer publishes such
figures for its own runs except AutoComp (-19 % / +28 %, SIGMOD 2025).

    python -m bench.estimates [--rounds 4] [--seed 1] [--cores 2] [--kinds "tiny files" ...] [--json estimates.json]

Goal: files and bytes: a median error of at most 10 %; seconds: at most 25 %, and no run off by more than a factor of 3.
"""

import argparse
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Final

from bench.facts import machine_facts, print_table, write_json
from bench.lake import NAMESPACE, Lake, spark_name
from bench.lineitem import append_files, lineitem_columns, wide_columns

FIGURES: Final = ("output_files", "output_bytes", "seconds")
TARGET: Final = 32 * 2**20
_SORTED: Final = {"strategy": "sort", "columns": ["l_shipdate"]}


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of table: its select list, the usual rows and number of files of a round, and what its policy adds."""

    columns: str = field(default_factory=lineitem_columns)
    rows: int = 20_000
    files: tuple[int, int] = (8, 40)
    rewrite: Mapping[str, Any] = field(default_factory=dict)
    limits: Mapping[str, Any] = field(default_factory=dict)
    partitions: int | None = None

    @property
    def policy(self) -> dict[str, Any]:
        """The policy of its tables."""
        rewrite = {"target_file_bytes": TARGET, "min_input_files": 2, **self.rewrite}
        return {"rewrite": rewrite, "limits": {"parallel_groups": 2, **self.limits}}


KINDS: Final[Mapping[str, Kind]] = {
    "files of 5 kB": Kind(rows=10),
    "files of 50 kB": Kind(rows=1_000),
    "files of 1 MB": Kind(),
    "files of 8 MB": Kind(rows=180_000, files=(4, 16)),
    "100 columns": Kind(columns=wide_columns(), rows=1_500),
    "24 partitions": Kind(rows=2_400, files=(6, 12), partitions=24),
    "sorted": Kind(rewrite=_SORTED),
    "limit of 5 MB/s": Kind(limits={"bandwidth": "5MB/s"}),
}


def main() -> None:
    """Measure kind after kind, round after round."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--kinds", nargs="+", choices=list(KINDS), default=list(KINDS))
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    random = Random(options.seed)
    runs: dict[str, list[dict[str, Any]]] = {name: [] for name in options.kinds}
    with (
        TemporaryDirectory(prefix="bench-estimates-") as folder,
        Lake(folder=Path(folder), cores=options.cores) as lake,
    ):
        for number in range(options.rounds):
            for name in options.kinds:
                runs[name].append(_rewritten(lake, name, random, is_new=number == 0))
    rows = [_row(name, which, part) for name, done in runs.items() for which, part in _parts(done)]
    rows += [
        _row("all", which, [run for done in runs.values() for run in dict(_parts(done))[which]]) for which in PARTS
    ]
    print_table(rows)
    write_json(
        options.json,
        {"benchmark": "B15", "machine": machine_facts(), "rounds": options.rounds, "rows": rows, "runs": runs},
    )


PARTS: Final = ("first run", "later runs")


def _parts(done: Sequence[dict[str, Any]]) -> list[tuple[str, Sequence[dict[str, Any]]]]:
    return list(zip(PARTS, (done[:1], done[1:]), strict=True))


def _rewritten(lake: Lake, name: str, random: Random, *, is_new: bool) -> dict[str, Any]:
    """Append files to the table of a kind and rewrite it; return the run's result, with its plan's prediction."""
    kind, table = KINDS[name], f"estimates_{list(KINDS).index(name)}"
    files, rows = random.randint(*kind.files), max(1, round(kind.rows * random.uniform(0.5, 2.0)))
    append_files(
        lake.spark,
        table=spark_name(table),
        columns=kind.columns,
        files=files,
        rows_per_file=rows,
        partitions=kind.partitions,
    )
    if is_new:
        lake.service.register(NAMESPACE, table)
        lake.service.set_policy(table, kind.policy)
    run = lake.service.rewrite(table)
    print(f"{name}: {run['result']['predicted']} {run['result']['actual']}", flush=True)
    return {"plan": run["plan"], **run["result"]}


def _row(table: str, which: str, runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    row: dict[str, Any] = {"table": table, "runs": f"{which} ({len(runs)})"}
    for name in FIGURES:
        known = [100 * error for run in runs if (error := (run["prediction_error"] or {}).get(name)) is not None]
        row[f"{name}: median |error| %"] = statistics.median(map(abs, known)) if known else "-"
        row[f"{name}: range %"] = f"{min(known):+.0f} to {max(known):+.0f}" if known else "-"
    factors = [max(ratio, 1 / ratio) for run in runs if (ratio := _ratio(run)) is not None]
    row["seconds: worst factor"] = max(factors) if factors else "-"
    return row


def _ratio(run: Mapping[str, Any]) -> float | None:
    predicted, actual = run["predicted"]["seconds"], run["actual"]["seconds"]
    return predicted / actual if predicted and actual else None


if __name__ == "__main__":
    main()
