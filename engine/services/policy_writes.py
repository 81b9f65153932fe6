"""Writing a policy of any scope: the store's statement and the audit entry, in the caller's transaction."""

from dataclasses import dataclass
from typing import Any

from engine.domain.access import Caller
from engine.domain.policies import PolicyDocument, PolicyScope, StoredPolicy
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
) -> StoredPolicy:
    """Store a policy that there is not yet; raises as the store does."""
    stored = await unit.policies.insert(name, scope, document, caller.subject)
    await unit.audit.append(caller, action, name, after=_told(stored))
    return stored


async def replace(
    unit: UnitOfWork,
    caller: Caller,
    present: StoredPolicy,
    document: PolicyDocument,
    expected_version: int,
    *,
    action: str = "policy.replace",
) -> StoredPolicy:
    """Store the next version of a policy; raises as the store does."""
    stored = await unit.policies.replace(present.name, document, caller.subject, expected_version)
    await unit.audit.append(caller, action, present.name, before=_told(present), after=_told(stored))
    return stored


async def delete(unit: UnitOfWork, caller: Caller, present: StoredPolicy, expected_version: int) -> None:
    """Delete a policy; raises as the store does."""
    await unit.policies.delete(present.name, caller.subject, expected_version)
    await unit.audit.append(caller, "policy.delete", present.name, before=_told(present))


def _told(stored: StoredPolicy) -> dict[str, Any]:
    return {
        "version": stored.version,
        "scope": stored.scope.kind.value,
        "policy": stored.document.model_dump(mode="json", exclude_none=True),
    }
