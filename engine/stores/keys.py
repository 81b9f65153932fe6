"""API keys, found by the hash of their secret."""

from sqlalchemy import RowMapping, func, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.domain.access import ApiKey
from engine.domain.ids import KeyId
from engine.stores.clock import now, seconds_from_now
from engine.stores.schema import api_keys

_TOUCH_SECONDS = 60


class KeyStore:
    """Rows of `api_keys`."""

    def __init__(self, *, connection: AsyncConnection) -> None:
        self._connection = connection

    async def insert(self, key: ApiKey) -> None:
        """Add a key.

        Raises:
            StateConflict: a key with this name or secret exists.
        """
        values = {name: getattr(key, name) for name in api_keys.c.keys()}  # noqa: SIM118 - columns, not a mapping
        values["teams"] = None if key.teams is None else list(key.teams)
        async with self._connection.begin_nested():
            await self._connection.execute(insert(api_keys).values(values))

    async def find_by_hash(self, secret_sha256: str) -> ApiKey | None:
        """Return the key whose secret has this SHA-256 (hex), None when there is none."""
        query = select(api_keys).where(api_keys.c.secret_sha256 == secret_sha256)
        row = (await self._connection.execute(query)).mappings().one_or_none()
        return None if row is None else _to_key(row)

    async def count(self) -> int:
        """Return how many keys there are."""
        return (await self._connection.execute(select(func.count()).select_from(api_keys))).scalar_one()

    async def touch(self, key_id: KeyId) -> None:
        """Note that a key was used; at most once a minute, so that reads do not become writes."""
        stale = or_(api_keys.c.last_used_at.is_(None), api_keys.c.last_used_at < seconds_from_now(-_TOUCH_SECONDS))
        await self._connection.execute(
            update(api_keys).where(api_keys.c.id == key_id, stale).values(last_used_at=now())
        )


def _to_key(row: RowMapping) -> ApiKey:
    return ApiKey(**{**row, "teams": None if row["teams"] is None else tuple(row["teams"])})
