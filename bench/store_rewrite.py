"""B20, whole runs: a table in an object store, by us and by Iceberg's procedure with S3FileIO, at several latencies.

One warm Spark Connect server and one store in memory (`tests/support/store_server.py`) serve both, on the same machine.
Contenders alternate, each on a fresh copy, after one round that is not counted. Ours is measured over HTTP, from the
trigger to the verified commit. CPU seconds are those of this process and its descendants: the store is one of them.

    python -m bench.store_rewrite [--files 2000] [--kilobytes 125] [--latencies 0,10,30,100] [--repeats 1]
    python -m bench.store_rewrite --files 250 --kilobytes 6000

Goals at 30 ms: at least 8 x the procedure's wall on tiny files, 90 % of our rate at 0 ms, 1.05 requests for an input.
"""

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.contenders import CONTENDERS
from bench.facts import machine_facts, print_table, write_json
from bench.lake import ICEBERG_AWS, Lake
from bench.lineitem import lineitem_columns
from bench.processes import tree_cpu_seconds
from bench.rewrite import timed
from tests.support.store_server import Manners, StoreServer, store_server

NAMES = ("ours", "procedure")


def main() -> None:
    """Write the table, then measure both at each latency."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--kilobytes", type=int, default=125)
    parser.add_argument("--latencies", default="0,10,30,100", help="milliseconds to the first byte")
    parser.add_argument("--repeats", type=int, default=1, help="rounds of which the best counts")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    rows: list[dict[str, Any]] = []
    with (
        TemporaryDirectory(prefix="bench-store-") as folder,
        store_server() as store,
        Lake(folder=Path(folder), cores=given.cores, store=store) as lake,
    ):
        lake.write("events", columns=lineitem_columns(), files=given.files, file_bytes=1000 * given.kilobytes)
        for name in NAMES:  # warms up what only the first run needs
            CONTENDERS[name](lake, lake.copy("events"))
        files = len(lake.files("events"))
        for milliseconds in map(int, given.latencies.split(",")):
            rows += [_measured(lake, store, name, milliseconds, files=files, repeats=given.repeats) for name in NAMES]
            print_table(rows)
    facts = machine_facts() | {"peer": ICEBERG_AWS, "spark_cores": given.cores}
    write_json(given.json, {"benchmark": "B20", "machine": facts, "rows": rows})


def _measured(
    lake: Lake, store: StoreServer, name: str, milliseconds: int, *, files: int, repeats: int
) -> dict[str, Any]:
    taken = []
    for _ in range(repeats):
        copied = lake.copy("events")
        store.control(manners=Manners(latency=milliseconds / 1000), forget=True)
        taken.append((timed(lake, name, copied, tree_cpu_seconds), sum(store.control()["asked"].values())))
        store.control(manners=Manners())
    best, requests = min(taken, key=lambda one: one[0].wall)
    return {
        "latency_ms": milliseconds,
        "contender": name,
        "wall_s": best.wall,
        "files/s": files / best.wall,
        "cpu_s": best.cpu,
        "requests per input": requests / files,
        "output_files": best.done.output_files,
    }


if __name__ == "__main__":
    main()
