"""Values are taken as JSON has them; what only looks like one is refused, with the field's name."""

from typing import Any

from tests.integration.api.conftest import Api

PLAN = "/v1/tables/tbl_x/plan"


async def test_only_true_and_false_are_flags_of_a_policy(api: Api) -> None:
    for value in (1, 0, "true"):
        await assert_refused(api, {"enabled": value}, "enabled")
        eligibility = {"rewrite": {"full": {"eligibility": {"more_small_than_large": value}}}}
        await assert_refused(api, eligibility, "rewrite/full/eligibility/more_small_than_large")
        reclaim = {"maintenance": {"reclaim": {"retention": "7d", "compact_blocking": value}}}
        await assert_refused(api, reclaim, "maintenance/reclaim/compact_blocking")


async def test_only_integers_are_counts_of_a_policy(api: Api) -> None:
    for value in ("5", True, 5.5):
        await assert_refused(api, {"rewrite": {"min_input_files": value}}, "rewrite/min_input_files")
        await assert_refused(api, {"limits": {"requests": value}}, "limits/requests")


async def test_only_numbers_are_shares_of_a_policy(api: Api) -> None:
    for value in ("0.5", True):
        await assert_refused(api, {"rewrite": {"deletes": {"ratio": value}}}, "rewrite/deletes/ratio")
        await assert_refused(api, {"limits": {"share_percent": value}}, "limits/share_percent")


async def test_a_whole_number_is_a_share_too(api: Api) -> None:
    body = {"policy": {"rewrite": {"deletes": {"ratio": 1}}, "limits": {"share_percent": 30}}}
    await api.post(PLAN, body, status=404)  # the table is what is missing


async def test_a_whole_number_may_have_a_fraction_of_nothing(api: Api, table_id: str) -> None:
    rewrite = {"min_input_files": 5.0, "target_file_bytes": 134217728.0}
    triggers = [{"name": "large", "all": [{"metric": "total_bytes", "above": 1e9}]}]
    await api.post(f"/v1/tables/{table_id}/plan", {"policy": {"rewrite": rewrite, "triggers": triggers}}, status=200)
    sent = await api.post("/v1/signals", {"signal": {"kind": "commit", "added_files": 12.0}}, status=202)
    assert sent["signal"]["added_files"] == 12


async def test_characters_that_hide_are_refused_and_all_others_taken(api: Api, table_id: str) -> None:
    path = f"/v1/tables/{table_id}"
    for text in ("a\u0000", "two\nlines", "\u009b1m", "\u2028", "left\u202etfel", "in\u200bvisible", "\ufeff"):
        answer = await api.call("PATCH", path, json={"labels": {"note": text}}, status=422)
        assert [error["pointer"] for error in answer.json()["errors"]] == ["/labels/note"]
    for text in (
        "naïve",
        "全角\u3000空白",
        "non\u00a0breaking",
        "\ue000 private",
        "\U0010fffd",
        "\u0378 of a later Unicode",
    ):
        changed = await api.call("PATCH", path, json={"labels": {"note": text}}, status=200)
        assert changed.json()["labels"] == {"note": text}


async def test_a_condition_longer_than_any_etag_is_malformed(api: Api, table_id: str) -> None:
    headers = {"If-Match": '"' + 300 * "1" + '"'}
    answer = await api.call("PATCH", f"/v1/tables/{table_id}", json={"labels": {}}, status=422, headers=headers)
    assert [(error["pointer"], len(error["value"])) for error in answer.json()["errors"]] == [("header:If-Match", 80)]


async def test_only_values_of_their_type_are_fields_of_a_body(api: Api) -> None:
    key = {"name": "k", "role": "viewer"}
    for path, body, field in (
        ("/v1/runs", {"table_id": "tbl_x", "dry_run": 1}, "/dry_run"),
        ("/v1/runs", {"table_id": "tbl_x", "force": "yes"}, "/force"),
        (PLAN, {"force_full": 1}, "/force_full"),
        ("/v1/catalogs/lake/discover", {"register": "on"}, "/register"),
        ("/v1/catalogs/lake/discover", {"register": True, "limit": "200"}, "/limit"),
        ("/v1/signals", {"signal": {"kind": "commit", "added_files": "12"}}, "/signal/added_files"),
        ("/v1/signals", {"signal": {"kind": "query_latency", "p95_seconds": "2.5"}}, "/signal/p95_seconds"),
        ("/v1/keys", key | {"expires_at": 4_000_000_000}, "/expires_at"),
        ("/v1/keys", key | {"expires_at": "2099-01-01"}, "/expires_at"),
    ):
        answer = await api.post(path, body, status=422)
        assert [error["pointer"] for error in answer["errors"]] == [field]


async def test_only_rfc_3339_is_an_instant_of_a_query(api: Api) -> None:
    for path, name in (
        ("/v1/audit", "since"),
        ("/v1/audit", "until"),
        ("/v1/runs", "since"),
        ("/v1/runs", "until"),
    ):
        for value in ("0.5", "1767225600", "2026-11-01", "2026-11-01T09:30:00", "2026-11-01 09:30:00Z"):
            answer = await api.get(path, status=422, params={name: value})
            assert [error["pointer"] for error in answer["errors"]] == [f"query:{name}"]


async def test_every_form_of_rfc_3339_is_an_instant_of_a_query(api: Api) -> None:
    for value in ("2026-11-01T09:30:00Z", "2026-11-01t09:30:00.123456789z", "2026-11-01T09:30:00-05:30"):
        await api.get("/v1/runs", params={"since": value})


async def test_only_written_values_are_flags_and_numbers_of_a_query(api: Api) -> None:
    for name, value in (("paused", "yes"), ("paused", "1"), ("page_size", "5.0"), ("page_size", " 5")):
        answer = await api.get("/v1/tables", status=422, params={name: value})
        assert [error["pointer"] for error in answer["errors"]] == [f"query:{name}"]


async def test_a_refused_method_is_answered_with_all_that_the_path_knows(api: Api) -> None:
    for path, methods in (
        ("/v1/catalogs", "GET, HEAD, OPTIONS, POST"),
        ("/v1/tables/tbl_x", "DELETE, GET, HEAD, OPTIONS, PATCH"),
        ("/v1/tables/tbl_x/policy", "DELETE, GET, HEAD, OPTIONS, PUT"),
        ("/v1/runs", "GET, HEAD, OPTIONS, POST"),
    ):
        response = await api.call("TRACE", path, status=405)
        assert response.headers["allow"] == methods


async def test_an_unknown_problem_type_is_not_found(api: Api) -> None:
    answer = await api.get("/problems/unheard_of", status=404)
    assert answer["code"] == "not_found"


async def assert_refused(api: Api, policy: dict[str, Any], field: str) -> None:
    """Assert that one field of a policy is refused, no other."""
    answer = await api.post(PLAN, {"policy": policy}, status=422)
    assert [error["pointer"] for error in answer["errors"]] == [f"/policy/{field}"]
