"""API keys for admins: create, list, revoke. The secret is shown once, at creation.

A key's name is the caller's name in every record. Two keys may share a name while the newer replaces the older, so both
have the same role and teams; a key with another role or other teams needs another name.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from engine.domain.access.callers import ApiKey, Caller, Role
from engine.domain.clock import Clock
from engine.domain.errors import FieldProblem, InvalidInput, NotFound, StateConflict
from engine.domain.ids import IdSource, KeyId
from engine.domain.remedies import remedy
from engine.services.access.authentication import AccessService, sha256_of
from engine.stores.database import Database
from engine.stores.unit_of_work import UnitOfWork

_SLOTS: Final = (1, 2)


@dataclass(frozen=True, slots=True)
class KeyRequest:
    """Specification of a new key. `teams` None means every team, `expires_at` None never."""

    name: str
    role: Role
    teams: tuple[str, ...] | None = None
    expires_at: datetime | None = None


class KeyService:
    """Creates, shows and revokes keys."""

    def __init__(self, *, database: Database, access: AccessService, ids: IdSource, clock: Clock) -> None:
        self._database = database
        self._access = access
        self._ids = ids
        self._clock = clock

    async def create(self, caller: Caller, request: KeyRequest) -> tuple[ApiKey, str]:
        """Store a new key; return it with its secret, which can't be shown again.

        Raises:
            InvalidInput: the expiry is in the past, or the role is admin and teams are given.
            StateConflict: two keys of the name are live, or a live one has another role or other teams.
        """
        now = self._clock.now()
        _check(request, now)
        secret = self._access.new_secret()
        async with self._database.begin() as unit:
            await unit.keys.lock()
            key = ApiKey(
                id=self._ids.key_id(),
                name=request.name,
                slot=await _free_slot(unit, request, now),
                role=request.role,
                secret_sha256=sha256_of(secret),
                created_at=now,
                created_by=caller.subject,
                expires_at=request.expires_at,
                teams=request.teams,
            )
            await unit.keys.insert(key)
            await unit.audit.append(caller, "key.create", key.id, after=key.described())
        return key, secret

    async def get(self, caller: Caller, key_id: KeyId) -> ApiKey:  # noqa: ARG002 - admins see every key
        """Return a key, revoked ones too, or raise `NotFound`."""
        async with self._database.read() as unit:
            return _found(await unit.keys.get(key_id), key_id)

    async def list(self, caller: Caller, *, before: KeyId | None, limit: int) -> Sequence[ApiKey]:  # noqa: ARG002 - as `get`
        """Return keys, newest first, at most `limit`, older than `before`; revoked ones too."""
        async with self._database.read() as unit:
            return await unit.keys.list(before, limit)

    async def revoke(self, caller: Caller, key_id: KeyId) -> ApiKey:
        """Revoke a key for good; this process refuses it at once, others within a second. Repeatable.

        Raises:
            NotFound: no such key.
            StateConflict: it is the last live key of role admin.
        """
        now = self._clock.now()
        async with self._database.begin() as unit:
            await unit.keys.lock()
            key = _found(await unit.keys.get(key_id), key_id)
            if key.revoked_at is not None:
                return key
            if [admin.id for admin in await unit.keys.list_live_admins(now)] == [key_id]:
                raise StateConflict(
                    f"key {key.name!r} is the last live key with the role admin: without it no other could be created; "
                    "create another admin key first",
                    remedy=remedy("create_key"),
                )
            await unit.keys.revoke(key_id, now)
            await unit.audit.append(caller, "key.revoke", key_id, before=key.described())
        self._access.forget(key_id)
        return replace(key, revoked_at=now)


async def _free_slot(unit: UnitOfWork, wanted: KeyRequest, now: datetime) -> int:
    """Return a free slot of the name; expired keys of the name are removed for it."""
    taken = []
    for key in await unit.keys.list_unrevoked(wanted.name):
        if not key.is_live(now):
            await unit.keys.revoke(key.id, now)
            continue
        if (key.role, set(key.teams or ())) != (wanted.role, set(wanted.teams or ())):
            raise StateConflict(
                f"a live key {wanted.name!r} has another role or other teams (role {key.role.value!r}): keys with "
                f"the same "
                "name are one caller; choose another name, or revoke that key first",
                details={"key_id": key.id},
            )
        taken.append(key)
    free = [slot for slot in _SLOTS if slot not in {key.slot for key in taken}]
    if not free:
        oldest = min(taken, key=lambda key: key.created_at)
        raise StateConflict(
            f"two keys {wanted.name!r} are live already, which is enough to replace one by the other: revoke the "
            f"older, {oldest.id}, or choose another name",
            details={"key_ids": sorted(key.id for key in taken)},
            remedy=remedy("revoke_key", key_id=oldest.id),
        )
    return free[0]


def _check(wanted: KeyRequest, now: datetime) -> None:
    problems = []
    if wanted.expires_at is not None and wanted.expires_at <= now:
        hint = "give an instant in the future, or leave it out for a key that does not expire"
        problems.append(FieldProblem("/expires_at", "the key would have expired already", str(wanted.expires_at), hint))
    if wanted.role is Role.ADMIN and wanted.teams is not None:
        hint = "leave teams out, or choose the role owner"
        problems.append(FieldProblem("/teams", "an admin is not bound to teams", list(wanted.teams), hint))
    if problems:
        raise InvalidInput("the key can't be made", problems=tuple(problems))


def _found(key: ApiKey | None, key_id: KeyId) -> ApiKey:
    if key is None:
        raise NotFound(f"no key {key_id!r}", remedy=remedy("list_keys"))
    return key
