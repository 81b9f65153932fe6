"""Signals over HTTP, and what writers are answered."""

from typing import Any

import pytest

from engine.domain.access.callers import Caller, Role
from engine.domain.errors import Forbidden, NotFound
from engine.domain.ids import TableId
from engine.domain.tables.signals import Backpressure, CommitSeen, SignalKind
from tests.integration.api.conftest import Api

COMMIT = {"kind": "commit", "snapshot_id": "7402365190518249871", "added_files": 3}
SLOW = {"kind": "backpressure", "slow_down": True, "reason": "readers wait"}


async def send(api: Api, signal: Any, table_id: str | None = None, status: int = 202) -> Any:
    return await api.post("/v1/signals", {"table_id": table_id, "signal": signal}, status=status)


@pytest.mark.parametrize(
    "signal",
    [
        COMMIT,
        {"kind": "query_latency", "p95_seconds": 2.5},
        SLOW,
        {"kind": "filters", "queries": [{"columns": [], "query_count": 1}]},
    ],
)
async def test_a_signal_is_stored_and_listed(api: Api, table_id: str, signal: dict[str, Any]) -> None:
    sent = await send(api, signal, table_id)
    assert sent["signal"].items() >= signal.items()
    assert sent["acted_on"] == (signal["kind"] in {"commit", "query_latency"})
    params = {"kind": signal["kind"], "table_id": table_id}
    assert (await api.get("/v1/signals", params=params))["items"] == [sent]
    assert (await api.get("/v1/signals", params={"kind": signal["kind"]}))["items"] == []


async def test_an_unknown_table_is_not_found_and_a_kind_is_needed_to_list(api: Api) -> None:
    await send(api, COMMIT, "tbl_unknown", status=404)
    await api.get("/v1/signals", params={"kind": "commit", "table_id": "tbl_unknown"}, status=404)
    assert (await api.get("/v1/signals", status=422))["errors"][0]["pointer"] == "query:kind"


async def test_callers_of_some_teams_speak_for_their_own_tables_only(api: Api, table_id: str) -> None:
    operator = Caller("key:operator", Role.OPERATOR, frozenset({"sales"}))
    value = CommitSeen(kind=SignalKind.COMMIT)
    with pytest.raises(NotFound):
        await api.container.signals.send(operator, TableId(table_id), value)
    with pytest.raises(Forbidden, match="every team"):
        await api.container.signals.send(operator, None, value)
    await api.call("PATCH", f"/v1/tables/{table_id}", status=200, json={"owner_team": "sales"})
    assert (await api.container.signals.send(operator, TableId(table_id), value)).sent_by == "key:operator"


async def test_signals_come_in_pages(api: Api) -> None:
    sent = [await send(api, COMMIT) for _ in range(3)]
    assert await api.items("/v1/signals", page_size=2, kind="commit") == sent[::-1]


async def test_a_signal_sent_twice_under_one_key_is_stored_once(api: Api) -> None:
    headers = {"Idempotency-Key": "one"}
    answers = [
        (await api.call("POST", "/v1/signals", status=202, json={"signal": COMMIT}, headers=headers)).json()
        for _ in range(2)
    ]
    assert answers[0] == answers[1]
    assert len((await api.get("/v1/signals", params={"kind": "commit"}))["items"]) == 1


async def backpressure(api: Api, table_id: str) -> Any:
    return await api.get(f"/v1/tables/{table_id}/backpressure")


async def test_an_iceberg_table_never_needs_slower_writers_by_itself(api: Api, table_id: str) -> None:
    """P23: without a signal nothing asks writers to slow down."""
    found = await backpressure(api, table_id)
    assert (found["slow_down"], found["signal"]) == (False, None)
    assert "no signal of kind backpressure" in found["reason"]


async def test_the_newest_signal_about_the_table_goes_before_one_about_all(api: Api, table_id: str) -> None:
    """P23: writers ask whether they should slow down."""
    await send(api, SLOW | {"reason": "all wait"})
    assert (await backpressure(api, table_id))["reason"] == "all wait"
    await send(api, SLOW, table_id)
    sent = await send(api, SLOW | {"slow_down": False, "reason": "fine again"}, table_id)
    found = await backpressure(api, table_id)
    assert (found["slow_down"], found["reason"], found["signal"]) == (False, "fine again", sent)


async def test_a_signal_stops_to_hold(api: Api, table_id: str) -> None:
    value = Backpressure(kind=SignalKind.BACKPRESSURE, slow_down=True, reason="x", valid_seconds=1)
    async with api.container.database.begin() as unit:
        await unit.signals.append(TableId(table_id), value, "key")
        await unit.connection.exec_driver_sql("UPDATE signals SET at = '2026-01-01T00:00:00.000000Z'")
    assert not (await backpressure(api, table_id))["slow_down"]
