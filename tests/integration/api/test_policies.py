"""Table policies over HTTP."""

from typing import Any

import pytest

from tests.integration.api.conftest import Api

POLICY = {"rewrite": {"target_file_bytes": "64MiB"}, "limits": {"bandwidth": "50MB", "parallel_groups": 2}}
NEW = {"If-None-Match": "*"}


@pytest.fixture
def path(table_id: str) -> str:
    return f"/v1/tables/{table_id}/policy"


async def test_sizes_are_answered_in_bytes_and_absent_fields_are_left_out(api: Api, path: str) -> None:
    stored = (await api.call("PUT", path, status=200, json=POLICY, headers=NEW)).json()
    assert stored["policy"] == {
        "rewrite": {"target_file_bytes": 64 * 2**20},
        "limits": {"bandwidth": 50_000_000, "parallel_groups": 2},
    }
    assert stored["version"] == 1
    assert stored["updated_by"] == "key:admin"
    assert await api.get(path) == stored


async def test_a_table_without_a_policy_of_its_own_has_none(api: Api, path: str) -> None:
    assert (await api.get(path, status=404))["code"] == "not_found"


async def test_a_write_needs_a_precondition(api: Api, path: str) -> None:
    assert (await api.call("PUT", path, status=428, json=POLICY)).json()["code"] == "precondition_required"
    assert (await api.call("DELETE", path, status=428)).json()["code"] == "precondition_required"


async def test_a_second_first_policy_is_refused(api: Api, path: str) -> None:
    await api.call("PUT", path, status=200, json=POLICY, headers=NEW)
    await api.call("PUT", path, status=412, json=POLICY, headers=NEW)


async def test_a_stale_write_is_refused(api: Api, path: str) -> None:
    first = await api.call("PUT", path, status=200, json=POLICY, headers=NEW)
    second = await api.call("PUT", path, status=200, json={}, headers={"If-Match": first.headers["etag"]})
    assert second.headers["etag"] == '"2"'
    await api.call("PUT", path, status=412, json=POLICY, headers={"If-Match": first.headers["etag"]})


async def test_a_tag_never_comes_back_after_a_delete(api: Api, path: str) -> None:
    first = await api.call("PUT", path, status=200, json=POLICY, headers=NEW)
    await api.call("DELETE", path, status=204, headers={"If-Match": first.headers["etag"]})
    again = await api.call("PUT", path, status=200, json=POLICY, headers=NEW)
    assert again.headers["etag"] != first.headers["etag"]


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"enable": True}, "/enable"),
        ({"rewrite": {"target_file_bytes": "128 MBs"}}, "/rewrite/target_file_bytes"),
        ({"rewrite": {"target_file_bytes": 1}}, "/rewrite/target_file_bytes"),
        ({"rewrite": {"strategy": "sort"}}, "/rewrite/strategy"),
        ({"rewrite": {"small_file_bytes": "1GiB"}}, "/rewrite/small_file_bytes"),
        ({"rewrite": {"large_file_bytes": "1MiB", "small_file_bytes": 1}}, "/rewrite/large_file_bytes"),
        ({"rewrite": {"compression": "brotli"}}, "/rewrite/compression"),
        ({"limits": {"parallel_groups": 0}}, "/limits/parallel_groups"),
        ({"limits": {"bandwidth": "unlimitted"}}, "/limits/bandwidth"),
        ({"limits": {"share_percent": 30}}, "/limits/available_bandwidth"),
        ([], ""),
    ],
)
async def test_a_setting_that_can_not_hold_is_named(api: Api, path: str, body: Any, pointer: str) -> None:
    errors = (await api.call("PUT", path, status=422, json=body, headers=NEW)).json()["errors"]
    assert [error["pointer"] for error in errors] == [pointer]
    await api.get(path, status=404)


async def test_the_effective_policy_names_every_origin(api: Api, table_id: str, path: str) -> None:
    await api.call("PUT", path, status=200, json=POLICY, headers=NEW)
    settings = (await api.get(f"/v1/tables/{table_id}/effective-policy"))["settings"]
    assert settings["rewrite.target_file_bytes"] == {"value": 64 * 2**20, "origin": "table"}
    assert settings["rewrite.small_file_bytes"] == {"value": 48 * 2**20, "origin": "derived"}
    assert settings["limits.requests"] == {"value": "unlimited", "origin": "default"}


async def test_a_policy_of_an_unknown_table_is_not_found(api: Api) -> None:
    await api.call("PUT", "/v1/tables/tbl_nope/policy", status=404, json=POLICY, headers=NEW)
