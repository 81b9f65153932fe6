"""One seed: what was drawn (`plans`) is done, then all is well again, and the invariants are judged when it is quiet.

While nothing can happen before some known time (a window's end, tomorrow's budget), all processes are frozen until a
second before it: a day of polling costs nothing then.
"""

import asyncio
import sqlite3
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from random import Random
from typing import Any, Final

from engine.domain.access.callers import SYSTEM
from engine.domain.errors import PackhouseError
from engine.domain.fleet.limits import FleetLimits
from engine.domain.ids import RunId
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import TERMINAL_STATES, Priority
from engine.domain.tables.signals import QueryLatency, SignalKind
from engine.domain.tables.table import Table
from tests.simulation.checks import Facts, Violation, violations
from tests.simulation.journal import Journal, KnownPolicy, Trouble
from tests.simulation.lake import CatalogFaults, ModelTable
from tests.simulation.limit_checks import limit_violations
from tests.simulation.loop import EPOCH, START, Livelock
from tests.simulation.plans import CATALOGS, MIB, Plan, limits, policy
from tests.simulation.processes import Process
from tests.simulation.redis_model import Faults
from tests.simulation.spark import TaskFaults
from tests.simulation.world import Running, World

MOST_ACTIVE_SECONDS: Final = 900.0
"""So long may it take, without the times that are slept through, until every run has ended after the last fault."""
_LOOK_SECONDS: Final = 2.0
_MOST_STEPS: Final = 400_000
_WORTH_A_LEAP: Final = 6.0


@dataclass
class Result:
    """What a seed came to."""

    seed: int
    counts: Counter[str] = field(default_factory=Counter)
    checked: Counter[str] = field(default_factory=Counter)
    violations: list[Violation] = field(default_factory=list)


class Chaos:
    """Does a plan in a world."""

    def __init__(self, world: World, plan: Plan) -> None:
        self.world = world
        self.plan = plan
        self.journal = Journal()
        self.counts: Counter[str] = Counter()
        self._tables: list[tuple[Table, ModelTable]] = []
        self._stored: dict[str, KnownPolicy] = {}  # what was surely written last; writes may overlap
        self._stored_limits = FleetLimits()
        self._names: Counter[str] = Counter()
        self._later: set[asyncio.Task[None]] = set()
        self._is_over = False
        self._at_commit: list[Callable[[Process], None]] = []
        world.record.on_commit = self._on_commit

    def run(self) -> Result:
        """Do it all and judge it."""
        result = Result(self.plan.seed)
        self.world.loop.most_steps = _MOST_STEPS
        try:
            self.world.run(self._play())
        except Livelock as stuck:
            result.violations.append(Violation("progress", str(stuck)))
        except PackhouseError as error:  # of a caller, while nothing is wrong
            result.violations.append(Violation("crash", repr(error)))
        facts = Facts.read(self.world)
        result.violations += violations(self.world, facts)
        result.violations += limit_violations(self.world, facts, self.journal)
        result.violations += [Violation("crash", _told(error)) for error in self.world.loop.errors[:3]]
        self._count(facts)
        result.counts, result.checked = self.counts, facts.checked
        return result

    async def _play(self) -> None:
        await self._set_up()
        for happening in self.plan.happenings:
            await asyncio.sleep(max(0.0, START + happening.at - self.world.loop.time()))
            arguments = ", ".join(map(str, happening.arguments))
            self.world.say(f"-- {happening.what}({arguments})")
            self._soon(happening.what, happening.arguments)
        await asyncio.sleep(max(0.0, START + self.plan.seconds - self.world.loop.time()))
        await self._heal()
        await self._until_quiet()
        for running in list(self.world.running):
            self.world.kill(running)

    async def _set_up(self) -> None:
        world, plan = self.world, self.plan
        world.spark.speed = plan.speed
        for name in CATALOGS:
            await world.add_catalog(name)
        for wanted in plan.tables:
            table, model = await world.add_table(wanted.catalog, wanted.name, team=wanted.team)
            for partition, sizes in wanted.partitions.items():
                for size in sizes:
                    model.append(partition, [size])
            await world.set_policy(table.id, dict(wanted.policy))
            self._stored[str(table.ref)] = KnownPolicy(0.0, wanted.policy, wanted.windows)
            self.journal.policies[str(table.ref)] = [self._stored[str(table.ref)]]
            self._tables.append((table, model))
        if plan.limits:
            limits = FleetLimits.of(plan.limits)
            await world.write_limits(limits)
            self.journal.limits = [(0.0, limits)]
            self._stored_limits = limits
        world.redis.faults = Faults(**plan.faults["redis"])
        world.lake.faults = CatalogFaults(**plan.faults["catalog"])
        world.spark.faults = TaskFaults(**plan.faults["tasks"])
        for _ in range(plan.workers):
            self._start("worker")
        for _ in range(plan.coordinators):
            self._start("coordinator")

    def _soon(self, what: str, arguments: tuple[Any, ...]) -> None:
        async def do() -> None:
            with suppress(PackhouseError):  # an outage, or somebody was faster: a caller hears of it and that is all
                await getattr(self, what)(*arguments)

        self.counts[what] += 1
        task = asyncio.get_running_loop().create_task(do())
        self._later.add(task)
        task.add_done_callback(self._later.discard)

    def _start(self, kind: str) -> None:
        self._names[kind] += 1
        self.world.start(kind, f"{kind}-{self._names[kind]}")

    def _on_commit(self, process: Process) -> None:
        for action in self._at_commit:
            action(process)

    def _one(self, luck: float) -> Running | None:
        running = self.world.running
        return running[int(luck * len(running))] if running else None

    async def write(self, number: int, luck: float, seed: int) -> None:
        """A writer commits."""
        random, (_, model) = Random(seed), self._tables[number]
        files = list(model.files)
        if luck < 0.1 and len(files) > 2:
            model.delete_files(random.sample(files, 2))
        elif luck < 0.3 and files:
            path = random.choice(files)
            rows = sorted(model.files[path].live_rows)
            if len(rows) > 1:
                model.delete_rows(path, frozenset(random.sample(rows, 1)))
        else:
            day = random.randint(1, 3)
            sizes = [random.randint(MIB // 2, 5 * MIB) for _ in range(random.randint(1, 4))]
            model.append(f'{{"day":"2026-11-0{day}"}}', sizes)

    async def submit(self, number: int, force: bool, full: bool) -> None:
        """A caller asks for a run."""
        table, _ = self._tables[number]
        priority = Random(number).choice([None, *Priority])
        request = RunRequest(force_full=full, include_cooling=force)
        await self.world.api.runs.submit(SYSTEM, table.id, request, priority=priority, allow_duplicate=force)

    async def cancel(self, luck: float) -> None:
        """A caller cancels a run."""
        rows = _query(self.world, "SELECT id FROM runs WHERE state NOT IN (SELECT value FROM json_each(?)) ORDER BY id")
        if rows:
            await self.world.api.runs.cancel(SYSTEM, RunId(rows[int(luck * len(rows))][0]))

    async def pause_table(self, number: int, stops: bool, seconds: float) -> None:
        """Somebody pauses a table for a while."""
        table, _ = self._tables[number]
        await self.world.api.pauses.pause_table(SYSTEM, table.id, reason="a test", stops=stops)
        await asyncio.sleep(seconds)
        await self.world.api.pauses.resume_table(SYSTEM, table.id)

    async def pause_fleet(self, stops: bool, seconds: float) -> None:
        """Somebody pauses everything for a while."""
        await self.world.api.pauses.pause_fleet(SYSTEM, reason="a test", stops=stops)
        await asyncio.sleep(seconds)
        await self.world.api.pauses.resume_fleet(SYSTEM)

    async def pause_catalog(self, name: str, stops: bool, seconds: float) -> None:
        """Somebody pauses a catalog for a while."""
        await self.world.api.pauses.pause_catalog(SYSTEM, name, reason="a test", stops=stops)
        await asyncio.sleep(seconds)
        await self.world.api.pauses.resume_catalog(SYSTEM, name)

    async def change_policy(self, number: int, seed: int) -> None:
        """Somebody writes another policy."""
        table, _ = self._tables[number]
        since = self.world.loop.time()
        document, windows = policy(Random(seed), self.plan.seconds, since - START)
        known = self.journal.policies[str(table.ref)]
        known.append(KnownPolicy(since, document, ()))  # it may hold from now on
        try:
            await self.world.set_policy(table.id, document)
            self._stored[str(table.ref)] = KnownPolicy(self.world.loop.time(), document, windows)
        finally:
            known.append(replace(self._stored[str(table.ref)], at=self.world.loop.time()))

    async def change_limits(self, seed: int) -> None:
        """Somebody writes other limits."""
        wanted = FleetLimits.of(limits(Random(seed)))
        self.journal.limits.append((self.world.loop.time(), wanted))
        try:
            await self.world.write_limits(wanted)
            self._stored_limits = wanted
        finally:
            self.journal.limits.append((self.world.loop.time(), self._stored_limits))

    async def tell_latency(self, number: int, seconds: float) -> None:
        """A query engine tells how slow it is."""
        signal = QueryLatency(kind=SignalKind.QUERY_LATENCY, p95_seconds=seconds)
        await self.world.api.signals.send(SYSTEM, self._tables[number][0].id, signal)

    async def kill(self, luck: float, seconds: float) -> None:
        """A process dies and another comes later."""
        if (running := self._one(luck)) is not None:
            self._trouble("killed", running.process.name)
            self.world.kill(running)
            await self._come_back(running.kind, seconds)

    async def kill_soon(self, number: int, seconds: float) -> None:
        """Whoever writes dies at its side of one of the next commits: just before it, or just after it."""
        left = iter(range(number, -1, -1))
        died: asyncio.Future[str] = asyncio.get_running_loop().create_future()

        def die(process: Process) -> None:
            running = next((each for each in self.world.running if each.process is process), None)
            if running is None or died.done() or next(left) > 0:
                return
            self._trouble("killed", process.name)
            self.counts["killed in a commit"] += 1
            self.world.kill(running)
            died.set_result(running.kind)

        self._at_commit.append(die)
        await self._come_back(await died, seconds)

    async def stop(self, luck: float, seconds: float) -> None:
        """A process is asked to end and another comes later."""
        if (running := self._one(luck)) is not None:
            await self.world.stop(running)
            await self._come_back(running.kind, seconds)

    async def _come_back(self, kind: str, seconds: float) -> None:
        await asyncio.sleep(seconds)
        if not self._is_over:
            self._start(kind)

    async def freeze(self, luck: float, seconds: float) -> None:
        """A process stands still for a while."""
        if (running := self._one(luck)) is not None:
            self._trouble("frozen", running.process.name, seconds)
            running.process.freeze()
            await asyncio.sleep(seconds)
            if not self._is_over:  # else it runs already, or is to be slept through the night
                running.process.thaw()

    async def turn_clock(self, luck: float, seconds: float) -> None:
        """A machine's wall clock jumps."""
        if (running := self._one(luck)) is not None:
            running.clock.skew = seconds

    async def lose_redis(self, seconds: float) -> None:
        """Redis answers nobody for a while."""
        self._trouble("redis", "", seconds)
        self.world.redis.away = True
        await asyncio.sleep(seconds)
        self.world.redis.away = False

    async def flush_redis(self) -> None:
        """Redis loses everything."""
        self._trouble("redis", "", 0.0)
        self.world.redis.flush()

    async def lose_database(self, seconds: float) -> None:
        """The record answers nobody for a while."""
        self._trouble("database", "", seconds)
        self.world.record.away = True
        await asyncio.sleep(seconds)
        self.world.record.away = False

    async def lose_catalog(self, seconds: float) -> None:
        """The catalog answers nobody for a while."""
        self.world.lake.away = True
        await asyncio.sleep(seconds)
        self.world.lake.away = False

    async def lose_spark(self, seconds: float) -> None:
        """Spark answers nobody for a while; its tasks go on."""
        self._trouble("spark", "", seconds)
        self.world.spark.away = True
        await asyncio.sleep(seconds)
        self.world.spark.away = False

    async def restart_spark(self) -> None:
        """Spark loses every session and operation."""
        self.world.spark.forget()

    async def go_deaf(self, seconds: float) -> None:
        """Tasks do not reach the pace channel for a while."""
        self._trouble("deaf", "", seconds)
        self.world.spark.faults.is_deaf = True
        await asyncio.sleep(seconds)
        self.world.spark.faults.is_deaf = False

    def _trouble(self, kind: Trouble, who: str, seconds: float = 1e12) -> None:
        now = self.world.loop.time()
        self.journal.trouble(kind, who, now, now + seconds)

    async def _heal(self) -> None:
        """Let all be well: everything answers, nothing is paused, somebody is there to work."""
        world = self.world
        self.world.say("-- all is well from now on")
        self._is_over = True
        self._at_commit.clear()
        self.counts += Counter({f"entries {name}": count for name, count in world.redis.faults.counts.items()})
        self.counts += Counter({f"commits {name}": count for name, count in world.lake.faults.counts.items()})
        world.redis.away = world.record.away = world.lake.away = world.spark.away = False
        world.redis.faults, world.lake.faults, world.spark.faults = Faults(), CatalogFaults(), TaskFaults()
        for running in world.running + world.leaving:
            running.process.thaw()
            running.clock.skew = 0.0
        for kind in ("worker", "coordinator"):
            if not any(running.kind == kind for running in world.running):
                self._start(kind)
        for table, _ in self._tables:
            await world.api.pauses.resume_table(SYSTEM, table.id)
        for name in CATALOGS:
            await world.api.pauses.resume_catalog(SYSTEM, name)
        await world.api.pauses.resume_fleet(SYSTEM)

    async def _until_quiet(self) -> None:
        left, quiet_for = MOST_ACTIVE_SECONDS, 0.0
        while left > 0 and quiet_for < 3 * _LOOK_SECONDS:
            await asyncio.sleep(_LOOK_SECONDS)
            left -= _LOOK_SECONDS
            live = _query(
                self.world,
                "SELECT lease_holder, not_before FROM runs WHERE state NOT IN (SELECT value FROM json_each(?))",
            )
            quiet_for = 0.0 if live else quiet_for + _LOOK_SECONDS
            waits = [not_before for holder, not_before in live if holder is None and not_before is not None]
            if live and len(waits) == len(live):
                await self._leap(min(map(_seconds, waits)) - 1.0)
        self.counts["virtual seconds"] += int(self.world.loop.time() - START)

    async def _leap(self, until: float) -> None:
        """Freeze everybody until an instant, if it is far enough."""
        seconds = until - self.world.loop.time()
        if seconds < _WORTH_A_LEAP:
            return
        self.world.say(f"-- sleeps {seconds:.0f} s")
        for running in self.world.running:
            running.process.freeze()
        await asyncio.sleep(seconds)
        for running in self.world.running:
            running.process.thaw()

    def _count(self, facts: Facts) -> None:
        self.counts["runs"] = len(facts.runs)
        self.counts["races lost"] = self.world.lake.lost_races
        self.counts["tasks"] = len(self.world.spark.operations)
        for run in facts.runs:
            self.counts[f"run {run['state']}"] += 1
        for events in facts.events.values():
            for event in events:
                if event["kind"] in ("parked", "held_back"):
                    self.counts[f"{event['kind']} {event['reason']}"] += 1
                elif event["kind"] in ("reaped", "commit_unknown"):
                    self.counts[event["kind"]] += 1


def _query(world: World, query: str) -> list[Any]:
    """Ask the record past the stores; `?` is the list of terminal states."""
    connection = sqlite3.connect(world.record.file)
    try:
        states = '["' + '","'.join(sorted(TERMINAL_STATES)) + '"]'
        return connection.execute(query, (states,)).fetchall()
    finally:
        connection.close()


def _seconds(text: str) -> float:
    return (datetime.fromisoformat(text) - EPOCH).total_seconds() + START


def _told(context: dict[str, Any]) -> str:
    return f"{context.get('message')}: {context.get('exception')!r}"
