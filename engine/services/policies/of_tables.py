"""Tables' own policies: written by the teams that own the tables, checked against the table itself.

The table is read before the transaction begins. While its catalog does not answer or its metadata can't be read, a
policy can still be written (it may be the one that disables the table); a note names what was not checked.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace as replace_fields
from typing import Final

from engine.domain.access.callers import Caller
from engine.domain.errors import (
    InvalidInput,
    NotEligible,
    NotFound,
    PreconditionFailed,
    PreconditionRequired,
    StateConflict,
    TableUnreadable,
    Transient,
)
from engine.domain.ids import TableId
from engine.domain.policies import EffectivePolicy, PolicyDocument, PolicyScope, PolicyScopeKind, StoredPolicy
from engine.services.catalogs.registered import open_registered, read_own, read_registered
from engine.services.catalogs.table_access import TableAccess
from engine.services.policies.checks import NOT_READ, Judged, PolicyChecks
from engine.services.policies.effective import PolicyReader
from engine.services.policies.effects import PolicyChange, TableItself
from engine.services.policies.history import ComparedVersion, get_version, list_versions, restorable
from engine.services.policies.writes import Written, audit_acknowledged, delete, insert, replace
from engine.stores.database import Database
from engine.stores.unit_of_work import UnitOfWork

_READ_FIRST: Final = "send If-Match with the ETag of the policy as you read it, or If-None-Match: * for a first policy"


@dataclass(frozen=True, slots=True)
class ShownPolicy:
    """The effective policy of a table, and notes on unread parts."""

    policy: EffectivePolicy
    notes: tuple[str, ...]


class PolicyService:
    """Reads, writes, restores and deletes tables' own policies."""

    def __init__(self, *, database: Database, formats: TableAccess, checks: PolicyChecks) -> None:
        self._database = database
        self._formats = formats
        self._checks = checks

    async def get(self, caller: Caller, table_id: TableId) -> Written:
        """Return the table's own policy; `NotFound` without a table or without a policy of its own."""
        stored = await self._stored(caller, table_id)
        if stored is None:
            raise _no_policy(table_id)
        return Written(stored)

    async def effective(self, caller: Caller, table_id: TableId) -> ShownPolicy:
        """Return every setting that holds for the table, with its origin.

        Raises:
            NotFound, TableReplaced, StateConflict: see `services.catalogs.registered`.
        """
        itself, notes = await self._read(caller, table_id)
        async with self._database.read() as unit:
            table, _ = await read_registered(unit, table_id, caller)
            return ShownPolicy(await PolicyReader.effective(unit, table, itself.properties), notes)

    async def preview(self, caller: Caller, table_id: TableId, document: PolicyDocument | None) -> Judged:
        """Return the effect of storing a policy (None: deleting it). Raises as `replace`, except for preconditions."""
        present = await self._changeable(caller, table_id)
        if document is None and present is None:
            raise NotFound(f"table {table_id} has no policy of its own: there is nothing to delete")
        change, judged = await self._judge(caller, table_id, present, document, with_due=True)
        return await self._checks.with_deletions(caller, change, judged)

    async def replace(
        self,
        caller: Caller,
        table_id: TableId,
        document: PolicyDocument,
        *,
        if_match: int | None = None,
        if_none_match: bool = False,
        action: str = "policy.replace",
        message: str | None = None,
        acknowledge: str | None = None,
    ) -> Written:
        """Store a policy as the next version, with a message. `action` is the audit log's name of it.

        `acknowledge`: the token of its preview, if it deletes more than the present one.

        Raises:
            NotFound: no such table.
            Forbidden: the caller may only read the table.
            PreconditionRequired, PreconditionFailed: no or a stale precondition was given.
            InvalidInput: settings contradict each other on this table, or its format does not support them.
            AcknowledgementRequired, EffectsChanged: as `Acknowledgements.require`.
            TableReplaced, StateConflict: see `services.catalogs.registered`.
        """
        if if_match is None and not if_none_match:
            raise PreconditionRequired(f"a policy is replaced only as you know it: {_READ_FIRST}")
        present = await self._changeable(caller, table_id)
        _check(present, if_match=if_match, if_none_match=if_none_match)
        change, judged = await self._judge(caller, table_id, present, document)
        deletions = await self._checks.require_acknowledged(caller, change, judged, acknowledge)
        async with self._database.begin() as unit:
            await _still_registered(unit, table_id, caller)
            await audit_acknowledged(unit, caller, table_id, change.scope, deletions)
            stored = await _write(unit, caller, table_id, present, document, action=action, message=message)
        return Written(stored, judged.notes)

    async def delete(
        self,
        caller: Caller,
        table_id: TableId,
        *,
        if_match: int | None,
        message: str | None = None,
        acknowledge: str | None = None,
    ) -> None:
        """Delete the table's own policy; older versions are kept.

        `acknowledge`: the token of its preview, if the policies of wider scopes delete more.

        Raises:
            NotFound: no such table, or it has no policy of its own.
            Forbidden: the caller may only read the table.
            PreconditionRequired, PreconditionFailed: no or a stale precondition was given.
            AcknowledgementRequired, EffectsChanged: as `Acknowledgements.require`.
        """
        if if_match is None:
            raise PreconditionRequired(f"a policy is deleted only as you know it: {_READ_FIRST}")
        present = await self._changeable(caller, table_id)
        if present is None:
            raise _no_policy(table_id)
        _check(present, if_match=if_match, if_none_match=False)
        change, judged = await self._judge(caller, table_id, present, None)
        deletions = await self._checks.require_acknowledged(caller, change, judged, acknowledge)
        async with self._database.begin() as unit:
            await _still_registered(unit, table_id, caller)
            await audit_acknowledged(unit, caller, table_id, change.scope, deletions)
            await delete(unit, caller, present, if_match, message=message)

    async def versions(
        self, caller: Caller, table_id: TableId, *, before: int | None, limit: int
    ) -> Sequence[ComparedVersion]:
        """Return all versions, newest first, at most `limit`, older than `before`."""
        async with self._database.read() as unit:
            await read_registered(unit, table_id, caller)
            return await list_versions(unit, table_id, before=before, limit=limit)

    async def version(self, caller: Caller, table_id: TableId, version: int) -> ComparedVersion:
        """Return one version with its changes, or raise `NotFound`."""
        async with self._database.read() as unit:
            await read_registered(unit, table_id, caller)
            return await get_version(unit, table_id, version)

    async def preview_restore(self, caller: Caller, table_id: TableId, version: int) -> Judged:
        """Return the effect of restoring a version. Raises as `restore`, except for preconditions."""
        return await self.preview(caller, table_id, await self._earlier(caller, table_id, version))

    async def restore(
        self,
        caller: Caller,
        table_id: TableId,
        version: int,
        *,
        if_match: int | None,
        if_none_match: bool,
        message: str | None = None,
        acknowledge: str | None = None,
    ) -> Written:
        """Store the document of an earlier version as the next one.

        Raises as `replace`, and `InvalidInput` when the version does not exist or is a deletion.
        """
        document = await self._earlier(caller, table_id, version)
        return await self.replace(
            caller,
            table_id,
            document,
            if_match=if_match,
            if_none_match=if_none_match,
            action="policy.restore",
            message=message,
            acknowledge=acknowledge,
        )

    async def _earlier(self, caller: Caller, table_id: TableId, version: int) -> PolicyDocument:
        async with self._database.read() as unit:
            await read_own(unit, table_id, caller)
            return (await restorable(unit, table_id, version)).document

    async def _judge(
        self,
        caller: Caller,
        table_id: TableId,
        present: StoredPolicy | None,
        document: PolicyDocument | None,
        *,
        with_due: bool = False,
    ) -> tuple[PolicyChange, Judged]:
        itself, notes = await self._read(caller, table_id)
        change = PolicyChange(table_id, _scope(table_id), present, document)
        judged = await self._checks.judge(change, itself, with_due=with_due)
        return change, replace_fields(judged, notes=(*judged.notes, *notes))

    async def _stored(self, caller: Caller, table_id: TableId) -> StoredPolicy | None:
        async with self._database.read() as unit:
            await read_registered(unit, table_id, caller)
            return await unit.policies.get(table_id)

    async def _changeable(self, caller: Caller, table_id: TableId) -> StoredPolicy | None:
        async with self._database.read() as unit:
            await read_own(unit, table_id, caller)
            return await unit.policies.get(table_id)

    async def _read(self, caller: Caller, table_id: TableId) -> tuple[TableItself, tuple[str, ...]]:
        """Return what the table itself says, and a note if it can't be read now."""
        async with self._database.read() as unit:
            table, catalog = await read_registered(unit, table_id, caller)
        try:
            opened = await open_registered(self._formats, catalog, table)
            return await self._formats.read(table.ref, TableItself.of, opened), ()
        except (Transient, InvalidInput, NotEligible, TableUnreadable) as error:
            return NOT_READ, (f"the table's own properties are not included: {error.message}",)


async def _still_registered(unit: UnitOfWork, table_id: TableId, caller: Caller) -> None:
    """Raise `NotFound` if the table was deleted or moved to another team since it was read; lock it until the end."""
    await unit.tables.lock(table_id)
    await read_own(unit, table_id, caller)


def _no_policy(table_id: TableId) -> NotFound:
    return NotFound(f"table {table_id} has no policy of its own: all settings are inherited")


def _scope(table_id: TableId) -> PolicyScope:
    return PolicyScope(PolicyScopeKind.TABLE, table_id=table_id)


def _check(present: StoredPolicy | None, *, if_match: int | None, if_none_match: bool) -> None:
    if if_none_match and present is not None:
        raise PreconditionFailed(
            f"the table has a policy already, at version {present.version}: read it, then send If-Match"
        )
    if if_match is not None and (present is None or present.version != if_match):
        found = "there is no policy" if present is None else f"it is at version {present.version}"
        raise PreconditionFailed(f"the policy changed since it was read: {found}; read it again")


async def _write(
    unit: UnitOfWork,
    caller: Caller,
    table_id: TableId,
    present: StoredPolicy | None,
    document: PolicyDocument,
    *,
    action: str,
    message: str | None,
) -> StoredPolicy:
    """Replace the policy that was read; a write since then raises `PreconditionFailed`."""
    try:
        if present is None:
            return await insert(unit, caller, table_id, _scope(table_id), document, action=action, message=message)
        return await replace(unit, caller, present, document, present.version, action=action, message=message)
    except StateConflict:
        raise PreconditionFailed("a policy was written at the same time: read it, then send If-Match") from None
    except NotFound:
        if present is None:
            raise
        raise PreconditionFailed("the policy was deleted at the same time: read it again") from None
