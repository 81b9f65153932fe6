"""Submit runs: check them, then store them with their first events, outbox and audit rows in one transaction.

Submits that arrive while a transaction is under way share the next one. Queue entries are sent after the commit; the
queue may be down (the relay sends them again). A request equal to that of a live run is answered with that run;
`uq_runs_live` ensures this for simultaneous requests.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

import structlog

from engine.domain.access.callers import Caller, require_role
from engine.domain.access.keyed_requests import KeyedRequest, StoredAnswer, Superseded
from engine.domain.errors import FieldProblem, InvalidInput, NotFound, PackhouseError, StateConflict, Transient
from engine.domain.ids import IdSource, TableId
from engine.domain.policies import StoredPolicy
from engine.domain.remedies import remedy
from engine.domain.runs.deletions import Announcement
from engine.domain.runs.operations import OPERATIONS
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, Priority, Run, RunState, WaitingFor
from engine.domain.tables.table import Catalog, FormatName, Freeze, Table
from engine.domain.values.instants import format_instant
from engine.queue.streams import RunQueue
from engine.services.access.idempotency import AnswerRecord
from engine.services.catalogs.capabilities import CapabilityService
from engine.services.catalogs.registered import no_table, open_registered, read_own
from engine.services.catalogs.table_access import TableAccess
from engine.services.planning.selections import check_partitions
from engine.services.planning.upkeep.operations import check_is_on, plan_upkeep
from engine.services.planning.upkeep.readers import with_readers
from engine.services.policies.acknowledgements import DeletionPreview
from engine.services.policies.effective import PolicyReader
from engine.services.policies.urgency import urgent_at
from engine.services.runs.batching import Batcher
from engine.services.runs.deletion_requests import DeletionRequests
from engine.services.runs.views import shown
from engine.stores.access.audit import Change
from engine.stores.database import Database
from engine.stores.unit_of_work import UnitOfWork
from engine.tracing.spans import note, traced, traceparent

_log = structlog.get_logger(__name__)

_LARGEST_BATCH: Final = 200
_OF_THE_REQUEST: Final = ("request_id", "traceparent")
"""Fields of a stored request that the audit log leaves out: its entries have the request's id themselves."""


@dataclass(frozen=True, slots=True)
class _Submit:
    """One caller's request. `key` is equal for equal requests; without a priority the run has that of its policy.

    `deletions`: what the caller acknowledged to delete; None: no acknowledgement was needed. `record`: of the answer.
    """

    caller: Caller
    table_id: TableId
    request: RunRequest
    key: str
    priority: Priority | None
    deletions: Mapping[str, Any] | None = None
    record: AnswerRecord[tuple[Run, bool]] | None = None

    @property
    def keyed(self) -> KeyedRequest | None:
        """The request with its key, None without one."""
        return None if self.record is None else self.record.request


@dataclass(frozen=True, slots=True)
class _SubmissionContext:
    """Records that a batch of submits needs: tables with their formats, and policies for priority and urgency."""

    tables: Mapping[TableId, tuple[Table, FormatName]]
    policies: Sequence[StoredPolicy]
    now: datetime


class RunSubmission:
    """Accepts requests for runs."""

    def __init__(
        self,
        *,
        database: Database,
        formats: TableAccess,
        capabilities: CapabilityService,
        deletions: DeletionRequests,
        queue: RunQueue,
        ids: IdSource,
    ) -> None:
        self._database = database
        self._formats = formats
        self._capabilities = capabilities
        self._deletions = deletions
        self._queue = queue
        self._ids = ids
        self._batches = Batcher[_Submit, tuple[Run, bool]](self._submit_all, largest=_LARGEST_BATCH)

    @traced("run.submit")
    async def submit(
        self,
        caller: Caller,
        table_id: TableId,
        request: RunRequest,
        *,
        priority: Priority | None,
        allow_duplicate: bool = False,
        grace: timedelta | None = None,
        acknowledge: str | None = None,
        record: AnswerRecord[tuple[Run, bool]] | None = None,
    ) -> tuple[Run, bool]:
        """Store a run; return it, or the equal live run if there is one, with True in that case.

        Without a priority the run has that of its policy. With `allow_duplicate` a new run is stored even if an
        equal run is live. A run that deletes waits first (`announcements`), a requested one for
        `grace` if it is given. `acknowledge`: the token of the preview of a requested run that deletes; a purge has
        its `plan_hash` instead.

        Raises:
            AcknowledgementRequired, EffectsChanged: as `Acknowledgements.require`.
            NotFound: no such table.
            Forbidden: the caller may only read the table.
            InvalidInput: the table does not support the operation, its policy has it switched off, the request has
                fields of another operation, the predicate does not fit the table, or the grace is for admins only.
            TableReplaced, StateConflict, Transient: of `catalogs.registered`; not of rewrites without predicate.
        """
        request.check()
        if request.partitions is not None or request.operation is not Operation.REWRITE:
            await self.check(caller, table_id, request)
        require_role(caller, OPERATIONS[request.operation].caller_role)
        if OPERATIONS[request.operation].needs_confirmation:
            await self._check_confirmed(caller, table_id, request)
        deletions: Mapping[str, Any] | None = None
        if OPERATIONS[request.operation].deletes is not None:
            where = await self._registered(caller, table_id)
            announced, deletions = await self._deletions.announce(
                caller, *where, request.operation, grace=grace, acknowledge=acknowledge
            )
            request = replace(request, announced=announced)
        request = replace(request, request_id=caller.request_id, traceparent=traceparent())
        key = request.key(nonce=self._ids.run_id() if allow_duplicate else None)
        try:
            submit = _Submit(caller, table_id, request, key, priority, deletions, record)
            run, is_live = await self._batches.submit(submit)
        except NotFound:
            await self._registered(caller, table_id)  # raises Forbidden for a table that the caller may only read
            raise
        note(run_id=run.id, table_id=table_id)
        return run, is_live

    async def preview_deletions(
        self, caller: Caller, table_id: TableId, request: RunRequest, grace: timedelta | None
    ) -> DeletionPreview | None:
        """Return what a run would delete, with the token to submit it with; None if it needs no acknowledgement.

        Raises as `check`.
        """
        if OPERATIONS[request.operation].deletes is None:
            return None
        where = await self._registered(caller, table_id)
        return await self._deletions.preview(caller, *where, request.operation, grace=grace)

    async def check(self, caller: Caller, table_id: TableId, request: RunRequest) -> None:
        """Raise as `submit` does, for planners too; nothing is stored."""
        table, catalog = await self._registered(caller, table_id)
        self._capabilities.check_operation(catalog.format, request.operation)
        require_role(caller, OPERATIONS[request.operation].preview_role)
        request.check()
        if request.partitions is not None:
            opened = await open_registered(self._formats, catalog, table)
            await self._formats.read(table.ref, check_partitions, opened, request)
        if request.operation is not Operation.REWRITE:
            opened = await open_registered(self._formats, catalog, table)
            properties = await self._formats.read(table.ref, opened.policy_properties)
            async with self._database.read() as unit:
                check_is_on(await PolicyReader.effective(unit, table, properties), request.operation)

    async def _check_confirmed(self, caller: Caller, table_id: TableId, request: RunRequest) -> None:
        """Check that a purge quotes its preview and the table's address.

        Raises:
            InvalidInput: `plan_hash` is missing or not that of a preview now, or `confirm` is not the address.
        """
        table, catalog = await self._registered(caller, table_id)
        problems, hint = [], "make a preview, read it, and send its plan_hash"
        preview = remedy("preview_run", table_id=table_id, operation=request.operation.value)
        if not request.plan_hash:
            problems.append(FieldProblem("/plan_hash", "a purge needs the hash of its preview", None, hint, preview))
        elif request.plan_hash != await self._purge_hash(table, catalog):
            message = "the table changed after this preview"
            problems.append(FieldProblem("/plan_hash", message, request.plan_hash, hint, preview))
        if request.confirm != str(table.ref):
            hint = f"type the address of the table: {table.ref}"
            problems.append(FieldProblem("/confirm", "it is not the address of the table", request.confirm, hint))
        if problems:
            raise InvalidInput("a purge removes history permanently and needs a confirmation", problems=tuple(problems))

    async def _purge_hash(self, table: Table, catalog: Catalog) -> str:
        """Return the hash of a preview of a purge now."""
        opened = await open_registered(self._formats, catalog, table)
        properties = await self._formats.read(table.ref, opened.policy_properties)
        async with self._database.read() as unit:
            policy, now = await PolicyReader.effective(unit, table, properties), await unit.now()
            needed = await with_readers(unit, table.id)
        work = await self._formats.read(table.ref, plan_upkeep, opened, policy, Operation.PURGE, now, needed)
        return str(work.document()["plan_hash"])

    async def _registered(self, caller: Caller, table_id: TableId) -> tuple[Table, Catalog]:
        async with self._database.read() as unit:
            return await read_own(unit, table_id, caller)

    async def _submit_all(self, submits: Sequence[_Submit]) -> Sequence[tuple[Run, bool] | Exception]:
        """Store a batch of runs, except for requests of which another sending was answered or refused first."""
        firsts = {each.keyed.scope: index for index, each in reversed([*enumerate(submits)]) if each.keyed is not None}
        left = {
            index: submit
            for index, submit in enumerate(submits)
            if submit.keyed is None or firsts[submit.keyed.scope] == index  # otherwise it is in this batch twice
        }
        while True:
            try:
                outcomes = dict(zip(left, await self._store(list(left.values())), strict=True))
            except Superseded as error:
                left = {index: submit for index, submit in left.items() if submit.keyed not in error.requests}
            else:
                return [outcomes.get(index) or Superseded() for index in range(len(submits))]

    async def _store(self, submits: Sequence[_Submit]) -> Sequence[tuple[Run, bool] | Exception]:
        """Store runs with the answers of their requests, in one transaction.

        Raises:
            Superseded: other sendings of some of the requests were answered or refused first; nothing is stored.
        """
        async with self._database.begin() as unit:
            around = await _read_context(unit, submits)
            made = [self._build_run(submit, around) for submit in submits]
            new = [run for run in made if isinstance(run, Run)]
            tables = {table_id: table for table_id, (table, _) in around.tables.items()}
            stored = await unit.runs.insert_many(new, tables) if new else []
            added = [run for run in stored if run is not None]
            if added:
                await unit.outbox.insert_many(run.id for run in added)
                by_id = {run.id: submit for run, submit in zip(made, submits, strict=True) if isinstance(run, Run)}
                await unit.audit.append_many(entry for run in added for entry in _audit_entries(run, by_id[run.id]))
                requested = [run.table_id for run in added if not run.is_automatic]
                await unit.watches.end_grace(requested)
            visible = iter(await shown(unit, added))
            visible_runs = iter(next(visible) if run is not None else None for run in stored)
            outcomes: list[tuple[Run, bool] | Exception] = []
            for submit, run in zip(submits, made, strict=True):
                if isinstance(run, Exception):
                    outcomes.append(run)
                elif (inserted := next(visible_runs)) is not None:
                    outcomes.append((inserted, False))
                else:
                    outcomes.append(await _find_live_run(unit, submit))
            await unit.idempotency.insert_many(_answers(submits, outcomes))
        await self._announce(added)
        return outcomes

    def _build_run(self, submit: _Submit, around: _SubmissionContext) -> Run | PackhouseError:
        """Return the run to store, or the error of the request."""
        table, table_format = around.tables.get(submit.table_id, (None, None))
        if table is None or table_format is None or not submit.caller.sees(table.owner_team):
            return no_table(submit.table_id)
        if table.freeze is not None:
            return _frozen(table.freeze, table.id)
        try:
            self._capabilities.check_operation(table_format, submit.request.operation)
        except InvalidInput as refusal:
            return refusal
        run_id = self._ids.run_id()
        run = Run(
            id=run_id,
            table_id=submit.table_id,
            operation=submit.request.operation,
            state=RunState.QUEUED,
            requested_by=submit.caller.subject,
            created_at=around.now,
            updated_at=around.now,
            priority=submit.priority or _priority(table, around.policies),
            request=submit.request.document(),
            request_key=submit.key,
            **_in_grace(submit.request.announced),
        )
        return replace(run, urgent_at=urgent_at(run, table, around.policies))

    async def _announce(self, runs: Sequence[Run]) -> None:
        if not runs:
            return
        try:
            await self._queue.enqueue_many([run.id for run in runs])
        except Transient as error:
            _log.warning("queue_unreachable", runs=len(runs), error=error.message)


def _in_grace(announced: Announcement | None) -> dict[str, Any]:
    """Return the fields of a run that waits for the grace of its deletion; none if it does not."""
    if announced is None or not announced.is_held or (until := announced.starts_at) is None:
        return {}
    detail = f"{announced.summary}; it can be undone until {format_instant(until)}"
    return {"waiting_for": WaitingFor.GRACE, "not_before": until, "reason": WaitingFor.GRACE.value, "detail": detail}


async def _read_context(unit: UnitOfWork, submits: Sequence[_Submit]) -> _SubmissionContext:
    tables = await unit.tables.lock_many(submit.table_id for submit in submits)
    return _SubmissionContext(tables, await unit.policy_coverage.setting_order(tables), await unit.now())


def _priority(table: Table, policies: Sequence[StoredPolicy]) -> Priority:
    """Return the priority of the strongest policy that covers the table and sets one."""
    covering = (each for each in reversed(policies) if each.scope.covers(table))
    return Priority(next((each.document.priority for each in covering if each.document.priority), Priority.NORMAL))


def _answers(
    submits: Sequence[_Submit], outcomes: Sequence[tuple[Run, bool] | Exception]
) -> list[tuple[KeyedRequest, StoredAnswer]]:
    """Make the answers of accepted submits, and return those of requests with a key."""
    accepted = [(each, outcome) for each, outcome in zip(submits, outcomes, strict=True) if isinstance(outcome, tuple)]
    made = [(submit.keyed, submit.record.make(outcome)) for submit, outcome in accepted if submit.record is not None]
    return [(keyed, answer) for keyed, answer in made if keyed is not None]


async def _find_live_run(unit: UnitOfWork, submit: _Submit) -> tuple[Run, bool] | Exception:
    run = await unit.runs.find_live(submit.table_id, submit.request.operation, submit.key)
    if run is None:  # it ended between the two statements
        return StateConflict("an equal run of this table has just ended; submit again")
    return (await shown(unit, [run]))[0], True


def _frozen(freeze: Freeze, table_id: TableId) -> StateConflict:
    return StateConflict(
        f"the table is frozen since {format_instant(freeze.at)}: {freeze.reason}; then unfreeze the table",
        details={"run_id": freeze.run_id, "snapshot_id": str(freeze.snapshot_id)},
        remedy=remedy("unfreeze_table", table_id=table_id),
    )


def _audit_entries(run: Run, submit: _Submit) -> Iterator[Change]:
    requested = {name: value for name, value in run.request.items() if name not in _OF_THE_REQUEST}
    asked: dict[str, Any] = {"operation": run.operation.value, "priority": run.priority.value, **requested}
    yield Change(submit.caller, "run.submit", run.id, after={"table_id": run.table_id, **asked})
    if submit.deletions is not None:
        yield Change(submit.caller, "deletion.acknowledge", run.id, after=dict(submit.deletions))
