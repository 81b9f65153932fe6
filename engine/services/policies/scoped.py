"""Policies of wider scopes: the fleet, a team, a catalog, a namespace, a pattern of addresses, a label.

Admins write all of them, owners those of their teams. The scope is set at creation and can't be changed: another scope
is another policy. A deleted policy's name may be used again by callers who may see its versions, which are continued.
"""

from collections.abc import Sequence
from dataclasses import replace as replace_fields
from typing import Any, Final

from engine.domain.access.callers import Caller
from engine.domain.errors import (
    FieldProblem,
    InvalidInput,
    NotFound,
    PreconditionFailed,
    PreconditionRequired,
    StateConflict,
)
from engine.domain.policies import PolicyDocument, PolicyScope, StoredPolicy
from engine.domain.policies.effective.scopes import team_policy_name
from engine.domain.policy_versions import PolicyVersion
from engine.domain.remedies import remedy
from engine.domain.values.hints import did_you_mean
from engine.services.access.idempotency import AnswerRecord
from engine.services.access.visibility import require_scope_reader, require_writer, sees_scope, visible_tables
from engine.services.policies.checks import Judged, PolicyChecks
from engine.services.policies.effects import PolicyChange
from engine.services.policies.history import ComparedVersion, get_version, list_versions, restorable
from engine.services.policies.names import check_policy_name, is_name_of_table
from engine.services.policies.writes import Written, audit_acknowledged, delete, insert, replace
from engine.stores.database import Database
from engine.stores.policies.store import ANSWERED_IN_SQL
from engine.stores.unit_of_work import UnitOfWork

_READ_FIRST: Final = "send If-Match with its ETag, or If-None-Match: * after it was deleted"
_PROPERTIES_UNREAD: Final = (
    "the tables' own properties were not read: where a setting falls back to one of them, the built-in default is shown"
)


class ScopedPolicyService:
    """Creates, reads, replaces, restores and deletes policies of wider scopes."""

    def __init__(self, *, database: Database, checks: PolicyChecks) -> None:
        self._database = database
        self._checks = checks

    async def list(
        self, caller: Caller, *, after: str | None, limit: int, scope: PolicyScope | None = None
    ) -> Sequence[StoredPolicy]:
        """Return policies that exist for the caller, by name, at most `limit`, from the one after `after`.

        With `scope` only those of exactly this scope.
        """
        async with self._database.read() as unit:
            seen = await visible_tables(unit, caller)
            if seen is None:
                return await unit.policies.list_scoped(after, limit, scope=scope)
            found: list[StoredPolicy] = []
            for policy in await unit.policies.list_scoped(after, scope=scope, seen=seen):
                if policy.scope.kind in ANSWERED_IN_SQL or await sees_scope(unit, policy.scope, seen):
                    found.append(policy)
                if len(found) == limit:
                    break
            return found

    async def get(self, caller: Caller, name: str) -> Written:
        """Return a policy, or raise `NotFound`: it does not exist, or not for the caller."""
        stored = await self._stored(name)
        if stored is None or not await self._sees(caller, stored.scope):
            raise NotFound(f"no policy {name!r}", remedy=remedy("list_policies"))
        return Written(stored)

    async def create(
        self,
        caller: Caller,
        name: str,
        scope: PolicyScope,
        document: PolicyDocument,
        *,
        action: str = "policy.create",
        message: str | None = None,
        acknowledge: str | None = None,
        record: AnswerRecord[Written] | None = None,
    ) -> Written:
        """Store a new policy. `action` is its name in the audit log, `message` is stored with the version.

        `acknowledge`: the token of its preview, if more is deleted with it.

        Raises:
            Forbidden: the caller may not write policies of this scope.
            InvalidInput: the name is not valid or not the one that is derived from the owner's team, the catalog does
                not exist, or covered tables do not support a setting.
            StateConflict: the name is taken, or the scope has a policy; the message names it.
            AcknowledgementRequired, EffectsChanged: as `Acknowledgements.require`.
        """
        require_writer(caller, scope)
        change = PolicyChange(name, scope, None, document)
        judged = await self._judge_first(caller, change)
        deletions = await self._checks.require_acknowledged(caller, change, judged, acknowledge)
        try:
            async with self._database.begin() as unit:
                await audit_acknowledged(unit, caller, name, change.scope, deletions)
                stored = await insert(unit, caller, name, scope, document, action=action, message=message)
                written = Written(stored, judged.notes)
                if record is not None:
                    await record.store(unit, written)
        except StateConflict as error:
            await self._explain_conflict(caller, name, scope)
            raise StateConflict(f"{error.message}; try again", details=error.details) from None
        return written

    async def preview_first(self, caller: Caller, name: str, scope: PolicyScope, document: PolicyDocument) -> Judged:
        """Return the effect of creating a policy, whatever the caller's role. Raises as `create`.

        Forbidden: the caller does not see every table that the policy would cover.
        """
        require_scope_reader(caller, scope)
        change = PolicyChange(name, scope, None, document)
        judged = await self._judge_first(caller, change, with_due=True)
        return _with_note(await self._checks.with_deletions(caller, change, judged))

    async def preview(self, caller: Caller, name: str, document: PolicyDocument | None) -> Judged:
        """Return the effect of replacing (None: deleting) a policy.

        Raises:
            NotFound: no such policy.
            Forbidden: the caller does not see every table that the policy covers.
            InvalidInput: covered tables can't have it.
        """
        present = (await self.get(caller, name)).policy
        require_scope_reader(caller, present.scope)
        change = PolicyChange(name, present.scope, present, document)
        judged = await self._checks.judge(change, with_due=True)
        return _with_note(await self._checks.with_deletions(caller, change, judged))

    async def replace(
        self,
        caller: Caller,
        name: str,
        document: PolicyDocument,
        if_match: int,
        *,
        action: str = "policy.replace",
        message: str | None = None,
        acknowledge: str | None = None,
    ) -> Written:
        """Store the next version; the scope is unchanged. `action` is its name in the audit log.

        `acknowledge`: the token of its preview, if it deletes more than the present version.

        Raises:
            NotFound: no such policy.
            Forbidden: the caller may not write policies of its scope.
            PreconditionFailed: its version is another one.
            InvalidInput: covered tables can't have it.
            AcknowledgementRequired, EffectsChanged: as `Acknowledgements.require`.
        """
        present = await self._writable(caller, name)
        _check_version(present, if_match)
        change = PolicyChange(name, present.scope, present, document)
        judged = await self._checks.judge(change)
        deletions = await self._checks.require_acknowledged(caller, change, judged, acknowledge)
        async with self._database.begin() as unit:
            await audit_acknowledged(unit, caller, name, change.scope, deletions)
            stored = await replace(unit, caller, present, document, if_match, action=action, message=message)
        return Written(stored, judged.notes)

    async def delete(
        self, caller: Caller, name: str, if_match: int, *, message: str | None = None, acknowledge: str | None = None
    ) -> None:
        """Delete a policy; its versions are kept.

        `acknowledge`: the token of its preview, if more is deleted without it.

        Raises:
            NotFound: no such policy.
            Forbidden: the caller may not write policies of its scope.
            PreconditionFailed: its version is another one.
            AcknowledgementRequired, EffectsChanged: as `Acknowledgements.require`.
        """
        present = await self._writable(caller, name)
        _check_version(present, if_match)
        change = PolicyChange(name, present.scope, present, None)
        judged = await self._checks.judge(change)
        deletions = await self._checks.require_acknowledged(caller, change, judged, acknowledge)
        async with self._database.begin() as unit:
            await audit_acknowledged(unit, caller, name, change.scope, deletions)
            await delete(unit, caller, present, if_match, message=message)

    async def versions(self, caller: Caller, name: str, *, before: int | None, limit: int) -> Sequence[ComparedVersion]:
        """Return all versions of a name, newest first; raise `NotFound` when there is none.

        Versions exist for a caller if every scope that the policy ever had exists for the caller.
        """
        async with self._database.read() as unit:
            if not await _sees_versions(unit, caller, name):
                raise _never_written(name)
            return await list_versions(unit, name, before=before, limit=limit)

    async def version(self, caller: Caller, name: str, version: int) -> ComparedVersion:
        """Return one version with its changes, or raise `NotFound`."""
        async with self._database.read() as unit:
            if not await _sees_versions(unit, caller, name):
                raise _never_written(name)
            return await get_version(unit, name, version)

    async def preview_restore(self, caller: Caller, name: str, version: int) -> Judged:
        """Return the effect of restoring a version. Raises as `restore`, except for preconditions."""
        found, present = await self._restorable(caller, name, version)
        if present is None:
            return await self.preview_first(caller, name, found.scope, found.document)
        return await self.preview(caller, name, found.document)

    async def restore(
        self,
        caller: Caller,
        name: str,
        version: int,
        *,
        if_match: int | None,
        if_none_match: bool,
        message: str | None = None,
        acknowledge: str | None = None,
    ) -> Written:
        """Store the document of an earlier version as the next one; for a deleted policy with its scope.

        Raises:
            NotFound: the name has no versions.
            Forbidden: the caller may not write policies of its scope.
            PreconditionRequired, PreconditionFailed: no or a stale precondition was given.
            InvalidInput: the version does not exist, is a deletion, or is no longer supported by covered tables.
            StateConflict: the name now has another scope, or the scope has another policy.
        """
        found, present = await self._restorable(caller, name, version)
        require_writer(caller, found.scope)
        if if_match is None and not if_none_match:
            raise PreconditionRequired(f"a version is restored over the policy as you know it: {_READ_FIRST}")
        if if_none_match and present is not None:
            raise PreconditionFailed(
                f"the policy {name!r} exists, at version {present.version}: read it, then send If-Match"
            )
        given: dict[str, Any] = {"action": "policy.restore", "message": message, "acknowledge": acknowledge}
        if if_match is None:
            return await self.create(caller, name, found.scope, found.document, **given)
        return await self.replace(caller, name, found.document, if_match, **given)

    async def _stored(self, name: str) -> StoredPolicy | None:
        if is_name_of_table(name):
            return None
        async with self._database.read() as unit:
            return await unit.policies.get(name)

    async def _sees(self, caller: Caller, scope: PolicyScope) -> bool:
        async with self._database.read() as unit:
            return await sees_scope(unit, scope, await visible_tables(unit, caller))

    async def _writable(self, caller: Caller, name: str) -> StoredPolicy:
        """Return a policy that the caller may write."""
        present = (await self.get(caller, name)).policy
        require_writer(caller, present.scope)
        return present

    async def _judge_first(self, caller: Caller, change: PolicyChange, *, with_due: bool = False) -> Judged:
        check_policy_name(change.name)
        await self._check_catalog(change.scope)
        await self._explain_conflict(caller, change.name, change.scope)
        return await self._checks.judge(change, with_due=with_due)

    async def _check_catalog(self, scope: PolicyScope) -> None:
        if scope.catalog is None:
            return
        async with self._database.read() as unit:
            if await unit.catalogs.get(scope.catalog) is not None:
                return
            known = [catalog.name for catalog in await unit.catalogs.list(None, 500)]
        near, create = did_you_mean(scope.catalog, known), remedy("create_catalog", name=scope.catalog)
        fix = (near, None) if near else ("create it first", create)
        problem = FieldProblem("/scope/catalog", f"no catalog {scope.catalog!r}", scope.catalog, *fix)
        raise InvalidInput(f"no catalog {scope.catalog!r}", problems=(problem,))

    async def _explain_conflict(self, caller: Caller, name: str, scope: PolicyScope) -> None:
        """Raise `StateConflict` with the conflicting policy; return when there is none.

        Names are shared by all teams, and a refusal would show that a hidden policy has one. So an owner uses names
        that it sees, or the one that is derived from its team, whether others are taken or not.
        """
        async with self._database.read() as unit:
            same_name = await unit.policies.get(name)
            same_scope = await unit.policies.find_scope(scope)
            seen = await visible_tables(unit, caller)
            is_known = seen is None or await _sees_versions(unit, caller, name)
            is_hidden = not is_known and bool(await unit.policies.list_versions(name, limit=1))
        if not is_known and scope.team is not None and name != (own := team_policy_name(scope.team)):
            problem = FieldProblem("/name", "an owner's policy is named after its team", name, f"name it {own!r}")
            raise InvalidInput(f"an owner names the policy of the team {scope.team!r} {own!r}", problems=(problem,))
        if is_hidden:
            raise StateConflict(f"the name {name!r} can't be used: ask an admin to write the policy of this scope")
        if same_name is not None:
            raise StateConflict(
                f"a policy {name!r} exists already: replace it, or choose another name",
                details={"policy": name, "version": same_name.version},
                remedy=remedy("replace_policy", name=name),
            )
        if same_scope is not None:
            raise StateConflict(
                f"the {scope.origin(name)} has the policy {same_scope.name!r} already: replace that",
                details={"policy": same_scope.name, "version": same_scope.version},
                remedy=remedy("replace_policy", name=same_scope.name),
            )

    async def _restorable(self, caller: Caller, name: str, version: int) -> tuple[PolicyVersion, StoredPolicy | None]:
        present = await self._stored(name)
        async with self._database.read() as unit:
            if not await _sees_versions(unit, caller, name):
                raise _never_written(name)
            found = await restorable(unit, name, version)
        if present is not None and present.scope != found.scope:
            raise StateConflict(
                f"version {version} had another scope than the policy {name!r} has now: delete it first, then restore"
            )
        return found, present


async def _sees_versions(unit: UnitOfWork, caller: Caller, name: str) -> bool:
    """Return whether a name has versions, and each of their scopes exists for the caller."""
    if is_name_of_table(name):
        return False
    seen, scopes = await visible_tables(unit, caller), await unit.policies.scopes_of(name)
    visible = [await sees_scope(unit, scope, seen) for scope in scopes]
    return bool(visible) and all(visible)


def _check_version(present: StoredPolicy, if_match: int) -> None:
    if present.version != if_match:
        raise PreconditionFailed(
            f"the policy {present.name!r} has version {present.version} now: read it again",
            details={"version": present.version},
        )


def _with_note(judged: Judged) -> Judged:
    if judged.effect.affected_count == 0:
        return judged
    return replace_fields(judged, notes=(*judged.notes, _PROPERTIES_UNREAD))


def _never_written(name: str) -> NotFound:
    return NotFound(f"no policy {name!r} was ever written", remedy=remedy("list_policies"))
