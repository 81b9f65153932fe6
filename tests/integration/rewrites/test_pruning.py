"""The record forgets what nobody will ask for: kept answers after a day, counted bytes after two, lost races."""

import pytest

from engine.domain.access.keyed_requests import KeyedRequest
from engine.workers import coordinator
from tests.support.databases import TWO_DATABASES, FreshDatabase
from tests.support.world import World

LONG_AGO = "'2020-01-01T00:00:00.000000Z'"


@TWO_DATABASES
async def test_answers_counted_bytes_and_lost_races_are_forgotten_when_their_time_is_over(
    world: World, fresh_database: FreshDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coordinator, "PRUNED_AT_ONCE", 2)
    container = world.container
    async with container.database.begin() as unit:
        for number in range(5):
            await unit.idempotency.refuse(KeyedRequest("key:admin", "POST /v1/runs", f"k-{number}", "hash"))
    world.at("before_commit", lambda: world.lake.table.delete("day = '2026-11-02'"))
    await world.rewrite()
    assert await container.coordinator.prune() == 0
    fresh_database.execute(f"UPDATE idempotency_keys SET created_at = {LONG_AGO}")
    fresh_database.execute(f"UPDATE rewritten_bytes SET at = {LONG_AGO}")
    fresh_database.execute(
        f"UPDATE hot_partitions SET lost_at = '2019-01-01T00:00:00.000000Z', cools_until = {LONG_AGO}"
    )
    assert await container.coordinator.prune() == 5 + 3 + 1
    assert await container.coordinator.prune() == 0
