"""Operations that the policy schedules besides rewriting: their settings, and what they would do to a table now.

Used by dry runs, by `states`, and again by the run when it starts. Reads metadata: call in a thread.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final

from engine.domain.errors import FieldProblem, InvalidInput
from engine.domain.policies import OFF, EffectivePolicy
from engine.domain.runs.expiry import ExpiryPlan, Needed
from engine.domain.runs.operations import OPERATIONS, DeletionKind
from engine.domain.runs.run import Operation
from engine.formats.base import CopyRemoval, OpenTable
from engine.services.planning.upkeep.copies import copy_rule, waiting_words
from engine.services.planning.upkeep.histories import (
    expiry_of,
    expiry_words,
    history_rule,
    next_copy_at,
    snapshot_expiry_of,
)
from engine.services.planning.upkeep.orphans import orphan_removal_of, orphan_rule, search_words
from engine.services.planning.upkeep.snapshot_files import (
    LEAST_SAVED,
    delete_rewrite_of,
    delete_words,
    manifest_rewrite_of,
    manifest_words,
)


@dataclass(frozen=True, slots=True)
class OperationPlan:
    """Plan of an operation: the number of things it would change, in words, as a document.

    Attributes:
        document: returns the plan as JSON-ready values; made on demand, because the coordinator does not use it.
        next_at: when there will be (more) to do if nothing more is written; None: only writes make something to do.
        is_worth: whether it is enough for an automatic run; a run that is submitted does it in any case.
        is_urgent: whether an automatic run may start before the setting's interval, an hour after the last one.
        superseded_bytes: upper bound of the bytes of files that only the snapshots to remove need; 0 without any.
    """

    count: int
    words: str
    document: Callable[[], Mapping[str, Any]]
    next_at: datetime | None
    is_worth: bool = True
    is_urgent: bool = False
    superseded_bytes: int = 0


@dataclass(frozen=True, slots=True)
class UpkeepPlanner:
    """An operation that a setting of the policy switches on. `is_possible`: whether tables of a format can have it."""

    is_possible: Callable[[OpenTable], bool]
    plan: Callable[[OpenTable, EffectivePolicy, datetime], OperationPlan]


def is_on(policy: EffectivePolicy, operation: Operation) -> bool:
    """Return whether the policy has an operation switched on; rewriting needs no setting."""
    setting = OPERATIONS[operation].setting
    return not setting or policy.values[setting] != OFF


def switched_on(policy: EffectivePolicy) -> tuple[Operation, ...]:
    """Return the operations besides rewriting that the policy has switched on, in the order in which they run."""
    return tuple(each for each in UPKEEP if is_on(policy, each))


def check_is_on(policy: EffectivePolicy, operation: Operation) -> None:
    """Raise `InvalidInput` with the setting to change if the policy has an operation switched off."""
    if not is_on(policy, operation):
        setting, example = OPERATIONS[operation].setting, json.dumps(OPERATIONS[operation].example)
        message = f"the table's policy has {setting}: off (origin: {policy.origins[setting]})"
        hint = f"set {setting} in its policy first, such as {example}: it limits what a run changes"
        problem = FieldProblem("/operation", message, operation.value, hint)
        raise InvalidInput(f"{operation.value} is switched off for this table", problems=(problem,))


def plan_upkeep(
    table: OpenTable,
    policy: EffectivePolicy,
    operation: Operation,
    now: datetime,
    needed: Needed = Needed(),  # noqa: B008 - a frozen value
) -> OperationPlan:
    """Return what an operation that is switched on would do now; an expiry keeps the `needed` snapshots.

    Raises:
        NotEligible: the table does not support it in its current state.
    """
    if operation is Operation.PURGE:
        plan = snapshot_expiry_of(table).plan(expiry_of(table, policy, operation, now, needed=needed))
        words = expiry_words(plan, operation)
        return OperationPlan(
            len(plan.expired), words, lambda: {**plan.document(), "plan_hash": plan.hash(table.uuid)}, next_at=None
        )
    work = UPKEEP[operation].plan(table, policy, now)
    has_snapshots = OPERATIONS[operation].deletes is DeletionKind.HISTORY and table.copy_removal is None
    if not has_snapshots or needed == Needed():
        return work
    return replace(_plan_history(table, policy, operation, now, needed), next_at=work.next_at)


def deletes_files(policy: EffectivePolicy, operation: Operation) -> bool:
    """Return whether an operation that is switched on deletes files that only expired snapshots needed."""
    return OPERATIONS[operation].deletes is DeletionKind.HISTORY and history_rule(policy, operation).deletes_files


def expiry_plan(
    table: OpenTable, policy: EffectivePolicy, operation: Operation, now: datetime, needed: Needed
) -> ExpiryPlan:
    """Return what an operation that expires snapshots would remove; it keeps the `needed` ones.

    Raises:
        NotEligible: the table forbids it.
    """
    return snapshot_expiry_of(table).plan(expiry_of(table, policy, operation, now, needed=needed))


def _plan_deletes(table: OpenTable, policy: EffectivePolicy, now: datetime) -> OperationPlan:
    del now  # only writes change what is to do
    plan, least = delete_rewrite_of(table).plan(), policy.values[_DELETES]["at_least_files"]
    is_worth, words = plan.rewritten >= least, delete_words(plan)
    if plan.rewritten and not is_worth:
        words += f", too few to start automatically (at_least_files: {least})"
    return OperationPlan(plan.rewritten, words, plan.document, None, is_worth=is_worth)


def _plan_manifests(table: OpenTable, policy: EffectivePolicy, now: datetime) -> OperationPlan:
    del now  # only writes change what is to do
    value, plan = policy.values[_MANIFESTS], manifest_rewrite_of(table).plan()
    is_small = plan.average_bytes * 100 < value["average_below_percent"] * plan.target_bytes
    return OperationPlan(
        plan.rewritten,
        manifest_words(plan),
        plan.document,
        None,
        is_worth=plan.saved >= LEAST_SAVED,
        is_urgent=plan.manifests > value["above_count"] and is_small,
    )


def _plan_expiry(table: OpenTable, policy: EffectivePolicy, now: datetime) -> OperationPlan:
    return _plan_history(table, policy, Operation.EXPIRE_SNAPSHOTS, now)


def _plan_old_compactions(table: OpenTable, policy: EffectivePolicy, now: datetime) -> OperationPlan:
    if table.copy_removal is not None:
        return _plan_copies(table.copy_removal, policy, now)
    rule = history_rule(policy, Operation.DELETE_OLD_COMPACTIONS)
    next_at = next_copy_at(snapshot_expiry_of(table).old_copies(), rule, now)
    return replace(_plan_history(table, policy, Operation.DELETE_OLD_COMPACTIONS, now), next_at=next_at)


def _plan_copies(removal: CopyRemoval, policy: EffectivePolicy, now: datetime) -> OperationPlan:
    """Return the work on replaced copies: those in their grace are looked at every hour, for what writers add there."""
    rule, copies = copy_rule(policy, now), removal.copies()
    due = sum(each.used_at + rule.grace <= now for each in copies)
    waiting = len(copies) - due
    document = {"rule": {"grace_seconds": int(rule.grace.total_seconds())}, "due": due, "watched": waiting}
    return OperationPlan(len(copies), waiting_words(due, waiting, rule), lambda: document, None, is_urgent=bool(copies))


def _plan_reclaim(table: OpenTable, policy: EffectivePolicy, now: datetime) -> OperationPlan:
    return _plan_history(table, policy, Operation.RECLAIM, now)


def _plan_orphans(table: OpenTable, policy: EffectivePolicy, now: datetime) -> OperationPlan:
    del now  # whether there is something to delete is known by a listing only, which takes a run
    orphan_removal_of(table).check()
    rule = orphan_rule(policy)
    return OperationPlan(1, search_words(rule), lambda: {"rule": rule.document()}, None)


def _plan_history(
    table: OpenTable,
    policy: EffectivePolicy,
    operation: Operation,
    now: datetime,
    needed: Needed = Needed(),  # noqa: B008 - a frozen value
) -> OperationPlan:
    plan = expiry_plan(table, policy, operation, now, needed)
    words = expiry_words(plan, operation)
    return OperationPlan(plan.count, words, plan.document, plan.next_at, superseded_bytes=plan.superseded_bytes)


def _can_expire(table: OpenTable) -> bool:
    return table.expiry is not None


def _replaces_files(table: OpenTable) -> bool:
    return table.expiry is not None or table.copy_removal is not None


_DELETES: Final = OPERATIONS[Operation.REWRITE_DELETES].setting
_MANIFESTS: Final = OPERATIONS[Operation.REWRITE_MANIFESTS].setting
UPKEEP: Final[Mapping[Operation, UpkeepPlanner]] = MappingProxyType(
    {
        Operation.REWRITE_DELETES: UpkeepPlanner(lambda table: table.delete_rewrite is not None, _plan_deletes),
        Operation.REWRITE_MANIFESTS: UpkeepPlanner(lambda table: table.manifest_rewrite is not None, _plan_manifests),
        Operation.EXPIRE_SNAPSHOTS: UpkeepPlanner(_can_expire, _plan_expiry),
        Operation.DELETE_OLD_COMPACTIONS: UpkeepPlanner(_replaces_files, _plan_old_compactions),
        Operation.RECLAIM: UpkeepPlanner(_can_expire, _plan_reclaim),
        Operation.REMOVE_ORPHANS: UpkeepPlanner(lambda table: table.orphan_removal is not None, _plan_orphans),
    }
)
"""Every operation that a setting switches on, in the order of `OPERATIONS`."""
