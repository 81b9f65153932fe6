"""How long a cancel takes while Iceberg's own procedure is at work. The goal: at most 5 s, always.

Runs with `rewrite.engine: native` are cancelled over HTTP, each a bit later after its call was sent. Timed is from the
request to the run's terminal state, which is recorded only after Spark has ended the call and the table was read.
`committed`: the call changed the table all the same, looked at when all are over. `left`: files that finished tasks of
the call left behind. A run that had ended before is no measurement; it is shown, and not counted. `--kill-timeout` is
Spark's `spark.python.task.killTimeout` (its own default is 2s, ours 100ms).

    python -m bench.native_cancel [--megabytes 192] [--repeats 5] [--cores 2] [--kill-timeout 2s] [--json …]
"""

import argparse
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from bench.facts import machine_facts, print_table, write_json
from bench.lake import TARGET_BYTES, Lake
from bench.lineitem import lineitem_columns

MB: Final = 1_000_000
GOAL_SECONDS: Final = 5.0
POLL_SECONDS: Final = 0.02
LONGEST_SECONDS: Final = 120.0


def main() -> None:
    """Cancel so many runs, print and write what it took."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=192, help="of the table")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--kill-timeout", default=None, help="how long Spark lets a killed Python task live")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    settings = {} if options.kill_timeout is None else {"spark.python.task.killTimeout": options.kill_timeout}
    with (
        TemporaryDirectory(prefix="bench-native-cancel-") as folder,
        Lake(folder=Path(folder), cores=options.cores, settings=settings) as lake,
    ):
        lake.write("native", columns=lineitem_columns(), files=options.megabytes // 6, file_bytes=6 * MB)
        rows = [_cancelled(lake, after=0.3 + number * 1.2) for number in range(options.repeats)]
        for row in rows:
            row["committed"] = lake.is_rewritten(row["table"])
    print_table(rows)
    counted = [row["seconds"] for row in rows if row["state"] == "cancelled"]
    if not counted:
        raise SystemExit("every run had ended before it was cancelled: take a larger table")
    if any(row["committed"] for row in rows if row["state"] == "cancelled"):
        raise SystemExit("a run was said to be cancelled, and its call committed")
    print(f"{len(counted)} cancels, longest {max(counted):.2f} s, goal {GOAL_SECONDS:g} s")
    write_json(options.json, {"machine": machine_facts(), "goal_seconds": GOAL_SECONDS, "rows": rows})


def _cancelled(lake: Lake, *, after: float) -> dict[str, Any]:
    """Cancel one run so many seconds after it began to rewrite: its call is sent about then."""
    rewrite = {"engine": "native", "target_file_bytes": TARGET_BYTES, "min_input_files": 2}
    table = lake.copy("native", {"rewrite": rewrite, "limits": {"parallel_groups": lake.cores}})
    folder = lake.files(table)[0][0].parent
    before = set(folder.iterdir())
    run_id = lake.service.submit(table)
    deadline = time.monotonic() + LONGEST_SECONDS
    while lake.service.run(run_id)["state"] in {"queued", "planning"} and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS)
    time.sleep(after)
    was = lake.service.run(run_id)
    begun = time.monotonic()
    if not was["is_terminal"]:
        lake.service.cancel(run_id)
    while not (run := lake.service.run(run_id))["is_terminal"] and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS)
    seconds = time.monotonic() - begun
    left = {path for path in set(folder.iterdir()) - before if path.suffix == ".parquet"}
    return {
        "table": table,
        "after_s": after,
        "was": was["state"],
        "state": run["state"],
        "seconds": seconds,
        "left": len(left),
    }


if __name__ == "__main__":
    main()
