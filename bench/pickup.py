"""B11: from the accepted run to the worker's claim, on an idle service, against a Redis round trip.

`packhouse-server up` with one table whose policy is switched off: each run is claimed, found disabled and ended, so
that the service is idle again when the next one is submitted. Both instants are the record's own (`created_at`,
`started_at`).

    python -m bench.pickup [--runs 200] [--json pickup.json]
"""

import argparse
import statistics
import time
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
import redis

from bench.facts import machine_facts, print_table, write_json
from bench.servers import admin_key, process, shared_servers
from engine.embedded.demo_table import write_demo_table
from engine.embedded.processes import free_loopback_port


def main() -> None:
    """Submit one run after the other and read when each was claimed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    with TemporaryDirectory(prefix="packhouse-bench-") as scratch:
        taken, trips = _measure(Path(scratch), given.runs)
    rows = [_row("accepted to claimed", taken), _row("redis round trip", trips)]
    print_table(rows)
    write_json(given.json, {"facts": machine_facts(), "rows": rows})


def _measure(folder: Path, runs: int) -> tuple[list[float], list[float]]:
    port = free_loopback_port()
    log = folder / "server.log"
    with shared_servers(folder) as shared:
        environment = {**shared.environment, "PACKHOUSE_PORT": str(port)}
        with process(["api", "up"], environment, log, port=port):
            headers = {"Authorization": f"Bearer {admin_key(folder)}"}
            with httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=headers, timeout=30) as client:
                table = _switched_off(folder, client)
                taken = [_one(client, table) for _ in range(runs + 5)][5:]  # the first ones warm up
        with redis.from_url(shared.environment["PACKHOUSE_REDIS_URL"]) as connection:
            trips = [_trip(connection) for _ in range(runs)]
    return taken, trips


def _one(client: httpx.Client, table: str) -> float:
    run = client.post("/v1/runs", json={"table_id": table, "operation": "rewrite"}).raise_for_status().json()
    while not run["is_terminal"]:
        time.sleep(0.02)
        run = client.get(f"/v1/runs/{run['id']}").raise_for_status().json()
    return (_instant(run["started_at"]) - _instant(run["created_at"])).total_seconds()


def _switched_off(folder: Path, client: httpx.Client) -> str:
    lake = folder / "lake"
    lake.mkdir()
    properties = {"type": "sql", "uri": f"sqlite:///{lake}/catalog.db", "warehouse": lake.as_uri()}
    write_demo_table(catalog_properties=properties, name="lake.shop.orders", files=8, partitions=8, total_bytes=2**20)
    client.post("/v1/catalogs", json={"name": "lake", "format": "iceberg", "properties": properties}).raise_for_status()
    address = {"catalog": "lake", "namespace": ["shop"], "name": "orders"}
    table = client.post("/v1/tables", json=address).raise_for_status().json()["id"]
    headers = {"If-None-Match": "*"}
    client.put(f"/v1/tables/{table}/policy", json={"enabled": False}, headers=headers).raise_for_status()
    return str(table)


def _trip(connection: Any) -> float:
    begun = time.perf_counter()
    connection.ping()
    return time.perf_counter() - begun


def _instant(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _row(name: str, seconds: Sequence[float]) -> dict[str, Any]:
    ordered = sorted(seconds)
    return {
        "what": name,
        "p50 ms": 1000 * statistics.median(ordered),
        "p99 ms": 1000 * ordered[int(0.99 * len(ordered))],
    }


if __name__ == "__main__":
    main()
