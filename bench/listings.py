"""B16: every read of the API, lists with their filters and explain too, on a record with 10⁶ runs and 10⁵ tables.

The operations come from `openapi.yaml`, so that a new one is measured without a change here. Lists are asked for their
first page, for a page deep in history, and with each filter; reads of one object are asked for objects all over the
record. Reads that look into a table (health, explain, effective policy, …) go to a real Iceberg table of `--files`
files.

    python -m bench.listings [--tables 100000] [--runs 1000000] [--files 400] [--asks 200] [--json listings.json]
"""

import argparse
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from urllib.parse import urlencode

import httpx
import psycopg
import yaml

from bench.facts import machine_facts, print_table, write_json
from bench.http_load import Load, apply, request
from bench.record import TEAMS, fill
from bench.servers import Shared, api, shared_servers
from engine.embedded.demo_table import write_demo_table

GOAL_SECONDS: Final = 0.1
_SPEC: Final = Path(__file__).parents[1] / "openapi.yaml"
_OK: Final = range(200, 300)
_WARM_UP: Final = 3  # requests that are not counted: they open connections and compile statements
_LOOKS_INTO_TABLE: Final = ("advice", "backpressure", "effective-policy", "explain", "health")


@dataclass(frozen=True, slots=True)
class World:
    """What requests are about: ids in the record, and the real table."""

    tables: Sequence[str]
    runs: Sequence[str]
    real_table: str


def main() -> None:
    """Fill the record, then ask for everything."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=1_000_000)
    parser.add_argument("--files", type=int, default=400, help="data files of the real table")
    parser.add_argument("--asks", type=int, default=200, help="requests of each kind")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    with TemporaryDirectory(prefix="packhouse-bench-") as scratch, shared_servers(Path(scratch)) as shared:
        folder = Path(scratch)
        tables = fill(shared.postgres, tables=given.tables, runs=given.runs)
        with api(shared, folder / "api.log") as (port, key):
            world = World(tables, _sample_of_runs(shared, given.runs), _real_table(folder, port, key, given.files))
            rows = [
                _row(name, apply(port, requests, connections=1))
                for name, requests in _requests(world, key, port, given.asks)
            ]
    rows.sort(key=lambda row: -row["p99 ms"])
    print_table(rows)
    late = [row["request"] for row in rows if row["p99 ms"] > GOAL_SECONDS * 1000]
    print(f"{len(rows) - len(late)} of {len(rows)} kinds of requests have a p99 below {GOAL_SECONDS * 1000:.0f} ms")
    write_json(given.json, {"facts": machine_facts(), "rows": rows})


def _requests(world: World, key: str, port: int, asks: int) -> Iterator[tuple[str, list[bytes]]]:
    chance = random.Random(16)
    for path, item in yaml.safe_load(_SPEC.read_text())["paths"].items():
        if "get" not in item or not path.startswith("/v1/"):
            continue
        names = {one["name"] for one in item["get"].get("parameters", ()) if one.get("in") == "query"}
        variants = dict(_variants(names, world, chance))
        if "page_size" in names and (token := _deep_token(port, key, path)) is not None:
            variants["deep page"] = {"page_size": "500", "page_token": token}
        for label, query in variants.items():
            name = path + (f" ({label})" if label else "")
            made = [_one(path, query, world, chance, key) for _ in range(asks + _WARM_UP)]
            if None not in made:
                yield name, [one for one in made if one is not None]


def _variants(names: set[str], world: World, chance: random.Random) -> Iterator[tuple[str, dict[str, str]]]:
    yield "", {}
    if "page_size" in names:
        yield "500 items", {"page_size": "500"}
    values = {
        "catalog": "lake",
        "owner_team": chance.choice(TEAMS),
        "state": "failed",
        "table_id": world.tables[0],
        "operation": "rewrite",
    }
    for name in sorted(names & values.keys()):
        yield f"{name}={values[name]}", {name: values[name]}
    if {"owner_team", "state"} <= names:
        yield "owner_team and state", {"owner_team": values["owner_team"], "state": "cancelled"}


def _one(path: str, query: Mapping[str, str], world: World, chance: random.Random, key: str) -> bytes | None:
    """Return one request, None for a path with an object that the record does not hold."""
    is_into = path.rpartition("/")[2] in _LOOKS_INTO_TABLE
    values = {
        "table_id": world.real_table if is_into else chance.choice(world.tables),
        "run_id": chance.choice(world.runs),
    }
    for name, value in values.items():
        path = path.replace(f"{{{name}}}", value)
    if "/catalogs/{name}" in path:
        path = path.replace("{name}", "lake")
    if "/presets/{name}" in path:
        path = path.replace("{name}", "balanced")
    if "{" in path:
        return None
    return request("GET", path + (f"?{urlencode(query)}" if query else ""), key=key)


def _deep_token(port: int, key: str, path: str) -> str | None:
    """Return the token of a page some thousand rows into a list."""
    if "{" in path:
        return None
    token: str | None = None
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", headers={"Authorization": f"Bearer {key}"}) as client:
        for _ in range(10):
            page = client.get(path, params={"page_size": 500, **({"page_token": token} if token else {})})
            if not page.is_success or (token := page.json().get("next_page_token")) is None:
                return None
    return str(token)


def _row(name: str, load: Load) -> dict[str, Any]:
    load.seconds = load.seconds[_WARM_UP:]
    if other := {status for status in load.statuses if status not in _OK}:
        name += f" (answers {sorted(other)})"
    return {
        "request": name,
        "p50 ms": 1000 * load.percentile(0.5),
        "p99 ms": 1000 * load.percentile(0.99),
    }


def _sample_of_runs(shared: Shared, runs: int) -> list[str]:
    share = min(100, 100 * 3000 / runs)  # per cent: one of pages would be none of a small table
    with psycopg.connect(shared.postgres) as connection:
        return [
            row[0]
            for row in connection.execute(
                "SELECT id FROM runs TABLESAMPLE BERNOULLI (%s) LIMIT 2000", (share,)
            ).fetchall()
        ]


def _real_table(folder: Path, port: int, key: str, files: int) -> str:
    lake = folder / "lake"
    lake.mkdir()
    properties = {"type": "sql", "uri": f"sqlite:///{lake}/catalog.db", "warehouse": lake.as_uri()}
    write_demo_table(catalog_properties=properties, name="real.shop.orders", files=files, total_bytes=files * 100_000)
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", headers={"Authorization": f"Bearer {key}"}) as client:
        body = {"name": "real", "format": "iceberg", "properties": properties}
        client.post("/v1/catalogs", json=body).raise_for_status()
        address = {"catalog": "real", "namespace": ["shop"], "name": "orders"}
        return str(client.post("/v1/tables", json=address).raise_for_status().json()["id"])


if __name__ == "__main__":
    main()
