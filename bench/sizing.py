"""What the processes of Packhouse use at 100 to 100,000 registered tables of which none changes, and the record's size.

For each number of tables a new record in a durable Postgres, with `--runs-a-table` ended runs each, and an Iceberg SQL
catalog in SQLite. Looks are spread over ten minutes, the longest interval, as they are for tables at rest. Then a
coordinator works for `--seconds`, and after that an api answers ten requests a second. CPU is a share of one core;
Postgres' is of all its processes meanwhile. Rewrites are no part of this: see `bench.rewrite`.

    python -m bench.sizing [--tables 100 1000 10000 100000] [--seconds 120] [--runs-a-table 10] [--json sizing.json]
"""

import argparse
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import psycopg

from bench.facts import machine_facts, print_table, write_json
from bench.http_load import apply, request
from bench.processes import tree_cpu_seconds
from bench.record import fill
from bench.servers import Shared, admin_key, process, shared_servers
from bench.sweep import make_lake
from engine.embedded.processes import free_loopback_port

_SETTLED_SECONDS: Final = 15.0  # imports, the first lead, first connections
_REQUESTS_A_SECOND: Final = 10
_PAGES: Final = ("/v1/tables?page_size=100", "/v1/runs?page_size=100", "/v1/fleet")
_SPREAD: Final = "UPDATE watches SET next_at = now() + random() * interval '600 seconds'"


def main() -> None:
    """Measure each number of tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, nargs="+", default=[100, 1_000, 10_000, 100_000])
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--runs-a-table", type=int, default=10)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    rows = []
    for tables in given.tables:
        with TemporaryDirectory(prefix="bench-sizing-") as scratch, shared_servers(Path(scratch)) as shared:
            fill(shared.postgres, tables=tables, runs=tables * given.runs_a_table)
            rows.append({"tables": tables} | _measured(Path(scratch), shared, given.seconds))
    print_table(rows)
    write_json(given.json, {"machine": machine_facts(), "rows": rows})


def _measured(folder: Path, shared: Shared, seconds: float) -> dict[str, Any]:
    make_lake(folder, shared)
    with psycopg.connect(shared.postgres, autocommit=True) as record:
        record.execute(_SPREAD)
        with _part(shared, folder, "coordinator", "PACKHOUSE_METRICS_PORT") as (pid, _):
            time.sleep(_SETTLED_SECONDS)
            looked = _looks(record)
            with _cpu(pid) as coordinator, _cpu(_postmaster(record)) as postgres:
                time.sleep(seconds)
            looks = (_looks(record) - looked) / seconds
            coordinator_bytes = _most_bytes(pid)
        with _part(shared, folder, "api", "PACKHOUSE_PORT") as (pid, port):
            key = admin_key(folder)
            asked = [request("GET", page, key=key) for page in _PAGES] * int(_REQUESTS_A_SECOND * seconds / 6)
            with _cpu(pid) as api:
                load = apply(port, asked, connections=8, rate=_REQUESTS_A_SECOND)
            assert set(load.statuses) == {200}, set(load.statuses)
            api_bytes = _most_bytes(pid)
        (size,) = record.execute("SELECT pg_database_size(current_database())").fetchone() or (0,)
    return {
        "looks/s": looks,
        "coordinator_cpu": coordinator.share,
        "coordinator_mb": coordinator_bytes / 1e6,
        "postgres_cpu": postgres.share,
        "api_cpu": api.share,
        "api_mb": api_bytes / 1e6,
        "api_p99_ms": load.percentile(0.99) * 1e3,
        "record_mb": size / 1e6,
    }


@contextmanager
def _part(shared: Shared, folder: Path, name: str, port_setting: str) -> Iterator[tuple[int, int]]:
    """Run a process of Packhouse; yield its process id and the port at which it answers."""
    port = free_loopback_port()
    quiet = {port_setting: str(port), "PACKHOUSE_WATCH": "on", "PACKHOUSE_LOG_LEVEL": "WARNING"}
    with process(["api", name], {**shared.environment, **quiet}, folder / f"{name}.log", port=port) as child:
        assert child.pid is not None
        yield child.pid, port


@dataclass(slots=True)
class _Cpu:
    share: float = 0.0


@contextmanager
def _cpu(root: int) -> Iterator[_Cpu]:
    """Yield what holds, after the block, the share of one core that a process tree used meanwhile."""
    used = _Cpu()
    begun, spent = time.monotonic(), tree_cpu_seconds(root)
    yield used
    used.share = (tree_cpu_seconds(root) - spent) / (time.monotonic() - begun)


def _looks(record: psycopg.Connection[Any]) -> int:
    (looks,) = record.execute("SELECT count(looked_at) FROM watches").fetchone() or (0,)
    return int(looks)


def _postmaster(record: psycopg.Connection[Any]) -> int:
    """Return the parent of this connection's process."""
    stat = Path(f"/proc/{record.info.backend_pid}/stat").read_text()
    return int(stat.rpartition(")")[2].split()[1])


def _most_bytes(pid: int) -> int:
    """Return the largest resident memory that a process had so far."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))


if __name__ == "__main__":
    main()
