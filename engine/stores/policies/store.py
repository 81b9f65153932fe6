"""Policies: the current ones (`policies`) and every version ever written (`policy_versions`).

A table's own policy is stored under the table's id, a scoped policy under its name. A deletion is a version too, so
numbers continue after it and an old ETag never matches again. Of two concurrent updates of one version, the version in
the WHERE clause admits one; of two concurrent inserts, the primary keys do.
"""

import builtins
from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import ColumnElement, Row, Select, and_, delete, exists, func, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.domain.access.grants import VisibleTables
from engine.domain.errors import NotFound, PreconditionFailed
from engine.domain.policies import PolicyDocument, PolicyScope, PolicyScopeKind, StoredPolicy
from engine.domain.policy_versions import PolicyVersion
from engine.stores.schema.core import policies, policy_versions, table_labels, tables
from engine.stores.sql.dialects import now
from engine.stores.tables.listings import visible

ANSWERED_IN_SQL: Final = frozenset({PolicyScopeKind.TEAM, PolicyScopeKind.LABEL})
"""Kinds of scopes for which `list_scoped` returns only visible policies."""


class PolicyStore:
    """Rows of `policies` and `policy_versions`. The `name` of a table's own policy is the table's id."""

    def __init__(self, *, connection: AsyncConnection) -> None:
        self._connection = connection

    async def get(self, name: str) -> StoredPolicy | None:
        """Return a policy; None when it does not exist or is deleted."""
        row = (await self._connection.execute(select(policies).where(policies.c.name == name))).one_or_none()
        return None if row is None else to_policy(row)

    async def list_scoped(
        self,
        after: str | None = None,
        limit: int | None = None,
        *,
        scope: PolicyScope | None = None,
        seen: VisibleTables | None = None,
    ) -> builtins.list[StoredPolicy]:
        """Return policies other than tables' own ones, by name.

        Args:
            after: return policies after this name.
            limit: return at most this number.
            scope: return only policies of exactly this scope.
            seen: return policies of teams and labels only if they cover one of these tables or belong to its teams.
        """
        query = _scoped().order_by(policies.c.name).limit(limit)
        if after is not None:
            query = query.where(policies.c.name > after)
        if scope is not None:
            query = query.where(*_of_scope(scope))
        if seen is not None:
            query = query.where(or_(policies.c.team.in_(sorted(seen.teams)), has_members(visible(seen))))
        return [to_policy(row) for row in await self._connection.execute(query)]

    async def find_scope(self, scope: PolicyScope) -> StoredPolicy | None:
        """Return the policy of exactly this scope; None if there is none, and for patterns, which may have several."""
        if scope.kind is PolicyScopeKind.PATTERN:
            return None
        row = (await self._connection.execute(select(policies).where(*_of_scope(scope)))).one_or_none()
        return None if row is None else to_policy(row)

    async def insert(
        self, name: str, scope: PolicyScope, document: PolicyDocument, by: str, *, message: str | None = None
    ) -> StoredPolicy:
        """Store a new policy, with version 1 or the version after its deletion.

        Raises:
            NotFound: the scope is a table that is not registered.
            StateConflict: a policy of this name or of this scope exists (`details["constraint"]` identifies which).
        """
        if scope.table_id is not None:
            # The table can't be deleted until this transaction ends.
            table = select(tables.c.id).where(tables.c.id == scope.table_id)
            locked = table.with_for_update(read=True, key_share=True)
            if (await self._connection.execute(locked)).one_or_none() is None:
                raise NotFound(f"no table {scope.table_id}")
        newest = select(func.max(policy_versions.c.version)).where(policy_versions.c.name == name)
        version = ((await self._connection.execute(newest)).scalar_one() or 0) + 1
        values = {
            "name": name,
            **_columns(scope),
            "version": version,
            "document": document.as_given(),
            "updated_by": by,
        }
        values["message"] = message
        statement = insert(policies).values(**values, updated_at=now()).returning(policies.c.updated_at)
        async with self._connection.begin_nested():
            at = (await self._connection.execute(statement)).scalar_one()
            await self._keep(PolicyVersion(name, version, at, by, False, scope, document, message))
        return StoredPolicy(document, version, at, by, name, scope, message)

    async def replace(
        self, name: str, document: PolicyDocument, by: str, expected_version: int, *, message: str | None = None
    ) -> StoredPolicy:
        """Store a new version of a policy; its scope is unchanged.

        Raises:
            NotFound: the policy does not exist.
            PreconditionFailed: the stored version differs.
        """
        statement = (
            update(policies)
            .where(policies.c.name == name, policies.c.version == expected_version)
            .values(
                version=policies.c.version + 1,
                document=document.as_given(),
                updated_by=by,
                updated_at=now(),
                message=message,
            )
            .returning(policies)
        )
        row = (await self._connection.execute(statement)).one_or_none()
        if row is None:
            raise await self._stale(name)
        stored = to_policy(row)
        await self._keep(_version_of(stored))
        return stored

    async def delete(self, name: str, by: str, expected_version: int, *, message: str | None = None) -> None:
        """Delete a policy; its versions are kept, and the deletion is stored as another version.

        Raises:
            NotFound: the policy does not exist.
            PreconditionFailed: the stored version differs.
        """
        removed: builtins.list[Any] = [*policies.c, now().label("deleted_at")]
        statement = (
            delete(policies).where(policies.c.name == name, policies.c.version == expected_version).returning(*removed)
        )
        row = (await self._connection.execute(statement)).one_or_none()
        if row is None:
            raise await self._stale(name)
        scope = to_scope(row)
        version = PolicyVersion(name, row.version + 1, row.deleted_at, by, True, scope, PolicyDocument(), message)
        await self._keep(version)

    async def list_versions(
        self, name: str, before: int | None = None, limit: int = 100
    ) -> builtins.list[PolicyVersion]:
        """Return the versions of a policy below `before`, newest first."""
        query = select(policy_versions).where(policy_versions.c.name == name)
        if before is not None:
            query = query.where(policy_versions.c.version < before)
        query = query.order_by(policy_versions.c.version.desc()).limit(limit)
        return [_to_version(row) for row in await self._connection.execute(query)]

    async def get_version(self, name: str, version: int) -> PolicyVersion | None:
        """Return one version; None when it was never written."""
        query = select(policy_versions).where(policy_versions.c.name == name, policy_versions.c.version == version)
        row = (await self._connection.execute(query)).one_or_none()
        return None if row is None else _to_version(row)

    async def scopes_of(self, name: str) -> builtins.list[PolicyScope]:
        """Return all scopes that policies of this name have had."""
        query = select(policy_versions.c.scope).where(policy_versions.c.name == name).distinct()
        return [_of_document(row.scope) for row in await self._connection.execute(query)]

    async def _keep(self, version: PolicyVersion) -> None:
        values = {
            "name": version.name,
            "version": version.version,
            "written_at": version.written_at,
            "written_by": version.written_by,
            "is_deletion": version.is_deletion,
            "message": version.message,
            "scope": _scope_document(version.scope),
            "document": version.document.as_given(),
        }
        await self._connection.execute(insert(policy_versions).values(values))

    async def _stale(self, name: str) -> NotFound | PreconditionFailed:
        present = await self.get(name)
        if present is None:
            return NotFound(f"no policy {name!r}")
        return PreconditionFailed(
            f"the policy {name!r} has version {present.version} now", details={"version": present.version}
        )


def to_policy(row: Row[Any]) -> StoredPolicy:
    """Return the policy that a row of `policies` holds."""
    document = PolicyDocument.of_stored(row.document)
    return StoredPolicy(document, row.version, row.updated_at, row.updated_by, row.name, to_scope(row), row.message)


def to_scope(row: Row[Any]) -> PolicyScope:
    """Return the scope that a row of `policies` holds."""
    return PolicyScope(
        kind=row.kind,
        catalog=row.catalog,
        namespace=row.namespace,
        pattern=row.pattern,
        table_id=row.table_id,
        team=row.team,
        label_key=row.label_key,
        label_value=row.label_value,
    )


def has_members(which: ColumnElement[bool]) -> ColumnElement[bool]:
    """Return the condition that a policy's scope is not a team or label, or one that a table of `which` has."""
    of_team = exists(select(tables.c.id).where(tables.c.owner_team == policies.c.team, which).correlate(policies))
    is_label = and_(table_labels.c.key == policies.c.label_key, table_labels.c.value == policies.c.label_value)
    labelled = select(table_labels.c.table_id).join(tables, tables.c.id == table_labels.c.table_id)
    of_label = exists(labelled.where(is_label, which).correlate(policies))
    return and_(
        or_(policies.c.kind != PolicyScopeKind.TEAM, of_team), or_(policies.c.kind != PolicyScopeKind.LABEL, of_label)
    )


def _scoped() -> Select[Any]:
    return select(policies).where(policies.c.kind != PolicyScopeKind.TABLE)


def _of_scope(scope: PolicyScope) -> builtins.list[ColumnElement[bool]]:
    """Return the conditions that a policy has exactly this scope."""
    return [policies.c[name].is_not_distinct_from(value) for name, value in _columns(scope).items()]


def _version_of(stored: StoredPolicy) -> PolicyVersion:
    return PolicyVersion(
        stored.name,
        stored.version,
        stored.updated_at,
        stored.updated_by,
        False,
        stored.scope,
        stored.document,
        stored.message,
    )


def _columns(scope: PolicyScope) -> Mapping[str, Any]:
    return {
        "kind": scope.kind,
        "catalog": scope.catalog,
        "namespace": scope.namespace,
        "pattern": scope.pattern,
        "table_id": scope.table_id,
        "team": scope.team,
        "label_key": scope.label_key,
        "label_value": scope.label_value,
    }


def _scope_document(scope: PolicyScope) -> dict[str, Any]:
    return {name: value for name, value in _columns(scope).items() if value is not None}


def _of_document(scope: Mapping[str, Any]) -> PolicyScope:
    namespace = scope.get("namespace")
    levels = None if namespace is None else tuple(namespace)
    return PolicyScope(**{**scope, "kind": PolicyScopeKind(scope["kind"]), "namespace": levels})


def _to_version(row: Row[Any]) -> PolicyVersion:
    scope, document = _of_document(row.scope), PolicyDocument.of_stored(row.document)
    return PolicyVersion(
        row.name, row.version, row.written_at, row.written_by, row.is_deletion, scope, document, row.message
    )
