"""Explain is right: what it says of the next start is when the coordinator really starts a run.

Time passes on the record's clock alone. The coordinator looks when a look is due, and nobody tells it anything else.
"""

import asyncio
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from engine.domain.access.callers import SYSTEM
from engine.domain.runs.run import Run, RunState
from engine.domain.tables.signals import QueryLatency, SignalKind
from engine.domain.tables.watches import Verdict
from tests.support.attempts import append_files
from tests.support.moved_clock import MovedClock
from tests.support.passing_time import PassingTime
from tests.support.watching import AT_ONCE, DAY, FEW, Watching, finish_live
from tests.support.windows_ahead import blackout, change_policy

LATE = timedelta(seconds=20)
"""The shortest time between two looks, and some for a busy machine."""

SEEDS = "1 2 3 4" if "PACKHOUSE_DEEP" in os.environ else "1"
Written = dict[str, Any]


@pytest.fixture
def time(watching: Watching, clock: MovedClock) -> PassingTime:
    return PassingTime(watching, clock)


async def policy(time: PassingTime, **document: Any) -> None:
    """Set the table's policy: it is due at five files, and may be rewritten again at once."""
    await change_policy(time.watching.world, {"triggers": [FEW], "schedule": AT_ONCE} | document)


async def starts_as_said(time: PassingTime, *, after: timedelta = timedelta(0)) -> Run:
    """Let time pass: explain says the same half-way, the run starts then, and not before `after` from now."""
    said, asked_at = await time.said(), await time.clock.now()
    assert said is not None
    assert said >= asked_at + after - LATE
    if said - asked_at > timedelta(minutes=1):
        assert await time.until(asked_at + (said - asked_at) / 2) is None
        again = await time.said()
        assert again is not None
        assert abs(again - said) < LATE
    run = await time.until(said + LATE)
    assert run is not None, f"nothing began at {said}"
    assert run.created_at >= said - timedelta(seconds=1)
    return run


async def more_files(time: PassingTime) -> None:
    await asyncio.to_thread(append_files, time.watching.world.lake, DAY, rows=5)


def quiet(begin: datetime, end: datetime) -> Written:
    """Return quiet hours from one instant (UTC) to another of the next 24 hours, by their minutes."""
    return {"from": f"{begin.astimezone(UTC):%H:%M}", "to": f"{end.astimezone(UTC):%H:%M}", "time_zone": "UTC"}


async def minute(time: PassingTime, **ahead: float) -> datetime:
    """Return an instant ahead, in whole minutes."""
    return (await time.clock.now() + timedelta(**ahead)).astimezone(UTC).replace(second=0, microsecond=0)


async def test_below_the_rule_nothing_is_said_to_start_and_nothing_starts(time: PassingTime) -> None:
    await policy(time, triggers=[{"name": "more", "all": [{"metric": "small_file_count", "at_least": 12}]}])
    assert await time.said() is None
    assert await time.until(await time.clock.now() + timedelta(hours=2)) is None
    assert await time.said() is None
    await more_files(time)
    await starts_as_said(time)


async def test_the_rest_of_min_interval(time: PassingTime) -> None:
    await policy(time, schedule={"min_interval": "45m"})
    await starts_as_said(time)
    first = await finish_live(time.watching.world)
    await more_files(time)
    second = await starts_as_said(time, after=timedelta(minutes=44))
    assert first.started_at is not None
    assert timedelta(0) <= second.created_at - first.started_at - timedelta(minutes=45) < LATE


async def test_quiet_hours_and_a_blackout_that_follows_them(time: PassingTime) -> None:
    end, later = await minute(time, hours=2), await minute(time, hours=3)
    hours = quiet(await minute(time, hours=-1), end)
    await policy(time, quiet_hours=[hours])
    assert await time.said() == end
    await policy(time, quiet_hours=[hours], blackouts=[blackout(end, later)])
    assert await time.said() == later
    await starts_as_said(time, after=timedelta(hours=2))


async def test_an_interval_that_ends_inside_quiet_hours(time: PassingTime) -> None:
    await policy(time, schedule={"min_interval": "1h"})
    await starts_as_said(time)
    await finish_live(time.watching.world)
    await more_files(time)
    begin, end = await minute(time, minutes=30), await minute(time, hours=3)
    await policy(time, schedule={"min_interval": "1h"}, quiet_hours=[quiet(begin, end)])
    run = await starts_as_said(time)
    assert run.created_at >= end


async def test_a_seal_that_comes_inside_quiet_hours(time: PassingTime) -> None:
    begin, end = await minute(time, hours=1), await minute(time, hours=4)
    await policy(time, seal={"quiet_for": "2h"}, quiet_hours=[quiet(begin, end)])
    run = await starts_as_said(time)
    assert run.created_at >= end


async def test_a_run_that_becomes_urgent_in_quiet_hours(time: PassingTime) -> None:
    hours = quiet(await minute(time, hours=-1), await minute(time, hours=6))
    await policy(time, quiet_hours=[hours], schedule={**AT_ONCE, "urgent_after": "2h"})
    assert await time.until(await time.clock.now() + timedelta(minutes=1)) is None
    assert (await time.watching.watch()).verdict is Verdict.HELD
    await starts_as_said(time, after=timedelta(hours=1, minutes=58))


async def test_a_table_that_becomes_due_and_urgent_in_quiet_hours_and_then_waits_for_a_blackout(
    time: PassingTime,
) -> None:
    hours = quiet(await minute(time, hours=-1), await minute(time, hours=9))
    freeze = blackout(await minute(time, hours=3), await minute(time, hours=5))
    urgent = {**AT_ONCE, "urgent_after": "2h"}
    await policy(time, quiet_hours=[hours], blackouts=[freeze], schedule=urgent, seal={"quiet_for": "2h"})
    run = await starts_as_said(time, after=timedelta(hours=3))  # due after 2 h, urgent after 4 h, free after 5 h
    assert run.created_at >= datetime.fromisoformat(freeze["to"])


async def test_slow_queries_until_their_measurement_is_old(time: PassingTime) -> None:
    backoff = {"signal": "query_latency_p95", "throttle_above": "2s", "pause_above": "5s", "resume_below": "1s"}
    await policy(time, backoff=backoff)
    value = QueryLatency(kind=SignalKind.QUERY_LATENCY, p95_seconds=9)
    await time.watching.world.container.signals.send(SYSTEM, time.watching.world.table_id, value)
    await starts_as_said(time, after=timedelta(minutes=4, seconds=50))


@pytest.mark.parametrize("held_by", ["table", "fleet", "policy"])
async def test_a_hold_without_an_end_that_could_be_told_starts_nothing_and_its_end_starts_at_once(
    time: PassingTime, held_by: str
) -> None:
    """A pause, or a policy that is off."""
    pauses, of = time.watching.world.container.pauses, (time.watching.world.table_id,) if held_by == "table" else ()
    await policy(time, enabled=held_by != "policy")
    if held_by != "policy":
        await getattr(pauses, f"pause_{held_by}")(SYSTEM, *of, reason="migration", stops=False)
    assert await time.said() is None
    assert await time.until(await time.clock.now() + timedelta(hours=3)) is None
    assert await time.begun(lambda _run: True) == []
    if held_by != "policy":
        await getattr(pauses, f"resume_{held_by}")(SYSTEM, *of)
    else:
        await policy(time)
    await starts_as_said(time)


async def test_the_rest_after_runs_in_vain(time: PassingTime) -> None:
    await policy(time)
    for file in time.watching.world.lake.paths():
        Path(file.removeprefix("file://")).unlink()
    for minutes in (5, 10):
        await starts_as_said(time)
        assert (await finish_live(time.watching.world)).state is RunState.FAILED
        said, now = await time.said(), await time.clock.now()
        assert said is not None
        assert abs(said - now - timedelta(minutes=minutes)) < LATE


@pytest.mark.parametrize(
    "rule",
    [
        pytest.param({"seal": {"quiet_for": "3h"}}, id="sealed"),
        pytest.param({"triggers": [{"name": "old", "all": [{"metric": "newest_file_age", "above": "3h"}]}]}, id="aged"),
        pytest.param(
            {"triggers": [{"name": "old", "all": [{"metric": "oldest_small_file_age", "at_least": "3h"}]}]}, id="waited"
        ),
    ],
)
async def test_what_time_alone_makes_due(time: PassingTime, rule: Written) -> None:
    """P15: a rule on the age of small files limits how long new data waits for a rewrite."""
    await policy(time, **rule)
    await starts_as_said(time, after=timedelta(hours=2, minutes=59))


async def test_cron_looks_at_new_files_sooner_than_the_watch_would(time: PassingTime) -> None:
    nine_minutes_ago = await minute(time, minutes=-9)
    cron = {"min_interval": "0s", "cron": f"{nine_minutes_ago.minute} * * * *"}
    await policy(
        time, triggers=[{"name": "more", "all": [{"metric": "small_file_count", "at_least": 12}]}], schedule=cron
    )
    assert await time.until(nine_minutes_ago + timedelta(minutes=58), every_look=True) is None
    await more_files(time)
    run = await starts_as_said(time)
    assert run.created_at < nine_minutes_ago + timedelta(hours=1) + LATE


async def test_bytes_per_day_that_come_free_in_two_parts(time: PassingTime) -> None:
    world, limit = time.watching.world, 10_000_000
    await policy(time)
    for count in (1_000, limit):
        await starts_as_said(time)
        run = await finish_live(world)
        world.spend(run.id, count)
        await more_files(time)
        await time.clock.pass_by(hours=1)
    await policy(time, limits={"bytes_per_day": limit})
    second = await starts_as_said(time, after=timedelta(hours=22, minutes=59))
    assert timedelta(0) <= second.created_at - run.created_at - timedelta(hours=24) < LATE


async def test_a_run_of_somebody_is_waited_for_and_counts_for_the_interval(time: PassingTime) -> None:
    world = time.watching.world
    await policy(time, schedule={"min_interval": "5m"})
    asked = await world.submit()
    assert await time.said() is None
    assert await time.until(await time.clock.now() + timedelta(minutes=7)) is None
    assert (await world.finish(asked.id)).state is RunState.SUCCEEDED
    await more_files(time)
    await starts_as_said(time, after=timedelta(minutes=4))


async def test_what_is_said_before_the_first_look_holds(time: PassingTime) -> None:
    """The watch has not seen the files yet: the run starts with its next look."""
    await time.watching.look()
    for _ in range(3):
        await time.look_when_due()
    await policy(time)
    await starts_as_said(time)


@pytest.mark.parametrize("seed", [int(seed) for seed in os.environ.get("PACKHOUSE_SEEDS", SEEDS).split()])
async def test_whatever_holds_a_table_back_explain_is_right(time: PassingTime, seed: int) -> None:
    """Any settings that hold runs back, together; seeds replay: `PACKHOUSE_SEEDS="17" pytest -k whatever`."""
    random = Random(seed)
    if random.random() < 0.5:  # there was a run before, and new files came
        await policy(time)
        await starts_as_said(time)
        await finish_live(time.watching.world)
        await more_files(time)
    await policy(time, **await any_settings(time, random))
    if random.random() < 0.3:
        value = QueryLatency(kind=SignalKind.QUERY_LATENCY, p95_seconds=9)
        await time.watching.world.container.signals.send(SYSTEM, time.watching.world.table_id, value)
    await starts_as_said(time)


async def any_settings(time: PassingTime, random: Random) -> Written:
    """Return settings of which each is there or not; windows begin and end within the next half day."""

    async def span() -> tuple[datetime, datetime]:
        begin = random.randint(-60, 400)
        return await minute(time, minutes=begin), await minute(time, minutes=begin + random.randint(30, 400))

    urgent = {"urgent_after": f"{random.randint(10, 400)}m"} if random.random() < 0.5 else {}
    cron = {"cron": f"{random.randint(0, 59)} * * * *"} if random.random() < 0.3 else {}
    waits = random.choice(
        [{}, {"seal": {"quiet_for": f"{random.randint(1, 300)}m"}}, {"triggers": [old(minutes=random.randint(1, 300))]}]
    )
    return {
        "quiet_hours": [quiet(*await span()) for _ in range(random.randint(0, 2))],
        "blackouts": [blackout(*await span()) for _ in range(random.randint(0, 2))],
        "schedule": {"min_interval": f"{random.choice([0, 20, 200])}m"} | urgent | cron,
        "backoff": {"signal": "query_latency_p95", "throttle_above": "2s", "pause_above": "5s", "resume_below": "1s"},
    } | waits


def old(**age: float) -> Written:
    wanted = f"{round(timedelta(**age).total_seconds())}s"
    return {"name": "old", "all": [{"metric": "newest_file_age", "above": wanted}]}
