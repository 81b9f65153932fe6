"""Lost races by partition: counted once an attempt, forgotten with a win, bounded, guarded by the lease."""

from datetime import timedelta

import pytest

from engine.domain.errors import LeaseLost
from engine.domain.ids import TableId
from engine.domain.runs.drops import Loss
from engine.domain.runs.hot_partitions import HotPartition, HotPartitions, LostGroup
from engine.domain.runs.leases import Lease
from engine.domain.runs.run import RunState
from engine.domain.tables.table import Table
from engine.stores.tables.hot_partitions import MOST_HOT
from tests.integration.stores.samples import claimed, registered, submitted
from tests.integration.stores.stores import Stores
from tests.support.databases import FreshDatabase

A = '{"day":"2026-11-01"}'


def group(partition: str = A, *, spec_id: int = 0, wasted: int = 10, reason: Loss = Loss.SOURCE_GONE) -> LostGroup:
    return LostGroup(0, (spec_id, partition), reason, wasted)


async def attempt(database: Stores, table_id: TableId) -> Lease:
    """Return the lease of a new run of the table; what ran there before has ended."""
    return await claimed(database, (await submitted(database, table_id)).id)


async def lose(database: Stores, lease: Lease, *groups: LostGroup, ends: bool = True) -> None:
    await database.hot_partitions.lose(lease, groups)
    if ends:
        await database.runs.transition(lease, to=RunState.FAILED, reason="conflict")


async def hot(database: Stores, table_id: TableId) -> HotPartitions:
    return await database.hot_partitions.at(table_id)


async def only(database: Stores, table_id: TableId) -> HotPartition:
    (found,) = (await hot(database, table_id)).by_place.values()
    return found


async def test_a_loss_is_kept_with_its_run_its_waste_and_its_end(database: Stores, table: Table):
    found = await hot(database, table.id)
    assert (found.by_place, found.cooling) == ({}, [])
    lease = await attempt(database, table.id)
    await lose(database, lease, group(wasted=2**40), group(wasted=5))
    found = await only(database, table.id)
    assert (found.place, found.losses, found.wasted_bytes) == ((0, A), 1, 2**40 + 5)
    assert (found.run_id, found.attempt, found.reason) == (lease.run_id, 1, "source_gone")
    assert found.cools_until == found.lost_at + timedelta(minutes=5)


async def test_several_batches_of_one_attempt_are_one_loss_and_the_next_attempt_is_another(
    database: Stores, table: Table
):
    lease = await attempt(database, table.id)
    await lose(database, lease, group(), ends=False)
    await lose(database, lease, group())
    assert (await only(database, table.id)).losses == 1
    await lose(database, await attempt(database, table.id), group())
    found = await only(database, table.id)
    assert (found.losses, found.wasted_bytes) == (2, 30)
    assert found.cools_until == found.lost_at + timedelta(minutes=10)


async def test_partitions_of_one_value_in_two_specs_are_two_and_a_resume_forgets_all(database: Stores, table: Table):
    await lose(database, await attempt(database, table.id), group(), group(spec_id=1))
    assert set((await hot(database, table.id)).by_place) == {(0, A), (1, A)}
    assert await database.hot_partitions.forget(table.id) == 2
    assert (await hot(database, table.id)).by_place == {}


async def test_a_value_longer_than_an_index_takes_is_a_partition_like_any_other(database: Stores, table: Table):
    long = '{"key":"' + "ä" * 20_000 + '"}'
    lease = await attempt(database, table.id)
    await lose(database, lease, group(long), group(long[:-2] + 'x"}'), ends=False)
    await database.hot_partitions.win(lease, [(0, long)])
    assert set((await hot(database, table.id)).by_place) == {(0, long[:-2] + 'x"}')}


async def test_a_win_forgets_the_losses_of_its_partitions_only(database: Stores):
    table, other = await registered(database, "a"), await registered(database, "b")
    await lose(database, await attempt(database, other.id), group())
    lease = await attempt(database, table.id)
    await lose(database, lease, group(), group("b"), ends=False)
    await database.hot_partitions.win(lease, [(0, A), (0, "never lost")])
    assert set((await hot(database, table.id)).by_place) == {(0, "b")}
    assert set((await hot(database, other.id)).by_place) == {(0, A)}


async def test_a_holder_that_lost_its_lease_writes_nothing(database: Stores, table: Table):
    lease = await claimed(database, (await submitted(database, table.id)).id, ttl_seconds=-1)
    with pytest.raises(LeaseLost):
        await lose(database, lease, group(), ends=False)
    with pytest.raises(LeaseLost):
        await database.hot_partitions.win(lease, [(0, A)])
    assert (await hot(database, table.id)).by_place == {}


async def test_a_table_keeps_a_bounded_number_those_that_cool_longest(database: Stores, table: Table):
    await lose(database, await attempt(database, table.id), group("kept"))
    lease = await attempt(database, table.id)
    await lose(database, lease, group("kept"), *(group(f"p{at}", wasted=at) for at in range(MOST_HOT + 50)))
    found = (await hot(database, table.id)).by_place
    assert len(found) == MOST_HOT
    assert found[0, "kept"].losses == 2
    assert (0, "p0") not in found
    assert (0, f"p{MOST_HOT + 49}") in found


async def test_what_has_long_cooled_is_pruned_and_a_table_takes_its_rows_along(
    database: Stores, fresh_database: FreshDatabase
):
    table, other = await registered(database, "a"), await registered(database, "b")
    for each in (table, other):
        await lose(database, await attempt(database, each.id), group(), group("b"))
    now = await database.now()
    assert await database.hot_partitions.prune(now, 100) == 0
    assert await database.hot_partitions.prune(now + timedelta(hours=7), 1) == 1
    assert await database.hot_partitions.prune(now + timedelta(hours=7), 100) == 3
    await lose(database, await attempt(database, table.id), group())
    await database.tables.delete(table.id)
    assert fresh_database.execute("SELECT COUNT(*) FROM hot_partitions") == [(0,)]
