"""Rewrites on an object store that misbehaves at random: no row may be lost, and no run may fail without a reason.

A real service and Spark, and one store in memory (`tests/support/store_server.py`). While runs are under way the store
changes its manners every few seconds: latency, 503s, connections that end with or without half of an answer, answers
that get lost after the request was carried out, and no answers at all, up to an outage of 20 s. After each run the
store is calm again and all rows are compared with the original's. The same seed plays the same manners.

    python -m bench.store_faults [--minutes 30] [--seed 1] [--files 300]
"""

import argparse
import random
import threading
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from bench.lake import Lake
from tests.support.store_server import Manners, StoreServer, store_server

_LONGEST_RUN_SECONDS = 600.0
_COLUMNS = "id AS id, sha2(CAST(id AS STRING), 512) AS text"


def main() -> None:
    """Rewrite copies of one table until the time is over; print what became of each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--files", type=int, default=300)
    given = parser.parse_args()
    chance = random.Random(given.seed)
    ends: Counter[tuple[str, str | None]] = Counter()
    with (
        TemporaryDirectory(prefix="bench-faults-") as folder,
        store_server() as store,
        Lake(folder=Path(folder), cores=2, store=store) as lake,
    ):
        lake.write("events", columns=_COLUMNS, files=given.files, file_bytes=60_000)
        expected = _rows(lake, "events")
        began = time.monotonic()
        while time.monotonic() - began < 60 * given.minutes:
            row = _round(lake, store, chance, expected)
            ends[row["state"], row["reason"]] += 1
            print(f"{time.monotonic() - began:6.0f} s", *(f"{name}={value}" for name, value in row.items()), flush=True)
    for (state, reason), count in sorted(ends.items()):
        print(f"{count} runs {state}: {reason}")
    failed = sum(count for (state, _), count in ends.items() if state != "succeeded")
    print(f"{sum(ends.values())} runs, {failed} did not succeed; no row was lost or changed")


def _round(lake: Lake, store: StoreServer, chance: random.Random, expected: tuple[int, int]) -> dict[str, Any]:
    """Rewrite a copy among faults and compare its rows. Raises SystemExit for a lost row, or a run without an end."""
    name = lake.copy("events")
    store.control(forget=True)
    is_over = threading.Event()
    played: Counter[str] = Counter()
    player = threading.Thread(target=_play, args=(store, random.Random(chance.random()), is_over, played))
    player.start()
    began = time.monotonic()
    try:
        run_id = lake.service.submit(name)
        while not (run := lake.service.run(run_id))["is_terminal"]:
            if time.monotonic() - began > _LONGEST_RUN_SECONDS:
                raise SystemExit(f"a run without an end: {run}")
            time.sleep(0.5)
    finally:
        is_over.set()
        player.join()
        store.control(manners=Manners())
    found = _rows(lake, name)
    if found != expected:
        raise SystemExit(f"rows of {name} changed: {expected} before, {found} after the run {run}")
    return {
        "state": run["state"],
        "reason": run["reason"],
        "attempts": run["attempt"],
        "seconds": round(time.monotonic() - began, 1),
        "requests": sum(store.control()["asked"].values()),
        "uploads_left": store.control()["uploads"],
        "manners": dict(played),
    } | ({"detail": run["detail"]} if run["state"] != "succeeded" else {})


def _play(store: StoreServer, chance: random.Random, is_over: threading.Event, played: Counter[str]) -> None:
    """Change the store's manners until the run is over."""
    while not is_over.is_set():
        name, manners, seconds = _manners(chance)
        played[name] += 1
        store.control(manners=manners)
        is_over.wait(seconds)


def _manners(chance: random.Random) -> tuple[str, Manners, float]:
    """Return the next manners, with their name and how long they last."""
    latency = chance.choice((0.0, 0.0, 0.03, 0.1))
    share, seconds = chance.uniform(0.02, 0.5), chance.uniform(0.3, 3.0)
    kinds = {
        "calm": (Manners(latency=latency), seconds),
        "busy": (Manners(latency=latency, busy=share), seconds),
        "resets": (Manners(latency=latency, resets=share), seconds),
        "short": (Manners(latency=latency, short=share), seconds),
        "lost": (Manners(latency=latency, lost=chance.randint(1, 5)), seconds),
        "hangs": (Manners(latency=latency, hangs=share / 10), seconds),
        "all at once": (Manners(latency, share / 4, share / 4, share / 4, share / 40, chance.randint(0, 2)), seconds),
        "outage": (Manners(busy=1.0) if chance.random() < 0.5 else Manners(resets=1.0), chance.uniform(3, 20)),
    }
    name = chance.choices(list(kinds), weights=(4, 2, 2, 2, 2, 2, 2, 1))[0]
    return name, *kinds[name]


def _rows(lake: Lake, name: str) -> tuple[int, int]:
    """Return the number of rows and a checksum over them that does not depend on their order."""
    table = lake.scan(name)
    hashes = pc.cast(pc.utf8_slice_codeunits(table["text"], 0, 7), pa.string()).to_pylist()
    ids = table["id"].to_pylist()
    return table.num_rows, sum((number + 1) * int(text, 16) for number, text in zip(ids, hashes, strict=True)) % 2**61


if __name__ == "__main__":
    main()
