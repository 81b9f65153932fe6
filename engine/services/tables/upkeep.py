"""Upkeep of a table besides rewriting: all operations at a glance, and dry runs of one. Nothing is changed."""

import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from datetime import datetime
from itertools import chain
from typing import Any, Final

import pyarrow as pa

from engine.domain.access.callers import SYSTEM, Caller, require_role
from engine.domain.errors import FieldProblem, InvalidInput, NotEligible, StateConflict
from engine.domain.ids import RunId, TableId
from engine.domain.runs.expiry import ExpiryPlan, Needed
from engine.domain.runs.operations import OPERATIONS
from engine.domain.runs.removals import RemovalPlan
from engine.domain.runs.run import Operation, RunFilter
from engine.planning.measures.metadata import MetadataHealth
from engine.services.catalogs.neighbours import check_alone
from engine.services.catalogs.registered import read_registered
from engine.services.catalogs.table_access import TableAccess
from engine.services.planning.upkeep.documents import upkeep_document
from engine.services.planning.upkeep.histories import EXPIRE, expired_removal_of
from engine.services.planning.upkeep.operations import (
    UPKEEP,
    OperationPlan,
    check_is_on,
    deletes_files,
    expiry_plan,
    plan_upkeep,
)
from engine.services.planning.upkeep.orphans import (
    complete_rule,
    orphan_removal_of,
    orphan_rule,
    orphan_words,
)
from engine.services.planning.upkeep.overview import upkeep_overview
from engine.services.planning.upkeep.readers import with_readers
from engine.services.planning.upkeep.record import read_upkeep_record
from engine.services.runs.views import read_run
from engine.services.tables.observations import ObservationService, Observed
from engine.stores.database import Database
from engine.stores.unit_of_work import UnitOfWork

LISTING_SECONDS: Final = 60
"""Longest time for which a dry run lists files."""


class UpkeepService:
    """Shows the upkeep of registered tables: what each operation would do, and the files that go with it."""

    def __init__(self, *, database: Database, formats: TableAccess, observations: ObservationService) -> None:
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
        work = await self._formats.read(opened.ref, plan_upkeep, opened, policy, operation, now, needed)
        removal = await self._removal(seen, operation, now, needed)
        if removal is not None and operation is Operation.REMOVE_ORPHANS:
            work = _with_orphans(work, removal)
        details = {**work.document(), **({} if removal is None else {"removal": removal.document()})}
        return {
            "table_id": table_id,
            "operation": operation,
            "setting": OPERATIONS[operation].setting or None,
            "enabled": seen.policy.enabled,
            "count": work.count,
            "summary": work.words,
            "next_at": work.next_at,
            "details": details,
        }

    async def overview(self, caller: Caller, table_id: TableId) -> Mapping[str, Any]:
        """Return every operation besides rewriting: its setting, what it would do now, when it is due, its last run.

        Raises:
            NotFound, TableReplaced, StateConflict, Transient: see `services.catalogs.registered`.
        """
        seen = await self._observations.observe(caller, table_id)
        async with self._database.read() as unit:
            record = await read_upkeep_record(unit, table_id, UPKEEP, now=await unit.now())
            last = {each: await _last_run(unit, table_id, each) for each in UPKEEP}
        opened, policy = seen.opened, seen.policy
        lines = await self._formats.read(opened.ref, upkeep_overview, opened, policy, record)
        figures = await self._formats.read(opened.ref, opened.figures)
        written = policy.written()
        return {
            "table_id": table_id,
            "measured_at": seen.looked_at,
            "snapshot_id": None if opened.head_snapshot_id is None else str(opened.head_snapshot_id),
            "enabled": policy.enabled,
            "metadata": asdict(MetadataHealth.of(figures)),
            "operations": [
                {
                    **upkeep_document(line.state),
                    "is_on": line.is_on,
                    "value": written[line.state.setting],
                    "origin": policy.origins[line.state.setting],
                    "assumed": line.assumed,
                    "count": line.state.count,
                    "superseded_bytes": line.state.superseded_bytes,
                    "last_run": last[line.state.operation],
                }
                for line in lines
            ],
        }

    async def removable_files(self, caller: Caller, table_id: TableId, operation: Operation) -> Iterator[pa.Table]:
        """Return all files that a run of an operation would delete now, with the columns `formats.base.REMOVED_FILES`.

        Raises:
            Forbidden: a purge, by a caller that is not an admin.
            InvalidInput: the operation is off in the table's policy, or deletes no files.
            NotEligible: the table forbids it.
            NotFound, TableReplaced, StateConflict, Transient: see `services.catalogs.registered`.
        """
        seen = await self._observations.observe(caller, table_id)
        require_role(caller, OPERATIONS[operation].preview_role)
        check_is_on(seen.policy, operation)
        if not deletes_files(seen.policy, operation):
            message = f"the table's policy has no {EXPIRE} with delete_files: true, so no file is deleted"
            raise InvalidInput("no files to list", problems=(FieldProblem("/operation", message, operation.value),))
        async with self._database.read() as unit:
            now, needed = await unit.now(), await with_readers(unit, table_id)
        plan = await self._expiry_plan(seen, operation, now, needed)
        removal = expired_removal_of(seen.opened)
        await self._check_alone(seen)
        return await self._formats.read_for_run(
            seen.opened.ref, removal.files, tuple(plan.expired), (), tuple(plan.tags)
        )

    async def deleted_files(self, caller: Caller, run_id: RunId) -> Iterator[pa.Table]:
        """Return what a run recorded before it deleted files, with the columns `formats.base.REMOVED_FILES`.

        Raises:
            NotFound: no such run.
            StateConflict: it recorded no files.
            TableReplaced, StateConflict, Transient: see `services.catalogs.registered`.
        """
        async with self._database.read() as unit:
            run = await read_run(unit, run_id, caller)
        seen = await self._observations.observe(caller, run.table_id)
        removal = seen.opened.copy_removal or expired_removal_of(seen.opened)
        files = await self._formats.read_for_run(seen.opened.ref, removal.deleted_files, run_id)
        first = next(files, None)
        if first is None:
            message = f"run {run_id!r} recorded no files to delete, or its list is not in the table's storage any more"
            raise StateConflict(message)
        return chain((first,), files)

    async def _orphans(self, seen: Observed) -> RemovalPlan:
        """Return the orphans that a run would delete now. Raises `NotEligible` if the listing takes too long."""
        await self._check_alone(seen)
        async with self._database.read() as unit:
            rule, live = await complete_rule(unit, seen.table_id, orphan_rule(seen.policy), self._formats.locations)
        until, removal = time.monotonic() + LISTING_SECONDS, orphan_removal_of(seen.opened)

        def before_page(_: int) -> None:
            if time.monotonic() > until:
                raise NotEligible(
                    f"the files of {seen.opened.ref} could not be listed in {LISTING_SECONDS} s, too long for a dry "
                    "run: submit the run, whose first search deletes nothing and shows what it found"
                )

        return await self._formats.read_for_run(seen.opened.ref, removal.preview, rule, (), live, before_page)

    async def _removal(self, seen: Observed, operation: Operation, now: datetime, needed: Needed) -> RemovalPlan | None:
        """Return the files that the operation would delete now; None if it deletes none."""
        if operation is Operation.REMOVE_ORPHANS:
            return await self._orphans(seen)
        if seen.opened.copy_removal is not None or not deletes_files(seen.policy, operation):
            return None  # the files of replaced copies are listed by the run
        plan = await self._expiry_plan(seen, operation, now, needed)
        removal = expired_removal_of(seen.opened)
        await self._check_alone(seen)
        return await self._formats.read_for_run(
            seen.opened.ref, removal.preview, tuple(plan.expired), (), tuple(plan.tags)
        )

    async def _expiry_plan(self, seen: Observed, operation: Operation, now: datetime, needed: Needed) -> ExpiryPlan:
        """Return what the operation, which deletes the files of snapshots, would remove now."""
        return await self._formats.read(seen.opened.ref, expiry_plan, seen.opened, seen.policy, operation, now, needed)

    async def _check_alone(self, seen: Observed) -> None:
        """Raise `NotEligible` if the table was moved, or another one is registered where it is, below or around it."""
        async with self._database.read() as unit:
            registered = await read_registered(unit, seen.table_id, SYSTEM)
            await check_alone(unit, *registered, present=seen.opened.location)


async def _last_run(unit: UnitOfWork, table_id: TableId, operation: Operation) -> Mapping[str, Any] | None:
    """Return the newest run of an operation on a table, None for none."""
    wanted = RunFilter(table_id=table_id, operations=frozenset({operation}))
    found = (await unit.runs.page(wanted, limit=1, documents=())).runs
    shown = ("id", "state", "reason", "detail", "created_at", "finished_at")
    return {name: getattr(found[0], name) for name in shown} if found else None


def _with_orphans(work: OperationPlan, plan: RemovalPlan) -> OperationPlan:
    """Return the work of a removal of orphans as a listing found it."""
    next_at = plan.details["look"]["next_at"]
    next_at = None if next_at is None else datetime.fromisoformat(next_at)
    return replace(work, count=plan.total.files, words=orphan_words(plan), next_at=next_at)
