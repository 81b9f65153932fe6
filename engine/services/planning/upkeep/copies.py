"""Rule and wording of the deletion of copies that rewrites replaced and left where they were."""

import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from engine.domain.policies import OFF, EffectivePolicy
from engine.domain.runs.operations import OPERATIONS
from engine.domain.runs.removals import CopyRule, RemovalPlan
from engine.domain.runs.run import Operation
from engine.domain.values.units import format_bytes, round_duration
from engine.formats.base import Condition, OpenTable
from engine.services.planning.upkeep.histories import OLD_COMPACTIONS
from engine.services.planning.wording import count_of

_EXAMPLE: Final = json.dumps(OPERATIONS[Operation.DELETE_OLD_COMPACTIONS].example)


def copy_rule(policy: EffectivePolicy, now: datetime) -> CopyRule:
    """Return the rule of the policy, whose setting must not be off; no rewrite counts as proven yet."""
    return CopyRule(timedelta(seconds=policy.values[OLD_COMPACTIONS]["grace"]), now)


def copies_condition(table: OpenTable, policy: EffectivePolicy) -> tuple[Condition, ...]:
    """Return the condition that replaced copies are watched and deleted, for a table whose rewrites leave them."""
    if table.copy_removal is None:
        return ()
    is_on = policy.values[OLD_COMPACTIONS] != OFF
    remedy = (
        f"set {OLD_COMPACTIONS} in the policy, such as {_EXAMPLE}: a rewrite leaves the replaced files in their "
        "folder, where writers may still add rows, and that operation copies these and deletes the folder's files later"
    )
    return (Condition("old_copies_are_deleted", is_on, f"{OLD_COMPACTIONS} is set" if is_on else remedy),)


def waiting_words(due: int, waiting: int, rule: CopyRule) -> str:
    """Return what is to do with replaced copies, as a clause."""
    grace = round_duration(rule.grace.total_seconds())
    return (
        f"{count_of(due, 'replaced folder')} can be deleted (last in use {grace} ago or earlier), "
        f"{waiting} are watched until then"
    )


def copies_words(plan: RemovalPlan) -> str:
    """Return what a look found as a clause: the copies, and the files that came late."""
    found: Mapping[str, Any] = plan.details["copies"]
    folders, late = found["folders"], found["late"]
    every, total = sum(folders.values()), plan.total
    words = ""
    if late["copied"]:
        words = f"{count_of(late['copied'], 'late file')} copied to where the partitions are now; "
    words += f"{count_of(total.files, 'file')} ({format_bytes(total.bytes)}) of {count_of(every, 'replaced folder')} "
    words += f"can be deleted now; {count_of(folders['in_grace'], 'folder')} watched until the end of the grace"
    if left := sum(late["left"].values()):
        reasons = ", ".join(sorted(late["left"]))
        words += f"; {count_of(left, 'late file')} not copied ({reasons})"
    if late["overwritten"]:
        words += f"; {count_of(late['overwritten'], 'file')} overwritten or removed there since, unseen by readers"
    return words
