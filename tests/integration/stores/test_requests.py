"""Idempotency keys, API keys and the outbox."""

import asyncio
from datetime import timedelta

import pytest

from engine.domain.access.callers import ApiKey, Role
from engine.domain.errors import InvalidInput, StateConflict
from engine.domain.ids import KeyId
from engine.stores.access.idempotency import StoredAnswer
from tests.integration.stores.samples import NOON, submitted
from tests.integration.stores.stores import Stores
from tests.support.databases import FreshDatabase

_SCOPE = ("key:admin", "POST /v1/runs", "k-1")
_KEY = ApiKey(KeyId("key_1"), "admin", 1, Role.ADMIN, "a" * 64, NOON, "system")


async def _begin(database: Stores, body_hash: str = "hash") -> StoredAnswer | None:
    return await database.idempotency.begin(*_SCOPE, body_hash)


async def _finish(database: Stores) -> None:
    await database.idempotency.finish(*_SCOPE, status=202, headers={"Location": "/v1/runs/1"}, body=b'{"id":1}')


async def test_one_request_is_let_through_and_equal_ones_are_refused_and_then_get_its_answer(database: Stores) -> None:
    assert await _begin(database) is None
    with pytest.raises(StateConflict, match="being answered"):
        await _begin(database)
    with pytest.raises(InvalidInput, match="another body"):
        await _begin(database, "other")
    await _finish(database)
    assert await _begin(database) == StoredAnswer(202, {"Location": "/v1/runs/1"}, b'{"id":1}')
    with pytest.raises(InvalidInput, match="another body"):
        await _begin(database, "other")


async def test_keys_of_other_callers_and_routes_and_forgotten_ones_are_other_keys(database: Stores) -> None:
    await _begin(database)
    for scope in (("key:other", *_SCOPE[1:]), (_SCOPE[0], "POST /v1/tables", "k-1")):
        assert await database.idempotency.begin(*scope, "other") is None
    await database.idempotency.forget(*_SCOPE)
    assert await _begin(database, "other") is None


async def test_an_abandoned_request_is_taken_over_and_an_old_answer_is_not(fresh_database: FreshDatabase) -> None:
    database, long_ago = fresh_database.connect(), "created_at = '2020-01-01T00:00:00.000000Z'"
    await _begin(database)
    fresh_database.execute(f"UPDATE idempotency_keys SET {long_ago}")
    assert await _begin(database) is None
    with pytest.raises(StateConflict):
        await _begin(database)
    await _finish(database)
    fresh_database.execute(f"UPDATE idempotency_keys SET {long_ago}")
    assert await _begin(database) is not None


async def test_old_entries_are_pruned_in_batches(database: Stores) -> None:
    for number in range(5):
        await database.idempotency.begin("key:admin", "POST /v1/runs", f"k-{number}", "hash")
    now = await database.now()
    assert await database.idempotency.prune(now - timedelta(hours=1), 10) == 0
    assert [await database.idempotency.prune(now + timedelta(hours=1), 2) for _ in range(4)] == [2, 2, 1, 0]
    assert await _begin(database, "other") is None


async def test_one_of_two_racing_requests_is_let_through(fresh_database: FreshDatabase) -> None:
    databases = fresh_database.connect(), fresh_database.connect()
    results = await asyncio.gather(*(_begin(each) for each in databases), return_exceptions=True)
    assert {type(result) for result in results} == {type(None), StateConflict}


async def test_a_key_is_found_by_the_hash_of_its_secret(database: Stores) -> None:
    assert await database.keys.count() == 0
    await database.keys.insert(_KEY)
    assert await database.keys.find_by_hash("a" * 64) == _KEY
    assert await database.keys.find_by_hash("b" * 64) is None
    assert await database.keys.count() == 1


async def test_names_and_secrets_of_keys_are_unique(database: Stores) -> None:
    await database.keys.insert(_KEY)
    for name, secret, constraint in (("admin", "b", "uq_api_keys_live"), ("other", "a", "uq_api_keys_secret")):
        with pytest.raises(StateConflict) as caught:
            await database.keys.insert(ApiKey(KeyId("key_2"), name, 1, Role.ADMIN, secret * 64, NOON, "system"))
        assert caught.value.details == {"constraint": constraint}


async def test_the_use_of_a_key_is_noted_at_most_once_a_minute(database: Stores) -> None:
    await database.keys.insert(_KEY)
    await database.keys.touch(_KEY.id)
    first = await database.keys.find_by_hash("a" * 64)
    await database.keys.touch(_KEY.id)
    second = await database.keys.find_by_hash("a" * 64)
    assert first.last_used_at is not None
    assert second == first


async def test_the_outbox_gives_what_was_not_removed_oldest_first(database: Stores) -> None:
    runs = [(await submitted(database)).id for _ in range(3)]
    async with database.begin() as work:
        await work.outbox.insert_many(runs)
        entries = await work.outbox.list_due(10)
        assert [run_id for _, run_id in entries] == runs
        assert await work.outbox.list_due(2) == entries[:2]
        await work.outbox.delete(number for number, _ in entries[:2])
        await work.outbox.delete([])
        assert await work.outbox.list_due(10) == entries[2:]


async def test_events_are_listed_after_a_sequence_number(database: Stores) -> None:
    run = await submitted(database)
    claim = await database.runs.claim(run.id, "worker-1", 60)
    await database.runs.record(claim[1], kind="note", details={"n": 1})
    events = await database.events.list(run.id, after_sequence=1, limit=10)
    page = await database.events.list(run.id, limit=1)
    assert [(event.sequence, event.kind) for event in events] == [(2, "claimed"), (3, "note")]
    assert [(event.sequence, event.kind, event.actor) for event in page] == [(1, "submitted", "key:admin")]
