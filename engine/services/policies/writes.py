"""Writing a policy of any scope, in the caller's transaction: the store's statement, the audit entry, and the wake.

The tables that it covers are evaluated soon and do not rest any more after runs in vain; their live runs become urgent
as it says. The same follows for a table whose team or labels change, when other policies cover it then.
"""

from dataclasses import dataclass
from typing import Any

from engine.domain.access.callers import Caller
from engine.domain.ids import TableId
from engine.domain.policies import PolicyDocument, PolicyScope, PolicyScopeKind, StoredPolicy
from engine.domain.tables.table import Table
from engine.services.policies import urgency
from engine.stores.unit_of_work import UnitOfWork


@dataclass(frozen=True, slots=True)
class Written:
    """A stored policy, and what its author should know."""

    policy: StoredPolicy
    notes: tuple[str, ...]


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
    """Store a policy that there is not yet; raises as the store does."""
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
    """Store the next version of a policy; raises as the store does.

    A document equal to the stored one changes nothing: the present version is returned, nothing is written, and the
    message is dropped.
    """
    if document == present.document and await unit.policies.get(present.name) == present:
        return present
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


async def follow_table(unit: UnitOfWork, before: Table, after: Table) -> None:
    """Apply a change of a locked table's team or labels: if other policies cover it now, reconsider it.

    Runs that are at work read their policy again at their next look at what holds them.
    """
    formerly = await unit.policy_coverage.covering(before)
    if formerly == await unit.policy_coverage.covering(after):
        return
    scope = PolicyScope(PolicyScopeKind.TABLE, table_id=after.id)
    await urgency.follow_all(unit, scope)
    await unit.watches.wake_covered(scope, ends_rest=True)


async def _reconsider(unit: UnitOfWork, scope: PolicyScope) -> None:
    """Evaluate the covered tables soon, without their rest after runs in vain.

    A policy of one table ends its grace: the author has decided on this table. A wider one may be meant for others.
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
