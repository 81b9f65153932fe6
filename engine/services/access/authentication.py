"""Authentication: map the bearer credential of a request to its caller.

API keys begin with `pkh_` and carry 256 random bits; only their SHA-256 is stored, and keys are looked up by it. A
credential that does not have the form of a key is refused before it is hashed or looked up. Anything without the prefix
is treated as a token of the identity provider, if one is configured (`services.access.oidc`).

The database's answer about a key is cached for `BELIEF_SECONDS`, so that a burst of requests does not cause a burst of
queries. A key that another process revoked is refused here after at most this time; one revoked by this process is
refused at once, and an expired one at its instant of expiry.
"""

import hashlib
import hmac
import os
import re
from collections import OrderedDict
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final, Protocol, TypeVar

from engine.domain.access.callers import SYSTEM, ApiKey, Caller, Role
from engine.domain.access.sign_in import SignInProvider
from engine.domain.clock import Clock
from engine.domain.errors import InvalidInput, StateConflict, Unauthenticated
from engine.domain.ids import IdSource, KeyId
from engine.domain.values.instants import format_instant
from engine.stores.database import Database

T = TypeVar("T")

KEY_PREFIX: Final = "pkh_"
KEY_FORM: Final = re.compile(r"pkh_[A-Za-z0-9_-]{43,200}")
"""At least 256 bits in any alphabet of at least 62 letters."""
MAX_TOKEN_CHARACTERS: Final = 16 * 1024
BELIEF_SECONDS: Final = 1.0
_SECRET_BYTES: Final = 32
_REMEMBERED: Final = 1024
_TOUCH_AFTER: Final = timedelta(minutes=1)
_REMEDY: Final = "send 'Authorization: Bearer pkh_…' with a key of this installation"


class TokenReader(Protocol):
    """Maps a token of an identity provider to its caller."""

    async def read(self, token: str) -> Caller:
        """Return the caller, or raise `Unauthenticated`, `Forbidden` (no role) or `Transient` (provider is down)."""

    async def sign_in(self) -> SignInProvider | None:
        """Return how browsers sign in with the provider, None if they can't."""


@dataclass(frozen=True, slots=True)
class _Belief:
    """The database's cached answer about a key, with its time by the monotonic clock."""

    key: ApiKey
    at: float


class AccessService:
    """Maps credentials to callers, and creates the first key. `tokens` is None without an identity provider."""

    def __init__(
        self,
        *,
        database: Database,
        ids: IdSource,
        clock: Clock,
        tokens: TokenReader | None = None,
    ) -> None:
        self._database = database
        self._ids = ids
        self._clock = clock
        self._tokens = tokens
        self._beliefs: OrderedDict[str, _Belief] = OrderedDict()
        self._read_tokens: OrderedDict[str, None] = OrderedDict()

    async def authenticate(self, credential: str, *, request_id: str | None = None) -> Caller:
        """Return the caller of a credential. The last use of a key is stored at most once a minute.

        Raises:
            Unauthenticated: it is unknown, revoked or expired; the text does not distinguish unknown from revoked.
            Forbidden: a valid token that maps to no role.
            Transient: the database or the identity provider does not answer.
        """
        if credential.startswith(KEY_PREFIX):
            caller = await self._key_caller(credential)
        elif self._tokens is not None:
            caller = await self._tokens.read(credential)
            _remember(self._read_tokens, sha256_of(credential), None)
        else:
            raise Unauthenticated(f"this is not an API key: {_REMEDY}")
        return replace(caller, request_id=request_id)

    async def still_holds(self, caller: Caller) -> bool:
        """Return whether the caller's credential is still neither revoked nor expired; for long-running answers."""
        if caller.expires_at is not None and self._clock.now() >= caller.expires_at:
            return False
        if caller.key_id is None:
            return True
        now = self._clock.monotonic()
        for belief in self._beliefs.values():
            if belief.key.id == caller.key_id and now - belief.at < BELIEF_SECONDS:
                return belief.key.is_live(self._clock.now())
        async with self._database.read() as unit:
            key = await unit.keys.get(caller.key_id)
        return key is not None and key.is_live(self._clock.now())

    def is_known(self, credential: str) -> bool:
        """Return whether this process recently authenticated this key or token; it is checked again at use.

        Called for addresses that are locked out, so a credential that can be neither key nor token is not hashed.
        """
        if credential.startswith(KEY_PREFIX):
            return KEY_FORM.fullmatch(credential) is not None and sha256_of(credential) in self._beliefs
        return 0 < len(credential) <= MAX_TOKEN_CHARACTERS and sha256_of(credential) in self._read_tokens

    async def sign_in_provider(self) -> SignInProvider | None:
        """Return the provider with which people sign in to the console, None if they can use API keys only."""
        return None if self._tokens is None else await self._tokens.sign_in()

    def forget(self, key_id: KeyId) -> None:
        """Drop the cached answer about a key: its next use asks the database."""
        for hashed in [hashed for hashed, belief in self._beliefs.items() if belief.key.id == key_id]:
            del self._beliefs[hashed]

    def new_secret(self) -> str:
        """Return a random secret for a new key."""
        return f"{KEY_PREFIX}{os.urandom(_SECRET_BYTES).hex()}"

    async def has_keys(self) -> bool:
        """Return whether any key was ever created in this installation."""
        async with self._database.read() as unit:
            return await unit.keys.count() > 0

    async def ensure_admin_key(self, secret: str | None = None) -> str | None:
        """Create the first key of an installation.

        Args:
            secret: the key to create; default: a random one.

        Returns:
            The secret of the created key, None where a key exists already.

        Raises:
            InvalidInput: the given secret does not have the form of a key.
        """
        if secret is not None and not KEY_FORM.fullmatch(secret):
            raise InvalidInput(
                "PACKHOUSE_ADMIN_KEY: not an API key: 'pkh_' and 43 to 200 letters, digits, - or _; "
                "make one with: python3 -c 'import secrets; print(\"pkh_\" + secrets.token_hex(32))'"
            )
        secret = secret or self.new_secret()
        key = ApiKey(
            id=self._ids.key_id(),
            name="admin",
            slot=1,
            role=Role.ADMIN,
            secret_sha256=sha256_of(secret),
            created_at=self._clock.now(),
            created_by="system",
        )
        try:
            async with self._database.begin() as unit:
                if await unit.keys.count():
                    return None
                await unit.keys.insert(key)
                await unit.audit.append(SYSTEM, "key.create", key.id, after=key.described())
        except StateConflict:  # another process created it at the same moment
            return None
        return secret

    async def _key_caller(self, secret: str) -> Caller:
        if not KEY_FORM.fullmatch(secret):
            raise Unauthenticated(f"no such API key: {_REMEDY}")
        hashed = sha256_of(secret)
        belief = self._beliefs.get(hashed)
        if belief is None or self._clock.monotonic() - belief.at >= BELIEF_SECONDS:
            belief = await self._ask(hashed)
        key = belief.key
        if not key.is_live(self._clock.now()):
            self._beliefs.pop(hashed, None)
            if key.revoked_at is None and key.expires_at is not None:
                when = format_instant(key.expires_at)
                raise Unauthenticated(f"this API key expired at {when}: ask for a new one (an admin makes keys)")
            raise Unauthenticated(f"no such API key: {_REMEDY}")
        teams = None if key.teams is None else frozenset(key.teams)
        return Caller(subject=key.subject, role=key.role, teams=teams, key_id=key.id, expires_at=key.expires_at)

    async def _ask(self, hashed: str) -> _Belief:
        asked_at = self._clock.monotonic()
        async with self._database.read() as unit:
            key = await unit.keys.find_by_hash(hashed)
        if key is None or not hmac.compare_digest(key.secret_sha256, hashed):
            self._beliefs.pop(hashed, None)
            raise Unauthenticated(f"no such API key: {_REMEDY}")
        if key.is_live(self._clock.now()) and self._is_use_stale(key):
            async with self._database.begin() as unit:
                await unit.keys.touch(key.id)
        belief = _Belief(key, asked_at)
        _remember(self._beliefs, hashed, belief)
        return belief

    def _is_use_stale(self, key: ApiKey) -> bool:
        return key.last_used_at is None or self._clock.now() - key.last_used_at > _TOUCH_AFTER


def _remember(entries: OrderedDict[str, T], hashed: str, value: T) -> None:
    entries[hashed] = value
    entries.move_to_end(hashed)
    if len(entries) > _REMEMBERED:
        entries.popitem(last=False)


def sha256_of(secret: str) -> str:
    """Return the SHA-256 (hex) that is stored of a secret. The secret is random, so a slow hash would add nothing."""
    return hashlib.sha256(secret.encode()).hexdigest()
