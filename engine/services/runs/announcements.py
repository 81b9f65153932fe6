"""Announce runs that delete: determine whether and until when they wait, for their grace or for an acknowledgement.

The first automatic run of an operation waits for `deletion.grace` of the policy, and so does the first one after a
change that deletes more, or whose rule is wider, whatever made it so: a policy, a label, a default of a new version.
Later ones start at once. If the first one failed, its grace holds for the next one, which is not announced again. A run
that a person submits always waits for `REQUESTED_GRACE`.

A run waits again, for an acknowledgement, once it knows that it would delete much more than usual, or more than the
bound that was acknowledged (`needed_acknowledgement`).

Automatic runs on tables whose replaced copies writers may still add files to (`OpenTable.copy_removal`) do not wait, as
they make readers find these files: they start at once, and delete nothing before the grace is over.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Final

from engine.domain.access.callers import COORDINATOR, Caller, Role
from engine.domain.errors import FieldProblem, InvalidInput
from engine.domain.ids import TableId
from engine.domain.policies import DeletionRule, EffectivePolicy
from engine.domain.runs.deletions import (
    REQUESTED_GRACE,
    AcknowledgementRequest,
    Amounts,
    Announcement,
    SurgeLimits,
    Widening,
)
from engine.domain.runs.operations import OPERATIONS
from engine.domain.runs.run import TERMINAL_STATES, Operation, Run, RunFilter, RunState
from engine.domain.values.units import format_duration
from engine.stores.unit_of_work import UnitOfWork

_LAST_RUNS: Final = 20
"""Ended runs of an operation that are searched for an automatic one."""


def rule_of(policy: EffectivePolicy, operation: Operation) -> DeletionRule | None:
    """Return the rule on what an operation may delete; None if it deletes nothing or is off, and for a purge."""
    declared = OPERATIONS[operation]
    return DeletionRule.of(policy, declared.setting) if declared.deletes is not None and declared.setting else None


async def announce(
    unit: UnitOfWork,
    caller: Caller,
    table_id: TableId,
    operation: Operation,
    policy: EffectivePolicy,
    *,
    grace: timedelta | None,
    summary: str,
    watches_copies: bool = False,
    up_to: Mapping[str, int] = MappingProxyType({}),
) -> Announcement:
    """Return the announcement of a run that deletes.

    Args:
        unit: the transaction to read in.
        caller: who submits it.
        table_id: the table.
        operation: one that deletes.
        policy: the effective policy of the table.
        grace: the time that a person asks for; None: the usual one.
        summary: what it would delete now, in words.
        watches_copies: whether the operation also has to look after replaced copies of the table.
        up_to: the bound of the caller's acknowledgement; that of an automatic run is the one of its policy.

    Raises:
        InvalidInput: the grace is shorter than `REQUESTED_GRACE`, and the caller is not an admin.
    """
    now, rule = await unit.now(), rule_of(policy, operation)
    if caller != COORDINATOR:
        return Announcement(rule, _from(now, requested_grace(caller, grace)), summary, up_to=up_to)
    widening = await unit.watches.last_widening(table_id)
    last = None if rule is None else await _last_announced(unit, table_id, operation, rule, widening)
    if last is not None:
        earlier, failed = last
        starts_at = earlier.starts_at if watches_copies or failed else None
        is_held = not watches_copies and starts_at is not None and starts_at > now
        return Announcement(rule, starts_at, summary, is_held=is_held, up_to=widening.up_to)
    starts_at = _from(now, policy.deletion_grace)
    return Announcement(rule, starts_at, summary, is_held=not watches_copies, up_to=widening.up_to)


async def needed_acknowledgement(
    unit: UnitOfWork, run: Run, policy: EffectivePolicy, amounts: Amounts, table: Amounts
) -> AcknowledgementRequest | None:
    """Return the acknowledgement that a run has to wait for before it deletes; None if it may delete now.

    Any run waits if it is above the bound of its acknowledgement. An automatic run also waits if it is unusually large
    (`deletion.surge`), unless it had a grace of its own, in which it could be undone. It is compared with the last
    deletions since the last change that deletes more.

    Args:
        unit: the transaction to read in.
        run: the run, of an operation that deletes.
        policy: the effective policy of the table.
        amounts: what it would delete.
        table: what the table has.
    """
    announced = Announcement.of(run.request) or Announcement(None, None)
    asked = AcknowledgementRequest.of(run)
    if asked is not None and asked.covers(amounts):
        return None
    if announced.up_to and not amounts.is_within(announced.up_to):
        above = [name for name, bound in announced.up_to.items() if not amounts.is_within({name: bound})]
        return AcknowledgementRequest(amounts, tuple(above), up_to=announced.up_to)
    if not run.is_automatic or (announced.starts_at is not None and announced.is_held):
        return None
    past = await _past(unit, run)
    if not past and announced.starts_at is not None:
        return None
    factor, share = (policy.values[f"deletion.surge.{name}"] for name in ("factor", "share_percent"))
    limits = SurgeLimits.of(past, table, factor=factor, share_percent=share)
    exceeded = limits.exceeded_by(amounts)
    return AcknowledgementRequest(amounts, exceeded, limits) if exceeded else None


def is_wider(run: Run, policy: EffectivePolicy) -> bool:
    """Return whether the policy now allows a run to delete more than it was announced with."""
    announced, rule = Announcement.of(run.request), rule_of(policy, run.operation)
    if announced is None or announced.rule is None or rule is None:
        return False
    return not announced.rule.covers(rule)


async def _past(unit: UnitOfWork, run: Run) -> Sequence[Amounts]:
    """Return what earlier runs of the operation deleted since the last change that deletes more, newest first."""
    wanted = RunFilter(
        table_id=run.table_id, operations=frozenset({run.operation}), states=frozenset({RunState.SUCCEEDED})
    )
    ended = (await unit.runs.page(wanted, limit=_LAST_RUNS, documents=("result",))).runs
    since = (await unit.watches.last_widening(run.table_id)).at
    found = [Amounts.of_result(each.result.document) for each in ended if since is None or each.created_at >= since]
    return [each for each in found if any(value for _, value in each.known())]


async def _last_announced(
    unit: UnitOfWork, table_id: TableId, operation: Operation, rule: DeletionRule, widening: Widening
) -> tuple[Announcement, bool] | None:
    """Return the announcement of the last automatic run of an operation, and whether that run did not do its work.

    None if it was undone, had a narrower rule, or a change that deletes more was stored since.
    """
    wanted = RunFilter(table_id=table_id, operations=frozenset({operation}), states=TERMINAL_STATES)
    ended = (await unit.runs.page(wanted, limit=_LAST_RUNS, documents=("request",))).runs
    last = next((run for run in ended if run.is_automatic), None)
    if last is None or last.state is RunState.CANCELLED:
        return None
    announced = Announcement.of(last.request)
    if announced is None or announced.rule is None or (widening.at is not None and widening.at > last.created_at):
        return None
    return (announced, last.state in (RunState.REFUSED, RunState.FAILED)) if announced.rule.covers(rule) else None


def requested_grace(caller: Caller, grace: timedelta | None) -> timedelta:
    """Return the grace of a run that a person submits; None: the usual one. Raises as `announce`."""
    if grace is None:
        return REQUESTED_GRACE
    if grace < REQUESTED_GRACE and caller.role is not Role.ADMIN:
        least, given = (format_duration(int(each.total_seconds())) for each in (REQUESTED_GRACE, grace))
        message = f"a grace below {least} needs the role admin; {caller.subject} has {caller.role.value}"
        raise InvalidInput(message, problems=(FieldProblem("/grace", message, given, "leave it out"),))
    return grace


def _from(now: datetime, grace: timedelta) -> datetime | None:
    return now + grace if grace else None
