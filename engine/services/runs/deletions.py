"""Deletions: runs that delete files or history, from announcement to end, and how one is undone or acknowledged."""

from dataclasses import replace

from engine.domain.access.callers import Caller
from engine.domain.errors import NotFound, StateConflict
from engine.domain.ids import RunId
from engine.domain.policies import OFF, PolicyDocument, PolicyScope, PolicyScopeKind
from engine.domain.policies.documents.document import nested
from engine.domain.remedies import remedy
from engine.domain.runs.deletions import AcknowledgementRequest, Amounts
from engine.domain.runs.operations import OPERATIONS
from engine.domain.runs.run import Run, RunFilter, RunPage, RunState, WaitingFor
from engine.domain.values.instants import format_instant
from engine.domain.values.units import STORED_FORM
from engine.services.policies import writes
from engine.services.policies.effective import PolicyReader
from engine.services.runs.service import RunService
from engine.services.runs.views import read_own_run, with_addresses
from engine.services.runs.wakes import Wakes
from engine.stores.database import Database
from engine.stores.unit_of_work import UnitOfWork

_DOCUMENTS = ("request", "plan", "result")
_OPERATIONS = frozenset(each.operation for each in OPERATIONS.values() if each.deletes is not None)


class DeletionService:
    """Lists, undoes and acknowledges deletions. Those of tables that the caller does not see do not exist for it."""

    def __init__(self, *, database: Database, runs: RunService, wakes: Wakes) -> None:
        self._database = database
        self._runs = runs
        self._wakes = wakes

    async def list(self, caller: Caller, wanted: RunFilter, *, before: RunId | None = None, limit: int) -> RunPage:
        """Return deletions that the caller may see, newest first, at most `limit`, older than `before`.

        Raises as `RunService.list`. The operations of the filter are narrowed to those that delete.
        """
        operations = _OPERATIONS if wanted.operations is None else wanted.operations & _OPERATIONS
        if not operations:
            return RunPage((), None)
        wanted = replace(wanted, operations=operations)
        return await self._runs.list(caller, wanted, before=before, limit=limit, documents=_DOCUMENTS)

    async def get(self, caller: Caller, run_id: RunId) -> Run:
        """Return one deletion, or raise `NotFound`."""
        run = await self._runs.get(caller, run_id)
        _check_deletes(run)
        return run

    async def undo(self, caller: Caller, run_id: RunId) -> Run:
        """End a deletion that has not ended, and switch its setting off for the table if it was automatic.

        Before it starts nothing is deleted; a deletion at work stops within seconds, and what it deleted is gone. The
        setting is switched off in the table's own policy, with the run cancelled in one transaction: the next look at
        the table would announce the same deletion again otherwise.

        Raises:
            NotFound: no such deletion.
            Forbidden: the caller may only read the table.
            StateConflict: it has ended.
        """
        run = await self.get(caller, run_id)
        async with self._database.begin() as unit:
            await unit.tables.lock(run.table_id)
            before = await read_own_run(unit, run_id, caller)
            if before.is_terminal:
                raise _has_ended(before)
            after = await unit.runs.request_cancel(run_id, caller.subject)
            if before.is_automatic:
                await _switch_off(unit, caller, before)
            states = {"state": before.state.value}, {"state": after.state.value}
            await unit.audit.append(caller, "deletion.undo", run_id, before=states[0], after=states[1])
            [shown] = await with_addresses(unit, [after])
        await self._wakes.holders([run_id])
        if not shown.is_terminal and shown.lease_holder is None:
            await self._wakes.workers([run_id])
        return shown

    async def acknowledge(self, caller: Caller, run_id: RunId) -> Run:
        """Acknowledge a deletion that waits for it: it deletes its `AcknowledgementRequest.amounts`, up to `GROWTH`.

        Raises:
            NotFound: no such deletion.
            Forbidden: the caller may only read the table.
            StateConflict: it does not wait for an acknowledgement.
        """
        await self.get(caller, run_id)
        async with self._database.begin() as unit:
            before = await read_own_run(unit, run_id, caller)
            asked = AcknowledgementRequest.of(before)
            if asked is None or before.waiting_for is not WaitingFor.ACKNOWLEDGEMENT:
                raise _waits_for_none(before)
            given = {"by": caller.subject, "at": (await unit.now()).isoformat()}
            result = before.result.updated(acknowledgement=replace(asked, given=given).document())
            after = await unit.runs.acknowledge(before, result, by=caller.subject)
            if after is None:  # a worker looks or looked again at what it would delete, or it was undone
                raise _waits_for_none(before)
            await unit.audit.append(caller, "deletion.acknowledge", run_id, after=asked.amounts.document())
            [shown] = await with_addresses(unit, [after])
        await self._wakes.workers([run_id])
        return shown


def _has_ended(run: Run) -> StateConflict:
    """Return the refusal to undo a deletion that has ended, with what it deleted."""
    deleted = Amounts.of_result(run.result.document)
    how = f"has ended ({run.state.value})" if run.state is not RunState.CANCELLED else "was undone"
    by = f" by {run.cancel_requested_by}" if run.state is RunState.CANCELLED else ""
    at = "" if run.finished_at is None else f" at {format_instant(run.finished_at)}"
    gone = f"after it had deleted {deleted.words}, which can't be brought back"
    effect = gone if any(amount for _, amount in deleted.known()) else "before it deleted anything"
    return StateConflict(f"deletion {run.id} {how}{by}{at}, {effect}", details={"state": run.state.value})


def _waits_for_none(run: Run) -> StateConflict:
    message = f"deletion {run.id} does not wait for an acknowledgement: its run is {run.state.value}"
    return StateConflict(message, details={"state": run.state.value}, remedy=remedy("get_deletion", run_id=run.id))


def _check_deletes(run: Run) -> None:
    if run.operation not in _OPERATIONS:
        raise NotFound(f"run {run.id!r} is a {run.operation.value}, which deletes nothing")


async def _switch_off(unit: UnitOfWork, caller: Caller, run: Run) -> None:
    """Set the setting of an automatic deletion to off in the table's own policy, unless it is off already."""
    setting, table = OPERATIONS[run.operation].setting, await unit.tables.get(run.table_id)
    if not setting or table is None:
        return
    if (await PolicyReader.effective(unit, table, {})).values[setting] == OFF:
        return
    own = await unit.policies.get(run.table_id)
    leaves = {} if own is None else own.document.leaves()
    document = PolicyDocument.model_validate(nested({**leaves, setting: OFF}), context=STORED_FORM)
    message = f"undo of deletion {run.id}"
    if own is None:
        scope = PolicyScope(PolicyScopeKind.TABLE, table_id=run.table_id)
        await writes.insert(unit, caller, run.table_id, scope, document, message=message)
    else:
        await writes.replace(unit, caller, own, document, own.version, message=message)
