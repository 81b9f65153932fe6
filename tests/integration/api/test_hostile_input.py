"""Whatever is sent, no answer is a 500: valid bodies and parameters, spoilt in hundreds of seeded ways."""

import copy
import json
import random
from typing import Any

import pytest

from tests.integration.api.conftest import Api

HOSTILE: list[Any] = [
    None, True, False, 0, -1, 1.5, 2**63, 10**400, float("inf"), float("nan"), "", " ", "\u0000", "\ud800", "x" * 5000,
    "\U0001d518", "env:", "file:/", "file:/etc", "../..", "'; DROP TABLE runs; --", "*", [], [[]], {}, {"": None},
    ["a"] * 600,
]  # fmt: skip
BODIES: dict[tuple[str, str], Any] = {
    ("POST", "/v1/catalogs"): {"name": "pond", "format": "iceberg", "properties": {"type": "sql", "uri": "env:X"}},
    ("PUT", "/v1/catalogs/lake"): {"properties": {"type": "sql", "uri": "env:X"}},
    ("POST", "/v1/tables"): {
        "catalog": "lake",
        "namespace": ["lake"],
        "name": "nope",
        "owner_team": "a",
        "labels": {"a": "b"},
    },
    ("POST", "/v1/tables/{table}/plan"): {
        "policy": {
            "enabled": True,
            "rewrite": {"target_file_bytes": "128MiB", "large_file_bytes": "off", "deletes": {"ratio": 0.5}},
            "limits": {"bandwidth": "1MB", "share_percent": 30, "available_bandwidth": "1GB"},
        }
    },
    ("PUT", "/v1/tables/{table}/policy"): {"rewrite": {"small_file_bytes": 5, "compression": "zstd:3"}},
    ("POST", "/v1/runs"): {"table_id": "tbl_nope", "operation": "rewrite"},
}
HEADERS = ["If-Match", "If-None-Match", "Idempotency-Key", "X-Request-Id", "Accept", "Last-Event-ID"]


def spoilt(body: Any, seed: random.Random) -> Any:
    """Put something hostile in one place of a body, or a hostile field beside it."""
    body = copy.deepcopy(body)
    node, places = body, []
    while isinstance(node, dict) and node:
        key = seed.choice(list(node))
        places.append((node, key))
        node = node[key]
    holder, key = seed.choice(places)
    if seed.random() < 0.2:
        holder[str(seed.choice(HOSTILE))[:300]] = seed.choice(HOSTILE)
    else:
        holder[key] = seed.choice(HOSTILE)
    return body


@pytest.mark.parametrize(("method", "path"), BODIES)
async def test_a_spoilt_body_is_refused_or_done(api: Api, table_id: str, method: str, path: str) -> None:
    seed = random.Random(f"{method} {path}")
    for _ in range(60):
        body = json.dumps(spoilt(BODIES[method, path], seed))
        headers = {
            "Content-Type": "application/json",
            seed.choice(HEADERS): seed.choice(['"1"', "*", "x", "é".encode()]),
        }
        response = await api.client.request(method, path.format(table=table_id), content=body, headers=headers)  # type: ignore[arg-type]
        assert response.status_code < 500, (body, response.text)
        if response.status_code >= 400:
            assert response.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("path", ["/v1/catalogs", "/v1/tables", "/v1/runs", "/v1/tables/{table}/history"])
async def test_a_spoilt_query_is_refused_or_done(api: Api, table_id: str, path: str) -> None:
    seed = random.Random(path)
    for _ in range(40):
        names = seed.sample(["page_size", "page_token", "table_id", "state", "catalog", "nonsense"], 2)
        values = {name: str(seed.choice(HOSTILE)).encode(errors="replace")[:600] for name in names}
        response = await api.client.get(path.format(table=table_id), params=values)  # type: ignore[arg-type]
        assert response.status_code < 500, (values, response.text)


@pytest.mark.parametrize("name", ["%00", "%ff", "..", "a%2fb", "x" * 3000, "%F0%9D%94%98", "'", "*"])
async def test_a_spoilt_path_is_refused(api: Api, name: str) -> None:
    paths = [f"/v1/catalogs/{name}", f"/v1/tables/{name}/health", f"/v1/runs/{name}/events", f"/problems/{name}"]
    for path in paths[: 3 if name == ".." else 4]:  # a client sends `/problems/..` as `/`, which is a page
        assert 400 <= (await api.client.get(path)).status_code < 500
