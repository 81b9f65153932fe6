"""Watch tables: the leading coordinator evaluates tables when they are scheduled, and starts runs of due ones.

A look is cheap while nothing changed: the catalog is asked for its metadata pointers, once for many tables. A table is
evaluated, with the facts that explain shows, only if its pointer changed or if time may have changed the result, and
while it has no live run: before its end a table whose writers go by its sorted runs is only measured.

Looks in one catalog keep to a budget per second (`CatalogPace`), a smaller one where each table must be asked for. A
read that finds a changed pointer, and the end of a run, schedule a look at once (`stores.watching.watches`).

One table never stops another: catalogs are visited concurrently, a visit has a bounded number of tables, and a table
that can't be read is retried at increasing intervals. The next leader looks again at tables that were not settled. Two
leaders do no harm: a request like that of a live run returns it.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

import structlog

from engine.domain.access.callers import COORDINATOR
from engine.domain.clock import Clock
from engine.domain.errors import NotFound, PackhouseError, Transient
from engine.domain.ids import TableId
from engine.domain.runs.run import Run, RunState, WaitingFor
from engine.domain.tables.table import TableRef
from engine.domain.tables.watches import (
    LONGEST_AWAY_SECONDS,
    LONGEST_SECONDS,
    LOOKS_PER_SECOND,
    REQUESTS_PER_SECOND,
    CatalogPace,
    Verdict,
    Watch,
    longer,
    shorter,
)
from engine.formats.base import CatalogConnection
from engine.metrics import WorkMetrics
from engine.services.catalogs.table_access import TableAccess
from engine.services.explain.decisions import RUN_SECONDS, Decision, decide, decide_unless_due
from engine.services.explain.facts import LIVE_RUNS, lets_rewrites_pass
from engine.services.explain.reader import FactReader
from engine.services.runs.submission import RunSubmission
from engine.services.watching.leadership import Leadership
from engine.stores.database import Database
from engine.stores.watching.watches import WatchedTable
from engine.tracing.spans import note, traced

_log = structlog.get_logger(__name__)

TABLES_AT_ONCE: Final = 500
"""Most tables of one catalog in one request to it; a visit continues while this number is due."""
CATALOGS_AT_ONCE: Final = 8
EVALUATIONS_AT_ONCE: Final = 4
"""Concurrent evaluations in one visit, without those over `SLOW_LOOK_SECONDS`: a hanging storage stops one table."""
SLOW_LOOK_SECONDS: Final = 5.0
EVALUATIONS_TOGETHER: Final = 20
"""Most evaluations after one request to a catalog; the rest waits, so that other tables are watched in between."""
BUDGET_SECONDS: Final = 5
"""Most seconds of look budget in one visit to a catalog that is asked for each table."""
PACE_SECONDS: Final = 60.0
"""Seconds for which the counted number of a catalog's tables is used."""
REST_SECONDS: Final = 2.0
"""Least time between two looks at a table, for any number of wake-ups."""


class WatchService:
    """Evaluates tables while it leads. `step` is called with `decided` and `submitted`, for tests of faults."""

    def __init__(
        self,
        *,
        database: Database,
        formats: TableAccess,
        facts: FactReader,
        submission: RunSubmission,
        leadership: Leadership,
        clock: Clock,
        metrics: WorkMetrics | None = None,
        step: Callable[[str], None] = lambda _name: None,
        rest_seconds: float = REST_SECONDS,
        requests_per_second: float = REQUESTS_PER_SECOND,
    ) -> None:
        self._database = database
        self._formats = formats
        self._facts = facts
        self._submission = submission
        self._leadership = leadership
        self._clock = clock
        self._metrics = metrics or WorkMetrics()
        self._step = step
        self._rest_seconds = rest_seconds
        self._requests_per_second = requests_per_second
        self._paces: dict[str, tuple[float, CatalogPace]] = {}
        self._visits: dict[str, asyncio.Task[None]] = {}
        self._looks: dict[TableId, asyncio.Task[None]] = {}

    async def lead(self) -> int:
        """Become or stay the leader unless another process leads; a new leader spreads missed looks over time."""
        if await self._leadership.keep():
            _log.info("watch_leads", token=self._leadership.token)
            async with self._database.begin() as unit:
                await unit.watches.spread_overdue()
        return int(self._leadership.token is not None)

    async def turn(self) -> int:
        """Begin scheduled looks, as far as there is room; return the number of tables."""
        room = CATALOGS_AT_ONCE - len(self._visits)
        if self._leadership.token is None or room <= 0:
            return 0
        due = await self._due(without=list(self._visits))
        by_catalog: dict[str, list[WatchedTable]] = defaultdict(list)
        for each in due:
            by_catalog[each.ref.catalog].append(each)
        for catalog, tables in list(by_catalog.items())[:room]:
            visit = asyncio.create_task(self._visit(catalog, tables))
            self._visits[catalog] = visit
            visit.add_done_callback(lambda _visit, catalog=catalog: self._visits.pop(catalog, None))  # type: ignore[misc]
        return len(due)

    async def finish(self) -> None:
        """Wait for the looks under way."""
        await asyncio.gather(*self._visits.values())
        await asyncio.gather(*self._looks.values())

    async def close(self) -> None:
        """Cancel the looks under way and resign, so that another process can lead."""
        begun = [*self._visits.values(), *self._looks.values()]
        for each in begun:
            each.cancel()
        await asyncio.gather(*begun, return_exceptions=True)
        with suppress(Transient):
            await self._leadership.resign()

    async def _due(self, *, without: Sequence[str] = (), catalog: str | None = None) -> list[WatchedTable]:
        async with self._database.read() as unit:
            due = await unit.watches.list_due(
                await unit.now(), TABLES_AT_ONCE, without=without, catalog=catalog, rest_seconds=self._rest_seconds
            )
        return [each for each in due if each.watch.table_id not in self._looks]

    async def _visit(self, catalog: str, tables: Sequence[WatchedTable]) -> None:
        """Evaluate tables of one catalog; log errors and retry the tables later."""
        try:
            begun = self._clock.monotonic()
            looks = await self._look_at(catalog, tables)
            while len(tables) == TABLES_AT_ONCE == looks and self._leadership.token is not None:  # fewer: a turn does
                tables = await self._due(catalog=catalog)
                looks = await self._look_at(catalog, tables)
            await self._keep_pace(catalog, looks, self._clock.monotonic() - begun)
        except PackhouseError as error:
            _log.warning("visit_cut_short", catalog=catalog, error=error.message)
        except Exception:  # noqa: BLE001 - one bad visit must not end the watch; logged with its trace
            _log.exception("visit_failed", catalog=catalog)

    async def _look_at(self, catalog: str, tables: Sequence[WatchedTable]) -> int:
        """Evaluate the first tables, up to the catalog's budget; return the number of tables asked for."""
        async with self._database.read() as unit:
            now = await unit.now()
        try:
            pace, pointers = await self._pointers(catalog, tables)
        except PackhouseError as error:
            self._metrics.looks.labels(Verdict.UNREACHABLE.value).inc(len(tables))
            if any(each.watch.verdict is not Verdict.UNREACHABLE for each in tables):
                _log.warning("catalog_unreachable", catalog=catalog, reason=error.message, tables=len(tables))
            # One request for all of them may be sent often.
            await self._settle([(each.watch, _unreachable(each.watch, error, now, LONGEST_SECONDS)) for each in tables])
            return len(tables)
        tables = tables[: _most_looks(pace)]
        quiet: list[WatchedTable] = []
        others: list[WatchedTable] = []
        for each in tables:
            (quiet if _is_quiet(each.watch, pointers.get(each.ref), now) else others).append(each)
        self._metrics.looks.labels("unchanged").inc(len(quiet))
        await self._settle([(each.watch, _unchanged(each.watch, now, pace.longest_seconds)) for each in quiet])
        room = asyncio.Semaphore(EVALUATIONS_AT_ONCE)
        looks = (
            self._begin_look(each, pointers.get(each.ref), now, pace.longest_seconds, room)
            for each in others[:EVALUATIONS_TOGETHER]
        )
        await asyncio.gather(*looks)
        return len(tables)

    async def _pointers(self, name: str, tables: Sequence[WatchedTable]) -> tuple[CatalogPace, Mapping[TableRef, str]]:
        """Return the pointers of the first tables, up to the catalog's budget, with its pace."""
        async with self._database.read() as unit:
            catalog = await unit.catalogs.get(name)
        if catalog is None:
            raise NotFound(f"no catalog {name!r}")
        connection = await self._formats.connect(catalog)
        pace = await self._pace(name, connection)
        first = tables[: _most_looks(pace)]
        connection.expect_changes([each.ref for each in first if each.watch.is_early])
        return pace, await self._formats.pointers(catalog, [each.ref for each in first])

    async def _pace(self, name: str, connection: CatalogConnection) -> CatalogPace:
        until, pace = self._paces.get(name, (0.0, None))
        if pace is None or self._clock.monotonic() >= until:
            async with self._database.read() as unit:
                count = await unit.tables.count(name)
            pace = CatalogPace.of(count, LOOKS_PER_SECOND if connection.has_all_pointers else self._requests_per_second)
            self._paces[name] = (self._clock.monotonic() + PACE_SECONDS, pace)
        return pace

    async def _keep_pace(self, catalog: str, looks: int, seconds: float) -> None:
        """Wait until the budget of a catalog that is asked for each table covers the looks made."""
        _, pace = self._paces.get(catalog, (0.0, None))
        if pace is not None and _most_looks(pace) < TABLES_AT_ONCE and looks / pace.looks_per_second > seconds:
            await self._clock.sleep(looks / pace.looks_per_second - seconds)

    async def _begin_look(
        self, table: WatchedTable, pointer: str | None, now: datetime, longest: int, room: asyncio.Semaphore
    ) -> None:
        """Evaluate a table; after `SLOW_LOOK_SECONDS` this continues without counting towards the visit."""
        async with room:
            look = asyncio.create_task(self._check_table(table, pointer, now, longest))
            self._looks[table.watch.table_id] = look
            look.add_done_callback(lambda _look: self._looks.pop(table.watch.table_id, None))
            await asyncio.wait({look}, timeout=SLOW_LOOK_SECONDS)
            if look.done():
                look.result()

    @traced("watch.evaluate")
    async def _check_table(self, table: WatchedTable, pointer: str | None, now: datetime, longest: int) -> None:
        """Evaluate a table, start a run if it is due and not held back, and store the resulting watch."""
        before = table.watch
        note(table_id=before.table_id)
        try:
            if self._leadership.token is None:
                return
            run = await self._deciding_run(before)
            if run is None:
                after = await self._evaluated(before, pointer, longest)
            else:
                await self._facts.measure_load(before.table_id)
                after = _held_by(run, before, now, longest)
        except NotFound:  # its registration is gone, and the watch with it
            return
        except PackhouseError as error:
            after = _unreachable(before, error, now, LONGEST_AWAY_SECONDS)
        except Exception as error:  # noqa: BLE001 - one bad table must not stop the others; logged with its trace
            _log.exception("look_failed", table_id=before.table_id)
            after = _unreachable(before, error, now, LONGEST_AWAY_SECONDS)
        self._metrics.looks.labels(after.verdict.value).inc()
        if after.verdict is Verdict.UNREACHABLE is not before.verdict:
            _log.warning("table_unreachable", table_id=before.table_id, catalog=table.ref.catalog, reason=after.detail)
        if after.verdict is Verdict.HELD:
            self._metrics.held.labels(after.code).inc()
        await self._settle([(before, after)])

    async def _deciding_run(self, watch: Watch) -> Run | None:
        """Return the newest live run of a table until whose end there is nothing to decide, None for none."""
        async with self._database.read() as unit:
            live = await unit.runs.list_live(watch.table_id, LIVE_RUNS)
        return next((run for run in live if not lets_rewrites_pass(run)), None)

    async def _evaluated(self, before: Watch, pointer: str | None, longest: int) -> Watch:
        begun = self._clock.monotonic()
        glance = await self._facts.glance(COORDINATOR, before.table_id)
        now, decision = glance.now, decide_unless_due(glance.policy, glance.sight, glance.now)
        if decision is None:
            facts = await self._facts.read(COORDINATOR, before.table_id, glance)
            now, decision = facts.record.now, decide(facts)
        self._metrics.evaluation_seconds.observe(self._clock.monotonic() - begun)
        self._metrics.other_compactions.inc(int(glance.sight.has_others_since(before.looked_at)))
        self._step("decided")
        if decision.request is not None:
            decision = await self._submitted(before, decision)
        is_away = decision.verdict is Verdict.UNREACHABLE
        return _settled(before, decision, pointer, now, LONGEST_AWAY_SECONDS if is_away else longest)

    async def _submitted(self, watch: Watch, decision: Decision) -> Decision:
        request = decision.request
        if request is None or self._leadership.token is None:
            return decision
        run, is_live = await self._submission.submit(COORDINATOR, watch.table_id, request, priority=None)
        self._step("submitted")
        rule = None if request.cause is None else request.cause.rule
        _log.info("automatic_run_submitted", table_id=watch.table_id, run_id=run.id, rule=rule, was_live=is_live)
        if not is_live:
            self._metrics.count_begun(rule)
        return replace(decision, code=None, detail=f"run {run.id}, by rule {rule!r}")

    async def _settle(self, looks: Sequence[tuple[Watch, Watch]]) -> None:
        token = self._leadership.token
        if looks and token is not None:
            async with self._database.begin() as unit:
                await unit.watches.settle(token, looks)


def _is_quiet(watch: Watch, pointer: str | None, now: datetime) -> bool:
    """Return whether a table has no new writes, and the passing of time changes nothing yet.

    Slow queries hold a table until they are fast again, at an unknown time: each look has to check.
    """
    is_same = pointer is not None and pointer == watch.pointer
    is_known = watch.code != WaitingFor.LATENCY_BACKOFF and (watch.reconsider_at is None or watch.reconsider_at > now)
    return is_same and is_known


def _most_looks(pace: CatalogPace) -> int:
    return min(TABLES_AT_ONCE, max(1, int(pace.looks_per_second * BUDGET_SECONDS)))


def _unchanged(watch: Watch, now: datetime, longest: int) -> Watch:
    interval = longer(watch.interval_seconds, longest)
    return _later(replace(watch, looked_at=now, interval_seconds=interval), now)


def _held_by(run: Run, watch: Watch, now: datetime, longest: int) -> Watch:
    """Return the watch of a table with a live run; writes during the run are seen after its end."""
    code, detail = ("run_waits", "waits") if run.state is RunState.QUEUED else ("run_at_work", f"is {run.state}")
    again_at = now + timedelta(seconds=RUN_SECONDS)
    is_due = watch.due_since is not None
    decision = Decision(Verdict.HELD, code, f"run {run.id} {detail}", is_due=is_due, reconsider_at=again_at)
    return _settled(watch, decision, watch.pointer, now, longest)


def _unreachable(watch: Watch, error: Exception, now: datetime, longest: int) -> Watch:
    """Return the watch of a table that could not be read, with a longer interval to the next evaluation."""
    code, detail = (error.code, error.message) if isinstance(error, PackhouseError) else ("internal", repr(error))
    return _settled(watch, Decision(Verdict.UNREACHABLE, code, detail), None, now, longest)


def _settled(before: Watch, decision: Decision, pointer: str | None, now: datetime, longest: int) -> Watch:
    is_unreachable = decision.verdict is Verdict.UNREACHABLE
    is_changed = not is_unreachable and pointer != before.pointer
    is_due = before.due_since is not None if is_unreachable else decision.is_due
    after = replace(
        before,
        pointer=None if is_unreachable else pointer,
        looked_at=now,
        interval_seconds=shorter(before.interval_seconds) if is_changed else longer(before.interval_seconds, longest),
        changed_at=now if is_changed and before.pointer is not None else before.changed_at,
        due_since=(before.due_since or now) if is_due else None,
        reconsider_at=decision.reconsider_at,
        verdict=decision.verdict,
        code=decision.code,
        detail=decision.detail,
    )
    return _later(after, now)


def _later(watch: Watch, now: datetime) -> Watch:
    return replace(watch, next_at=watch.next_look(now))
