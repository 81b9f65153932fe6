"""Announce runs that delete: determine whether and until when they wait for their grace.

The first automatic run of an operation waits for `deletion.grace` of the policy, and so does the first one after a
change that deletes more, or whose rule is wider, whatever made it so: a policy, a label, a default of a new version.
Later ones start at once. A run that a person submits always waits for `REQUESTED_GRACE`.

Automatic runs on tables whose replaced copies writers may still add files to (`CopyKeeper`) do not wait, as they make
readers find these files: they start at once, and delete nothing before the grace is over.
"""

from datetime import datetime, timedelta
from typing import Final

from engine.domain.access.callers import COORDINATOR, Caller, Role
from engine.domain.errors import FieldProblem, InvalidInput
from engine.domain.ids import TableId
from engine.domain.policies import DeletionRule, EffectivePolicy
from engine.domain.runs.deletions import DELETING_OPERATIONS, REQUESTED_GRACE, Announcement
from engine.domain.runs.run import Operation, Run, RunFilter, RunState
from engine.domain.values.units import format_duration
from engine.stores.unit_of_work import UnitOfWork

_LAST_RUNS: Final = 20
"""Ended runs of an operation that are searched for an automatic one."""
_ENDED: Final = frozenset({RunState.SUCCEEDED, RunState.SKIPPED, RunState.FAILED, RunState.CANCELLED})


def rule_of(policy: EffectivePolicy, operation: Operation) -> DeletionRule | None:
    """Return what an operation may delete by a policy; None for a purge, or while its setting is off."""
    setting = DELETING_OPERATIONS.get(operation)
    return None if setting is None else DeletionRule.of(policy, setting)


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
) -> Announcement:
    """Return the announcement of a run that deletes.

    Args:
        unit: the transaction to read in.
        caller: who submits it.
        table_id: the table.
        operation: one of `DELETING_OPERATIONS`.
        policy: the effective policy of the table.
        grace: the time that a person asks for; None: the usual one.
        summary: what it would delete now, in words.
        watches_copies: whether the operation also has to look after replaced copies of the table.

    Raises:
        InvalidInput: the grace is shorter than `REQUESTED_GRACE`, and the caller is no admin.
    """
    now, rule = await unit.now(), rule_of(policy, operation)
    if caller != COORDINATOR:
        return Announcement(rule, _from(now, _requested(caller, grace)), summary)
    earlier = None if rule is None else await _announced(unit, table_id, operation, rule)
    if earlier is not None:
        starts_at = earlier.starts_at if watches_copies else None
        return Announcement(rule, starts_at, summary, is_held=False)
    starts_at = _from(now, timedelta(seconds=policy.values["deletion.grace"]))
    return Announcement(rule, starts_at, summary, is_held=not watches_copies)


def is_wider(run: Run, policy: EffectivePolicy) -> bool:
    """Return whether the policy now allows a run to delete more than it was announced with."""
    announced, rule = Announcement.of(run.request), rule_of(policy, run.operation)
    if announced is None or announced.rule is None or rule is None:
        return False
    return not announced.rule.covers(rule)


async def _announced(
    unit: UnitOfWork, table_id: TableId, operation: Operation, rule: DeletionRule
) -> Announcement | None:
    """Return the announcement of the last automatic run of an operation; None if it was undone, or had a narrower rule.

    None also if a change that deletes more was stored since.
    """
    wanted = RunFilter(table_id=table_id, operations=frozenset({operation}), states=_ENDED)
    ended = (await unit.runs.page(wanted, limit=_LAST_RUNS, documents=("request",))).runs
    last = next((run for run in ended if run.is_automatic), None)
    if last is None or last.state is RunState.CANCELLED:
        return None
    announced, widened_at = Announcement.of(last.request), await unit.watches.deletes_more_since(table_id)
    if announced is None or announced.rule is None or (widened_at is not None and widened_at > last.created_at):
        return None
    return announced if announced.rule.covers(rule) else None


def _requested(caller: Caller, grace: timedelta | None) -> timedelta:
    if grace is None:
        return REQUESTED_GRACE
    if grace < REQUESTED_GRACE and caller.role is not Role.ADMIN:
        least, given = (format_duration(int(each.total_seconds())) for each in (REQUESTED_GRACE, grace))
        message = f"a grace below {least} needs the role admin; {caller.subject} has {caller.role.value}"
        raise InvalidInput(message, problems=(FieldProblem("/grace", message, given, "leave it out"),))
    return grace


def _from(now: datetime, grace: timedelta) -> datetime | None:
    return now + grace if grace else None
