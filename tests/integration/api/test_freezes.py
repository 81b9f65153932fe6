"""A frozen table over HTTP: who sees what of it, that it takes no run, and its end."""

import pytest
from sqlalchemy import NullPool, create_engine, text

from engine.settings.model import Settings
from engine.settings.values import reveal
from tests.integration.api.access import as_caller
from tests.integration.api.conftest import Api

REASON = {"reason": "rolled back by hand, and appended the rest again"}
WHY = "snapshot 1234567890123456789 does not hold what was planned; compare it with its parent 42"


@pytest.fixture
def frozen_id(settings: Settings, table_id: str) -> str:
    """Freeze the table as a run does whose proof failed."""
    engine = create_engine(str(reveal(settings.database_url)).replace("+aiosqlite", ""), poolclass=NullPool)
    values = "frozen_at = created_at, frozen_by = 'run_x', frozen_snapshot_id = 1234567890123456789"
    with engine.begin() as connection:
        connection.execute(text(f"UPDATE tables SET {values}, frozen_parent_id = 42, freeze_reason = '{WHY}'"))
    engine.dispose()
    return table_id


async def test_every_view_of_a_frozen_table_says_why(api: Api, frozen_id: str) -> None:
    table = await api.get(f"/v1/tables/{frozen_id}")
    freeze = table["freeze"]
    assert (freeze["run_id"], freeze["snapshot_id"], freeze["parent_snapshot_id"], freeze["reason"]) == (
        "run_x",
        "1234567890123456789",
        "42",
        WHY,
    )
    assert (await api.get(f"/v1/tables/{frozen_id}/health"))["freeze"] == freeze
    explained = await api.get(f"/v1/tables/{frozen_id}/explain")
    (hold,) = (each for each in explained["next_eligible"]["held_by"] if each["code"] == "table_frozen")
    assert WHY in hold["text"]
    assert hold["remedy"]["request"] == f"POST /v1/tables/{frozen_id}/unfreeze"
    assert [each["freeze"] for each in (await api.get("/v1/tables", params={"frozen": "true"}))["items"]] == [freeze]
    assert (await api.get("/v1/tables", params={"frozen": "false"}))["items"] == []


async def test_a_run_is_refused_with_what_to_do(api: Api, frozen_id: str) -> None:
    problem = await api.post("/v1/runs", {"table_id": frozen_id, "operation": "rewrite"}, status=409)
    assert problem["code"] == "state_conflict"
    assert WHY in problem["detail"]
    assert problem["remedy"]["request"] == f"POST /v1/tables/{frozen_id}/unfreeze"


async def test_who_unfreezes_says_why_and_the_audit_log_keeps_it(api: Api, frozen_id: str) -> None:
    owner = await as_caller(api, "owner")
    path = f"/v1/tables/{frozen_id}/unfreeze"
    for _ in range(2):
        assert (await owner.post(path, json=REASON)).status_code == 204
    assert (await api.get(f"/v1/tables/{frozen_id}"))["freeze"] is None
    entries = (await api.get("/v1/audit", params={"object": frozen_id, "action": "table.unfreeze"}))["items"]
    assert [(entry["before"]["reason"], entry["after"]) for entry in entries] == [(WHY, REASON)]
    await api.post("/v1/runs", {"table_id": frozen_id, "operation": "rewrite"}, status=202)


async def test_the_end_of_a_freeze_needs_an_owner_and_a_reason(api: Api, frozen_id: str) -> None:
    path, operator = f"/v1/tables/{frozen_id}/unfreeze", await as_caller(api, "operator")
    assert (await operator.post(path, json=REASON)).status_code == 403
    for body in ({}, {"reason": ""}, {"reason": "a\nb"}, {"why": "x"}):
        await api.post(path, body, status=422)


async def test_a_table_that_is_not_frozen_is_left_alone_and_an_unknown_one_is_not_found(
    api: Api, table_id: str
) -> None:
    assert (await api.get(f"/v1/tables/{table_id}"))["freeze"] is None
    await api.call("POST", f"/v1/tables/{table_id}/unfreeze", json=REASON, status=204)
    await api.post("/v1/tables/tbl_nope/unfreeze", REASON, status=404)
