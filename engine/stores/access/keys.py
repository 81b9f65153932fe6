"""API keys, looked up by the hash of their secret. Revoked keys are kept, so that names in the audit log resolve."""

import builtins
from datetime import datetime
from typing import Final

from sqlalchemy import RowMapping, func, insert, or_, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.domain.access.callers import ApiKey, Role
from engine.domain.ids import KeyId
from engine.stores.schema.core import api_keys
from engine.stores.sql.dialects import now, seconds_from_now

_TOUCH_SECONDS: Final = 60


class KeyStore:
    """Rows of `api_keys`. `builtins.list` in annotations: the method `list` hides the type inside the class."""

    def __init__(self, *, connection: AsyncConnection) -> None:
        self._connection = connection

    async def lock(self) -> None:
        """Lock out other transactions that change keys until the end of this one, but no readers. SQLite: no-op."""
        if self._connection.dialect.name == "postgresql":
            await self._connection.execute(text("LOCK TABLE api_keys IN SHARE ROW EXCLUSIVE MODE"))

    async def insert(self, key: ApiKey) -> None:
        """Add a key.

        Raises:
            StateConflict: an unrevoked key has the same name and slot, or the secret exists.
        """
        values = {name: getattr(key, name) for name in api_keys.c.keys()}  # noqa: SIM118 - columns, not a mapping
        values["teams"] = None if key.teams is None else list(key.teams)
        async with self._connection.begin_nested():
            await self._connection.execute(insert(api_keys).values(values))

    async def find_by_hash(self, secret_sha256: str) -> ApiKey | None:
        """Return the key whose secret has this SHA-256 (hex); None when there is none."""
        query = select(api_keys).where(api_keys.c.secret_sha256 == secret_sha256)
        row = (await self._connection.execute(query)).mappings().one_or_none()
        return None if row is None else _to_key(row)

    async def get(self, key_id: KeyId) -> ApiKey | None:
        """Return the key with this id, even if revoked; None when there is none."""
        row = (await self._connection.execute(select(api_keys).where(api_keys.c.id == key_id))).mappings().one_or_none()
        return None if row is None else _to_key(row)

    async def list(self, before: KeyId | None, limit: int) -> builtins.list[ApiKey]:
        """Return keys older than `before`, newest first, including revoked ones."""
        query = select(api_keys).order_by(api_keys.c.id.desc()).limit(limit)
        if before is not None:
            query = query.where(api_keys.c.id < before)
        return [_to_key(row) for row in (await self._connection.execute(query)).mappings()]

    async def list_unrevoked(self, name: str) -> builtins.list[ApiKey]:
        """Return the unrevoked keys of this name, by slot; some may have expired."""
        query = (
            select(api_keys).where(api_keys.c.name == name, api_keys.c.revoked_at.is_(None)).order_by(api_keys.c.slot)
        )
        return [_to_key(row) for row in (await self._connection.execute(query)).mappings()]

    async def list_live_admins(self, at: datetime) -> builtins.list[ApiKey]:
        """Return the keys of role admin that are valid at an instant."""
        query = select(api_keys).where(
            api_keys.c.role == Role.ADMIN,
            api_keys.c.revoked_at.is_(None),
            or_(api_keys.c.expires_at.is_(None), api_keys.c.expires_at > at),
        )
        return [_to_key(row) for row in (await self._connection.execute(query)).mappings()]

    async def revoke(self, key_id: KeyId, at: datetime) -> None:
        """Revoke a key permanently; a key that is already revoked is unchanged."""
        statement = update(api_keys).where(api_keys.c.id == key_id, api_keys.c.revoked_at.is_(None))
        await self._connection.execute(statement.values(revoked_at=at))

    async def count(self) -> int:
        """Return how many keys there are."""
        return (await self._connection.execute(select(func.count()).select_from(api_keys))).scalar_one()

    async def touch(self, key_id: KeyId) -> None:
        """Record that a key was used; at most once a minute, so that most reads do not become writes."""
        stale = or_(api_keys.c.last_used_at.is_(None), api_keys.c.last_used_at < seconds_from_now(-_TOUCH_SECONDS))
        await self._connection.execute(
            update(api_keys).where(api_keys.c.id == key_id, stale).values(last_used_at=now())
        )


def _to_key(row: RowMapping) -> ApiKey:
    return ApiKey(**{**row, "teams": None if row["teams"] is None else tuple(row["teams"])})
