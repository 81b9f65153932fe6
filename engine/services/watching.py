"""Watching: the leading coordinator looks at tables when their time has come, and starts runs of those that are due.

A look is cheap while nothing changed: the catalog is asked what it points to, once for many tables. Only a table that
points elsewhere, or of which time alone may have changed the answer, is evaluated, by the facts that explain shows; and
only while it has no live run: until that ends there is nothing to decide.

One table never stops another: catalogs are visited side by side, a visit has a bounded number of tables, and a table
that can't be looked at is left alone for longer and longer. Nothing is lost with the process: what was not settled is
looked at again by whoever leads next. Two leaders do no harm: an equal request of a live run is that run.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

import structlog

from engine.domain.access import COORDINATOR
from engine.domain.clock import Clock
from engine.domain.errors import NotFound, PackhouseError, Transient
from engine.domain.ids import TableId
from engine.domain.runs import LIVE_STATES, Run, RunState, WaitingFor
from engine.domain.tables import TableRef
from engine.domain.watches import Verdict, Watch, longer, shorter
from engine.metrics import WorkMetrics
from engine.services.fact_reader import FactReader
from engine.services.formats import FormatRegistry
from engine.services.leadership import Leadership
from engine.services.run_submission import RunSubmission
from engine.services.watch_decisions import RUN_SECONDS, Decision, decide
from engine.stores.database import Database
from engine.stores.watches import WatchedTable

_log = structlog.get_logger(__name__)


TABLES_AT_ONCE: Final = 500
"""Of one catalog, in one question to it; a visit asks on while as many are due."""
CATALOGS_AT_ONCE: Final = 8
EVALUATIONS_AT_ONCE: Final = 2
"""In one visit, while they take no longer than `SLOW_LOOK_SECONDS`: a storage that hangs stops its own table only."""
SLOW_LOOK_SECONDS: Final = 5.0
REST_SECONDS: Final = 2.0
"""Between two looks at a table, however often it is woken."""


class WatchService:
    """Looks at tables while its leadership lasts. `step` is told `decided` and `submitted`, for tests of faults."""

    def __init__(
        self,
        *,
        database: Database,
        formats: FormatRegistry,
        facts: FactReader,
        submission: RunSubmission,
        leadership: Leadership,
        clock: Clock,
        metrics: WorkMetrics | None = None,
        step: Callable[[str], None] = lambda _name: None,
        rest_seconds: float = REST_SECONDS,
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
        self._visits: dict[str, asyncio.Task[None]] = {}
        self._looks: dict[TableId, asyncio.Task[None]] = {}

    async def lead(self) -> int:
        """Begin or go on leading if nobody else does; a new leader spreads the looks that were missed."""
        if await self._leadership.keep():
            _log.info("watch_leads", token=self._leadership.token)
            async with self._database.begin() as unit:
                await unit.watches.spread_overdue()
        return int(self._leadership.token is not None)

    async def turn(self) -> int:
        """Begin to look at tables whose time has come, as far as there is room; return how many."""
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
        """Wait for the looks that were begun."""
        await asyncio.gather(*self._visits.values())
        await asyncio.gather(*self._looks.values())

    async def close(self) -> None:
        """Give up the looks that were begun, and let another lead."""
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
        """Look at tables of one catalog; errors end in the log, and the tables are looked at again."""
        try:
            await self._look_at(catalog, tables)
            while len(tables) == TABLES_AT_ONCE and self._leadership.token is not None:  # fewer: the next turn has time
                tables = await self._due(catalog=catalog)
                await self._look_at(catalog, tables)
        except PackhouseError as error:
            _log.warning("visit_cut_short", catalog=catalog, error=error.message)
        except Exception:  # noqa: BLE001 - one bad visit must not end the watch; logged with its trace
            _log.exception("visit_failed", catalog=catalog)

    async def _look_at(self, catalog: str, tables: Sequence[WatchedTable]) -> None:
        async with self._database.read() as unit:
            now = await unit.now()
        try:
            pointers = await self._pointers(catalog, [each.ref for each in tables])
        except PackhouseError as error:
            self._metrics.looks.labels(Verdict.UNREACHABLE.value).inc(len(tables))
            await self._settle([(each.watch, _unreachable(each.watch, error, now)) for each in tables])
            return
        quiet: list[WatchedTable] = []
        others: list[WatchedTable] = []
        for each in tables:
            (quiet if _is_quiet(each.watch, pointers.get(each.ref), now) else others).append(each)
        self._metrics.looks.labels("unchanged").inc(len(quiet))
        await self._settle([(each.watch, _unchanged(each.watch, now)) for each in quiet])
        room = asyncio.Semaphore(EVALUATIONS_AT_ONCE)
        await asyncio.gather(*(self._begin_look(each, pointers.get(each.ref), now, room) for each in others))

    async def _pointers(self, name: str, refs: Sequence[TableRef]) -> Mapping[TableRef, str]:
        async with self._database.read() as unit:
            catalog = await unit.catalogs.get(name)
        if catalog is None:
            raise NotFound(f"no catalog {name!r}")
        return await self._formats.pointers(catalog, refs)

    async def _begin_look(
        self, table: WatchedTable, pointer: str | None, now: datetime, room: asyncio.Semaphore
    ) -> None:
        """Look at a table; after `SLOW_LOOK_SECONDS` the look goes on without its place in the visit."""
        async with room:
            look = asyncio.create_task(self._look(table, pointer, now))
            self._looks[table.watch.table_id] = look
            look.add_done_callback(lambda _look: self._looks.pop(table.watch.table_id, None))
            await asyncio.wait({look}, timeout=SLOW_LOOK_SECONDS)
            if look.done():
                look.result()

    async def _look(self, table: WatchedTable, pointer: str | None, now: datetime) -> None:
        """Evaluate a table, start a run if it is due and nothing holds it back, and settle what came of it."""
        before = table.watch
        try:
            if self._leadership.token is None:
                return
            run = await self._live_run(before)
            after = _held_by(run, before, now) if run is not None else await self._evaluated(before, pointer)
        except NotFound:  # its registration is gone, and the watch with it
            return
        except PackhouseError as error:
            after = _unreachable(before, error, now)
        except Exception as error:  # noqa: BLE001 - one bad table must not stop the others; logged with its trace
            _log.exception("look_failed", table_id=before.table_id)
            after = _unreachable(before, error, now)
        self._metrics.looks.labels(after.verdict.value).inc()
        if after.verdict is Verdict.HELD:
            self._metrics.held.labels(after.code).inc()
        await self._settle([(before, after)])

    async def _live_run(self, watch: Watch) -> Run | None:
        async with self._database.read() as unit:
            live = await unit.runs.list(table_id=watch.table_id, states=LIVE_STATES, limit=1)
        return live[0] if live else None

    async def _evaluated(self, before: Watch, pointer: str | None) -> Watch:
        begun = self._clock.monotonic()
        facts = await self._facts.read(COORDINATOR, before.table_id)
        decision = decide(facts)
        self._metrics.evaluation_seconds.observe(self._clock.monotonic() - begun)
        self._metrics.other_compactions.inc(int(facts.sight.has_others_since(before.looked_at)))
        self._step("decided")
        if decision.request is not None:
            decision = await self._submitted(before, decision)
        return _settled(before, decision, pointer, facts.record.now)

    async def _submitted(self, watch: Watch, decision: Decision) -> Decision:
        request = decision.request
        if request is None or self._leadership.token is None:
            return decision
        run, is_live = await self._submission.submit(COORDINATOR, watch.table_id, request, priority=None, force=False)
        self._step("submitted")
        rule = None if request.cause is None else request.cause.rule
        _log.info("run_began_by_itself", table_id=watch.table_id, run_id=run.id, rule=rule, was_live=is_live)
        if not is_live:
            self._metrics.count_begun(rule)
        return replace(decision, code=None, detail=f"run {run.id}, by rule {rule!r}")

    async def _settle(self, looks: Sequence[tuple[Watch, Watch]]) -> None:
        token = self._leadership.token
        if looks and token is not None:
            async with self._database.begin() as unit:
                await unit.watches.settle(token, looks)


def _is_quiet(watch: Watch, pointer: str | None, now: datetime) -> bool:
    """Tell whether nothing was written to a table, and time alone changes nothing yet.

    Slow queries hold a table until they are fast again, which no time is known of: each look has to ask.
    """
    is_same = pointer is not None and pointer == watch.pointer
    is_known = watch.code != WaitingFor.LATENCY_BACKOFF and (watch.reconsider_at is None or watch.reconsider_at > now)
    return is_same and is_known


def _unchanged(watch: Watch, now: datetime) -> Watch:
    return _later(replace(watch, looked_at=now, interval_seconds=longer(watch.interval_seconds)), now)


def _held_by(run: Run, watch: Watch, now: datetime) -> Watch:
    """Return the watch of a table with a live run: what was written meanwhile is seen when that has ended."""
    code, detail = ("run_waits", "waits") if run.state is RunState.QUEUED else ("run_at_work", f"is {run.state}")
    again_at = now + timedelta(seconds=RUN_SECONDS)
    is_due = watch.due_since is not None
    decision = Decision(Verdict.HELD, code, f"run {run.id} {detail}", is_due=is_due, reconsider_at=again_at)
    return _settled(watch, decision, watch.pointer, now)


def _unreachable(watch: Watch, error: Exception, now: datetime) -> Watch:
    """Return the watch of a table that could not be looked at: left alone for longer, then evaluated anew."""
    code, detail = (error.code, error.message) if isinstance(error, PackhouseError) else ("internal", repr(error))
    return _settled(watch, Decision(Verdict.UNREACHABLE, code, detail), None, now)


def _settled(before: Watch, decision: Decision, pointer: str | None, now: datetime) -> Watch:
    is_unreachable = decision.verdict is Verdict.UNREACHABLE
    is_changed = not is_unreachable and pointer != before.pointer
    is_due = before.due_since is not None if is_unreachable else decision.is_due
    pace = shorter if is_changed else longer
    after = replace(
        before,
        pointer=None if is_unreachable else pointer,
        looked_at=now,
        interval_seconds=pace(before.interval_seconds),
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
