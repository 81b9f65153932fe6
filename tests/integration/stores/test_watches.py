"""How tables are watched, and who leads: on both databases."""

from dataclasses import replace
from datetime import timedelta

import pytest

from engine.domain.ids import TableId
from engine.domain.policies import PolicyScope, PolicyScopeKind
from engine.domain.tables.table import Table
from engine.domain.tables.watches import LONGEST_SECONDS, SHORTEST_SECONDS, Verdict, Watch, phase_of
from engine.stores.watching import watches
from engine.stores.watching.leadership import WATCH
from tests.integration.stores.plans import AT, fill, plan_of
from tests.integration.stores.samples import NOON, registered
from tests.integration.stores.stores import Stores
from tests.support.databases import FreshDatabase

SECONDS = 30.0
FLEET = PolicyScope(PolicyScopeKind.FLEET)


async def lead(database: Stores, holder: str = "a", seconds: float = SECONDS) -> int | None:
    return await database.leadership.lead(WATCH, holder, seconds)


async def watch_of(database: Stores, table_id: TableId) -> Watch:
    return await database.watches.get(table_id)


async def many_watches(database: Stores, count: int, *, seconds_away: int) -> None:
    """Insert tables, each with its watch, that are to be looked at so many seconds from now."""
    later = f"'{await database.now() + timedelta(seconds=seconds_away):%Y-%m-%dT%H:%M:%S.%fZ}'"
    key, text = "'tbl_m' || (10000000 + i)", {"catalog": "'lake'", "namespace": "'[\"shop\"]'", "name": "'m' || i"}
    rest = {"uuid": "'u'", "location": "'l'", "created_at": AT, "version": "1", "labels": "'{}'"}
    await fill(database, "tables", count, id=key, **text, **rest)
    look = {"phase": "(i % 1000) / 1000.0", "next_at": later, "interval_seconds": "60", "verdict": "'not_due'"}
    await fill(database, "watches", count, table_id=key, **look)


async def test_a_registered_table_is_looked_at_soon_and_no_more_after_it_is_gone(database: Stores, table: Table):
    seen = await watch_of(database, table.id)
    wait = seen.next_at - await database.now()
    assert timedelta(0) <= wait + timedelta(seconds=1) < timedelta(seconds=SHORTEST_SECONDS + 1)
    await database.tables.delete(table.id)
    assert await database.watches.get(table.id) is None
    assert (seen.verdict, seen.pointer, seen.interval_seconds) == (Verdict.NEW, None, SHORTEST_SECONDS)


async def test_one_leads_and_goes_on_leading_while_it_extends(database: Stores):
    assert await lead(database, "a") == 1
    assert await lead(database, "b") is None
    assert await lead(database, "a") == 1


async def test_a_silent_leader_is_followed_by_another_or_by_itself_with_a_higher_token(database: Stores):
    assert await lead(database, "a", -1) == 1
    assert await lead(database, "b", -1) == 2
    assert await lead(database, "b") == 3
    assert await lead(database, "a") is None


async def test_who_resigns_is_followed_at_once(database: Stores):
    token = await lead(database, "a")
    assert token is not None
    await database.leadership.resign(WATCH, token + 1)
    assert await database.leadership.is_led(WATCH)
    await database.leadership.resign(WATCH, token)
    assert not await database.leadership.is_led(WATCH)
    assert await lead(database, "b") == token + 1


async def test_what_a_former_leader_settles_is_refused(database: Stores, table: Table):
    before = await watch_of(database, table.id)
    after = replace(before, verdict=Verdict.SUBMITTED)
    stale = await lead(database, "a", -1)
    current = await lead(database, "b")
    assert stale is not None
    assert current is not None
    assert await database.watches.settle(stale, [(before, after)]) == 0
    assert await database.watches.settle(current, [(before, after)]) == 1
    assert await watch_of(database, table.id) == after


async def test_a_table_that_is_woken_during_a_look_is_looked_at_once_more(database: Stores, table: Table):
    token = await lead(database)
    assert token is not None
    before = await watch_of(database, table.id)
    await database.watches.wake(table.id)
    later = before.next_at + timedelta(minutes=5)
    await database.watches.settle(token, [(before, replace(before, next_at=later, verdict=Verdict.NOT_DUE))])
    after = await watch_of(database, table.id)
    assert after.verdict is Verdict.NOT_DUE
    assert after.next_at < later
    assert after.reconsider_at is not None


@pytest.mark.parametrize("wakes", ["signal", "new leader"])
async def test_a_wake_up_during_a_look_leaves_when_the_look_wants_the_table_evaluated_again(
    database: Stores, fresh_database: FreshDatabase, table: Table, wakes: str
):
    token = await lead(database)
    assert token is not None
    fresh_database.execute("UPDATE watches SET next_at = (SELECT MIN(created_at) FROM tables)")
    before = await watch_of(database, table.id)
    if wakes == "signal":
        await database.watches.wake(table.id, evaluate=False)
    else:
        await database.watches.spread_overdue()
    woken = await watch_of(database, table.id)
    assert woken.next_at > before.next_at
    later = woken.next_at + timedelta(minutes=5)
    held = replace(before, next_at=later, reconsider_at=later, pointer="v2", verdict=Verdict.HELD)
    await database.watches.settle(token, [(before, held)])
    assert await watch_of(database, table.id) == replace(held, next_at=woken.next_at)


async def test_an_evaluation_that_is_asked_for_during_a_look_is_not_settled_away(
    database: Stores, fresh_database: FreshDatabase, table: Table
):
    token = await lead(database)
    assert token is not None
    past = "(SELECT MIN(created_at) FROM tables)"
    fresh_database.execute(f"UPDATE watches SET next_at = {past}, reconsider_at = {past}")
    before = await watch_of(database, table.id)
    await database.watches.wake_covered(FLEET)
    woken = await watch_of(database, table.id)
    later = woken.next_at + timedelta(minutes=5)
    await database.watches.settle(token, [(before, replace(before, next_at=later, reconsider_at=later))])
    after = await watch_of(database, table.id)
    assert (after.next_at, after.reconsider_at) == (woken.next_at, woken.reconsider_at)
    assert after.reconsider_at != before.reconsider_at


async def test_due_looks_come_longest_due_first_and_leave_out_what_is_asked_to(database: Stores):
    first, second = [await registered(database, name) for name in ("one", "two")]
    async with database.begin() as unit:
        await unit.watches.wake(second.id)
        await unit.watches.wake(first.id)
        at = await unit.now() + timedelta(seconds=SHORTEST_SECONDS)
        found = [each.watch.table_id for each in await unit.watches.list_due(at, 10)]
        assert set(found) == {first.id, second.id}
        assert [each.ref for each in await unit.watches.list_due(at, 1)] in ([first.ref], [second.ref])
        assert await unit.watches.list_due(at, 10, without=["lake"]) == []
        assert await unit.watches.list_due(at - timedelta(hours=1), 10) == []


async def test_a_table_that_was_just_looked_at_rests_whoever_wakes_it(database: Stores, table: Table):
    token = await lead(database)
    assert token is not None
    before = await watch_of(database, table.id)
    now = await database.now()
    await database.watches.settle(token, [(before, replace(before, looked_at=now, next_at=now))])
    await database.watches.wake(table.id)
    soon = now + timedelta(seconds=1)
    assert await database.watches.list_due(soon, 10, rest_seconds=5) == []
    assert len(await database.watches.list_due(soon + timedelta(seconds=5), 10, rest_seconds=5)) == 1


async def test_a_scope_wakes_the_tables_that_it_covers_only(database: Stores, table: Table):
    await database.watches.wake_covered(PolicyScope(PolicyScopeKind.CATALOG, catalog="other"))
    assert (await watch_of(database, table.id)).reconsider_at is None
    await database.watches.wake_covered(PolicyScope(PolicyScopeKind.NAMESPACE, catalog="lake", namespace=("shop",)))
    woken = await watch_of(database, table.id)
    assert woken.reconsider_at is not None
    assert woken.next_at <= woken.reconsider_at + timedelta(seconds=1)


async def test_f24_ten_thousand_tables_that_are_overdue_are_spread_over_a_minute(database: Stores, table: Table):
    await many_watches(database, 10_000, seconds_away=-3600)
    await database.watches.spread_overdue()
    now = await database.now()
    for seconds, least, most in ((10, 1400, 2000), (30, 4700, 5400), (61, 10_000, 10_001)):
        count = len(await database.watches.list_due(now + timedelta(seconds=seconds), 20_000))
        assert least <= count <= most, (seconds, count)


async def test_a_fleet_policy_is_felt_by_all_tables_within_a_minute_and_delays_none(
    database: Stores, fresh_database: FreshDatabase, table: Table
):
    await many_watches(database, 1000, seconds_away=5)
    await database.watches.wake_covered(FLEET)
    assert len(await database.watches.list_due(await database.now() + timedelta(seconds=5), 2000)) >= 1000
    assert fresh_database.execute("SELECT count(*) FROM watches WHERE reconsider_at IS NULL") == [(0,)]


async def test_one_turn_walks_the_index_however_many_tables_there_are(database: Stores, table: Table):
    await many_watches(database, 10_000, seconds_away=3600)
    plan = await plan_of(database, watches.due(await database.now(), 100))
    assert "ix_watches_next_at_table_id" in plan, plan
    assert "SCAN watches" not in plan, plan
    assert "Seq Scan on watches" not in plan, plan


def test_looks_keep_to_stable_phases_and_come_early_when_time_alone_can_change_the_outcome():
    phases = [phase_of(TableId(f"tbl_{number}")) for number in range(10_000)]
    assert phases[:3] == [phase_of(TableId(f"tbl_{number}")) for number in range(3)]
    assert all(800 <= sum(tenth / 10 <= each < (tenth + 1) / 10 for each in phases) <= 1200 for tenth in range(10))
    watch = Watch(TableId("tbl_1"), 0.25, NOON, interval_seconds=60)
    for seconds in (0, 7, 29, 59, 61):
        now = NOON + timedelta(seconds=seconds)
        look = watch.next_look(now)
        assert look.timestamp() % 60 == pytest.approx(15, abs=0.01)
        assert timedelta(0) < look - now <= timedelta(seconds=60)
    watch = Watch(TableId("tbl_1"), 0.5, NOON, interval_seconds=LONGEST_SECONDS)
    soon = replace(watch, reconsider_at=NOON + timedelta(seconds=3))
    past = replace(watch, reconsider_at=NOON - timedelta(seconds=3))
    assert soon.next_look(NOON) == soon.reconsider_at
    assert past.next_look(NOON) == NOON
