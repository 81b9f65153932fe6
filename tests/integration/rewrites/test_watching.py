"""The coordinator decides by itself when to run: real database, Redis and tables; faults where they can happen."""

import asyncio
import socket
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from engine.domain.access import COORDINATOR, SYSTEM
from engine.domain.audit import AuditFilter
from engine.domain.errors import Transient
from engine.domain.ids import TableId
from engine.domain.policies import PolicyDocument, PolicyScope, PolicyScopeKind
from engine.domain.run_requests import RunRequest
from engine.domain.runs import Run, RunState
from engine.domain.signals import CommitSeen, SignalKind
from engine.domain.tables import TableRef
from engine.domain.watches import LONGEST_SECONDS, SHORTEST_SECONDS, Verdict, Watch
from engine.services.leadership import Leadership
from engine.services.watching import WatchService
from engine.stores.leadership import WATCH
from engine.workers.coordinator import Coordinator
from tests.support.world import NAME, SCHEMA, SPEC, World

FEW = {"name": "few", "all": [{"metric": "small_file_count", "at_least": 5}]}
AT_ONCE = {"min_interval": "0s"}
DAY = "2026-11-01"


class Killed(BaseException):
    """The end of a process, for a step to raise."""


def die() -> None:
    raise Killed


class Watching:
    """The watch of a world: each look begins when the test says so."""

    def __init__(self, world: World, *, seconds: float = 60, holder: str = "first") -> None:
        container = world.container
        self.world = world
        self.leadership = Leadership(database=container.database, name=WATCH, holder=holder, seconds=seconds)
        self.service = WatchService(
            database=container.database,
            formats=container.watching._formats,
            facts=container.watching._facts,
            submission=container.watching._submission,
            leadership=self.leadership,
            step=world.on_step,
            rest_seconds=0,
        )

    async def look(self, *, wake: bool = False, also: TableId | None = None) -> Watch:
        """Let the table's time come, look at what is due, return what was settled."""
        await self.service.lead()
        await self.let_time_come(evaluate=wake)
        if also is not None:
            async with self.world.container.database.begin() as unit:
                await unit.watches.wake(also)
        await self.service.turn()
        await self.service.finish()
        return await self.watch()

    async def let_time_come(self, *, evaluate: bool) -> None:
        async with self.world.container.database.begin() as unit:
            await unit.watches.wake(self.world.table_id, evaluate=evaluate)

    async def has_been_due(self, *, hours: int) -> None:
        """Let the table have been due for so long."""
        token = self.leadership.token
        assert token is not None
        seen = await self.watch()
        async with self.world.container.database.begin() as unit:
            since = await unit.now() - timedelta(hours=hours)
            assert await unit.watches.settle(token, [(seen, replace(seen, due_since=since))]) == 1

    async def watch(self) -> Watch:
        async with self.world.container.database.read() as unit:
            found = await unit.watches.get(self.world.table_id)
        assert found is not None
        return found


async def runs_of(world: World) -> list[Run]:
    async with world.container.database.read() as unit:
        return await unit.runs.list(world.table_id)


async def another_table(world: World, catalog_name: str, properties: dict[str, str]) -> TableId:
    """Put a table into the record that lies in another catalog, without asking that catalog."""
    table_id = TableId(f"tbl_{catalog_name}")
    async with world.container.database.begin() as unit:
        catalog, table = await unit.catalogs.get("lake"), await unit.tables.get(world.table_id)
        assert catalog is not None
        assert table is not None
        await unit.catalogs.insert(replace(catalog, name=catalog_name, properties=properties))
        await unit.tables.insert(replace(table, id=table_id, ref=TableRef(catalog_name, NAME[:1], NAME[1])))
    return table_id


async def is_led(world: World) -> bool:
    async with world.container.database.read() as unit:
        return await unit.leadership.is_led(WATCH)


async def set_policy(world: World, **document: Any) -> None:
    await world.set_policy({"triggers": [FEW], "schedule": AT_ONCE} | document)


async def finish_live(world: World) -> Run:
    (run,) = [run for run in await runs_of(world) if not run.is_terminal]
    return await world.finish(run.id)


@pytest.fixture
async def watching(world: World) -> AsyncIterator[Watching]:
    opened = Watching(world)
    yield opened
    await opened.service.close()


async def test_a_due_table_is_rewritten_without_a_request_and_then_left_alone(world: World, watching: Watching):
    rows = world.lake.rows()
    await set_policy(world)
    assert (await watching.look()).verdict is Verdict.SUBMITTED
    run = await finish_live(world)
    assert (run.state, run.requested_by) == (RunState.SUCCEEDED, COORDINATOR.subject)
    assert (len(world.lake.paths()), world.lake.rows()) == (3, rows)
    assert (await watching.look()).verdict is Verdict.NOT_DUE
    assert len(await runs_of(world)) == 1


async def test_a_table_below_the_trigger_is_left_alone_until_enough_files_come(world: World, watching: Watching):
    seen = await watching.look()
    assert (seen.verdict, seen.due_since, await runs_of(world)) == (Verdict.NOT_DUE, None, [])
    for _ in range(14):
        await asyncio.to_thread(world.lake.append, day=DAY, rows=5)
    seen = await watching.look()
    assert (seen.verdict, seen.changed_at is not None) == (Verdict.SUBMITTED, True)
    run = await finish_live(world)
    assert run.request["cause"] == {"rule": "many small files", "partition": f'{{"day":"{DAY}"}}', "due_partitions": 1}
    assert len([path for path in world.lake.paths() if DAY in path]) == 1
    assert len(world.lake.paths()) == 13  # the other partitions are as they were: no rule makes them due


async def test_events_and_audit_say_which_rule_began_a_run(world: World, watching: Watching):
    await set_policy(world)
    await watching.look()
    (run,) = await runs_of(world)
    cause = {"rule": "few", "partition": f'{{"day":"{DAY}"}}', "due_partitions": 3}
    events = await world.container.runs.events(SYSTEM, run.id, after_sequence=0, limit=10)
    assert events[0].details == {"cause": cause}
    async with world.container.database.read() as unit:
        entries = await unit.audit.list(AuditFilter(action="run.submit"), before=None, limit=10)
    assert [(entry.caller, (entry.after or {})["cause"]) for entry, _ in entries] == [("coordinator", cause)]


async def test_an_unchanged_pointer_is_not_evaluated_and_looked_at_ever_less(world: World, watching: Watching):
    await watching.look()
    world.at("decided", die)
    seconds = [(await watching.look()).interval_seconds for _ in range(8)]
    assert seconds == sorted(seconds)
    assert seconds[-1] == LONGEST_SECONDS
    assert len(world.actions["decided"]) == 1


async def test_a_table_that_changes_is_looked_at_more_often_again(world: World, watching: Watching):
    for _ in range(8):
        await watching.look()
    for expected in (LONGEST_SECONDS // 2, LONGEST_SECONDS // 4):
        await asyncio.to_thread(world.lake.append, day=DAY)
        assert (await watching.look()).interval_seconds == expected


@pytest.mark.parametrize(
    ("document", "verdict", "code"),
    [
        ({"enabled": False}, Verdict.DISABLED, "disabled"),
        ({"seal": {"quiet_for": "2h"}}, Verdict.NOT_DUE, None),
        ({"triggers": []}, Verdict.NOT_DUE, None),
    ],
)
async def test_what_the_policy_forbids_does_not_begin(
    world: World, watching: Watching, document: dict[str, Any], verdict: Verdict, code: str | None
):
    await set_policy(world, **document)
    seen = await watching.look()
    assert (seen.verdict, seen.code, await runs_of(world)) == (verdict, code, [])


async def test_quiet_hours_hold_a_due_table_back_until_they_end_or_it_is_urgent(world: World, watching: Watching):
    now = datetime.now(UTC)
    window = {"from": f"{now - timedelta(hours=2):%H:%M}", "to": f"{now + timedelta(hours=2):%H:%M}"}
    urgent = {"quiet_hours": [window], "schedule": {**AT_ONCE, "urgent_after": "1h"}}
    await set_policy(world, **urgent)
    seen = await watching.look()
    assert (seen.verdict, seen.code, await runs_of(world)) == (Verdict.HELD, "quiet_hours", [])
    assert seen.due_since is not None
    assert seen.reconsider_at == seen.due_since + timedelta(hours=1)
    await watching.has_been_due(hours=2)
    seen = await watching.look(wake=True)
    (run,) = await runs_of(world)
    assert (seen.verdict, run.due_since) == (Verdict.SUBMITTED, seen.due_since)
    assert (await finish_live(world)).state is RunState.SUCCEEDED


async def test_a_paused_table_begins_nothing_until_it_is_resumed(world: World, watching: Watching):
    await set_policy(world)
    await world.container.pauses.pause_table(SYSTEM, world.table_id, reason="migration", stops=False)
    seen = await watching.look()
    assert (seen.verdict, seen.code, await runs_of(world)) == (Verdict.HELD, "table_paused", [])
    assert seen.due_since is not None
    await world.container.pauses.resume_table(SYSTEM, world.table_id)
    await watching.service.turn()
    await watching.service.finish()
    (run,) = await runs_of(world)
    assert run.due_since == seen.due_since


async def test_a_seal_lets_a_run_begin_when_it_is_there(world: World, watching: Watching):
    await set_policy(world, seal={"quiet_for": "2h"})
    seen = await watching.look()
    assert seen.reconsider_at is not None
    assert 7000 < (seen.reconsider_at - (seen.looked_at or seen.reconsider_at)).total_seconds() <= 7202


async def test_min_interval_counts_from_the_last_start(world: World, watching: Watching):
    await set_policy(world, schedule={"min_interval": "1h"})
    await watching.look()
    run = await finish_live(world)
    for _ in range(6):
        await asyncio.to_thread(world.lake.append, day=DAY)
    seen = await watching.look()
    assert (seen.verdict, seen.code) == (Verdict.HELD, "min_interval")
    assert run.started_at is not None
    assert seen.reconsider_at is not None
    assert (seen.reconsider_at - run.started_at).total_seconds() == pytest.approx(3600, abs=0.01)
    assert seen.next_at <= seen.reconsider_at


async def test_cron_is_a_time_to_look_at_as_well(world: World, watching: Watching):
    await world.set_policy({"schedule": {"cron": "* * * * *"}})
    seen = await watching.look()
    assert seen.verdict is Verdict.NOT_DUE
    assert seen.reconsider_at is not None
    assert seen.reconsider_at.second == 0
    assert seen.next_at <= seen.reconsider_at


async def test_a_live_run_of_somebody_is_waited_for(world: World, watching: Watching):
    await set_policy(world)
    await world.submit()
    seen = await watching.look()
    assert (seen.verdict, seen.code, len(await runs_of(world))) == (Verdict.HELD, "run_waits", 1)


async def test_a_run_that_fails_again_and_again_is_not_submitted_in_a_hot_loop(world: World, watching: Watching):
    await set_policy(world)
    for file in world.lake.paths():
        Path(file.removeprefix("file://")).unlink()
    await watching.look()
    run = await finish_live(world)
    assert run.state is RunState.FAILED
    waits = []
    for failures in range(1, 4):
        for _ in range(3):
            seen = await watching.look(wake=True)
        assert (seen.verdict, seen.code, len(await runs_of(world))) == (Verdict.HELD, "runs_in_vain", failures)
        assert seen.reconsider_at is not None
        waits.append((seen.reconsider_at - (seen.looked_at or seen.reconsider_at)).total_seconds())
        again, _ = await world.container.runs.submit(SYSTEM, world.table_id, RunRequest(), priority=None, force=False)
        await world.finish(again.id)
    assert waits == pytest.approx([300, 600, 1200], abs=30)


async def test_a_due_table_with_nothing_worth_a_rewrite_begins_nothing(world: World, watching: Watching):
    rule = {"name": "many snapshots", "all": [{"metric": "snapshot_count", "at_least": 1}]}
    await world.set_policy({"triggers": [rule], "schedule": AT_ONCE, "rewrite": {"min_input_files": 100}})
    seen = await watching.look()
    assert (seen.verdict, seen.code, await runs_of(world)) == (Verdict.HELD, "nothing_to_do", [])


async def test_a_full_rewrite_begins_by_itself_when_its_setting_is_due(world: World, watching: Watching):
    await set_policy(world, triggers=[], rewrite={"full": {"interval": "1d"}})
    await watching.look()
    run = await finish_live(world)
    assert (run.state, run.request["force_full"], run.request["only_due"]) == (RunState.SUCCEEDED, True, True)
    assert run.request["cause"]["rule"] == "rewrite.full.interval"
    assert (await watching.look(wake=True)).verdict is Verdict.NOT_DUE


async def test_a_run_by_itself_for_which_nothing_is_due_any_more_says_so(world: World, watching: Watching):
    await set_policy(world)
    await watching.look()
    async with world.container.database.begin() as unit:
        await unit.policies.replace(world.table_id, PolicyDocument(), "test", 1)
    run = await finish_live(world)
    assert (run.state, run.reason) == (RunState.SKIPPED, "nothing_to_do")
    assert "no rule of the policy makes it due now" in (run.detail or "")


async def test_partitions_that_a_run_took_on_are_finished_although_they_are_not_due_any_more(
    world: World, watching: Watching
):
    def lose_spark() -> None:
        message = "Spark went away"
        raise Transient(message)

    await set_policy(world)
    await watching.look()
    (run,) = await runs_of(world)
    world.at("rewriting", lose_spark)
    await world.container.worker.advance(run.id)
    async with world.container.database.begin() as unit:
        await unit.policies.replace(world.table_id, PolicyDocument.model_validate({"triggers": []}), "test", 1)
    world.make_due(run.id)
    assert (await world.finish(run.id)).state is RunState.SUCCEEDED
    assert len(world.lake.paths()) == 3


async def test_a_commit_that_is_told_is_looked_at_at_once(world: World, watching: Watching):
    await set_policy(world)
    for _ in range(3):
        await watching.look()
    async with world.container.database.begin() as unit:
        assert await unit.watches.list_due(await unit.now(), 10) == []
    await world.container.signals.send(SYSTEM, world.table_id, CommitSeen(kind=SignalKind.COMMIT))
    assert await watching.service.turn() == 1
    await watching.service.finish()


async def test_a_policy_that_makes_a_table_due_is_felt_without_a_commit(world: World, watching: Watching):
    await watching.look()
    await watching.look()
    await set_policy(world)
    await asyncio.sleep(0.2)  # a table on its own is woken within a tenth of a second
    await watching.service.turn()
    await watching.service.finish()
    assert (await watching.watch()).verdict is Verdict.SUBMITTED


async def test_a_table_that_vanishes_between_poll_and_look_harms_nobody(world: World, watching: Watching):
    await set_policy(world)
    await watching.look()
    await finish_live(world)
    await asyncio.to_thread(world.lake.catalog.drop_table, NAME)
    seen = await watching.look()
    assert (seen.verdict, seen.code) == (Verdict.UNREACHABLE, "state_conflict")
    assert "no longer in its catalog" in (seen.detail or "")
    await world.container.tables.delete(SYSTEM, world.table_id)
    assert await watching.service.turn() == 0


async def test_a_registration_that_ends_during_a_look_leaves_nothing(world: World, watching: Watching):
    async with world.container.database.read() as unit:
        (watched,) = await unit.watches.list_due((await watching.watch()).next_at, 10)
    await watching.service.lead()
    await world.container.tables.delete(SYSTEM, world.table_id)
    await watching.service._visit("lake", [watched])
    assert await runs_of(world) == []


async def test_a_catalog_that_is_away_backs_off_and_stops_no_other(world: World, watching: Watching):
    broken = {**world.lake.properties, "uri": "sqlite:////nowhere/catalog.db"}
    other = await another_table(world, "away", broken)
    await set_policy(world)
    waits = []
    for _ in range(7):
        await watching.look(also=other)
        async with world.container.database.read() as unit:
            away = await unit.watches.get(other)
        assert away is not None
        assert away.verdict is Verdict.UNREACHABLE
        waits.append(away.interval_seconds)
    assert waits[:3] == [2 * SHORTEST_SECONDS, 4 * SHORTEST_SECONDS, 8 * SHORTEST_SECONDS]
    assert waits[-1] == LONGEST_SECONDS
    assert len(await runs_of(world)) == 1


async def test_a_catalog_that_hangs_stops_no_other(world: World, watching: Watching):
    await set_policy(world)
    with socket.create_server(("127.0.0.1", 0)) as silent:  # takes connections and never answers
        properties = {"type": "rest", "uri": f"http://127.0.0.1:{silent.getsockname()[1]}"}
        hung = await another_table(world, "hung", properties)
        await watching.service.lead()
        await watching.let_time_come(evaluate=True)
        async with world.container.database.begin() as unit:
            await unit.watches.wake(hung)
        await watching.service.turn()
        async with asyncio.timeout(20):
            while (await watching.watch()).verdict is not Verdict.SUBMITTED:
                await asyncio.sleep(0.05)
        await watching.let_time_come(evaluate=True)
        assert await watching.service.turn() == 1  # the hung catalog is left out until its visit ends
        await watching.service.close()
    assert not await is_led(world)


async def test_a_coordinator_leads_while_it_runs_and_resigns_when_it_stops(world: World, watching: Watching):
    container = world.container
    coordinator = Coordinator(
        database=container.database,
        claims=container.worker._claims,
        audit=container.audit,
        queue=container.queue,
        reclaim_idle_seconds=60,
        watching=watching.service,
    )
    await set_policy(world)
    running = asyncio.create_task(coordinator.run())
    async with asyncio.timeout(30):
        while not await runs_of(world):
            await asyncio.sleep(0.05)
    assert await is_led(world)
    coordinator.stop()
    await running
    assert not await is_led(world)


async def test_a_table_that_comes_back_is_evaluated_although_nothing_was_written(world: World, watching: Watching):
    await set_policy(world)
    present = world.lake.properties
    broken = {**present, "uri": "sqlite:////nowhere/catalog.db"}
    await world.container.catalogs.replace(SYSTEM, "lake", broken, 1)
    assert (await watching.look()).verdict is Verdict.UNREACHABLE
    await world.container.catalogs.replace(SYSTEM, "lake", present, 2)
    assert (await watching.look()).verdict is Verdict.SUBMITTED


async def test_only_the_leader_looks(world: World, watching: Watching):
    await watching.service.lead()
    other = Watching(world, holder="second")
    assert await other.service.lead() == 0
    await watching.let_time_come(evaluate=True)
    assert await other.service.turn() == 0


async def test_another_takes_over_from_a_leader_that_fell_silent(world: World):
    await set_policy(world)
    silent = Watching(world, seconds=0.3)
    await silent.service.lead()
    other = Watching(world, holder="second")
    assert await other.service.lead() == 0
    await asyncio.sleep(0.5)
    assert (await other.look()).verdict is Verdict.SUBMITTED
    assert await silent.service.turn() == 0
    await other.service.close()


async def test_what_a_leader_decides_after_its_time_is_harmless(world: World):
    await set_policy(world)
    stale, current = Watching(world, seconds=60), Watching(world, holder="second")
    await stale.service.lead()
    await stale.let_time_come(evaluate=True)
    async with world.container.database.begin() as unit:
        await unit.leadership.resign(WATCH, stale.leadership.token or 0)
    await asyncio.gather(stale.service.turn(), current.service.lead())
    await current.service.turn()
    await asyncio.gather(stale.service.finish(), current.service.finish())
    assert len(await runs_of(world)) == 1
    assert (await current.look(wake=True)).verdict is Verdict.HELD
    assert len(await runs_of(world)) == 1
    await current.service.close()


@pytest.mark.parametrize("step", ["decided", "submitted"])
async def test_a_coordinator_that_dies_in_a_decision_is_followed_by_one_that_decides_anew(world: World, step: str):
    await set_policy(world)
    first = Watching(world, seconds=0.5)
    world.at(step, die)
    with pytest.raises(Killed):
        await first.look(wake=True)
    assert (await first.watch()).verdict is Verdict.NEW
    await asyncio.sleep(0.6)
    second = Watching(world, holder="second")
    seen = await second.look()
    assert seen.verdict is (Verdict.SUBMITTED if step == "decided" else Verdict.HELD)
    assert len(await runs_of(world)) == 1
    assert (await finish_live(world)).state is RunState.SUCCEEDED
    await second.service.close()


async def test_looks_that_fail_for_an_unknown_reason_back_off_too(world: World, watching: Watching):
    def break_down() -> None:
        message = "a bug"
        raise RuntimeError(message)

    world.at("decided", break_down)
    seen = await watching.look(wake=True)
    assert (seen.verdict, seen.code) == (Verdict.UNREACHABLE, "internal")
    assert (await watching.look()).verdict is Verdict.NOT_DUE


async def test_a_second_table_is_looked_at_in_the_same_turn(world: World, watching: Watching):
    await asyncio.to_thread(lambda: world.lake.catalog.create_table((NAME[0], "empty"), SCHEMA, partition_spec=SPEC))
    ref = TableRef("lake", NAME[:1], "empty")
    other = await world.container.tables.register(SYSTEM, ref, owner_team=None, labels={})
    await watching.look(also=other.id)
    async with world.container.database.read() as unit:
        seen = await unit.watches.get(other.id)
    assert seen is not None
    assert seen.verdict is Verdict.NOT_DUE


async def test_a_fleet_policy_reaches_every_table_in_two_statements(world: World, watching: Watching):
    await watching.look()
    async with world.container.database.begin() as unit:
        await unit.watches.wake_covered(PolicyScope(PolicyScopeKind.FLEET))
    assert (await watching.watch()).reconsider_at is not None
