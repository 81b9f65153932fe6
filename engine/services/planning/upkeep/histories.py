"""Rules of the operations that expire snapshots: which snapshots an operation may remove from a table now."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime, timedelta
from typing import Final

from engine.domain.errors import NotEligible
from engine.domain.policies import RECLAIM, EffectivePolicy
from engine.domain.runs.expiry import (
    READER,
    UNKNOWN_HISTORY,
    UNREADABLE_CONSUMER,
    Expiry,
    ExpiryPlan,
    ExpiryRule,
    Needed,
    OldCopy,
)
from engine.domain.runs.operations import OPERATIONS
from engine.domain.runs.run import Operation
from engine.domain.values.units import format_bytes, round_duration
from engine.formats.base import ExpiredRemoval, OpenTable, SnapshotExpiry
from engine.services.planning.wording import count_of

EXPIRE: Final = OPERATIONS[Operation.EXPIRE_SNAPSHOTS].setting
OLD_COMPACTIONS: Final = OPERATIONS[Operation.DELETE_OLD_COMPACTIONS].setting


def snapshot_expiry_of(table: OpenTable) -> SnapshotExpiry:
    """Return the expiry of a table's snapshots. Raises `NotEligible` if its format has none."""
    if table.expiry is None:
        raise NotEligible("this version expires no snapshots of tables of this format")
    return table.expiry


def expired_removal_of(table: OpenTable) -> ExpiredRemoval:
    """Return the removal of files of expired snapshots. Raises `NotEligible` if its format has none."""
    if table.expired_removal is None:
        raise NotEligible("this version deletes no files of expired snapshots in tables of this format")
    return table.expired_removal


def history_rule(policy: EffectivePolicy, operation: Operation) -> ExpiryRule:
    """Return the rule of an operation that expires snapshots, whose setting must not be off."""
    if operation is Operation.DELETE_OLD_COMPACTIONS:
        grace = timedelta(seconds=policy.values[OLD_COMPACTIONS]["grace"])
        return ExpiryRule(grace, 1, deletes_files=True)
    if operation is Operation.RECLAIM:
        return ExpiryRule(timedelta(seconds=policy.values[RECLAIM]["retention"]), 1, deletes_files=True)
    if operation is Operation.PURGE:
        return ExpiryRule(timedelta(0), 1, deletes_files=True, overrides=True)
    value = policy.values[EXPIRE]
    older_than = timedelta(seconds=value["older_than"])
    return ExpiryRule(older_than, value["keep_last"], deletes_files=value.get("delete_files", False))


def expiry_of(
    table: OpenTable,
    policy: EffectivePolicy,
    operation: Operation,
    now: datetime,
    *,
    needed: Needed = Needed(),  # noqa: B008 - a frozen value
    proven: AbstractSet[str] | None = None,
) -> Expiry:
    """Return the expiry of an operation.

    Args:
        table: the table; only its metadata is read.
        policy: its policy, in which the operation is on.
        operation: one that expires snapshots.
        now: the instant at which ages are judged.
        needed: snapshots that other runs need.
        proven: ids of the snapshots of rewrites that the record has a proof of; None: what the table states counts.
    """
    rule = history_rule(policy, operation)
    if operation is not Operation.DELETE_OLD_COMPACTIONS:
        return Expiry(rule, now, needed)
    copies = snapshot_expiry_of(table).old_copies()
    old = (each for each in copies if now - each.rewritten_at >= rule.older_than)
    only = frozenset(each.snapshot_id for each in old if proven is None or str(each.rewrite_id) in proven)
    return Expiry(rule, now, needed, only)


def next_copy_at(copies: Sequence[OldCopy], rule: ExpiryRule, now: datetime) -> datetime | None:
    """Return when the next old copy leaves its grace; None without one that is in it."""
    return min((at for each in copies if (at := each.rewritten_at + rule.older_than) > now), default=None)


def expiry_words(plan: ExpiryPlan, operation: Operation) -> str:
    """Return a plan as a clause: how many snapshots expire, by which rule, and how many readers still need."""
    words, read = _rule_words(plan, operation), plan.kept.get(READER, 0)
    if unsure := plan.kept.get(UNKNOWN_HISTORY, 0):
        words += (
            f"; {count_of(unsure, 'older snapshot')} kept until a branch has enough newer ones, because another "
            "program removed snapshots from the middle of its history"
        )
    if plan.tags:
        words += f"; {count_of(len(plan.tags), 'tag')} whose time of retention is over can be removed"
    if unreadable := plan.kept.get(UNREADABLE_CONSUMER, 0):
        kept = count_of(unreadable, "snapshot")
        words += f"; {kept} kept, as a file in the table's folder consumer can't be read: repair or delete it"
    return f"{words}; running readers need {count_of(read, 'snapshot')} (signal oldest_reader)" if read else words


def _rule_words(plan: ExpiryPlan, operation: Operation) -> str:
    every = len(plan.expired) + sum(plan.kept.values())
    age = round_duration(plan.rule.older_than.total_seconds())
    if operation is Operation.DELETE_OLD_COMPACTIONS:
        copies = f"{count_of(len(plan.expired), 'snapshot')} of {every}"
        return f"{copies} can be deleted {_with_files(plan)} (replaced by a rewrite {age} ago or earlier)"
    if operation is Operation.PURGE:
        return f"{count_of(len(plan.expired), 'snapshot')} of {every} would be removed at once, {_with_files(plan)}"
    rule = f"older than {age}, except the {plan.rule.keep_last} newest of each branch"
    found = f"{count_of(len(plan.expired), 'snapshot')} of {every} can expire ({rule})"
    if plan.rule.deletes_files:
        return f"{found}, {_with_files(plan)}"
    return f"{found}; the files that only they need are kept{_at_most(plan)}" if plan.superseded_bytes else found


def _with_files(plan: ExpiryPlan) -> str:
    return f"with the files that only they need{_at_most(plan)}"


def _at_most(plan: ExpiryPlan) -> str:
    """Return the upper bound of the bytes of data files; metadata files are deleted with them and not counted here."""
    return f" (at most {format_bytes(plan.superseded_bytes)} of data)" if plan.superseded_bytes else ""
