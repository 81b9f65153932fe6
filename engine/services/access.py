"""API keys: who calls. A key is `pkh_` and 256 random bits; only its SHA-256 is stored, and found again by."""

import hashlib
import hmac
import os
from collections.abc import Callable
from datetime import timedelta
from typing import Final

from engine.domain.access import ApiKey, Caller, Role
from engine.domain.clock import Clock
from engine.domain.errors import StateConflict, Unauthenticated
from engine.domain.ids import IdSource
from engine.stores.database import Database

KEY_PREFIX: Final = "pkh_"
_TOUCH_AFTER: Final = timedelta(minutes=1)
_REMEDY: Final = "send 'Authorization: Bearer pkh_…' with a key of this installation"


class AccessService:
    """Turns keys into callers, and makes the first key."""

    def __init__(
        self, *, database: Database, ids: IdSource, clock: Clock, entropy: Callable[[int], bytes] = os.urandom
    ) -> None:
        self._database = database
        self._ids = ids
        self._clock = clock
        self._entropy = entropy

    async def authenticate(self, secret: str) -> Caller:
        """Return whose key this is, or raise `Unauthenticated`. Last use is stored at most once a minute."""
        if not secret.startswith(KEY_PREFIX):
            raise Unauthenticated(f"this is not an API key: {_REMEDY}")
        hashed = _sha256(secret)
        async with self._database.read() as unit:
            key = await unit.keys.find_by_hash(hashed)
        if key is None or not hmac.compare_digest(key.secret_sha256, hashed):
            raise Unauthenticated(f"no such API key: {_REMEDY}")
        if key.last_used_at is None or self._clock.now() - key.last_used_at > _TOUCH_AFTER:
            async with self._database.begin() as unit:
                await unit.keys.touch(key.id)
        return Caller(subject=f"key:{key.name}", role=key.role)

    async def ensure_admin_key(self) -> str | None:
        """Make the first key of an installation; return its secret this once, None where there is a key already."""
        secret = f"{KEY_PREFIX}{self._entropy(32).hex()}"
        key = ApiKey(
            id=self._ids.key_id(),
            name="admin",
            slot=1,
            role=Role.ADMIN,
            secret_sha256=_sha256(secret),
            created_at=self._clock.now(),
            created_by="system",
        )
        try:
            async with self._database.begin() as unit:
                if await unit.keys.count():
                    return None
                await unit.keys.insert(key)
        except StateConflict:  # another process made it at the same moment
            return None
        return secret


def _sha256(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
