"""Idempotency keys, API keys and the outbox."""

import asyncio
from datetime import timedelta

import pytest

from engine.domain.access.callers import ApiKey, Role
from engine.domain.errors import InvalidInput, StateConflict
from engine.domain.ids import KeyId
from engine.stores.access.idempotency import StoredAnswer
from engine.stores.database import Database
from tests.integration.stores.samples import NOON, submitted
from tests.support.databases import FreshDatabase

_SCOPE = ("key:admin", "POST /v1/runs", "k-1")
_KEY = ApiKey(KeyId("key_1"), "admin", 1, Role.ADMIN, "a" * 64, NOON, "system")


async def _begin(database: Database, body_hash: str = "hash") -> StoredAnswer | None:
    async with database.begin() as work:
        return await work.idempotency.begin(*_SCOPE, body_hash)


async def _finish(database: Database) -> None:
    async with database.begin() as work:
        await work.idempotency.finish(*_SCOPE, status=202, headers={"Location": "/v1/runs/1"}, body=b'{"id":1}')


async def test_the_first_request_is_let_through(database: Database) -> None:
    assert await _begin(database) is None


async def test_a_second_request_gets_the_answer_of_the_first(database: Database) -> None:
    await _begin(database)
    await _finish(database)
    assert await _begin(database) == StoredAnswer(202, {"Location": "/v1/runs/1"}, b'{"id":1}')


async def test_a_second_request_while_the_first_is_answered_is_refused(database: Database) -> None:
    await _begin(database)
    with pytest.raises(StateConflict, match="being answered"):
        await _begin(database)


@pytest.mark.parametrize("is_finished", [False, True])
async def test_another_body_under_the_same_key_is_refused(database: Database, is_finished: bool) -> None:
    await _begin(database)
    if is_finished:
        await _finish(database)
    with pytest.raises(InvalidInput, match="another body"):
        await _begin(database, "other")


@pytest.mark.parametrize("scope", [("key:other", *_SCOPE[1:]), (_SCOPE[0], "POST /v1/tables", "k-1")])
async def test_keys_of_other_callers_and_routes_are_other_keys(database: Database, scope: tuple[str, str, str]) -> None:
    await _begin(database)
    async with database.begin() as work:
        assert await work.idempotency.begin(*scope, "other") is None


async def test_a_forgotten_key_can_be_used_again(database: Database) -> None:
    await _begin(database)
    async with database.begin() as work:
        await work.idempotency.forget(*_SCOPE)
    assert await _begin(database, "other") is None


async def test_an_abandoned_request_is_taken_over(fresh_database: FreshDatabase) -> None:
    database = fresh_database.connect()
    await _begin(database)
    fresh_database.execute("UPDATE idempotency_keys SET created_at = '2020-01-01T00:00:00.000000Z'")
    assert await _begin(database) is None
    with pytest.raises(StateConflict):
        await _begin(database)


async def test_an_old_answer_is_not_taken_for_abandoned(fresh_database: FreshDatabase) -> None:
    database = fresh_database.connect()
    await _begin(database)
    await _finish(database)
    fresh_database.execute("UPDATE idempotency_keys SET created_at = '2020-01-01T00:00:00.000000Z'")
    assert await _begin(database) is not None


async def test_old_entries_are_pruned(database: Database) -> None:
    await _begin(database)
    async with database.begin() as work:
        assert await work.idempotency.prune(await work.now() - timedelta(hours=1), 10) == 0
        assert await work.idempotency.prune(await work.now() + timedelta(hours=1), 10) == 1
    assert await _begin(database, "other") is None


async def test_entries_are_pruned_in_batches(database: Database) -> None:
    async with database.begin() as work:
        for number in range(5):
            await work.idempotency.begin("key:admin", "POST /v1/runs", f"k-{number}", "hash")
    async with database.begin() as work:
        later = await work.now() + timedelta(hours=1)
        assert [await work.idempotency.prune(later, 2) for _ in range(4)] == [2, 2, 1, 0]


async def test_one_of_two_racing_requests_is_let_through(fresh_database: FreshDatabase) -> None:
    databases = fresh_database.connect(), fresh_database.connect()
    results = await asyncio.gather(*(_begin(each) for each in databases), return_exceptions=True)
    assert {type(result) for result in results} == {type(None), StateConflict}


async def test_a_key_is_found_by_the_hash_of_its_secret(database: Database) -> None:
    async with database.begin() as work:
        assert await work.keys.count() == 0
        await work.keys.insert(_KEY)
        assert await work.keys.find_by_hash("a" * 64) == _KEY
        assert await work.keys.find_by_hash("b" * 64) is None
        assert await work.keys.count() == 1


@pytest.mark.parametrize(
    ("twin", "constraint"),
    [
        (ApiKey(KeyId("key_2"), "admin", 1, Role.ADMIN, "b" * 64, NOON, "system"), "uq_api_keys_live"),
        (ApiKey(KeyId("key_2"), "other", 1, Role.ADMIN, "a" * 64, NOON, "system"), "uq_api_keys_secret"),
    ],
)
async def test_names_and_secrets_of_keys_are_unique(database: Database, twin: ApiKey, constraint: str) -> None:
    async with database.begin() as work:
        await work.keys.insert(_KEY)
        with pytest.raises(StateConflict) as caught:
            await work.keys.insert(twin)
    assert caught.value.details == {"constraint": constraint}


async def test_the_use_of_a_key_is_noted_at_most_once_a_minute(database: Database) -> None:
    async with database.begin() as work:
        await work.keys.insert(_KEY)
        await work.keys.touch(_KEY.id)
        first = await work.keys.find_by_hash("a" * 64)
        await work.keys.touch(_KEY.id)
        second = await work.keys.find_by_hash("a" * 64)
    assert first is not None
    assert first.last_used_at is not None
    assert second == first


async def test_the_outbox_gives_what_was_not_removed_oldest_first(database: Database) -> None:
    runs = [(await submitted(database)).id for _ in range(3)]
    async with database.begin() as work:
        await work.outbox.insert_many(runs)
        entries = await work.outbox.list_due(10)
        assert [run_id for _, run_id in entries] == runs
        assert await work.outbox.list_due(2) == entries[:2]
        await work.outbox.delete(number for number, _ in entries[:2])
        await work.outbox.delete([])
        assert await work.outbox.list_due(10) == entries[2:]


async def test_events_are_listed_after_a_sequence_number(database: Database) -> None:
    run = await submitted(database)
    async with database.begin() as work:
        claim = await work.runs.claim(run.id, "worker-1", 60)
        assert claim is not None
        await work.runs.record(claim[1], kind="note", details={"n": 1})
        events = await work.events.list(run.id, after_sequence=1, limit=10)
        page = await work.events.list(run.id, limit=1)
    assert [(event.sequence, event.kind) for event in events] == [(2, "claimed"), (3, "note")]
    assert [(event.sequence, event.kind, event.actor) for event in page] == [(1, "submitted", "key:admin")]
