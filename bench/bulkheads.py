"""B24: what other tables notice of one table whose store accepts connections and never answers.

One api process with Postgres and Redis of its own. Health of two small tables on disk, one in the catalog of the stuck
table and one in another catalog, is asked at a steady rate: first alone, then while `--hammer` connections ask for the
health of the stuck table without a pause. The ratio of the 99th percentiles has to stay within 2.

    python -m bench.bulkheads [--requests 150] [--rate 3] [--hammer 20] [--trickle] [--json bulkheads.json]
"""

import argparse
import asyncio
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

import httpx
from pyiceberg.catalog.sql import SqlCatalog

from bench.facts import machine_facts, print_table, write_json
from bench.http_load import Load, apply, request
from bench.servers import api, shared_servers
from tests.support.tarpit import SECRET, Tarpit
from tests.support.world import NAME, make_lake

_LEAST_RATIO_SECONDS = 0.001
_STUCK = "stuck"


def main() -> None:
    """Measure with and without the stuck table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=150, help="for each table and round")
    parser.add_argument("--rate", type=float, default=3.0, help="requests per second for each table")
    parser.add_argument("--hammer", type=int, default=20, help="connections that ask for the stuck table")
    parser.add_argument("--trickle", action="store_true", help="the store sends a byte now and then")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    with TemporaryDirectory(prefix="packhouse-bench-") as scratch:
        rows = _measure(Path(scratch), given)
    print_table(rows)
    write_json(given.json, {"facts": machine_facts(), "rows": rows})


def _measure(folder: Path, given: argparse.Namespace) -> list[dict[str, Any]]:
    with ExitStack() as stack:
        tarpit = stack.enter_context(Tarpit(trickles=given.trickle).running())
        servers = stack.enter_context(shared_servers(folder))
        shared = replace(servers, environment={**servers.environment, SECRET: "of no use elsewhere"})
        port, key = stack.enter_context(api(shared, folder / "api.log"))
        tables, stuck = _register(port, key, folder, tarpit)
        for table in tables.values():
            _load(port, key, table, given)  # caches, connections
        alone = {name: _load(port, key, table, given) for name, table in tables.items()}
        with _hammer(port, key, stuck, given.hammer) as answers:
            tarpit.wait_accepted(1)
            beside = {name: _load(port, key, table, given) for name, table in tables.items()}
    print("answers about the stuck table:", dict(answers) or "none yet")
    return [_row(name, alone[name], beside[name]) for name in tables]


def _register(port: int, key: str, folder: Path, tarpit: Tarpit) -> tuple[dict[str, str], str]:
    """Register two catalogs and three tables; return the ids of the healthy tables by name, and that of the stuck."""
    headers = {"Authorization": f"Bearer {key}"}
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=headers, timeout=60) as http:
        made = {}
        for catalog in ("lake", "other"):
            lake = make_lake(folder / catalog, days=2)
            properties = {**lake.properties, "catalog-name": "lake", **tarpit.properties()}
            body = {
                "name": catalog,
                "format": "iceberg",
                "properties": properties,
                "outside_files": "allowed_locations",  # the stuck table has the location of another one
                "allowed_locations": [lake.table.location(), "s3://tarpit"],
            }
            http.post("/v1/catalogs", json=body).raise_for_status()
            made[catalog] = lake
        stored = made["lake"].catalog
        assert isinstance(stored, SqlCatalog)
        made["lake"].add_twin(_STUCK)

        def register(catalog: str, name: str) -> str:
            answer = http.post("/v1/tables", json={"catalog": catalog, "namespace": [NAME[0]], "name": name})
            return str(answer.raise_for_status().json()["id"])

        tables = {"same catalog": register("lake", NAME[1]), "other catalog": register("other", NAME[1])}
        stuck = register("lake", _STUCK)
        tarpit.swallow(stored, NAME[0], _STUCK)
    return tables, stuck


def _load(port: int, key: str, table: str, given: argparse.Namespace) -> Load:
    asked = [request("GET", f"/v1/tables/{table}/health", key=key)] * given.requests
    load = apply(port, asked, connections=4, rate=given.rate)
    if wrong := {status for status in load.statuses if status != httpx.codes.OK}:
        raise SystemExit(f"answers other than 200: {sorted(wrong)}")
    return load


@contextmanager
def _hammer(port: int, key: str, table: str, connections: int) -> Iterator[Counter[int]]:
    """Ask for a table's health over many connections, each again as soon as it is answered."""
    answers: Counter[int] = Counter()
    one = request("GET", f"/v1/tables/{table}/health", key=key)
    loop = asyncio.new_event_loop()
    over = asyncio.Event()

    async def ask() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        while True:
            writer.write(one)
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            await reader.readexactly(int(head.partition(b"content-length:")[2].split(b"\r\n", 1)[0]))
            answers[int(head.split(b" ", 2)[1])] += 1
            await asyncio.sleep(0.05)

    async def work() -> None:
        asking = [asyncio.create_task(ask()) for _ in range(connections)]
        await over.wait()
        for each in asking:
            each.cancel()
        await asyncio.gather(*asking, return_exceptions=True)

    thread = Thread(target=lambda: loop.run_until_complete(work()))
    thread.start()
    time.sleep(1)
    try:
        yield answers
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join()
        loop.close()


def _row(name: str, alone: Load, beside: Load) -> dict[str, Any]:
    return {
        "table": name,
        "requests": len(beside.seconds),
        "unloaded p50 ms": 1000 * alone.percentile(0.5),
        "unloaded p99 ms": 1000 * alone.percentile(0.99),
        "tarpit p50 ms": 1000 * beside.percentile(0.5),
        "tarpit p99 ms": 1000 * beside.percentile(0.99),
        "ratio of p99": beside.percentile(0.99) / max(alone.percentile(0.99), _LEAST_RATIO_SECONDS),
    }


if __name__ == "__main__":
    main()
