"""B10: how many runs an api process on one core accepts durably in a second, against a bare app that inserts a row.

Postgres with fsync; the server is held on core 0, Postgres and the load share the others. Every submit is for another
table, so that each one inserts a run, its first event, its outbox and audit rows, and puts an entry into the queue.
Contenders alternate, each in `--rounds` rounds of `--requests`; then ours is asked at half of the rate that it had,
evenly spaced, for its latency.

    python -m bench.accepts [--requests 3000] [--rounds 3] [--tables 100000] [--runs 1000000] [--json accepts.json]
"""

import argparse
import statistics
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.facts import machine_facts, print_table, write_json
from bench.http_load import Load, apply, request
from bench.record import fill
from bench.servers import api, process, shared_servers
from engine.embedded.processes import free_loopback_port

_ACCEPTED = 202


def main() -> None:
    """Fill the record, then let both contenders accept."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=3000, help="of one round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--tables", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=1_000_000, help="that are in the record before")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    needed = given.requests * (given.rounds + 2)
    if given.tables < needed:
        parser.error(f"--tables must be at least {needed}: each submit is for another table")
    with TemporaryDirectory(prefix="packhouse-bench-") as scratch:
        rows = _measure(Path(scratch), given)
    print_table(rows)
    write_json(given.json, {"facts": machine_facts(), "rows": rows})


def _measure(folder: Path, given: argparse.Namespace) -> list[dict[str, Any]]:
    bare_port = free_loopback_port()
    with shared_servers(folder) as shared:
        tables = fill(shared.postgres, tables=given.tables, runs=given.runs)
        bare_environment = {
            "BENCH_DATABASE_URL": shared.environment["PACKHOUSE_DATABASE_URL"],
            "BENCH_PORT": str(bare_port),
        }
        with (
            process(["bench.bare"], bare_environment, folder / "bare.log", port=bare_port, core=0),
            api(shared, folder / "api.log", core=0) as (port, key),
        ):
            ours, bare = [], []
            for number in range(given.rounds + 1):  # the first round is not counted
                taken = tables[number * given.requests : (number + 1) * given.requests]
                ours.append(_checked(apply(port, _submits(taken, key), connections=given.connections)))
                bare.append(_checked(apply(bare_port, _submits(taken, key), connections=given.connections)))
            rate = statistics.median(load.rate for load in ours[1:])
            rest = _submits(tables[-given.requests :], key)
            half = _checked(apply(port, rest, connections=given.connections, rate=rate / 2))
    return [
        _row("packhouse", ours[1:], given),
        _row("bare FastAPI + insert", bare[1:], given),
        _row("packhouse at half of its rate", [half], given),
        {"contender": "ratio", **_ratio(ours[1:], bare[1:])},
    ]


def _submits(tables: Sequence[str], key: str) -> list[bytes]:
    return [
        request("POST", "/v1/runs", key=key, body=f'{{"table_id":"{table}","operation":"rewrite"}}'.encode())
        for table in tables
    ]


def _checked(load: Load) -> Load:
    if other := {status for status in load.statuses if status != _ACCEPTED}:
        raise SystemExit(f"answers other than {_ACCEPTED}: {sorted(other)}")
    return load


def _row(name: str, loads: Sequence[Load], given: argparse.Namespace) -> dict[str, Any]:
    return {
        "contender": name,
        "connections": given.connections,
        "accepts/s": statistics.median(load.rate for load in loads),
        "p50 ms": 1000 * statistics.median(load.percentile(0.5) for load in loads),
        "p99 ms": 1000 * statistics.median(load.percentile(0.99) for load in loads),
    }


def _ratio(ours: Sequence[Load], bare: Sequence[Load]) -> dict[str, Any]:
    share = statistics.median(one.rate / other.rate for one, other in zip(ours, bare, strict=True))
    return {"connections": "", "accepts/s": f"{share:.0%}", "p50 ms": "", "p99 ms": ""}


if __name__ == "__main__":
    main()
