"""Policies: what holds now (`policies`) and all that was ever written (`policy_versions`).

A table's own policy goes by the table's id, a scoped one by its name. A deletion is a version too, so numbers grow on
over it and an old ETag never fits again. Two writers of one version: the row's version in the WHERE lets one through;
two first writers: the primary keys do.
"""

import builtins
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Row, Select, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.domain.errors import NotFound, PreconditionFailed
from engine.domain.policies import PolicyDocument, PolicyScope, PolicyScopeKind, StoredPolicy
from engine.domain.policy_versions import PolicyVersion
from engine.stores.clock import now
from engine.stores.schema import policies, policy_versions, tables


class PolicyStore:
    """Rows of `policies` and `policy_versions`. A policy's `name` is the table's id if it is the table's own."""

    def __init__(self, *, connection: AsyncConnection) -> None:
        self._connection = connection

    async def get(self, name: str) -> StoredPolicy | None:
        """Return a policy, None when there is none now."""
        row = (await self._connection.execute(select(policies).where(policies.c.name == name))).one_or_none()
        return None if row is None else to_policy(row)

    async def list_scoped(self, after: str | None = None, limit: int | None = None) -> builtins.list[StoredPolicy]:
        """Return policies that are no table's own, by name, from the one after `after`."""
        query = _scoped().order_by(policies.c.name).limit(limit)
        if after is not None:
            query = query.where(policies.c.name > after)
        return [to_policy(row) for row in await self._connection.execute(query)]

    async def find_scope(self, scope: PolicyScope) -> StoredPolicy | None:
        """Return the policy of exactly this scope; None for none, and for patterns, which may have several."""
        if scope.kind is PolicyScopeKind.PATTERN:
            return None
        query = select(policies).where(
            policies.c.kind == scope.kind,
            policies.c.catalog.is_not_distinct_from(scope.catalog),
            policies.c.namespace.is_not_distinct_from(scope.namespace),
            policies.c.table_id.is_not_distinct_from(scope.table_id),
        )
        row = (await self._connection.execute(query)).one_or_none()
        return None if row is None else to_policy(row)

    async def insert(self, name: str, scope: PolicyScope, document: PolicyDocument, by: str) -> StoredPolicy:
        """Store a policy that there is not yet: version 1, or the one after its deletion.

        Raises:
            NotFound: the scope is a table that is not registered.
            StateConflict: there is a policy of this name or of this scope (`details["constraint"]` tells).
        """
        if scope.table_id is not None:
            # It can't be deleted until we are done.
            table = select(tables.c.id).where(tables.c.id == scope.table_id)
            locked = table.with_for_update(read=True, key_share=True)
            if (await self._connection.execute(locked)).one_or_none() is None:
                raise NotFound(f"no table {scope.table_id}")
        newest = select(func.max(policy_versions.c.version)).where(policy_versions.c.name == name)
        version = ((await self._connection.execute(newest)).scalar_one() or 0) + 1
        values = {"name": name, **_columns(scope), "version": version, "document": _dump(document), "updated_by": by}
        statement = insert(policies).values(**values, updated_at=now()).returning(policies.c.updated_at)
        async with self._connection.begin_nested():
            at = (await self._connection.execute(statement)).scalar_one()
            await self._keep(PolicyVersion(name, version, at, by, False, scope, document))
        return StoredPolicy(document, version, at, by, name, scope)

    async def replace(self, name: str, document: PolicyDocument, by: str, expected_version: int) -> StoredPolicy:
        """Set a new version; the scope stays.

        Raises:
            NotFound: there is no such policy.
            PreconditionFailed: its version is another one.
        """
        statement = (
            update(policies)
            .where(policies.c.name == name, policies.c.version == expected_version)
            .values(version=policies.c.version + 1, document=_dump(document), updated_by=by, updated_at=now())
            .returning(policies)
        )
        row = (await self._connection.execute(statement)).one_or_none()
        if row is None:
            raise await self._stale(name)
        stored = to_policy(row)
        await self._keep(_version_of(stored))
        return stored

    async def delete(self, name: str, by: str, expected_version: int) -> None:
        """Remove a policy; its versions stay, and the deletion is one more.

        Raises:
            NotFound: there is no such policy.
            PreconditionFailed: its version is another one.
        """
        removed: builtins.list[Any] = [*policies.c, now().label("deleted_at")]
        statement = (
            delete(policies).where(policies.c.name == name, policies.c.version == expected_version).returning(*removed)
        )
        row = (await self._connection.execute(statement)).one_or_none()
        if row is None:
            raise await self._stale(name)
        scope = to_scope(row)
        await self._keep(PolicyVersion(name, row.version + 1, row.deleted_at, by, True, scope, PolicyDocument()))

    async def list_versions(
        self, name: str, before: int | None = None, limit: int = 100
    ) -> builtins.list[PolicyVersion]:
        """Return what was written, newest first, from the one before `before`."""
        query = select(policy_versions).where(policy_versions.c.name == name)
        if before is not None:
            query = query.where(policy_versions.c.version < before)
        query = query.order_by(policy_versions.c.version.desc()).limit(limit)
        return [_to_version(row) for row in await self._connection.execute(query)]

    async def get_version(self, name: str, version: int) -> PolicyVersion | None:
        """Return one version, None when it was never written."""
        query = select(policy_versions).where(policy_versions.c.name == name, policy_versions.c.version == version)
        row = (await self._connection.execute(query)).one_or_none()
        return None if row is None else _to_version(row)

    async def scopes_of(self, name: str) -> builtins.list[PolicyScope]:
        """Return every scope that a policy of this name ever had."""
        query = select(policy_versions.c.scope).where(policy_versions.c.name == name).distinct()
        return [_of_document(row.scope) for row in await self._connection.execute(query)]

    async def _keep(self, version: PolicyVersion) -> None:
        values = {
            "name": version.name,
            "version": version.version,
            "written_at": version.written_at,
            "written_by": version.written_by,
            "is_deletion": version.is_deletion,
            "scope": _scope_document(version.scope),
            "document": _dump(version.document),
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
    return StoredPolicy(document, row.version, row.updated_at, row.updated_by, row.name, to_scope(row))


def to_scope(row: Row[Any]) -> PolicyScope:
    """Return the scope that a row of `policies` holds."""
    return PolicyScope(
        kind=row.kind, catalog=row.catalog, namespace=row.namespace, pattern=row.pattern, table_id=row.table_id
    )


def _scoped() -> Select[Any]:
    return select(policies).where(policies.c.kind != PolicyScopeKind.TABLE)


def _version_of(stored: StoredPolicy) -> PolicyVersion:
    return PolicyVersion(
        stored.name, stored.version, stored.updated_at, stored.updated_by, False, stored.scope, stored.document
    )


def _columns(scope: PolicyScope) -> Mapping[str, Any]:
    return {
        "kind": scope.kind,
        "catalog": scope.catalog,
        "namespace": scope.namespace,
        "pattern": scope.pattern,
        "table_id": scope.table_id,
    }


def _scope_document(scope: PolicyScope) -> dict[str, Any]:
    return {name: value for name, value in _columns(scope).items() if value is not None}


def _of_document(scope: Mapping[str, Any]) -> PolicyScope:
    namespace = scope.get("namespace")
    levels = None if namespace is None else tuple(namespace)
    return PolicyScope(**{**scope, "kind": PolicyScopeKind(scope["kind"]), "namespace": levels})


def _to_version(row: Row[Any]) -> PolicyVersion:
    scope, document = _of_document(row.scope), PolicyDocument.of_stored(row.document)
    return PolicyVersion(row.name, row.version, row.written_at, row.written_by, row.is_deletion, scope, document)


def _dump(document: PolicyDocument) -> dict[str, Any]:
    return document.model_dump(mode="json", exclude_none=True)
