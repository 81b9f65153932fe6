"""Dry runs of operations besides rewriting: what a run would do to a table now. Nothing is changed."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from engine.domain.access.callers import SYSTEM, Caller
from engine.domain.errors import NotEligible
from engine.domain.ids import TableId
from engine.domain.runs.expiry import Needed
from engine.domain.runs.removals import RemovalPlan
from engine.domain.runs.run import Operation
from engine.services.catalogs.formats import FormatRegistry
from engine.services.catalogs.neighbours import locations_inside
from engine.services.catalogs.registered import read_registered
from engine.services.planning.upkeep.operations import (
    UPKEEP,
    Work,
    check_is_on,
    deletes_files,
    plan_upkeep,
    preview_removal,
)
from engine.services.planning.upkeep.orphans import orphan_keeper_of, orphan_rule, orphan_words, with_runs
from engine.services.planning.upkeep.readers import with_readers
from engine.services.tables.observations import ObservationService, Observed
from engine.stores.database import Database

LISTING_SECONDS: Final = 60
"""Longest time for which a dry run lists files."""


class UpkeepService:
    """Plans upkeep of registered tables."""

    def __init__(self, *, database: Database, formats: FormatRegistry, observations: ObservationService) -> None:
        self._database = database
        self._formats = formats
        self._observations = observations

    async def plan(self, caller: Caller, table_id: TableId, operation: Operation) -> Mapping[str, Any]:
        """Return what a run of an operation besides rewriting would do now.

        Raises:
            InvalidInput: the table's policy has the operation switched off.
            NotEligible: the table forbids it.
            NotFound, TableReplaced, StateConflict, Transient: see `services.catalogs.registered`.
        """
        seen = await self._observations.observe(caller, table_id)
        check_is_on(seen.policy, operation)
        async with self._database.read() as unit:
            now, needed = await unit.now(), await with_readers(unit, table_id)
        opened, policy = seen.opened, seen.policy
        work = await self._formats.ask(opened.ref, plan_upkeep, opened, policy, operation, now, needed)
        removal = await self._removal(seen, operation, now, needed)
        if removal is not None and operation is Operation.REMOVE_ORPHANS:
            work = _with_orphans(work, removal)
        details = {**work.document, **({} if removal is None else {"removal": removal.document()})}
        return {
            "table_id": table_id,
            "operation": operation,
            "setting": UPKEEP[operation].setting if operation in UPKEEP else None,
            "enabled": seen.policy.enabled,
            "count": work.count,
            "summary": work.words,
            "next_at": work.next_at,
            "details": details,
        }

    async def _orphans(self, seen: Observed) -> RemovalPlan:
        """Return the orphans that a run would delete now. Raises `NotEligible` if the listing takes too long."""
        others = await self._others(seen)
        async with self._database.read() as unit:
            rule, live = await with_runs(unit, seen.table_id, orphan_rule(seen.policy))
        until, keeper = time.monotonic() + LISTING_SECONDS, orphan_keeper_of(seen.opened)

        def before_page(_: int) -> None:
            if time.monotonic() > until:
                raise NotEligible(
                    f"the files of {seen.opened.ref} could not be listed in {LISTING_SECONDS} s, too long for a dry "
                    "run: submit the run, whose first search deletes nothing and shows what it found"
                )

        return await self._formats.work(seen.opened.ref, keeper.preview_orphans, rule, others, live, before_page)

    async def _removal(self, seen: Observed, operation: Operation, now: datetime, needed: Needed) -> RemovalPlan | None:
        """Return the files that the operation would delete now; None if it deletes none."""
        if operation is Operation.REMOVE_ORPHANS:
            return await self._orphans(seen)
        if not deletes_files(seen.policy, operation):
            return None
        others = await self._others(seen)
        return await self._formats.work(
            seen.opened.ref, preview_removal, seen.opened, seen.policy, operation, now, others, needed=needed
        )

    async def _others(self, seen: Observed) -> Sequence[str]:
        """Return the locations of other tables inside the table's own."""
        async with self._database.read() as unit:
            table, _ = await read_registered(unit, seen.table_id, SYSTEM)
            return await locations_inside(unit, table)


def _with_orphans(work: Work, plan: RemovalPlan) -> Work:
    """Return the work of a removal of orphans as a listing found it."""
    next_at = plan.details["look"]["next_at"]
    next_at = None if next_at is None else datetime.fromisoformat(next_at)
    return replace(work, count=plan.total.files, words=orphan_words(plan), next_at=next_at)
