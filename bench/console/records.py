"""What the console shows: a large record in Postgres, and one Iceberg table of many partitions.

Partitions are not part of the record: the api reads them from the table's manifests when the first page of them is
asked for, and keeps them in memory. So the table is a real one, as far as metadata goes (`bench.large_table`).
"""

from datetime import timedelta
from pathlib import Path
from typing import Final

import httpx
import psycopg

from bench.large_table import NAME, make_catalog, make_large_table
from bench.record import fill

FILES_PER_PARTITION: Final = 12
"""On average. Files are in random partitions: about one of 160,000 partitions stays empty."""

_CATALOG: Final = "manifests"
_WATCHES: Final = """
    INSERT INTO watches (table_id, phase, next_at, interval_seconds, pointer, verdict)
    SELECT id, 0.5, now(), 600, 'none', 'not_due' FROM tables
"""


def fill_record(url: str, *, tables: int, runs: int) -> None:
    """Write tables with a state of the coordinator, and runs up to now; `url` is psycopg's."""
    fill(url, tables=tables, runs=runs, newest_ago=timedelta(0))
    with psycopg.connect(url, autocommit=True) as record:
        record.execute(_WATCHES)
        record.execute("VACUUM ANALYZE")


def register_partitioned(api: httpx.Client, folder: Path, *, partitions: int) -> str:
    """Make a table of so many partitions, register it through the API, and return its id."""
    catalog, properties = make_catalog(folder, name=_CATALOG)
    try:
        make_large_table(catalog, files=partitions * FILES_PER_PARTITION, partitions=partitions)
    finally:
        catalog.close()
    registered = {"name": _CATALOG, "format": "iceberg", "properties": dict(properties)}
    api.post("/v1/catalogs", json=registered).raise_for_status()
    answer = api.post("/v1/tables", json={"catalog": _CATALOG, "namespace": [NAME[0]], "name": NAME[1]})
    if answer.is_error:
        raise SystemExit(f"the table can't be registered: {answer.text}")
    table_id: str = answer.json()["id"]
    return table_id
