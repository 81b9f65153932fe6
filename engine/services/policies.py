"""A table's own policy, and the effective policy it leads to.

A policy is validated against the table it covers, so storing one needs the catalog to answer; the table is read before
the transaction begins. Versions only grow, also over a delete, so that an ETag never comes back.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from engine.domain.access import Caller
from engine.domain.errors import FieldProblem, InvalidInput, NotFound, PreconditionFailed, PreconditionRequired
from engine.domain.ids import TableId
from engine.domain.policies import (
    EffectivePolicy,
    PolicyDocument,
    PolicyScope,
    PolicyScopeKind,
    StoredPolicy,
    effective_policy,
)
from engine.domain.tables import Table
from engine.domain.units import format_bytes
from engine.services.formats import FormatRegistry
from engine.services.registered import open_registered, read_registered
from engine.stores.database import Database
from engine.stores.unit_of_work import UnitOfWork

_READ_FIRST: Final = "send If-Match with the ETag of the policy as you read it, or If-None-Match: * for a first policy"


class PolicyService:
    """Reads, writes and deletes table policies."""

    def __init__(self, *, database: Database, formats: FormatRegistry) -> None:
        self._database = database
        self._formats = formats

    async def get(self, caller: Caller, table_id: TableId) -> StoredPolicy:
        """Return the table's own policy; `NotFound` without a table or without a policy of its own."""
        stored = await self._stored(caller, table_id)
        if stored is None:
            raise NotFound(f"table {table_id} has no policy of its own: all settings are inherited")
        return stored

    async def put(
        self,
        caller: Caller,
        table_id: TableId,
        document: PolicyDocument,
        *,
        if_match: int | None,
        if_none_match: bool,
    ) -> StoredPolicy:
        """Store a policy as the next version.

        Raises:
            NotFound: no such table.
            PreconditionRequired, PreconditionFailed: neither or a stale precondition was given.
            InvalidInput: settings contradict each other on this table.
            TableReplaced, Transient: the table can't be read to validate against.
        """
        if if_match is None and not if_none_match:
            raise PreconditionRequired(f"a policy is replaced only as you know it: {_READ_FIRST}")
        present = await self._stored(caller, table_id)
        _check_precondition(present, if_match=if_match, if_none_match=if_none_match)
        properties = await self._table_properties(caller, table_id)
        check_settings(effective_policy(table_properties=properties, own=document))
        async with self._database.begin() as unit:
            if if_match is None:
                scope = PolicyScope(PolicyScopeKind.TABLE, table_id=table_id)
                return await unit.policies.insert(table_id, scope, document, caller.subject)
            return await unit.policies.replace(table_id, document, caller.subject, if_match)

    async def delete(self, caller: Caller, table_id: TableId, *, if_match: int | None) -> None:
        """Delete the table's own policy; older versions are kept. Raises as `put`."""
        if if_match is None:
            raise PreconditionRequired(f"a policy is deleted only as you know it: {_READ_FIRST}")
        await self.get(caller, table_id)
        async with self._database.begin() as unit:
            await unit.policies.delete(table_id, caller.subject, if_match)

    async def effective(self, caller: Caller, table_id: TableId) -> EffectivePolicy:
        """Return every setting that holds for the table, with where it came from."""
        properties = await self._table_properties(caller, table_id)
        async with self._database.read() as unit:
            table, _ = await read_registered(unit, table_id, caller)
            return await PolicyReader.effective(unit, table, properties)

    async def _stored(self, caller: Caller, table_id: TableId) -> StoredPolicy | None:
        async with self._database.read() as unit:
            await read_registered(unit, table_id, caller)
            return await unit.policies.get(table_id)

    async def _table_properties(self, caller: Caller, table_id: TableId) -> Mapping[str, Any]:
        async with self._database.read() as unit:
            table, catalog = await read_registered(unit, table_id, caller)
        opened = await open_registered(self._formats, catalog, table)
        return await self._formats.call(opened.policy_properties)


class PolicyReader:
    """The one place that loads the policies of a table and merges them."""

    @staticmethod
    async def effective(
        unit: UnitOfWork, table: Table, properties: Mapping[str, Any], instead: PolicyDocument | None = None
    ) -> EffectivePolicy:
        """Return every setting that holds for a table; `instead` takes the place of its own policy.

        `properties` are the policy fields that the table's own properties set, by dotted name; empty while the catalog
        does not answer.
        """
        covering = await unit.policy_coverage.covering(table.id, table.ref)
        if instead is not None:
            covering = [policy for policy in covering if policy.scope.kind is not PolicyScopeKind.TABLE]
        return effective_policy(table_properties=properties, scoped=covering, trial=instead)


def check_settings(policy: EffectivePolicy) -> None:
    """Raise `InvalidInput` where settings that hold together would make no sense, naming the one to change."""
    target = int(policy.values["rewrite.target_file_bytes"])
    problems = [
        problem
        for name, wrong, message in (
            ("rewrite.small_file_bytes", lambda size: size > target, "must not be above the target"),
            ("rewrite.large_file_bytes", lambda size: size <= target, "must be above the target"),
        )
        if (problem := _contradiction(policy, name, wrong, message, target)) is not None
    ]
    if problems:
        raise InvalidInput("the policy contradicts itself on this table", problems=tuple(problems))


def _check_precondition(present: StoredPolicy | None, *, if_match: int | None, if_none_match: bool) -> None:
    if if_none_match and present is not None:
        raise PreconditionFailed(
            f"the table has a policy already, at version {present.version}: read it, then If-Match"
        )
    if if_match is not None and (present is None or present.version != if_match):
        found = "there is none" if present is None else f"it is at version {present.version}"
        raise PreconditionFailed(f"the policy is not the one that was read: {found}; read it again")


def _contradiction(
    policy: EffectivePolicy, name: str, wrong: Callable[[int], bool], message: str, target: int
) -> FieldProblem | None:
    size = policy.bytes_of(name)
    if size is None or not wrong(size):
        return None
    origin = policy.origins["rewrite.target_file_bytes"]
    hint = f"the target is {format_bytes(target)} ({origin}); change one of the two"
    return FieldProblem("/" + name.replace(".", "/"), message, size, hint)
