"""Compare the start times that explain predicts with the actual starts of runs.

Nine tables each have a different reason to wait: the least interval, quiet hours, a blackout, urgency in quiet hours,
an age, a seal, a daily budget, slow queries, a pause. Writers append bursts of small files at random moments; a real
coordinator and a real worker run. Each prediction is compared after its time:

- without a change since (commit of a writer, signal or pause): a run must start within `TOLERANCE` of it;
- with a change before that time: a run may start after the change, not before;
- without a predicted time: no run may start before a change.

A run starts when the coordinator submits it.
"""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from bench.fleet.artemis import slow_upkeep
from bench.fleet.tables import as_table
from engine.domain.access.callers import COORDINATOR, SYSTEM
from engine.domain.ids import TableId
from engine.domain.tables.signals import QueryLatency, SignalKind
from engine.services.explain.reader import FactReader
from engine.services.explain.starts import start_at
from engine.services.explain.timing import eligibility
from tests.simulation.lake import ModelTable
from tests.simulation.loop import EPOCH
from tests.simulation.world import World

MIB = 2**20
TOLERANCE: Final = timedelta(seconds=10)
"""Looks start each second and take some time; sealed and aged partitions are evaluated a second later."""
_DAY_PARTITION: Final = '{"day":"2026-11-02"}'
_MANY: Final = [{"name": "many", "all": [{"metric": "small_file_count", "at_least": 10}]}]
_AGED: Final = [
    {
        "name": "aged",
        "all": [{"metric": "oldest_small_file_age", "at_least": "4m"}, {"metric": "small_file_count", "at_least": 5}],
    }
]


def _at(minutes: float) -> datetime:
    return EPOCH + timedelta(minutes=minutes)


def _quiet(start: int, end: int) -> list[dict[str, str]]:
    return [{"from": f"{_at(start):%H:%M}", "to": f"{_at(end):%H:%M}"}]


def _policies() -> dict[str, dict[str, Any]]:
    freeze = {"from": f"{_at(6):%Y-%m-%dT%H:%M:%SZ}", "to": f"{_at(13):%Y-%m-%dT%H:%M:%SZ}", "reason": "a freeze"}
    often: dict[str, Any] = {"triggers": _MANY, "schedule": {"min_interval": "1m"}}
    backoff = {"signal": "query_latency_p95", "throttle_above": "2s", "pause_above": "5s", "resume_below": "1s"}
    return {
        "interval": {"triggers": _MANY, "schedule": {"min_interval": "6m"}},
        "quiet": {**often, "quiet_hours": [*_quiet(5, 12), *_quiet(20, 24)]},
        "blackout": {**often, "blackouts": [freeze]},
        "urgent": {
            "triggers": _MANY,
            "schedule": {"min_interval": "1m", "urgent_after": "3m"},
            "quiet_hours": _quiet(4, 22),
        },
        "aged": {"triggers": _AGED, "schedule": {"min_interval": "1m"}},
        "sealed": {**often, "seal": {"quiet_for": "3m"}},
        "budget": {**often, "limits": {"bytes_per_day": 90 * MIB}},
        "slow": {**often, "backoff": backoff},
        "paused": often,
    }


@dataclass(frozen=True, slots=True)
class Prediction:
    """What explain said at an instant: when a run would begin, None for no time; `held_by` are the reasons."""

    table: str
    said_at: datetime
    at: datetime | None
    held_by: tuple[str, ...]


@dataclass(slots=True)
class Explained:
    """The result. `changes` and `starts` by table, in order."""

    predictions: list[Prediction] = field(default_factory=list)
    changes: dict[str, list[datetime]] = field(default_factory=lambda: defaultdict(list))
    starts: dict[str, list[datetime]] = field(default_factory=lambda: defaultdict(list))
    ended_at: datetime = EPOCH
    errors: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    wrong: list[str] = field(default_factory=list)
    open: int = 0

    def judge(self) -> None:
        """Compare every prediction: `errors` in seconds by the first reason to wait, `wrong` in words."""
        for each in self.predictions:
            began = next((at for at in self.starts[each.table] if at > each.said_at), None)
            changed = next((at for at in self.changes[each.table] if at > each.said_at), self.ended_at)
            if began is not None and began >= changed:
                began = None  # it started because of the change
            if began is not None:
                self._compare(each, began)
            elif each.at is not None and each.at + TOLERANCE < changed:
                self.wrong.append(f"{_said(each)}; nothing began until something changed at {changed:%H:%M:%S}")
            else:
                self.open += 1

    def _compare(self, each: Prediction, began: datetime) -> None:
        if each.at is None:
            self.wrong.append(f"{_said(each)}; it began at {began:%H:%M:%S} and nothing had changed")
            return
        error = (began - each.at).total_seconds()
        self.errors[each.held_by[0] if each.held_by else "nothing"].append(error)
        if abs(error) > TOLERANCE.total_seconds():
            self.wrong.append(f"{_said(each)}; it began at {began:%H:%M:%S}, {error:+.1f} s")


async def explained(world: World, *, minutes: float) -> Explained:
    """Run the tables for some minutes, record predictions of explain at random moments, and compare them."""
    slow_upkeep()
    await world.add_catalog("lake")
    found = Explained()
    tables: dict[str, tuple[TableId, ModelTable]] = {}
    for name, policy in _policies().items():
        table, model = await world.add_table("lake", name)
        await world.set_policy(table.id, policy)
        model.append(_DAY_PARTITION, [3 * MIB] * 4)
        tables[name] = table.id, model
    world.start("coordinator", "leader")
    world.start("worker", "hands")
    await asyncio.sleep(30)
    tasks = [asyncio.create_task(_write(world, name, model, found)) for name, (_, model) in tables.items()]
    tasks += [asyncio.create_task(_disturb(world, tables, found))]
    until = EPOCH + timedelta(minutes=minutes)
    while world.loop.instant() < until:
        await asyncio.sleep(world.random.uniform(1, 6))
        await _predict(world, found, {name: table_id for name, (table_id, _) in tables.items()})
    for task in tasks:
        task.cancel()
    await _starts(world, found, {table_id: name for name, (table_id, _) in tables.items()})
    found.judge()
    return found


async def recovered(world: World) -> Explained:
    """Make a table due while queries are slow, and record a prediction as soon as they are fast again."""
    await world.add_catalog("lake")
    found = Explained()
    table, model = await world.add_table("lake", "slow")
    await world.set_policy(table.id, _policies()["slow"])
    await _send_latency(world, table.id, 8.0, found)
    model.append(_DAY_PARTITION, [2 * MIB] * 20)
    world.start("coordinator", "leader")
    await asyncio.sleep(60)
    await _send_latency(world, table.id, 0.5, found)
    await asyncio.sleep(1)
    await _predict(world, found, {"slow": table.id})
    await asyncio.sleep(360)
    await _starts(world, found, {table.id: "slow"})
    found.judge()
    return found


def report(results: Sequence[Explained]) -> str:
    """Return the table of results."""
    errors: dict[str, list[float]] = defaultdict(list)
    for each in results:
        for reason, found in each.errors.items():
            errors[reason] += found
    rows = [
        (reason, len(found), f"{sum(found) / len(found):+.1f} s", f"{min(found):+.1f} s", f"{max(found):+.1f} s")
        for reason, found in sorted(errors.items())
    ]
    wrong = [text for each in results for text in each.wrong]
    asked, open_ones = sum(len(each.predictions) for each in results), sum(each.open for each in results)
    title = (
        f"**{asked:,} predictions, {open_ones:,} of them overtaken by a change or without a time, {len(wrong)} wrong "
        f"(more than {TOLERANCE.total_seconds():g} s off)**"
    )
    head = ("held back first by", "came true", "late by, mean", "earliest", "latest")
    return "\n".join([as_table(title, head, rows), *wrong[:20]])


async def _write(world: World, name: str, model: ModelTable, found: Explained) -> None:
    """Append bursts of small files at random moments; some are too few to make the table due."""
    while True:
        await asyncio.sleep(world.random.uniform(40, 240))
        model.append(_DAY_PARTITION, [2 * MIB] * world.random.choice([3, 6, 12, 20]))
        found.changes[name].append(world.loop.instant())


async def _disturb(world: World, tables: dict[str, tuple[TableId, ModelTable]], found: Explained) -> None:
    """Report slow and then fast queries of one table; pause another and resume it."""
    slow, paused = tables["slow"][0], tables["paused"][0]
    while True:
        for seconds in (8.0, 0.5):
            await asyncio.sleep(world.random.uniform(100, 250))
            await _send_latency(world, slow, seconds, found)
        await world.api.pauses.pause_table(SYSTEM, paused, reason="a look", stops=False)
        found.changes["paused"].append(world.loop.instant())
        await asyncio.sleep(world.random.uniform(60, 120))
        await world.api.pauses.resume_table(SYSTEM, paused)
        found.changes["paused"].append(world.loop.instant())


async def _send_latency(world: World, table_id: TableId, seconds: float, found: Explained) -> None:
    value = QueryLatency(kind=SignalKind.QUERY_LATENCY, p95_seconds=seconds)
    await world.api.signals.send(SYSTEM, table_id, value)
    found.changes["slow"].append(world.loop.instant())


async def _predict(world: World, found: Explained, tables: dict[str, TableId]) -> None:
    """Record the present prediction of explain for one table."""
    name = world.random.choice(sorted(tables))
    reader: FactReader = world.api.watching._facts  # noqa: SLF001 - `ExplainService` may start a run
    facts = await reader.read(COORDINATOR, tables[name])
    eligible = eligibility(facts)
    reasons = tuple(hold.code for hold in eligible.held_by)
    found.predictions.append(Prediction(name, facts.record.now, start_at(facts, eligible), reasons))


async def _starts(world: World, found: Explained, names: dict[TableId, str]) -> None:
    """Read the starts of runs, and their ends, which count as changes."""
    found.ended_at = world.loop.instant()
    async with world.api.database.read() as unit:
        for table_id, name in names.items():
            for run in reversed(await unit.runs.list(table_id=table_id, limit=1000)):
                found.starts[name].append(run.created_at)
                found.changes[name].append(run.finished_at or found.ended_at)
            found.changes[name].sort()


def _said(each: Prediction) -> str:
    when = "no time" if each.at is None else f"{each.at:%H:%M:%S}"
    return f"{each.table}: at {each.said_at:%H:%M:%S} explain said {when} ({', '.join(each.held_by) or 'not held'})"
