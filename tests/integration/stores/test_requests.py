"""Idempotency keys, API keys and the outbox."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from engine.domain.access.callers import ApiKey, Role
from engine.domain.access.keyed_requests import KeyedRequest, StoredAnswer, Superseded
from engine.domain.errors import InvalidInput, StateConflict
from engine.domain.ids import KeyId
from engine.stores.database import Database
from tests.integration.stores.samples import NOON, submitted
from tests.integration.stores.stores import Stores
from tests.support.databases import FreshDatabase

_REQUEST = KeyedRequest("key:admin", "POST /v1/runs", "k-1", "hash")
_ANSWER = StoredAnswer(202, {"location": "/v1/runs/1"}, b'{"id":1}')
_KEY = ApiKey(KeyId("key_1"), "admin", 1, Role.ADMIN, "a" * 64, NOON, "system")


async def test_the_first_answer_of_a_request_is_stored_and_no_other(database: Stores) -> None:
    assert await database.idempotency.find(_REQUEST) == _REQUEST
    await database.idempotency.insert_many([(_REQUEST, _ANSWER)])
    with pytest.raises(Superseded) as caught:
        await database.idempotency.insert_many([(_REQUEST, StoredAnswer(200, {}, b"{}"))])
    assert caught.value.requests == {_REQUEST}
    assert await database.idempotency.find(_REQUEST) == _ANSWER
    with pytest.raises(InvalidInput, match="another body"):
        await database.idempotency.find(replace(_REQUEST, body_hash="other"))


async def test_keys_of_other_callers_and_routes_are_other_keys(database: Stores) -> None:
    await database.idempotency.insert_many([(_REQUEST, _ANSWER)])
    for other in (replace(_REQUEST, caller="key:other"), replace(_REQUEST, route="POST /v1/tables")):
        assert await database.idempotency.find(other) == other


async def test_a_refusal_is_final_for_what_began_before_it_and_not_for_what_comes_later(database: Stores) -> None:
    await database.idempotency.refuse(_REQUEST)
    with pytest.raises(Superseded):
        await database.idempotency.insert_many([(_REQUEST, _ANSWER)])
    later = await database.idempotency.find(replace(_REQUEST, body_hash="corrected"))
    await database.idempotency.refuse(_REQUEST)  # it began before the first refusal: the later one goes on
    await database.idempotency.insert_many([(later, _ANSWER)])
    await database.idempotency.refuse(later)
    assert await database.idempotency.find(later) == _ANSWER


async def test_of_several_answers_those_that_are_too_late_are_named(database: Stores) -> None:
    others = [replace(_REQUEST, key=f"k-{number}") for number in (2, 3)]
    await database.idempotency.insert_many([(others[0], _ANSWER)])
    with pytest.raises(Superseded) as caught:
        await database.idempotency.insert_many([(each, _ANSWER) for each in (_REQUEST, *others)])
    assert caught.value.requests == {others[0]}
    assert await database.idempotency.find(_REQUEST) == _REQUEST


async def test_one_of_two_racing_changes_of_a_request_is_made(fresh_database: FreshDatabase) -> None:
    async def change(database: Database, name: str) -> None:
        async with database.begin() as unit:
            await unit.keys.insert(replace(_KEY, id=KeyId(name), name=name, secret_sha256=name * 64))
            await unit.idempotency.insert_many([(_REQUEST, _ANSWER)])

    databases = fresh_database.connect(), fresh_database.connect()
    made = await asyncio.gather(*(map(change, databases, "bc")), return_exceptions=True)
    assert {type(each) for each in made} == {type(None), Superseded}
    async with databases[0].read() as unit:
        assert await unit.keys.count() == 1


async def test_old_entries_are_pruned_in_batches(database: Stores) -> None:
    for number in range(5):
        await database.idempotency.insert_many([(replace(_REQUEST, key=f"k-{number}"), _ANSWER)])
    now = await database.now()
    assert await database.idempotency.prune(now - timedelta(hours=1), 10) == 0
    assert [await database.idempotency.prune(now + timedelta(hours=1), 2) for _ in range(4)] == [2, 2, 1, 0]
    assert await database.idempotency.find(_REQUEST) == _REQUEST


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
