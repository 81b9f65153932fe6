"""Write a policy of any scope in the caller's transaction: the store's statement, the audit entry, and the wake-up.

The covered tables are evaluated soon, their rest after runs without effect ends, and the urgency of their live runs is
updated. The same applies to a table whose team or labels change if other policies cover it then.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.domain.access.callers import Caller
from engine.domain.ids import TableId
from engine.domain.policies import PolicyDocument, PolicyScope, PolicyScopeKind, StoredPolicy
from engine.domain.tables.table import Table
from engine.services.policies import urgency
from engine.services.policies.floors import check_floors
from engine.stores.unit_of_work import UnitOfWork


@dataclass(frozen=True, slots=True)
class Written:
    """A stored policy, and notes for its author."""

    policy: StoredPolicy
    notes: tuple[str, ...] = ()


async def insert(
    unit: UnitOfWork,
    caller: Caller,
    name: str,
    scope: PolicyScope,
    document: PolicyDocument,
    *,
    action: str = "policy.create",
    message: str | None = None,
) -> StoredPolicy:
    """Store a new policy; raises as the store does, and as `check_floors`."""
    check_floors(caller, None, document)
    stored = await unit.policies.insert(name, scope, document, caller.subject, message=message)
    await unit.audit.append(caller, action, name, after=_told(stored))
    await urgency.follow(unit, scope, None, document)
    await _reconsider(unit, scope)
    return stored


async def replace(
    unit: UnitOfWork,
    caller: Caller,
    present: StoredPolicy,
    document: PolicyDocument,
    expected_version: int,
    *,
    action: str = "policy.replace",
    message: str | None = None,
) -> StoredPolicy:
    """Store the next version of a policy; raises as the store does, and as `check_floors`.

    A document equal to the stored one changes nothing: the present version is returned, nothing is written, and the
    message is dropped.
    """
    if document == present.document and await unit.policies.get(present.name) == present:
        return present
    check_floors(caller, present.document, document)
    stored = await unit.policies.replace(present.name, document, caller.subject, expected_version, message=message)
    await unit.audit.append(caller, action, present.name, before=_told(present), after=_told(stored))
    await urgency.follow(unit, present.scope, present.document, document)
    await _reconsider(unit, present.scope)
    return stored


async def delete(
    unit: UnitOfWork, caller: Caller, present: StoredPolicy, expected_version: int, *, message: str | None = None
) -> None:
    """Delete a policy; raises as the store does."""
    await unit.policies.delete(present.name, caller.subject, expected_version, message=message)
    after = None if message is None else {"message": message}
    await unit.audit.append(caller, "policy.delete", present.name, before=_told(present), after=after)
    await urgency.follow(unit, present.scope, present.document, None)
    await unit.watches.wake_covered(present.scope, ends_rest=True)


async def audit_acknowledged(
    unit: UnitOfWork, caller: Caller, object_id: str, scope: PolicyScope, deletions: Mapping[str, Any] | None
) -> None:
    """Record what a caller acknowledged to delete; None: the change deletes no more than before.

    The next automatic deletions of the tables of the scope wait for their grace again, and each that is above the bound
    of the acknowledgement, if it has one, waits for another.
    """
    if deletions is not None:
        await unit.watches.delete_more(scope, deletions.get("up_to", {}))
        await unit.audit.append(caller, "deletion.acknowledge", object_id, after=dict(deletions))


async def follow_table(unit: UnitOfWork, before: Table, after: Table) -> None:
    """Apply a change of a locked table's team or labels: if other policies cover it now, reconsider it.

    Running runs read their policy again when they next check their holds.
    """
    formerly = await unit.policy_coverage.covering(before)
    if formerly == await unit.policy_coverage.covering(after):
        return
    scope = PolicyScope(PolicyScopeKind.TABLE, table_id=after.id)
    await urgency.follow_all(unit, scope)
    await unit.watches.wake_covered(scope, ends_rest=True)


async def _reconsider(unit: UnitOfWork, scope: PolicyScope) -> None:
    """Schedule an evaluation of the covered tables soon, and end their rest after runs without effect.

    A table's own policy also ends its grace period: its author has decided about this table. A wider policy does not,
    because it may be meant for other tables.
    """
    if scope.kind is PolicyScopeKind.TABLE and scope.table_id is not None:
        await unit.watches.end_grace([TableId(scope.table_id)])
    await unit.watches.wake_covered(scope, ends_rest=True)


def _told(stored: StoredPolicy) -> dict[str, Any]:
    return {
        "version": stored.version,
        "scope": stored.scope.kind.value,
        **({} if stored.message is None else {"message": stored.message}),
        "policy": stored.document.model_dump(mode="json", exclude_none=True),
    }
