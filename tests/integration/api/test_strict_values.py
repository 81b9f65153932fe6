"""Values are taken as JSON has them; what only looks like one is refused, with the field's name."""

from tests.integration.api.conftest import Api

PLAN = "/v1/tables/tbl_x/plan"


async def test_a_whole_number_is_a_share_too(api: Api) -> None:
    body = {"policy": {"rewrite": {"deletes": {"ratio": 1}}, "limits": {"share_percent": 30}}}
    await api.post(PLAN, body, status=404)  # the table is what is missing


async def test_a_whole_number_may_have_a_fraction_of_nothing(api: Api, table_id: str) -> None:
    rewrite = {"min_input_files": 5.0, "target_file_bytes": 134217728.0}
    triggers = [{"name": "large", "all": [{"metric": "total_bytes", "above": 1e9}]}]
    await api.post(f"/v1/tables/{table_id}/plan", {"policy": {"rewrite": rewrite, "triggers": triggers}}, status=200)
    sent = await api.post("/v1/signals", {"signal": {"kind": "commit", "added_files": 12.0}}, status=202)
    assert sent["signal"]["added_files"] == 12


async def test_characters_that_hide_nothing_are_taken(api: Api, table_id: str) -> None:
    path = f"/v1/tables/{table_id}"
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


async def test_every_form_of_rfc_3339_is_an_instant_of_a_query(api: Api) -> None:
    for value in ("2026-11-01T09:30:00Z", "2026-11-01t09:30:00.123456789z", "2026-11-01T09:30:00-05:30"):
        await api.get("/v1/runs", params={"since": value})
