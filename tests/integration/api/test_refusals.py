"""Requests with one field that can't be meant: each is refused with the pointer of that field, and changes nothing.

A row has the method and path, the body (of a GET its parameters), and the pointer, or several members of the problem.
"""

from collections.abc import AsyncIterator
from typing import Any, Final

import pytest
import pytest_asyncio

from tests.integration.api.conftest import ADDRESS, READS_ONLY, Api, make_registered_lake

Row = tuple[str, Any, str | dict[str, Any]]

TABLE: Final = "/v1/tables/lake.lake.events"
SQL: Final = {"type": "sql", "uri": "env:TEST_CATALOG_URI", "warehouse": "file:///tmp/warehouse"}
CATALOG: Final = {"name": "pond", "format": "iceberg", "properties": SQL}
KEY: Final = {"name": "etl", "role": "viewer"}
FLEET: Final = {"kind": "fleet"}
DAY_ONE: Final = {"column": "day", "op": "eq", "value": "2026-11-01"}
SLOW: Final = {"kind": "backpressure", "slow_down": True, "reason": "readers wait"}


def each(request: str, *bodies: Any, pointer: str) -> list[Row]:
    """Return a row for each body."""
    return [(request, body, pointer) for body in bodies]


def catalogs() -> list[Row]:
    names = ["", "a b", "lake*", "../x", "x" * 65, "läke", "-x", "a.b"]
    no_places = ["", "lake", "s3://lake/../other", "s3://lake/*", "s3://lake/%2e%2e/x", "s3:", "s3://l?x", "jar:s3://a"]
    locations = [{"allowed_locations": ["s3://lake/warehouse", location]} for location in no_places]
    of_hive: list[tuple[dict[str, str], str]] = [
        ({"type": "metastore"}, "uri"),
        ({"type": "hive", "uri": "thrift://metastore:9083"}, "type"),
        ({"type": "metastore", "uri": "thrift://metastore:9083", "warehouse": "/x"}, "warehouse"),
    ]
    of_paimon: list[tuple[dict[str, str], str]] = [
        ({"type": "filesystem"}, "warehouse"),
        ({"type": "hive", "warehouse": "/x"}, "type"),
        ({"type": "filesystem", "warehouse": "/x", "lock.enabled": "true"}, "lock.enabled"),
        ({"type": "rest", "warehouse": "w", "uri": "https://h.example", "token": "x"}, "token"),
        ({"type": "rest", "warehouse": "w", "uri": "https://u:p@h.example", "token": "env:X"}, "uri"),
    ]
    discoveries: list[tuple[dict[str, Any], str]] = [
        ({"owner_team": "sales"}, ""),
        ({"dry_run": True}, ""),
        ({"limit": 5}, ""),
        ({"register": True, "limit": 0}, "/limit"),
        ({"register": True, "limit": 1001}, "/limit"),
        ({"register": True, "limit": "200"}, "/limit"),
        ({"register": "on"}, "/register"),
        ({"pattern": ""}, "/pattern"),
        ({"pattern": "a\u0000"}, "/pattern"),
        ({"register": True, "labels": {"a:b": "c"}}, "/labels/a:b"),
    ]
    return [
        *each("POST /v1/catalogs", *(CATALOG | {"name": name} for name in names), pointer="/name"),
        *each("POST /v1/catalogs", CATALOG | {"format": "hudi"}, pointer="/format"),
        *each("POST /v1/catalogs", *(CATALOG | each for each in locations), pointer="/allowed_locations/1"),
        *(
            ("POST /v1/catalogs", {"name": "pond", "format": served, "properties": properties}, f"/properties/{name}")
            for served, wrong in (("hive", of_hive), ("paimon", of_paimon))
            for properties, name in wrong
        ),
        *(("POST /v1/catalogs/lake/discover", body, pointer) for body, pointer in discoveries),
    ]


def tables() -> list[Row]:
    registered: list[tuple[dict[str, Any], str]] = [
        ({"name": ""}, "/name"),
        ({"name": "orders_*"}, "/name"),
        ({"name": "x" * 256}, "/name"),
        ({"name": "a\u0000b"}, "/name"),
        ({"name": " orders"}, "/name"),
        ({"namespace": []}, "/namespace"),
        ({"namespace": ["sales", "[ab]"]}, "/namespace/1"),
        ({"namespace": ["x"] * 17}, "/namespace"),
        ({"namespace": "sales"}, "/namespace"),
        ({"labels": {"a": "b\u0007"}}, "/labels/a"),
        ({"owner_team": ""}, "/owner_team"),
    ]
    patches: list[tuple[dict[str, Any], str]] = [
        ({"owner_team": ""}, "/owner_team"),
        ({"owner_team": "a\u0000"}, "/owner_team"),
        ({"owner_team": 5}, "/owner_team"),
        ({"labels": {"a:b": "c"}}, "/labels/a:b"),
        ({"labels": {"": "c"}}, "/labels/"),
        ({"labels": {str(n): "x" for n in range(51)}}, "/labels"),
        ({"name": "other"}, "/name"),
        ({"label": {}}, "/label"),
    ]
    hidden = ["a\u0000", "two\nlines", "\u009b1m", "\u2028", "left\u202etfel", "in\u200bvisible", "\ufeff"]
    filters: list[tuple[dict[str, Any], str]] = [
        ({"label": "tier"}, "label"),
        ({"label": ":gold"}, "label"),
        ({"label": ["tier:gold", "tier:silver"]}, "label"),
        ({"label": ["a:1"] * 6}, "label"),
        ({"name": "orders"}, "namespace"),
        ({"namespace": "sales"}, "catalog"),
        ({"paused": "maybe"}, "paused"),
        ({"paused": "yes"}, "paused"),
        ({"paused": "1"}, "paused"),
        ({"page_size": "5.0"}, "page_size"),
        ({"page_size": " 5"}, "page_size"),
        ({"owner": "sales"}, "owner"),
    ]
    return [
        *(("POST /v1/tables", ADDRESS | body, pointer) for body, pointer in registered),
        *((f"PATCH {TABLE}", body, pointer) for body, pointer in patches),
        *each(f"PATCH {TABLE}", *({"labels": {"note": text}} for text in hidden), pointer="/labels/note"),
        *(("GET /v1/tables", params, f"query:{name}") for params, name in filters),
        *(
            (f"GET {path}", {"hours": hours}, "query:hours")
            for path in ("/v1/fleet/windows", f"{TABLE}/windows")
            for hours in ("0", "169", "many")
        ),
    ]


def policies() -> list[Row]:
    own: list[tuple[Any, str]] = [
        ({"enable": True}, "/enable"),
        ({"rewrite": {"target_file_bytes": "128 MBs"}}, "/rewrite/target_file_bytes"),
        ({"rewrite": {"target_file_bytes": 1}}, "/rewrite/target_file_bytes"),
        ({"rewrite": {"strategy": "zorder"}}, "/rewrite/columns"),
        ({"rewrite": {"small_file_bytes": "1GiB"}}, "/rewrite/small_file_bytes"),
        ({"rewrite": {"large_file_bytes": "1MiB", "small_file_bytes": 1}}, "/rewrite/large_file_bytes"),
        ({"rewrite": {"compression": "brotli"}}, "/rewrite/compression"),
        ({"limits": {"parallel_groups": 0}}, "/limits/parallel_groups"),
        ({"limits": {"bandwidth": "unlimitted"}}, "/limits/bandwidth"),
        ({"limits": {"share_percent": 30}}, "/limits/available_bandwidth"),
        ([], ""),
    ]
    scopes: list[tuple[dict[str, Any], str]] = [
        ({"kind": "galaxy"}, "/scope"),
        ({"kind": "fleet", "catalog": "lake"}, "/scope/catalog"),
        ({"kind": "catalog"}, "/scope/catalog"),
        ({"kind": "catalog", "catalog": "lak"}, "/scope/catalog"),
        ({"kind": "pattern", "pattern": ""}, "/scope/pattern"),
        ({"kind": "namespace", "catalog": "lake", "namespace": []}, "/scope/namespace"),
        ({"kind": "label", "key": "a:b", "value": "c"}, "/scope/key"),
        ({"kind": "label", "key": "", "value": "c"}, "/scope/key"),
        ({"kind": "label", "key": "a\n", "value": "c"}, "/scope/key"),
        ({"kind": "label", "key": "a", "value": "c\u202e"}, "/scope/value"),
        ({"kind": "label", "key": "a" * 256, "value": "c"}, "/scope/key"),
        ({"kind": "label", "key": "a"}, "/scope/value"),
        ({"kind": "label", "key": "a", "value": None}, "/scope/value"),
        ({"kind": "team", "team": ""}, "/scope/team"),
        ({"kind": "team", "team": "a" * 129}, "/scope/team"),
        ({"kind": "team", "team": "a\x00"}, "/scope/team"),
        ({"kind": "team", "team": "a", "key": "b"}, "/scope/key"),
    ]
    scoped: list[tuple[dict[str, Any], str]] = [
        ({"name": "tbl_x"}, "/name"),
        ({"name": "a b"}, "/name"),
        ({"policy": {"rewrite": {"strategy": "zorder"}}}, "/rewrite/columns"),
        ({"policy": {"rewrite": {"small_file_bytes": "1GiB"}}}, "/rewrite/small_file_bytes"),
    ]
    empty = {"name": "x", "scope": FLEET, "policy": {}}
    return [
        *((f"PUT {TABLE}/policy", body, pointer) for body, pointer in own),
        *(("POST /v1/policies", empty | {"scope": scope}, pointer) for scope, pointer in scopes),
        *(("POST /v1/policies", empty | changes, pointer) for changes, pointer in scoped),
    ]


def tried_policies() -> list[Row]:
    sizes = [("target_file_bytes", "128 MBs"), ("target_file_bytes", "10"), ("small_file_bytes", -5)]
    sizes += [("large_file_bytes", "of")]

    def tried(values: tuple[Any, ...], *paths: str) -> list[Row]:
        """Try a policy of one field for each value."""
        rows: list[Row] = []
        for path in paths:
            for value in values:
                policy = value
                for name in reversed(path.split("/")):
                    policy = {name: policy}
                rows.append((f"POST {TABLE}/plan", {"policy": policy}, f"/policy/{path}"))
        return rows

    eligibility = "rewrite/full/eligibility/more_small_than_large"
    reclaims = [
        {"maintenance": {"reclaim": {"retention": "7d", "compact_blocking": value}}} for value in (1, 0, "true")
    ]
    return [
        *(
            (
                f"POST {TABLE}/plan",
                {"policy": {"rewrite": {field: value}}},
                {"pointer": f"/policy/rewrite/{field}", "value": value},
            )
            for field, value in sizes
        ),
        *tried((1, 0, "true"), "enabled", eligibility),
        *each(
            f"POST {TABLE}/plan",
            *({"policy": policy} for policy in reclaims),
            pointer="/policy/maintenance/reclaim/compact_blocking",
        ),
        *tried(("5", True, 5.5), "rewrite/min_input_files", "limits/requests"),
        *tried(("0.5", True), "rewrite/deletes/ratio", "limits/share_percent"),
        *each(f"POST {TABLE}/plan", {"force_full": 1}, pointer="/force_full"),
    ]


def runs() -> list[Row]:
    predicates: list[tuple[Any, str]] = [
        ({"column": "nope", "op": "is_null"}, "/column"),
        ({"column": "value", "op": "is_null"}, "/column"),
        ({"column": "day", "op": "eq", "value": 5}, "/value"),
        ({"and": [{"column": "day", "op": "in", "values": ["a", True]}]}, "/and/0/values/1"),
        ({"or": [DAY_ONE, {"not": {"column": "day", "op": "like", "value": "x"}}]}, "/or/1/not/op"),
        ({"not": {"op": "is_null"}}, "/not/column"),
        ({"column": "day", "op": "eq", "value": "x", "sql": "1=1"}, "/sql"),
        ("day = '2026-11-01' OR 1=1", ""),
    ]
    table = {"table_id": "lake.lake.events"}
    instants = ["0.5", "1767225600", "2026-11-01", "2026-11-01T09:30:00", "2026-11-01 09:30:00Z", "yesterday"]
    return [
        *(("POST /v1/runs", table | {"partitions": each}, f"/partitions{where}") for each, where in predicates),
        *each("POST /v1/runs", table | {"dry_run": 1}, pointer="/dry_run"),
        *each("POST /v1/runs", table | {"force": "yes"}, pointer="/force"),
        *each("GET /v1/runs", {"operation": "x"}, pointer="query:operation.0"),
        *(
            (f"GET {path}", {name: value}, f"query:{name}")
            for path in ("/v1/audit", "/v1/runs")
            for name in ("since", "until")
            for value in instants
        ),
        *each(
            "GET /v1/catalogs", *({"page_size": n} for n in ("0", "-1", "501", "many", "")), pointer="query:page_size"
        ),
    ]


def signals() -> list[Row]:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"kind": "weather"}, ""),
        ({}, ""),
        ({"kind": "commit", "added_files": -1}, "/added_files"),
        ({"kind": "commit", "added_files": 2**60}, "/added_files"),
        ({"kind": "commit", "added_files": "12"}, "/added_files"),
        ({"kind": "commit", "snapshot_id": "x"}, "/snapshot_id"),
        ({"kind": "commit", "added_file": 1}, "/added_file"),
        ({"kind": "query_latency"}, ""),
        ({"kind": "query_latency", "p95_seconds": -1}, "/p95_seconds"),
        ({"kind": "query_latency", "p95_seconds": 1e9}, "/p95_seconds"),
        ({"kind": "query_latency", "p95_seconds": "2.5"}, "/p95_seconds"),
        ({"kind": "backpressure", "slow_down": True}, "/reason"),
        ({"kind": "backpressure", "slow_down": True, "reason": "a\u0000"}, "/reason"),
        (SLOW | {"valid_seconds": 0}, "/valid_seconds"),
        ({"kind": "filters", "queries": []}, "/queries"),
        ({"kind": "filters", "queries": [{"columns": ["a"], "query_count": 0}]}, "/queries/0/query_count"),
    ]
    return [
        ("POST /v1/signals", {"table_id": "lake.lake.events", "signal": signal}, f"/signal{where}")
        for signal, where in wrong
    ]


def access() -> list[Row]:
    keys: list[tuple[dict[str, Any], str]] = [
        ({"name": ""}, "/name"),
        ({"name": "a b"}, "/name"),
        ({"name": "x" * 65}, "/name"),
        ({"role": "root"}, "/role"),
        ({"role": None}, "/role"),
        ({"teams": []}, "/teams"),
        ({"teams": [""]}, "/teams/0"),
        ({"teams": ["a\n"]}, "/teams/0"),
        ({"teams": "sales"}, "/teams"),
        ({"role": "admin", "teams": ["sales"]}, "/teams"),
        ({"expires_at": "2020-01-01T00:00:00Z"}, "/expires_at"),
        ({"expires_at": "2030-01-01T00:00:00"}, "/expires_at"),
        ({"expires_at": "soon"}, "/expires_at"),
        ({"expires_at": 4_000_000_000}, "/expires_at"),
        ({"expires_at": "2099-01-01"}, "/expires_at"),
        ({"secret": "pkh_mine"}, "/secret"),
    ]
    return [("POST /v1/keys", KEY | changes, pointer) for changes, pointer in keys]


def pauses_and_limits() -> list[Row]:
    reasons: list[tuple[dict[str, Any], str]] = [
        ({}, "/reason"),
        ({"reason": ""}, "/reason"),
        ({"reason": "a\nb"}, "/reason"),
        ({"reason": "x", "mode": "kill"}, "/mode"),
        ({"reason": 5}, "/reason"),
    ]
    limits: list[tuple[dict[str, Any], str]] = [
        ({"bandwidth": "400MB"}, "/parallel_runs"),
        ({"requests": 100}, "/parallel_runs"),
        ({"parallel_runs": 0}, "/parallel_runs"),
        ({"parallel_runs": True, "requests": 1}, "/parallel_runs"),
        ({"parallel_runs": 1, "bandwidth": "1B"}, "/bandwidth"),
        ({"parallel_runs": 1, "bandwith": 5}, "/bandwith"),
        ({"catalogs": {"lake": {"bandwidth": "400MB"}}}, "/parallel_runs"),
        ({"bandwidth": "400MB", "catalogs": {"lake": {"parallel_runs": 1}}}, "/parallel_runs"),
        ({"catalogs": {"lake": {"parallel_runs": 0}}}, "/catalogs/lake/parallel_runs"),
        ({"parallel_runs": 1, "catalogs": {"lake": {"bandwidth": "1B"}}}, "/catalogs/lake/bandwidth"),
        ({"parallel_runs": 1, "catalogs": {"lake": {"bandwith": 5}}}, "/catalogs/lake/bandwith"),
        ({"parallel_runs": 1, "catalogs": {"lake/": {}}}, "/catalogs/lake~1"),
    ]
    return [
        *(
            (f"POST {paused}/pause", body, pointer)
            for paused in (TABLE, "/v1/catalogs/lake", "/v1/fleet")
            for body, pointer in reasons
        ),
        *(("PUT /v1/limits", body, pointer) for body, pointer in limits),
    ]


ROWS: Final = [
    *catalogs(),
    *tables(),
    *policies(),
    *tried_policies(),
    *runs(),
    *signals(),
    *access(),
    *pauses_and_limits(),
]
PRECONDITIONS: Final = {"PUT /v1/limits": {"If-Match": '"1"'}, f"PUT {TABLE}/policy": {"If-None-Match": "*"}}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def lake_api(shared_api: Api, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Api]:
    """An app with one registered table."""
    await make_registered_lake(shared_api, tmp_path_factory.mktemp("refusals"))
    await shared_api.post("/v1/tables", ADDRESS, status=201)
    yield shared_api


@READS_ONLY
@pytest.mark.parametrize(
    ("request_line", "body", "problem"), ROWS, ids=[f"{line} {problem}" for line, _, problem in ROWS]
)
async def test_what_can_not_be_meant_is_refused_by_its_field_and_changes_nothing(
    lake_api: Api, request_line: str, body: Any, problem: str | dict[str, Any]
) -> None:
    before = await changes(lake_api)
    method, path = request_line.split()
    sent = {"params": body} if method == "GET" else {"json": body, "headers": PRECONDITIONS.get(request_line, {})}
    answer = (await lake_api.call(method, path, status=422, **sent)).json()
    [error] = answer["errors"]
    expected = {"pointer": problem} if isinstance(problem, str) else problem
    assert {name: error[name] for name in expected} == expected
    assert await changes(lake_api) == before


async def changes(api: Api) -> tuple[int, list[Any]]:
    """Return what tells that something was written: the newest entry of the audit log, and the signals."""
    newest = (await api.get("/v1/audit", params={"page_size": 1}))["items"][0]["id"]
    return newest, (await api.get("/v1/signals", params={"kind": "commit", "table_id": "lake.lake.events"}))["items"]
