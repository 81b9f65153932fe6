"""Keys on both databases: rotation, revocation, and the last admin."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from engine.domain.access.audit import AuditFilter
from engine.domain.access.callers import Caller, Role
from engine.domain.errors import InvalidInput, NotFound, StateConflict, Unauthenticated
from engine.domain.ids import IdSource, KeyId
from engine.domain.remedies import remedy
from engine.services.access.authentication import BELIEF_SECONDS, AccessService
from engine.services.access.keys import KeyRequest, KeyService
from engine.stores.database import Database
from tests.support.databases import FreshDatabase
from tests.support.fake_clock import FakeClock

ADMIN = Caller("key:root", Role.ADMIN)
ETL = KeyRequest("etl", Role.OPERATOR, ("sales",))
ROOT = KeyRequest("root", Role.ADMIN)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


def services(database: Database, clock: FakeClock) -> tuple[AccessService, KeyService]:
    """The services of one process."""
    ids = IdSource(clock=clock)
    access = AccessService(database=database, ids=ids, clock=clock)
    return access, KeyService(database=database, access=access, ids=ids, clock=clock)


@pytest.fixture
def access(database: Database, clock: FakeClock) -> AccessService:
    return services(database, clock)[0]


@pytest.fixture
def keys(database: Database, access: AccessService, clock: FakeClock) -> KeyService:
    return KeyService(database=database, access=access, ids=IdSource(clock=clock), clock=clock)


async def test_a_key_authenticates_as_its_name_role_and_teams_until_it_is_revoked(
    access: AccessService, keys: KeyService
) -> None:
    key, secret = await keys.create(ADMIN, ETL)
    caller = await access.authenticate(secret, request_id="req_1")
    assert caller == Caller("key:etl", Role.OPERATOR, frozenset({"sales"}), "req_1", key.id)
    await keys.revoke(ADMIN, key.id)
    with pytest.raises(Unauthenticated):
        await access.authenticate(secret)


async def test_a_secret_has_256_random_bits_and_is_not_stored(keys: KeyService, fresh_database: FreshDatabase) -> None:
    _, secret = await keys.create(ADMIN, ETL)
    assert secret.startswith("pkh_")
    assert len(bytes.fromhex(secret.removeprefix("pkh_"))) == 32
    stored = repr(fresh_database.execute("SELECT * FROM api_keys")) + repr(
        fresh_database.execute("SELECT * FROM audit")
    )
    assert secret.removeprefix("pkh_") not in stored


async def test_two_keys_of_a_name_live_side_by_side_and_a_third_needs_one_revoked(
    access: AccessService, keys: KeyService
) -> None:
    (first, old), (second, new) = await keys.create(ADMIN, ETL), await keys.create(ADMIN, ETL)
    assert {first.slot, second.slot} == {1, 2}
    assert [(await access.authenticate(secret)).subject for secret in (old, new)] == ["key:etl", "key:etl"]
    with pytest.raises(StateConflict, match=f"revoke the older, {first.id}") as refused:
        await keys.create(ADMIN, ETL)
    assert refused.value.remedy == remedy("revoke_key", key_id=first.id)
    await keys.revoke(ADMIN, first.id)
    third, _ = await keys.create(ADMIN, ETL)
    assert third.slot == first.slot


async def test_keys_of_a_name_made_at_once_are_two_at_most(fresh_database: FreshDatabase, clock: FakeClock) -> None:
    processes = [services(fresh_database.connect(), clock)[1] for _ in range(5)]
    made = await asyncio.gather(*(keys.create(ADMIN, ETL) for keys in processes), return_exceptions=True)
    assert sorted(type(result).__name__ for result in made) == ["StateConflict"] * 3 + ["tuple"] * 2


async def test_an_expired_key_makes_room(keys: KeyService, clock: FakeClock) -> None:
    short = replace(ETL, expires_at=clock.now() + timedelta(hours=1))
    await keys.create(ADMIN, short)
    await keys.create(ADMIN, short)
    clock.advance(3600)
    await keys.create(ADMIN, ETL)


async def test_keys_of_one_name_have_one_role_and_the_same_teams(keys: KeyService) -> None:
    await keys.create(ADMIN, ETL)
    for other in (replace(ETL, role=Role.OWNER), replace(ETL, teams=None), replace(ETL, teams=("hr",))):
        with pytest.raises(StateConflict, match="choose another name"):
            await keys.create(ADMIN, other)


async def test_neither_a_key_that_would_have_expired_nor_an_admin_bound_to_teams_is_made(
    keys: KeyService, clock: FakeClock
) -> None:
    wrong = {"/expires_at": replace(ETL, expires_at=clock.now()), "/teams": replace(ROOT, teams=("sales",))}
    for pointer, request in wrong.items():
        with pytest.raises(InvalidInput) as raised:
            await keys.create(ADMIN, request)
        assert raised.value.problems[0].pointer == pointer


async def test_a_revoked_key_is_refused_by_other_processes_after_a_second(
    access: AccessService, fresh_database: FreshDatabase, keys: KeyService, clock: FakeClock
) -> None:
    key, secret = await keys.create(ADMIN, ETL)
    caller = await access.authenticate(secret)
    await services(fresh_database.connect(), clock)[1].revoke(ADMIN, key.id)
    clock.advance(BELIEF_SECONDS)
    with pytest.raises(Unauthenticated):
        await access.authenticate(secret)
    assert not await access.still_holds(caller)


async def test_an_expired_key_is_refused_at_its_instant(access: AccessService, keys: KeyService, clock: FakeClock):
    _, secret = await keys.create(ADMIN, replace(ETL, expires_at=clock.now() + timedelta(seconds=0.5)))
    caller = await access.authenticate(secret)
    assert await access.still_holds(caller)
    clock.advance(0.5)
    with pytest.raises(Unauthenticated, match=r"this API key expired at .*: ask for a new one"):
        await access.authenticate(secret)
    assert not await access.still_holds(caller)


async def test_revoking_twice_is_revoking_once_and_an_unknown_key_is_not_found(keys: KeyService, database: Database):
    key, _ = await keys.create(ADMIN, ETL)
    await keys.revoke(ADMIN, key.id)
    await keys.revoke(ADMIN, key.id)
    async with database.read() as unit:
        told = await unit.audit.list(AuditFilter(object=key.id), before=None, limit=10)
    assert [entry.action for entry, _ in told] == ["key.revoke", "key.create"]
    with pytest.raises(NotFound):
        await keys.revoke(ADMIN, KeyId("key_none"))


async def test_the_last_live_admin_key_stays_and_one_that_has_expired_can_be_revoked(
    keys: KeyService, clock: FakeClock
) -> None:
    root, _ = await keys.create(ADMIN, ROOT)
    brief, _ = await keys.create(ADMIN, replace(ROOT, name="brief", expires_at=clock.now() + timedelta(hours=1)))
    await keys.create(ADMIN, ETL)
    clock.advance(3600)
    with pytest.raises(StateConflict, match="last live key with the role admin"):
        await keys.revoke(ADMIN, root.id)
    await keys.revoke(ADMIN, brief.id)


async def test_two_admins_can_not_revoke_each_other_at_once(fresh_database: FreshDatabase, clock: FakeClock) -> None:
    processes = [services(fresh_database.connect(), clock)[1] for _ in range(2)]
    made = [(await processes[0].create(ADMIN, replace(ROOT, name=name)))[0] for name in ("one", "two")]
    ended = await asyncio.gather(
        *(keys.revoke(ADMIN, key.id) for keys, key in zip(processes, made, strict=True)), return_exceptions=True
    )
    assert sorted(type(result).__name__ for result in ended) == ["ApiKey", "StateConflict"]
