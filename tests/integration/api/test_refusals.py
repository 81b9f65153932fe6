"""Requests with one field that can't be meant: each is refused with the pointer of that field, and changes nothing.

For each method and path: bodies, of GET parameters, with the pointer, or with several members of the problem.
"""

from typing import Any, Final

import pytest
import pytest_asyncio

from tests.integration.api.conftest import ADDRESS, READS_ONLY, Api, make_registered_lake

Written = tuple[int, list[Any]]
TABLE: Final = "/v1/tables/lake.lake.events"
SQL: Final = {"type": "sql", "uri": "env:TEST_CATALOG_URI", "warehouse": "file:///tmp/warehouse"}
POND: Final = {"name": "pond", "format": "iceberg", "properties": SQL}
DAY_ONE: Final = {"column": "day", "op": "eq", "value": "2026-11-01"}
SLOW: Final = {"kind": "backpressure", "slow_down": True, "reason": "readers wait"}
NO_PLACES: Final = ["", "lake", "s3://lake/../x", "s3://lake/*", "s3://lake/%2e%2e/x", "s3:", "s3://l?x", "jar:s3://a"]
INSTANTS: Final = ["0.5", "1767225600", "2026-11-01", "2026-11-01T09:30:00", "2026-11-01 09:30:00Z", "yesterday"]
INVISIBLE: Final = ["a\u0000", "two\nlines", "\u009b1m", "\u2028", "left\u202etfel", "in\u200bvisible", "\ufeff"]


def nested(path: str, value: Any) -> Any:
    """Return a document with one field, named by its path."""
    for name in reversed(path.split("/")):
        value = {name: value}
    return value


REFUSED: Final[dict[str, list[tuple[Any, str | dict[str, Any]]]]] = {
    "POST /v1/catalogs": [
        *((POND | {"name": name}, "/name") for name in ("", "a b", "lake*", "../x", "x" * 65, "läke", "-x", "a.b")),
        (POND | {"format": "hudi"}, "/format"),
        *((POND | {"allowed_locations": ["s3://lake/x", place]}, "/allowed_locations/1") for place in NO_PLACES),
        ({"name": "pond", "format": "hive", "properties": {"type": "metastore"}}, "/properties/uri"),
        (
            {"name": "pond", "format": "hive", "properties": {"type": "hive", "uri": "thrift://metastore:9083"}},
            "/properties/type",
        ),
        (
            {
                "name": "pond",
                "format": "hive",
                "properties": {"type": "metastore", "uri": "thrift://metastore:9083", "warehouse": "/x"},
            },
            "/properties/warehouse",
        ),
        ({"name": "pond", "format": "paimon", "properties": {"type": "filesystem"}}, "/properties/warehouse"),
        ({"name": "pond", "format": "paimon", "properties": {"type": "glue", "warehouse": "/x"}}, "/properties/type"),
        (
            {
                "name": "pond",
                "format": "paimon",
                "properties": {"type": "filesystem", "warehouse": "/x", "lock.enabled": "true"},
            },
            "/properties/lock.enabled",
        ),
        (
            {
                "name": "pond",
                "format": "paimon",
                "properties": {"type": "rest", "warehouse": "w", "uri": "https://h.example", "token": "x"},
            },
            "/properties/token",
        ),
        (
            {
                "name": "pond",
                "format": "paimon",
                "properties": {"type": "rest", "warehouse": "w", "uri": "https://u:p@h.example", "token": "env:X"},
            },
            "/properties/uri",
        ),
    ],
    "POST /v1/catalogs/lake/discover": [
        ({"owner_team": "sales"}, "/owner_team"),
        ({"limit": 5}, "/limit"),
        ({"pattern": ""}, "/pattern"),
        ({"pattern": "a\u0000"}, "/pattern"),
    ],
    "POST /v1/catalogs/lake/register": [
        ({"limit": 0}, "/limit"),
        ({"limit": 1001}, "/limit"),
        ({"limit": "200"}, "/limit"),
        ({"paused": "on"}, "/paused"),
        ({"labels": {"a:b": "c"}}, "/labels/a:b"),
    ],
    "POST /v1/tables": [
        (ADDRESS | {"name": ""}, "/name"),
        (ADDRESS | {"name": "orders_*"}, "/name"),
        (ADDRESS | {"name": "x" * 256}, "/name"),
        (ADDRESS | {"name": "a\u0000b"}, "/name"),
        (ADDRESS | {"name": " orders"}, "/name"),
        (ADDRESS | {"namespace": []}, "/namespace"),
        (ADDRESS | {"namespace": ["sales", "[ab]"]}, "/namespace/1"),
        (ADDRESS | {"namespace": ["x"] * 17}, "/namespace"),
        (ADDRESS | {"namespace": "sales"}, "/namespace"),
        (ADDRESS | {"labels": {"a": "b\u0007"}}, "/labels/a"),
        (ADDRESS | {"owner_team": ""}, "/owner_team"),
    ],
    f"PATCH {TABLE}": [
        ({"owner_team": ""}, "/owner_team"),
        ({"owner_team": "a\u0000"}, "/owner_team"),
        ({"owner_team": 5}, "/owner_team"),
        ({"labels": {"a:b": "c"}}, "/labels/a:b"),
        ({"labels": {"": "c"}}, "/labels/"),
        ({"labels": {str(n): "x" for n in range(51)}}, "/labels"),
        ({"name": "other"}, "/name"),
        ({"label": {}}, "/label"),
        *(({"labels": {"note": text}}, "/labels/note") for text in INVISIBLE),
    ],
    "GET /v1/tables": [
        ({"label": "tier"}, "query:label"),
        ({"label": ":gold"}, "query:label"),
        ({"label": ["tier:gold", "tier:silver"]}, "query:label"),
        ({"label": ["a:1"] * 6}, "query:label"),
        ({"name": "orders"}, "query:namespace"),
        ({"namespace": "sales"}, "query:catalog"),
        ({"paused": "maybe"}, "query:paused"),
        ({"paused": "yes"}, "query:paused"),
        ({"paused": "1"}, "query:paused"),
        ({"page_size": "5.0"}, "query:page_size"),
        ({"page_size": " 5"}, "query:page_size"),
        ({"owner": "sales"}, "query:owner"),
    ],
    f"PUT {TABLE}/policy": [
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
        ({"limits": {"share_percent": 5e-324, "available_bandwidth": "1GB"}}, "/limits/share_percent"),
        ([], ""),
    ],
    "POST /v1/policies": [
        *(
            ({"name": "x", "scope": scope, "policy": {}}, f"/scope{where}")
            for scope, where in (
                ({"kind": "galaxy"}, "/kind"),
                ({"kind": "fleet", "catalog": "lake"}, "/catalog"),
                ({"kind": "catalog"}, "/catalog"),
                ({"kind": "catalog", "catalog": "lak"}, "/catalog"),
                ({"kind": "pattern", "pattern": ""}, "/pattern"),
                ({"kind": "namespace", "catalog": "lake", "namespace": []}, "/namespace"),
                ({"kind": "label", "key": "a:b", "value": "c"}, "/key"),
                ({"kind": "label", "key": "", "value": "c"}, "/key"),
                ({"kind": "label", "key": "a\n", "value": "c"}, "/key"),
                ({"kind": "label", "key": "a", "value": "c\u202e"}, "/value"),
                ({"kind": "label", "key": "a" * 256, "value": "c"}, "/key"),
                ({"kind": "label", "key": "a"}, "/value"),
                ({"kind": "label", "key": "a", "value": None}, "/value"),
                ({"kind": "team", "team": ""}, "/team"),
                ({"kind": "team", "team": "a" * 129}, "/team"),
                ({"kind": "team", "team": "a\x00"}, "/team"),
                ({"kind": "team", "team": "a", "key": "b"}, "/key"),
            )
        ),
        ({"name": "x", "scope": {"kind": "fleet"}, "policy": {}} | {"name": "tbl_x"}, "/name"),
        ({"name": "x", "scope": {"kind": "fleet"}, "policy": {}} | {"name": "a b"}, "/name"),
        (
            {"name": "x", "scope": {"kind": "fleet"}, "policy": {}} | {"policy": {"rewrite": {"strategy": "zorder"}}},
            "/policy/rewrite/columns",
        ),
        (
            {"name": "x", "scope": {"kind": "fleet"}, "policy": {}}
            | {"policy": {"rewrite": {"small_file_bytes": "1GiB"}}},
            "/policy/rewrite/small_file_bytes",
        ),
    ],
    f"POST {TABLE}/plan": [
        *(
            ({"policy": nested(f"rewrite/{field}", value)}, {"pointer": f"/policy/rewrite/{field}", "value": value})
            for field, value in (
                ("target_file_bytes", "128 MBs"),
                ("target_file_bytes", "10"),
                ("small_file_bytes", -5),
                ("large_file_bytes", "of"),
            )
        ),
        *(
            ({"policy": nested(path, value)}, f"/policy/{path}")
            for paths, values in (
                (("enabled", "rewrite/full/eligibility/more_small_than_large"), (1, 0, "true")),
                (("rewrite/min_input_files", "limits/requests"), ("5", True, 5.5)),
                (("rewrite/deletes/ratio", "limits/share_percent"), ("0.5", True)),
            )
            for path in paths
            for value in values
        ),
        *(
            (
                {"policy": nested("maintenance/reclaim", {"retention": "7d", "compact_blocking": value})},
                "/policy/maintenance/reclaim/compact_blocking",
            )
            for value in (1, 0, "true")
        ),
        ({"force_full": 1}, "/force_full"),
    ],
    "POST /v1/runs": [
        *(
            ({"table_id": "lake.lake.events", "operation": "rewrite", "partitions": predicate}, f"/partitions{where}")
            for predicate, where in (
                ({"column": "nope", "op": "is_null"}, "/column"),
                ({"column": "value", "op": "is_null"}, "/column"),
                ({"column": "day", "op": "eq", "value": 5}, "/value"),
                ({"and": [{"column": "day", "op": "in", "values": ["a", True]}]}, "/and/0/values/1"),
                ({"or": [DAY_ONE, {"not": {"column": "day", "op": "like", "value": "x"}}]}, "/or/1/not/op"),
                ({"not": {"op": "is_null"}}, "/not/column"),
                ({"column": "day", "op": "eq", "value": "x", "sql": "1=1"}, "/sql"),
                ("day = '2026-11-01' OR 1=1", ""),
            )
        ),
        ({"table_id": "lake.lake.events", "operation": "rewrite", "allow_duplicate": "yes"}, "/allow_duplicate"),
        ({"table_id": "lake.lake.events"}, "/operation"),
        ({"table_id": "lake.lake.events", "operation": "mow"}, "/operation"),
        ({"table_id": "lake.lake.events", "operation": "rewrite", "plan_hash": "x"}, "/plan_hash"),
        ({"table_id": "lake.lake.events", "operation": "rewrite", "grace": "1h"}, "/grace"),
        ({"table_id": "lake.lake.events", "operation": "expire_snapshots", "force_full": True}, "/force_full"),
        ({"table_id": "lake.lake.events", "operation": "purge", "plan_hash": "x"}, "/confirm"),
    ],
    "GET /v1/runs": [
        ({"operation": "x"}, "query:operation.0"),
        *(({name: value}, f"query:{name}") for name in ("since", "until") for value in INSTANTS),
    ],
    "GET /v1/audit": [({name: value}, f"query:{name}") for name in ("since", "until") for value in INSTANTS],
    "GET /v1/catalogs": [({"page_size": size}, "query:page_size") for size in ("0", "-1", "501", "many", "")],
    **{
        f"GET {path}": [({"hours": hours}, "query:hours") for hours in ("0", "169", "many")]
        for path in ("/v1/fleet/windows", f"{TABLE}/windows")
    },
    "POST /v1/signals": [
        ({"table_id": "lake.lake.events", "signal": signal}, f"/signal{where}")
        for signal, where in (
            ({"kind": "weather"}, "/kind"),
            ({}, "/kind"),
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
        )
    ],
    "POST /v1/keys": [
        ({"name": "etl", "role": "viewer"} | {"name": ""}, "/name"),
        ({"name": "etl", "role": "viewer"} | {"name": "a b"}, "/name"),
        ({"name": "etl", "role": "viewer"} | {"name": "x" * 65}, "/name"),
        ({"name": "etl", "role": "viewer"} | {"role": "root"}, "/role"),
        ({"name": "etl", "role": "viewer"} | {"role": None}, "/role"),
        ({"name": "etl", "role": "viewer"} | {"teams": []}, "/teams"),
        ({"name": "etl", "role": "viewer"} | {"teams": [""]}, "/teams/0"),
        ({"name": "etl", "role": "viewer"} | {"teams": ["a\n"]}, "/teams/0"),
        ({"name": "etl", "role": "viewer"} | {"teams": "sales"}, "/teams"),
        ({"name": "etl", "role": "viewer"} | {"role": "admin", "teams": ["sales"]}, "/teams"),
        ({"name": "etl", "role": "viewer"} | {"expires_at": "2020-01-01T00:00:00Z"}, "/expires_at"),
        ({"name": "etl", "role": "viewer"} | {"expires_at": "2030-01-01T00:00:00"}, "/expires_at"),
        ({"name": "etl", "role": "viewer"} | {"expires_at": "soon"}, "/expires_at"),
        ({"name": "etl", "role": "viewer"} | {"expires_at": 4_000_000_000}, "/expires_at"),
        ({"name": "etl", "role": "viewer"} | {"expires_at": "2099-01-01"}, "/expires_at"),
        ({"name": "etl", "role": "viewer"} | {"secret": "pkh_mine"}, "/secret"),
    ],
    **{
        f"POST {paused}/pause": [
            ({}, "/reason"),
            ({"reason": ""}, "/reason"),
            ({"reason": "a\nb"}, "/reason"),
            ({"reason": "x", "mode": "kill"}, "/mode"),
            ({"reason": 5}, "/reason"),
        ]
        for paused in (TABLE, "/v1/catalogs/lake", "/v1/fleet")
    },
    "PUT /v1/limits": [
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
    ],
}
ROWS: Final = [(request, body, problem) for request, rows in REFUSED.items() for body, problem in rows]
PRECONDITIONS: Final = {"PUT /v1/limits": {"If-Match": '"1"'}, f"PUT {TABLE}/policy": {"If-None-Match": "*"}}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def written(shared_api: Api, tmp_path_factory: pytest.TempPathFactory) -> Written:
    """What is written in the app once it has a registered table."""
    await make_registered_lake(shared_api, tmp_path_factory.mktemp("refusals"))
    await shared_api.post("/v1/tables", ADDRESS, status=201)
    return await all_written(shared_api)


@READS_ONLY
@pytest.mark.parametrize(
    ("request_line", "body", "problem"), ROWS, ids=[f"{line} {problem}" for line, _, problem in ROWS]
)
async def test_what_can_not_be_meant_is_refused_by_its_field_and_changes_nothing(
    shared_api: Api, written: Written, request_line: str, body: Any, problem: str | dict[str, Any]
) -> None:
    method, path = request_line.split()
    sent = {"params": body} if method == "GET" else {"json": body, "headers": PRECONDITIONS.get(request_line, {})}
    answer = (await shared_api.call(method, path, status=422, **sent)).json()
    [error] = answer["errors"]
    expected = {"pointer": problem} if isinstance(problem, str) else problem
    assert {name: error[name] for name in expected} == expected
    assert await all_written(shared_api) == written


async def all_written(api: Api) -> Written:
    """Return the newest entry of the audit log, and the signals."""
    newest = (await api.get("/v1/audit", params={"page_size": 1}))["items"][0]["id"]
    return newest, (await api.get("/v1/signals", params={"kind": "commit", "table_id": "lake.lake.events"}))["items"]
