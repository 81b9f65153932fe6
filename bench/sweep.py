"""B9: one sweep over many registered tables of which none changed: "is there anything new?", in seconds.

The record is a durable Postgres, the catalog an Iceberg SQL catalog in SQLite with a row for each table. Every table's
look is due at once, as after a time without a leader; the coordinator's own watch then looks at its own pace, a turn a
second, until every table was looked at. There is no peer; bare is what the two databases alone take for the same:
reading each pointer, and one UPDATE a table, both in batches of the same size.

    python -m bench.sweep [--tables 100000] [--json sweep.json]
"""

import argparse
import asyncio
import sqlite3
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import psycopg
from pyiceberg.catalog.sql import SqlCatalog

from bench.facts import machine_facts, print_table, write_json
from bench.record import CATALOG, fill
from bench.servers import Shared, shared_servers
from engine.factory.container import open_container
from engine.services.watching.service import TABLES_AT_ONCE
from engine.settings.model import Settings
from engine.workers.coordinator import WATCH_SECONDS

GOAL_SECONDS: Final = 60.0
MOST_SECONDS: Final = 900.0
_WATCHES: Final = """
    INSERT INTO watches (table_id, phase, next_at, interval_seconds, pointer, verdict)
    SELECT id, 0.5, now(), 600, 'file:///lake/' || name || '/v1.metadata.json', 'not_due' FROM tables
"""


def main() -> None:
    """Fill record and catalog, then let the watch look at everything once."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=100_000)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    with TemporaryDirectory(prefix="bench-sweep-") as scratch, shared_servers(Path(scratch)) as shared:
        folder = Path(scratch)
        fill(shared.postgres, tables=given.tables, runs=0)
        lake = make_lake(folder, shared)
        bare = _bare(lake, shared)
        seconds, cpu = asyncio.run(_swept(folder, shared))
    row = {
        "tables": given.tables,
        "seconds": seconds,
        "cpu_seconds": cpu,
        "tables/s": given.tables / seconds,
        "bare_seconds": bare,
        "verdict": "held" if seconds < GOAL_SECONDS * given.tables / 100_000 else "too slow",
    }
    print_table([row])
    write_json(given.json, {"benchmark": "B9", "machine": machine_facts(), "rows": [row]})


def make_lake(folder: Path, shared: Shared) -> Path:
    """Write the catalog with a pointer for each registered table, and watch each of them."""
    path = folder / "catalog.db"
    SqlCatalog(CATALOG, uri=f"sqlite:///{path}", warehouse=folder.as_uri()).close()
    properties = f'{{"type": "sql", "uri": "sqlite:///{path}", "warehouse": "{folder.as_uri()}"}}'
    with psycopg.connect(shared.postgres, autocommit=True) as record, sqlite3.connect(path) as catalog:
        record.execute("UPDATE catalogs SET properties = %s", [properties])
        record.execute(_WATCHES)
        record.execute("VACUUM ANALYZE")
        rows = record.execute("SELECT namespace::json ->> 0, name FROM tables")
        catalog.executemany(
            "INSERT INTO iceberg_tables (catalog_name, table_namespace, table_name, metadata_location, iceberg_type) "
            "VALUES (?, ?, ?, ?, 'TABLE')",
            ((CATALOG, namespace, name, f"file:///lake/{name}/v1.metadata.json") for namespace, name in rows),
        )
    return path


def _bare(lake: Path, shared: Shared) -> float:
    """Return the seconds that the two databases alone take to read each pointer and to write each watch once."""
    began = time.perf_counter()
    with psycopg.connect(shared.postgres) as record, sqlite3.connect(lake) as catalog:
        for names in _batches(record):
            marks = ", ".join("?" * len(names))
            catalog.execute(
                f"SELECT table_name, metadata_location FROM iceberg_tables WHERE table_name IN ({marks})",
                names,
            ).fetchall()
        for ids in _batches(record, "id"):
            with record.cursor() as cursor:
                cursor.executemany("UPDATE watches SET interval_seconds = 600 WHERE table_id = %s", [(i,) for i in ids])
            record.commit()
    return time.perf_counter() - began


def _batches(record: psycopg.Connection[Any], column: str = "name") -> Iterator[Sequence[str]]:
    rows = record.execute(f"SELECT {column} FROM tables").fetchall()
    for at in range(0, len(rows), TABLES_AT_ONCE):
        yield [row[0] for row in rows[at : at + TABLES_AT_ONCE]]


async def _swept(folder: Path, shared: Shared) -> tuple[float, float]:
    """Return the seconds until every table was looked at, and this process's share of a core meanwhile."""
    environment = shared.environment
    settings = Settings(
        data_dir=folder / "state",
        database_url=environment["PACKHOUSE_DATABASE_URL"],
        redis_url=environment["PACKHOUSE_REDIS_URL"],
        spark_url="sc://127.0.0.1:1",
        secret_key=environment["PACKHOUSE_SECRET_KEY"],
        mode="embedded",
    )
    async with open_container(settings) as container:
        await container.watching.lead()
        with psycopg.connect(shared.postgres, autocommit=True) as record:
            record.execute("UPDATE watches SET next_at = now()")  # a leader that begins spreads them over a minute
            began, cpu = time.perf_counter(), time.process_time()
            while _left(record) and time.perf_counter() - began < MOST_SECONDS:
                await container.watching.turn()
                await asyncio.sleep(WATCH_SECONDS)
                await container.watching.lead()
            return time.perf_counter() - began, time.process_time() - cpu


def _left(record: psycopg.Connection[Any]) -> int:
    row = record.execute("SELECT count(*) FROM watches WHERE looked_at IS NULL").fetchone()
    return 0 if row is None else int(row[0])


if __name__ == "__main__":
    main()
