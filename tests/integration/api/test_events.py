"""CloudEvents over HTTP: structured, in batches and in binary mode; bounds, teams, repeated events."""

import json
from typing import Any

import pytest

from engine.domain.access.callers import Caller, Role
from engine.domain.ids import TableId
from engine.domain.tables.cloud_events import COMMIT_TYPE, MOST_EVENTS, CloudEvent, EventOutcome, EventSource
from tests.integration.api.conftest import Api

BATCH = {"Content-Type": "application/cloudevents-batch+json"}
OBJECT = "google.cloud.storage.object.v1.finalized"


def event(number: int = 1, **changes: Any) -> dict[str, Any]:
    return {"specversion": "1.0", "id": str(number), "source": "/test", "type": OBJECT,
            "data": {"bucket": "lake", "name": f"shop/orders/day=1/{number}.parquet"}} | changes  # fmt: skip


async def send(api: Api, body: Any, status: int = 202, **headers: str) -> Any:
    headers = {"Content-Type": "application/cloudevents+json"} | headers
    return (await api.call("POST", "/v1/signals/events", status=status, json=body, headers=headers)).json()


async def at(api: Api, table_id: str, *locations: str) -> None:
    async with api.container.database.begin() as unit:
        await unit.locations.replace(TableId(table_id), locations or ["gs://lake/shop/orders"])


async def signals(api: Api, table_id: str) -> list[Any]:
    found: list[Any] = (await api.get("/v1/signals", params={"kind": "commit", "table_id": table_id}))["items"]
    return found


async def test_events_of_objects_wake_their_table_and_repeated_ones_do_not(api: Api, table_id: str) -> None:
    await at(api, table_id)
    found = await send(api, event())
    assert found == {"taken": 1, "duplicate": 0, "unknown_table": 0, "refused": 0}
    assert [each["acted_on"] for each in await signals(api, table_id)] == [True]
    async with api.container.database.begin() as unit:
        await unit.connection.exec_driver_sql("UPDATE watches SET next_at = '2999-01-01T00:00:00.000000Z'")
    assert (await send(api, event()))["duplicate"] == 1
    assert (await send(api, event(source="/another")))["taken"] == 1
    assert len(await signals(api, table_id)) == 2
    async with api.container.database.read() as unit:
        watch = await unit.watches.get(TableId(table_id))
        assert watch is not None
        assert watch.next_at <= await unit.now()


async def test_a_batch_makes_one_signal_and_counts_each_event(api: Api, table_id: str) -> None:
    await at(api, table_id)
    batch = [event(number) for number in range(20)] + [event(3)]
    batch += [event(30, data={"bucket": "lake", "name": "elsewhere/x"}), event(31, data={}), event(32, type="other")]
    batch += [event(40, type=COMMIT_TYPE, data={"table_id": "no.such.table"})]
    found = await send(api, batch, **BATCH)
    assert found == {"taken": 20, "duplicate": 1, "unknown_table": 2, "refused": 2}
    assert len(await signals(api, table_id)) == 1
    assert await send(api, [], **BATCH) == {"taken": 0, "duplicate": 0, "unknown_table": 0, "refused": 0}
    shown = api.container.metrics.render().decode()
    assert 'packhouse_signals_total{kind="commit",outcome="taken",source="http"} 20.0' in shown
    assert 'packhouse_signals_total{kind="commit",outcome="unknown_table",source="http"} 2.0' in shown


async def test_an_event_names_a_table_by_id_or_address(api: Api, table_id: str) -> None:
    table = await api.get(f"/v1/tables/{table_id}")
    address = ".".join((table["catalog"], *table["namespace"], table["name"]))
    for number, name in enumerate((table_id, address)):
        data = {"table_id": name, "added_files": 4}
        assert (await send(api, event(number, type=COMMIT_TYPE, data=data)))["taken"] == 1
    assert [each["signal"]["added_files"] for each in await signals(api, table_id)] == [4, 4]
    assert {each["sent_by"] for each in await signals(api, table_id)} == {"key:admin"}


async def test_an_event_in_binary_mode_has_its_attributes_in_headers(api: Api, table_id: str) -> None:
    await at(api, table_id, "gs://lake/shop/ä")
    headers = {"Content-Type": "application/json", "ce-specversion": "1.0", "ce-id": "1", "ce-source": "//storage%20",
               "ce-type": OBJECT, "ce-subject": "objects/x", "ce-bucket": "lake"}  # fmt: skip
    data = {"bucket": "lake", "name": "shop/ä/x.parquet", "size": "17"}
    assert (await send(api, data, **headers))["taken"] == 1
    assert (await send(api, event(source="//storage ")))["unknown_table"] == 1
    assert (await send(api, event(1, source="//storage ", data=data)))["duplicate"] == 1
    del headers["ce-id"]
    assert (await send(api, data, status=422, **headers))["errors"][0]["pointer"] == "/id"


async def test_a_sender_that_asks_whether_it_may_send_is_answered(api: Api) -> None:
    asked = {"WebHook-Request-Origin": "eventgrid.azure.net"}
    answer = await api.call("OPTIONS", "/v1/signals/events", status=204, headers=asked)
    assert (answer.headers["webhook-allowed-origin"], answer.headers["webhook-allowed-rate"]) == (
        asked.popitem()[1],
        "*",
    )
    assert "webhook-allowed-origin" not in (await api.call("OPTIONS", "/v1/signals", status=204)).headers


@pytest.mark.parametrize(
    ("body", "status", "pointers"),
    [
        ({}, 422, {"/specversion", "/id", "/source", "/type"}),
        (event(specversion="0.3"), 422, {"/specversion"}),
        (event(id=""), 422, {"/id"}),
        (event(id="a" * 2049), 422, {"/id"}),
        (event(type=5), 422, {"/type"}),
        ([event(), event(source=None)], 422, {"/1/source"}),
        ([event(number) for number in range(MOST_EVENTS + 1)], 422, {""}),
        (event(data=json.loads("[" * 40 + "]" * 40)), 400, None),
        (event(data="x" * 2**20), 413, None),
    ],
)
async def test_bodies_that_are_no_events_or_too_large_are_refused(
    api: Api, body: Any, status: int, pointers: set[str] | None
) -> None:
    found = await send(api, body, status=status)
    if pointers is not None:
        assert {each["pointer"] for each in found["errors"]} == pointers


async def test_a_sender_of_some_teams_reports_changes_of_their_tables_only(api: Api, table_id: str) -> None:
    await at(api, table_id)
    given = [CloudEvent("1", "s", OBJECT, None, event()["data"]), CloudEvent("2", "s", COMMIT_TYPE, None,
             {"table_id": table_id})]  # fmt: skip
    operator = Caller("key:operator", Role.OPERATOR, frozenset({"sales"}))
    counts = await api.container.events.take(operator, given, EventSource.HTTP)
    assert (counts[EventOutcome.TAKEN], counts[EventOutcome.UNKNOWN_TABLE]) == (0, 2)
    await api.call("PATCH", f"/v1/tables/{table_id}", status=200, json={"owner_team": "sales"})
    counts = await api.container.events.take(operator, given, EventSource.HTTP)
    assert counts[EventOutcome.TAKEN] == 2
    other = Caller("key:other", Role.OPERATOR, frozenset({"sales"}))
    counts = await api.container.events.take(other, given, EventSource.HTTP)
    assert counts[EventOutcome.TAKEN] == 2, "ids of one sender are not those of another"


async def test_an_event_at_the_place_of_several_tables_is_for_each(api: Api, table_id: str) -> None:
    await at(api, table_id, "gs://lake/shop/orders", "s3://lake")
    assert (await send(api, event(1)))["taken"] == 1
    s3 = event(2, type="Object Created", data={"bucket": {"name": "lake"}, "object": {"key": "any"}})
    assert (await send(api, [event(3), s3], **BATCH))["taken"] == 2
    assert len(await signals(api, table_id)) == 2
