"""A table's own policy. Every version is kept; numbers grow on after a delete, so that an old ETag never fits again."""

from datetime import datetime
from typing import Any

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.domain.errors import NotFound, PreconditionFailed
from engine.domain.ids import TableId
from engine.domain.policies import PolicyDocument, PolicyScope, PolicyScopeKind, StoredPolicy
from engine.stores.clock import now
from engine.stores.schema import policies, policy_versions, tables


class PolicyStore:
    """Rows of `policies` (what holds now) and `policy_versions` (all that was written)."""

    def __init__(self, *, connection: AsyncConnection) -> None:
        self._connection = connection

    async def get(self, table_id: TableId) -> StoredPolicy | None:
        """Return the policy, None when the table has none of its own."""
        row = (await self._connection.execute(select(policies).where(policies.c.name == table_id))).one_or_none()
        if row is None:
            return None
        document = PolicyDocument.model_validate(row.document)
        return StoredPolicy(document, row.version, row.updated_at, row.updated_by, table_id, _scope(table_id))

    async def insert(self, table_id: TableId, document: PolicyDocument, by: str) -> StoredPolicy:
        """Set the first policy of a table (version 1), or the first after a delete.

        Raises:
            NotFound: no such table.
            StateConflict: the table has a policy.
        """
        table = select(tables.c.id).where(tables.c.id == table_id).with_for_update(read=True, key_share=True)
        if (await self._connection.execute(table)).one_or_none() is None:
            raise NotFound(f"no table {table_id}")
        newest = select(func.max(policy_versions.c.version)).where(policy_versions.c.name == table_id)
        version = ((await self._connection.execute(newest)).scalar_one() or 0) + 1
        values = {
            "name": table_id,
            "kind": PolicyScopeKind.TABLE,
            "table_id": table_id,
            "version": version,
            "document": _dump(document),
            "updated_by": by,
        }
        statement = insert(policies).values(**values, updated_at=now()).returning(policies.c.updated_at)
        async with self._connection.begin_nested():
            at = (await self._connection.execute(statement)).scalar_one()
            await self._keep(table_id, version, document, at, by)
        return StoredPolicy(document, version, at, by, table_id, _scope(table_id))

    async def replace(
        self, table_id: TableId, document: PolicyDocument, by: str, expected_version: int
    ) -> StoredPolicy:
        """Set a new version of the policy.

        Raises:
            NotFound: the table has no policy.
            PreconditionFailed: its version is another one.
        """
        statement = (
            update(policies)
            .where(policies.c.name == table_id, policies.c.version == expected_version)
            .values(version=policies.c.version + 1, document=_dump(document), updated_by=by, updated_at=now())
            .returning(policies.c.version, policies.c.updated_at)
        )
        row = (await self._connection.execute(statement)).one_or_none()
        if row is None:
            raise await self._stale(table_id)
        await self._keep(table_id, row.version, document, row.updated_at, by)
        return StoredPolicy(document, row.version, row.updated_at, by, table_id, _scope(table_id))

    async def delete(self, table_id: TableId, expected_version: int) -> None:
        """Remove the policy; its versions stay.

        Raises:
            NotFound: the table has no policy.
            PreconditionFailed: its version is another one.
        """
        statement = (
            delete(policies)
            .where(policies.c.name == table_id, policies.c.version == expected_version)
            .returning(policies.c.version)
        )
        if (await self._connection.execute(statement)).one_or_none() is None:
            raise await self._stale(table_id)

    async def _keep(self, table_id: TableId, version: int, document: PolicyDocument, at: datetime, by: str) -> None:
        values = {
            "name": table_id,
            "version": version,
            "written_at": at,
            "written_by": by,
            "is_deletion": False,
            "scope": {"kind": PolicyScopeKind.TABLE, "table_id": table_id},
        }
        await self._connection.execute(insert(policy_versions).values(**values, document=_dump(document)))

    async def _stale(self, table_id: TableId) -> NotFound | PreconditionFailed:
        present = await self.get(table_id)
        if present is None:
            return NotFound(f"table {table_id} has no policy of its own")
        return PreconditionFailed(
            f"the policy of {table_id} has version {present.version} now", details={"version": present.version}
        )


def _scope(table_id: TableId) -> PolicyScope:
    return PolicyScope(PolicyScopeKind.TABLE, table_id=table_id)


def _dump(document: PolicyDocument) -> dict[str, Any]:
    return document.model_dump(mode="json", exclude_none=True)
