"""B15: what a run predicted against what it came to, on tables that are written to and rewritten again and again.

Each round Spark appends files of random number and size to a table, then one run over HTTP rewrites what is small. The
first run of a table knows no rate and no calibration; later ones go by what the runs before came to. Errors are
(predicted - measured) / measured, as every run's result has them. No peer publishes such a figure for its own runs but
AutoComp (-19 % / +28 %, SIGMOD 2025).

    python -m bench.estimates [--rounds 6] [--seed 1] [--cores 2] [--json estimates.json]

Goal: a median error of at most 10 % in files, bytes and seconds.
"""

import argparse
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Final

from bench.facts import machine_facts, print_table, write_json
from bench.lake import NAMESPACE, Lake, spark_name
from bench.lineitem import append_files, lineitem_columns, wide_columns

FIGURES: Final = ("output_files", "output_bytes", "seconds")
TARGET: Final = 32 * 2**20
_POLICY: Final = {"rewrite": {"target_file_bytes": TARGET, "min_input_files": 2}, "limits": {"parallel_groups": 2}}
_TABLES: Final[Mapping[str, tuple[str, int]]] = {
    "lineitem": (lineitem_columns(), 20_000),
    "lineitem, tiny files": (lineitem_columns(), 1_000),
    "100 columns": (wide_columns(), 1_500),
}
"""Select list, and rows of a file in the middle."""


def main() -> None:
    """Measure table after table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    with (
        TemporaryDirectory(prefix="bench-estimates-") as folder,
        Lake(folder=Path(folder), cores=options.cores) as lake,
    ):
        for number, name in enumerate(_TABLES):
            errors = _errors(lake, f"estimates_{number}", name, options.rounds, Random(f"{options.seed} {name}"))
            rows += [_row(name, "first run", errors[:1]), _row(name, "later runs", errors[1:])]
            print_table(rows)
    write_json(options.json, {"benchmark": "B15", "machine": machine_facts(), "rounds": options.rounds, "rows": rows})


def _errors(lake: Lake, table: str, kind: str, rounds: int, random: Random) -> list[Mapping[str, float | None]]:
    """Return the errors of each round's run."""
    columns, usual = _TABLES[kind]
    found = []
    for number in range(rounds):
        files, rows = random.randint(8, 40), round(usual * random.uniform(0.5, 2.0))
        append_files(lake.spark, table=spark_name(table), columns=columns, files=files, rows_per_file=rows)
        if number == 0:
            lake.service.register(NAMESPACE, table, _POLICY)
        found.append(lake.service.rewrite(table)["result"]["prediction_error"] or {})
    return found


def _row(table: str, which: str, errors: Sequence[Mapping[str, float | None]]) -> dict[str, Any]:
    row: dict[str, Any] = {"table": table, "runs": f"{which} ({len(errors)})"}
    for name in FIGURES:
        known = [100 * error for each in errors if (error := each.get(name)) is not None]
        row[f"{name}: median |error| %"] = statistics.median(map(abs, known)) if known else "-"
        row[f"{name}: range %"] = f"{min(known):+.0f} to {max(known):+.0f}" if known else "-"
    return row


if __name__ == "__main__":
    main()
