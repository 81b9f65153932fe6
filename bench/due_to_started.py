"""B23: from the commit that makes a table due to the start of its run, at many tables with default settings.

The record is a durable Postgres, the catalog an Iceberg SQL catalog in the same server. Every table has real metadata,
manifests and data files of its own kind: few small files, so that no rule is due. A writer commits to random tables,
exactly as a SQL catalog does (a new metadata file, then a guarded UPDATE of the pointer); a share of the commits makes
the table due. The coordinator runs with its defaults in a process of its own, as in a deployment. A worker without
Spark claims each run and ends it, so that waiting for a free worker is not measured. Both instants are by the same
database clock. `looks/s` and `evaluations/s` are the coordinator's own figures, `cpu share` is its use of one core.

    python -m bench.due_to_started [--tables 10000] [--seconds 300] [--commits-per-second 5] [--json started.json]
"""

import argparse
import asyncio
import json
import random
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from uuid import uuid4

import httpx
import psycopg
import pyarrow as pa
from psycopg.types.json import Jsonb
from pyiceberg.catalog.sql import SqlCatalog

from bench.facts import machine_facts, print_table, write_json
from bench.processes import tree_cpu_seconds
from bench.record import CATALOG, fill
from bench.servers import Shared, process, shared_servers
from engine.domain.runs.run import RunState
from engine.embedded.processes import free_loopback_port
from engine.factory.container import open_container
from engine.factory.wiring import Container
from engine.services.runs.claims import ClaimService
from engine.settings.model import Settings

MEDIAN_GOAL_SECONDS: Final = 30.0
P99_GOAL_SECONDS: Final = 120.0
DUE_SHARE: Final = 0.5
SETTLE_SECONDS: Final = 130.0
"""After the last commit: what has not started by then counts as if it started now."""
_FILES: Final = {"few": 4, "more": 5, "due": 40}
_WATCHES: Final = """
    INSERT INTO watches (table_id, phase, next_at, interval_seconds, pointer, verdict, looked_at)
    SELECT id, random(), now() + random() * interval '40 seconds', 40, location || '/few.json', 'not_due', now()
    FROM tables
"""
_COMMIT: Final = """
    UPDATE iceberg_tables SET metadata_location = %s, previous_metadata_location = metadata_location
    WHERE table_namespace = %s AND table_name = %s RETURNING clock_timestamp()
"""


@dataclass
class Lake:
    """The catalog's tables, and when each was made due."""

    folder: Path
    tables: Sequence[tuple[str, str, str]]  # id, namespace, name
    templates: dict[str, dict[str, Any]]
    due_at: dict[str, datetime] = field(default_factory=dict)
    commits: int = 0

    def metadata(self, number: int, kind: str) -> Path:
        """Write the metadata of a table in one of its states and return where."""
        folder = self.folder / "tables" / f"{number:06}"
        folder.mkdir(parents=True, exist_ok=True)
        document = self.templates[kind] | {"table-uuid": f"00000000-0000-0000-0000-{number:012}"}
        path = folder / f"{kind}-{uuid4()}.json" if kind != "few" else folder / "few.json"
        path.write_text(json.dumps(document))
        return path


def main() -> None:
    """Fill record and catalog, commit at random, and print how long runs took to start."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--commits-per-second", type=float, default=5)
    parser.add_argument("--seed", type=int, default=4)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    with TemporaryDirectory(prefix="bench-due-") as scratch, shared_servers(Path(scratch)) as shared:
        fill(shared.postgres, tables=given.tables, runs=0)
        lake = _make_lake(Path(scratch), shared)
        row = asyncio.run(_measured(Path(scratch), shared, lake, given))
    print_table([row])
    write_json(given.json, {"benchmark": "B23", "machine": machine_facts(), "rows": [row]})


def _make_lake(folder: Path, shared: Shared) -> Lake:
    """Write one real table in each state, then a catalog row and a metadata file for each registered table."""
    with psycopg.connect(shared.postgres, autocommit=True) as admin:
        admin.execute("CREATE DATABASE bench_catalog")
    uri = _catalog_uri(shared)
    catalog = SqlCatalog(CATALOG, uri=uri, warehouse=folder.as_uri(), init_catalog_tables="true")
    templates = {kind: _template(catalog, kind, files) for kind, files in _FILES.items()}
    catalog.close()
    properties = {"type": "sql", "uri": uri, "warehouse": folder.as_uri()}
    with psycopg.connect(shared.postgres, autocommit=True) as record:
        # every table's metadata names the data files of the template that it was made from
        record.execute(
            "UPDATE catalogs SET properties = %s, outside_files = 'allowed_locations', allowed_locations = %s",
            [Jsonb(properties), Jsonb([folder.as_uri()])],
        )
        record.execute("UPDATE tables SET location = %s || substr(name, 8)", [f"{folder}/tables/"])
        record.execute(_WATCHES)
        record.execute("VACUUM ANALYZE")
        rows = record.execute("SELECT id, namespace::json ->> 0, name FROM tables ORDER BY name").fetchall()
    lake = Lake(folder, [tuple(row) for row in rows], templates)
    with psycopg.connect(_plain(uri), autocommit=True) as connection, connection.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO iceberg_tables (catalog_name, table_namespace, table_name, metadata_location, iceberg_type) "
            f"VALUES ('{CATALOG}', %s, %s, %s, 'TABLE')",
            [(space, name, str(lake.metadata(number, "few"))) for number, (_, space, name) in enumerate(rows)],
        )
    return lake


def _template(catalog: SqlCatalog, kind: str, files: int) -> dict[str, Any]:
    batch = pa.table({"id": pa.array(range(10), pa.int64())})
    catalog.create_namespace_if_not_exists("templates")
    table = catalog.create_table(("templates", kind), batch.schema)
    for _ in range(files):
        table.append(batch)
    found: dict[str, Any] = json.loads(Path(table.metadata_location.removeprefix("file://")).read_text())
    return found


async def _measured(folder: Path, shared: Shared, lake: Lake, given: argparse.Namespace) -> dict[str, Any]:
    port = free_loopback_port()
    environment = {**shared.environment, "PACKHOUSE_WATCH": "on", "PACKHOUSE_METRICS_PORT": str(port)}
    settings = Settings(
        data_dir=folder / "state",
        database_url=environment["PACKHOUSE_DATABASE_URL"],
        redis_url=environment["PACKHOUSE_REDIS_URL"],
        spark_url=environment["PACKHOUSE_SPARK_URL"],
        secret_key=environment["PACKHOUSE_SECRET_KEY"],
        mode="embedded",
    )
    async with open_container(settings) as container:
        with process(["api", "coordinator"], environment, folder / "coordinator.log", port=port) as coordinator:
            worker = asyncio.create_task(_claim_everything(container))
            began, before = time.perf_counter(), _figures(port, coordinator.pid)
            await asyncio.to_thread(_commit_at_random, lake, _plain(_catalog_uri(shared)), given)
            seconds, after = time.perf_counter() - began, _figures(port, coordinator.pid)
            waits = await _waits(shared, lake)
            worker.cancel()
    return _row(given, lake, waits, {name: (after[name] - before[name]) / seconds for name in after})


def _figures(port: int, pid: int | None) -> dict[str, float]:
    """Return what a coordinator has counted so far, and the CPU seconds that it has used."""
    lines = httpx.get(f"http://127.0.0.1:{port}/metrics").text.splitlines()
    values = [(line.rpartition(" ")[0], float(line.rpartition(" ")[2])) for line in lines if not line.startswith("#")]
    return {
        "looks/s": sum(value for name, value in values if name.startswith("packhouse_watch_looks_total")),
        "evaluations/s": sum(value for name, value in values if name == "packhouse_watch_evaluation_seconds_count"),
        "cpu share": tree_cpu_seconds(pid),
    }


def _commit_at_random(lake: Lake, url: str, given: argparse.Namespace) -> None:
    """Commit at the rate that is asked for; a table that was made due is left alone afterwards."""
    chance = random.Random(given.seed)
    until = time.perf_counter() + given.seconds
    with psycopg.connect(url, autocommit=True) as connection:
        while time.perf_counter() < until:
            time.sleep(chance.expovariate(given.commits_per_second))
            number = chance.randrange(len(lake.tables))
            table_id, space, name = lake.tables[number]
            if table_id in lake.due_at:
                continue
            kind = "due" if chance.random() < DUE_SHARE else "more"
            committed = connection.execute(_COMMIT, [str(lake.metadata(number, kind)), space, name]).fetchone()
            lake.commits += 1
            if kind == "due" and committed is not None:
                lake.due_at[table_id] = committed[0]


async def _claim_everything(container: Container) -> None:
    """Claim each run as soon as the queue has it, and end it."""
    operations = container.worker.operations
    claims = ClaimService(database=container.database, operations=operations, holder="bench", lease_seconds=60)
    while True:
        delivery = await container.queue.take(block_seconds=0.5)
        if delivery is None:
            continue
        claimed = await claims.claim(delivery.run_id)
        await container.queue.acknowledge(delivery)
        if claimed is not None:
            async with container.database.begin() as unit:
                await unit.runs.transition(claimed[1], to=RunState.SKIPPED, reason="nothing_to_do")


async def _waits(shared: Shared, lake: Lake) -> list[float]:
    """Return the seconds that each due table waited, once all runs have started or the time for that is over."""
    deadline = time.perf_counter() + SETTLE_SECONDS
    while True:
        with psycopg.connect(shared.postgres, autocommit=True) as record:
            rows = record.execute("SELECT table_id, min(started_at) FROM runs GROUP BY 1").fetchall()
            now: datetime = record.execute("SELECT clock_timestamp()").fetchall()[0][0]
        started = {row[0]: row[1] for row in rows if row[1] is not None}
        if len(started.keys() & lake.due_at.keys()) == len(lake.due_at) or time.perf_counter() > deadline:
            break
        await asyncio.sleep(1)
    return sorted((started.get(table, now) - at).total_seconds() for table, at in lake.due_at.items())


def _row(given: argparse.Namespace, lake: Lake, waits: Sequence[float], more: dict[str, float]) -> dict[str, Any]:
    median, p99 = statistics.median(waits), waits[int(0.99 * (len(waits) - 1))]
    return {
        "tables": given.tables,
        "commits": lake.commits,
        "due": len(waits),
        "median s": median,
        "p99 s": p99,
        "max s": waits[-1],
        **more,
        "verdict": "held" if median <= MEDIAN_GOAL_SECONDS and p99 <= P99_GOAL_SECONDS else "too slow",
    }


def _catalog_uri(shared: Shared) -> str:
    return shared.environment["PACKHOUSE_DATABASE_URL"].replace("/bench", "/bench_catalog")


def _plain(url: str) -> str:
    return url.replace("+psycopg", "")


if __name__ == "__main__":
    main()
