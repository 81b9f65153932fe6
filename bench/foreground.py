"""B14: how much slower queries of others get while a rewrite works, with a 30 % share of the bandwidth and without.

The query is an aggregate over a table of its own by Arrow, one thread in a process of its own, on the same machine and
disk as the rewrite in Spark; its files are in memory after the first time, so what it loses, it loses to the processor,
its caches and the memory bus. Three states take turns, round by round, so that slow changes of the machine meet all of
them: nothing else at work; a rewrite with `limits.share_percent: 30` of what rewrites move here when nothing limits
them (measured first, as `limits.available_bandwidth`); a rewrite without limits, which is the peer. Told are medians
over all rounds, and quartiles of the single queries.

With `--store` both tables are in an object store in memory, a process of its own on this machine, so that a query also
waits for requests that share it with those of the rewrite. `--cores` is the number of tasks and of file groups at once.

    python -m bench.foreground [--rounds 4] [--queries 8] [--megabytes 600] [--cores 2] [--store] [--json FILE]
"""

import argparse
import multiprocessing
import re
import statistics
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np
import pyarrow.dataset as ds
from pyarrow.fs import LocalFileSystem, S3FileSystem

from bench.facts import machine_facts, print_table, write_json
from bench.lake import TARGET_BYTES, Lake
from bench.lineitem import lineitem_columns
from tests.support.store_server import store_server

MB: Final = 1_000_000
SHARE_PERCENT: Final = 30
GOAL_PERCENT: Final = 5.0


def main() -> None:
    """Measure the free rate, then let the states take turns."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--queries", type=int, default=8, help="in each state of each round")
    parser.add_argument("--megabytes", type=int, default=600, help="of the table that is rewritten")
    parser.add_argument("--cores", type=int, default=2, help="tasks of Spark and file groups at once")
    parser.add_argument("--store", action="store_true", help="tables in an object store in place of the disk")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    with (
        TemporaryDirectory(prefix="bench-foreground-") as scratch,
        store_server() if given.store else nullcontext() as store,
        Lake(folder=Path(scratch), cores=given.cores, store=store) as lake,
    ):
        lake.write("queried", columns=lineitem_columns(), files=16, file_bytes=6 * MB)
        lake.write("rewritten", columns=lineitem_columns(), files=given.megabytes // 6, file_bytes=6 * MB)
        free = _free_rate(lake)
        paths = lake.table("queried").inspect.files()["file_path"].to_pylist()
        with _queries(
            [re.sub("^(file:(//)?|s3://)", "", path) for path in paths], None if store is None else store.url
        ) as asked:
            asked(2)  # files into memory
            seconds = _take_turns(lake, asked, free, rounds=given.rounds, queries=given.queries)
    rows = [_row(state, times, seconds["alone"]) for state, times in seconds.items()]
    print_table(rows)
    print(f"a rewrite without limits moves {free / MB:.0f} MB/s here; the goal is a slow-down below {GOAL_PERCENT:g} %")
    write_json(
        given.json, {"benchmark": "B14", "machine": machine_facts(), "free_bytes_per_second": free, "rows": rows}
    )


def _free_rate(lake: Lake) -> float:
    """Return bytes read + written per second of a rewrite that has the machine to itself; the first one warms up."""
    for _ in range(2):
        run = lake.service.rewrite(lake.copy("rewritten", _policy(lake, {})))
    result = run["result"]
    return float(result["rewritten_bytes"] + result["added_bytes"]) / float(result["seconds"])


def _policy(lake: Lake, limits: dict[str, Any]) -> dict[str, Any]:
    rewrite = {"target_file_bytes": TARGET_BYTES, "max_group_bytes": TARGET_BYTES}
    return {"rewrite": rewrite, "limits": {"parallel_groups": lake.cores, **limits}}


def _take_turns(lake: Lake, asked: Any, free: float, *, rounds: int, queries: int) -> dict[str, list[float]]:
    share = {"share_percent": SHARE_PERCENT, "available_bandwidth": int(free)}
    seconds: dict[str, list[float]] = {"alone": [], f"{SHARE_PERCENT} % share": [], "no limit": []}
    for _ in range(rounds):
        seconds["alone"] += asked(queries)
        for state, limits in ((f"{SHARE_PERCENT} % share", share), ("no limit", {})):
            while len(seconds[state]) < len(seconds["alone"]):
                seconds[state] += _beside(
                    lake, asked, _policy(lake, limits), len(seconds["alone"]) - len(seconds[state])
                )
    return seconds


def _beside(lake: Lake, asked: Any, policy: dict[str, Any], most: int) -> list[float]:
    """Return the seconds of queries that were begun and ended while one rewrite was under way, at most so many."""
    run_id = lake.service.submit(lake.copy("rewritten", policy))
    while lake.service.run(run_id)["state"] != "rewriting":
        time.sleep(0.05)
    time.sleep(1.0)
    taken: list[float] = []
    while len(taken) < most:
        (took,) = asked(1)
        if lake.service.run(run_id)["state"] != "rewriting":
            break
        taken.append(took)
    while not lake.service.run(run_id)["is_terminal"]:
        time.sleep(0.1)
    return taken


@contextmanager
def _queries(paths: Sequence[str], store: str | None) -> Iterator[Any]:
    """Yield a function that asks the query so many times and returns the seconds of each."""
    spawn = multiprocessing.get_context("spawn")
    ours, theirs = spawn.Pipe()
    process = spawn.Process(target=_ask, args=(theirs, paths, store), daemon=True)
    process.start()

    def asked(count: int) -> list[float]:
        ours.send(count)
        answer: list[float] = ours.recv()
        return answer

    yield asked
    process.kill()
    process.join()


def _ask(pipe: Connection, paths: Sequence[str], store: str | None) -> None:
    files = (
        LocalFileSystem()
        if store is None
        else S3FileSystem(endpoint_override=store, region="us-east-1", anonymous=True)
    )
    dataset = ds.dataset(list(paths), format="parquet", filesystem=files)
    while True:
        pipe.send([_query(dataset) for _ in range(pipe.recv())])


def _query(dataset: ds.Dataset) -> float:
    """Return the seconds of one aggregate over all rows, on one thread."""
    began = time.perf_counter()
    columns = ["l_returnflag", "l_linestatus", "l_quantity", "l_extendedprice"]
    table = dataset.to_table(columns=columns, use_threads=False)
    table.group_by(columns[:2], use_threads=False).aggregate([(name, "sum") for name in columns[2:]])
    return time.perf_counter() - began


def _row(state: str, seconds: Sequence[float], alone: Sequence[float]) -> dict[str, Any]:
    lower, median, upper = np.percentile(seconds, [25, 50, 75]).tolist()
    slower = 100 * (median / statistics.median(alone) - 1)
    return {
        "state": state,
        "queries": len(seconds),
        "median_ms": 1000 * median,
        "lower_quartile_ms": 1000 * lower,
        "upper_quartile_ms": 1000 * upper,
        "slower_%": slower,
    }


if __name__ == "__main__":
    main()
