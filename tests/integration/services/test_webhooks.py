"""Webhooks on both databases, with receivers over HTTP: which events, in what order, how signed, and after faults."""

import socket
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from threading import Event
from typing import Any, Final

import pytest
import standardwebhooks

from engine.domain.access.callers import Caller, Role
from engine.domain.errors import Away, Forbidden, InvalidInput, NotFound, PreconditionFailed, StateConflict
from engine.domain.fleet.dependencies import DependencyKind
from engine.domain.ids import IdSource, TableId, WebhookId
from engine.domain.runs.run import RunState
from engine.domain.tables.table import Table
from engine.domain.webhooks.events import EVENTS_KEPT_FOR, EventType, NewEvent
from engine.domain.webhooks.webhook import WAITS, DeliveryState, Webhook
from engine.metrics import WorkMetrics
from engine.outgoing.bounds import CallLimits
from engine.services.watching.leadership import Leadership
from engine.services.webhooks import receivers
from engine.services.webhooks.receivers import ReceiverRules, Receivers, WebhookSecrets
from engine.services.webhooks.sending import WebhookSending
from engine.services.webhooks.service import Repeated, WebhookRequest, WebhookService
from engine.stores.database import Database
from engine.stores.watching.leadership import WEBHOOKS
from engine.stores.webhooks.events import announce
from tests.integration.stores.samples import claimed, registered, submitted
from tests.support.eventually import until
from tests.support.fake_clock import FakeClock
from tests.support.moved_clock import MovedClock
from tests.support.receivers import Receiver, receiver

ADMIN: Final = Caller("key:root", Role.ADMIN)
OWNER: Final = Caller("key:ana", Role.OWNER, frozenset({"shop", "hr"}))
KEYS: Final = ("the present key of this deployment",)


@dataclass
class Process:
    """The webhooks of one process, and its sender."""

    database: Database
    holder: str = "first"
    keys: tuple[str, ...] = KEYS
    rules: str = "127.0.0.1"

    def __post_init__(self) -> None:
        clock, secrets = FakeClock(), WebhookSecrets(secret_keys=self.keys)
        sent_to = Receivers(rules=ReceiverRules.of(self.rules))
        ids = IdSource(clock=clock)
        self.metrics = WorkMetrics()
        self.leadership = Leadership(database=self.database, clock=clock, name=WEBHOOKS, holder=self.holder)
        self.service = WebhookService(database=self.database, receivers=sent_to, secrets=secrets, ids=ids, clock=clock)
        self.sending = WebhookSending(
            database=self.database,
            receivers=sent_to,
            secrets=secrets,
            leadership=self.leadership,
            clock=clock,
            metrics=self.metrics,
            chance=lambda: 0.5,
        )

    async def make(self, url: str, caller: Caller = ADMIN, **fields: Any) -> tuple[Webhook, str]:
        return await self.service.create(caller, WebhookRequest(fields.pop("name", "hook"), url, **fields))

    async def turn(self) -> int:
        """Send what is due, and wait for the answers."""
        await self.sending.lead_webhooks()
        begun = await self.sending.send_events()
        await until(lambda: not self.sending._sending)
        return begun

    async def turns(self) -> int:
        """Send until nothing is due."""
        total = 0
        while begun := await self.turn():
            total += begun
        return total

    async def states(self, webhook: Webhook) -> list[tuple[str, int]]:
        found = await self.service.deliveries(ADMIN, webhook.id, None, before=None, limit=1000)
        return [(each.state.value, each.attempts) for each in found]


@pytest.fixture
async def process(database: Database) -> AsyncIterator[Process]:
    made = Process(database)
    yield made
    await made.sending.close()


@pytest.fixture
def got() -> Iterator[Receiver]:
    with receiver() as made:
        yield made


async def pause(database: Database, table: Table, times: int = 1) -> None:
    """Record events of a table."""
    async with database.begin() as unit:
        for number in range(times):
            action = "table.pause" if number % 2 == 0 else "table.resume"
            await unit.audit.append(ADMIN, action, table.id, after={"reason": "a secret reason"})


async def test_a_run_is_announced_when_it_starts_and_ends_and_no_more(
    process: Process, database: Database, got: Receiver
) -> None:
    webhook, secret = await process.make(got.url)
    run = await submitted(database)
    lease = await claimed(database, run.id)
    async with database.begin() as unit:
        await unit.runs.transition(lease, to=RunState.REWRITING)
        await unit.runs.transition(lease, to=RunState.FAILED, reason="failed", detail="with a path that is not told")
    assert await process.turns() == 2
    first, last = got.events
    assert [each.get_type() for each in got.events] == ["io.packhouse.run.started.v1", "io.packhouse.run.failed.v1"]
    assert last.get_attributes()["sequence"] > first.get_attributes()["sequence"]
    assert first.get_data()["table_id"] == run.table_id
    assert last.get_subject().startswith("lake.shop.eu.t")
    data = last.get_data()
    assert {name: data[name] for name in ("run_id", "state", "attempt", "reason", "operation", "team", "catalog")} == {
        "run_id": run.id,
        "state": "failed",
        "attempt": 1,
        "reason": "failed",
        "operation": "rewrite",
        "team": "shop",
        "catalog": "lake",
    }
    for headers, body in got.requests:
        assert b"with a path" not in body
        assert standardwebhooks.Webhook(secret).verify(body, headers)["id"] == headers["webhook-id"]
    assert await process.states(webhook) == [("delivered", 1), ("delivered", 1)]
    assert await process.turn() == 0


async def test_an_event_of_a_change_that_did_not_happen_is_not_sent(
    process: Process, database: Database, got: Receiver
) -> None:
    await process.make(got.url)
    table = await registered(database)

    async def fail() -> None:
        async with database.begin() as unit:
            await unit.audit.append(ADMIN, "table.pause", table.id)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()
    assert await process.turns() == 0
    assert got.requests == []


@pytest.mark.parametrize(
    ("fields", "types"),
    [
        ({}, ["table.paused", "policy.changed", "outage.began", "table.paused"]),
        ({"events": (EventType.POLICY_CHANGED, EventType.RUN_FAILED)}, ["policy.changed"]),
        ({"teams": ("shop",)}, ["table.paused", "table.paused"]),
        ({"teams": ("hr",)}, []),
        ({"catalogs": ("other",)}, ["table.paused"]),
        ({"enabled": False}, []),
    ],
)
async def test_a_webhook_gets_the_events_that_its_filters_let_pass(
    process: Process, database: Database, got: Receiver, fields: dict[str, Any], types: list[str]
) -> None:
    await process.make(got.url, **fields)
    one, other = await registered(database), await registered(database, catalog="other")
    await pause(database, one)
    async with database.begin() as unit:
        await unit.audit.append(ADMIN, "policy.replace", "nightly", after={"scope": "fleet"})
        await unit.audit.append(ADMIN, "limits.replace", "fleet")
        began = NewEvent(EventType.OUTAGE_BEGAN, data={"dependency": "spark"})
        await announce(unit.connection, [began, NewEvent(EventType.TABLE_FROZEN, table_id=TableId("tbl_gone"))])
    await pause(database, other)
    await process.turns()
    assert sorted(each.get_type() for each in got.events) == sorted(f"io.packhouse.{each}.v1" for each in types)
    assert all(b"a secret reason" not in body for _, body in got.requests)


async def test_events_of_one_table_are_in_order_and_another_table_does_not_wait(
    process: Process, database: Database
) -> None:
    with receiver(lambda number: 503 if number == 0 else 200) as got:
        webhook, _ = await process.make(got.url)
        one, other = await registered(database), await registered(database, "other")
        await pause(database, one, times=3)
        await process.turn()
        assert await process.states(webhook) == [("pending", 0), ("pending", 0), ("pending", 1)]
        await pause(database, other)
        await process.turns()
        assert [each.get_data()["table_id"] for each in got.events] == [one.id, other.id]
        clock = await MovedClock.of(database)
        await clock.pass_by(seconds=WAITS[0])
        await process.turns()
        of_one = [each for each in got.events if each.get_data()["table_id"] == one.id]
        assert [each.get_type().split(".")[3] for each in of_one] == ["paused", "paused", "resumed", "paused"]
        assert of_one[0].get_id() == of_one[1].get_id(), "a second attempt has the same id"
        assert len({each.get_id() for each in of_one}) == 3


async def test_a_dead_receiver_gets_one_request_at_a_time_is_given_up_after_two_days_and_delays_nobody(
    process: Process, database: Database, got: Receiver
) -> None:
    with receiver(lambda _: 500) as dead:
        failing, _ = await process.make(dead.url, name="failing")
        healthy, _ = await process.make(got.url, name="healthy")
        tables = [await registered(database, f"t{number}") for number in range(6)]
        for table in tables:
            await pause(database, table)
        await process.turn()
        assert len(dead.requests) == len(got.requests) == 4
        await process.turn()
        assert (len(dead.requests), len(got.requests)) == (5, 6)
        clock = await MovedClock.of(database)
        for wait in WAITS:
            await process.turns()
            await clock.pass_by(seconds=wait * 1.01)
        await process.turns()
        assert set(await process.states(failing)) == {("dead", len(WAITS) + 1)}
        assert set(await process.states(healthy)) == {("delivered", 1)}
        assert (await process.service.get(ADMIN, failing.id)).failures == 6 * (len(WAITS) + 1)
        dead.answer = lambda _: 200
        (newest, *_) = await process.service.deliveries(ADMIN, failing.id, DeliveryState.DEAD, before=None, limit=1)
        await process.service.repeat(ADMIN, failing.id, newest.event_id)
        assert await process.turns() == 1
        assert dead.ids[-1] == newest.event_id
        assert (await process.service.get(ADMIN, failing.id)).failures == 0
    counted = {name: process.metrics.webhook_deliveries.labels(name)._value.get() for name in ("delivered", "dead")}
    assert counted == {"delivered": 7, "dead": 6}


async def test_a_receiver_that_is_gone_is_disabled_until_its_owner_enables_it(
    process: Process, database: Database
) -> None:
    with receiver(lambda number: 410 if number == 0 else 204) as got:
        webhook, _ = await process.make(got.url)
        table = await registered(database)
        await pause(database, table, times=2)
        await process.turns()
        found = await process.service.get(ADMIN, webhook.id)
        assert (found.enabled, found.disabled_reason) == (
            False,
            "the receiver answered 410: it wants no further events",
        )
        assert await process.states(webhook) == [("pending", 0), ("dead", 1)]
        with pytest.raises(PreconditionFailed):
            await process.service.replace(ADMIN, webhook.id, WebhookRequest("hook", got.url), webhook.version)
        enabled = await process.service.replace(ADMIN, webhook.id, WebhookRequest("hook", got.url), found.version)
        assert (enabled.enabled, enabled.disabled_reason) == (True, None)
        await process.turns()
        assert await process.states(webhook) == [("delivered", 1), ("dead", 1)]


async def test_an_answer_that_could_not_be_recorded_is_asked_for_again_with_the_same_id(
    process: Process, database: Database, got: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    await process.make(got.url)
    await pause(database, await registered(database))
    settle = process.sending._settle

    async def away(*_: Any) -> None:
        raise Away("the database is away", dependency=DependencyKind.DATABASE)

    monkeypatch.setattr(process.sending, "_settle", away)
    assert await process.turn() == 1
    monkeypatch.setattr(process.sending, "_settle", settle)
    assert await process.turns() == 1
    assert len(got.ids) == 2
    assert len(set(got.ids)) == 1


async def test_only_the_leader_sends_and_another_process_goes_on_after_it(
    process: Process, database: Database, got: Receiver
) -> None:
    await process.make(got.url)
    table, second = await registered(database), Process(database, holder="second")
    await process.turn()
    await pause(database, table)
    assert await second.turn() == 0
    await process.sending.close()
    assert await second.turn() == 1
    await second.sending.close()
    assert len(got.requests) == 1


async def test_both_secrets_sign_for_a_day_after_a_rotation_and_both_keys_while_a_key_is_changed(
    database: Database, got: Receiver
) -> None:
    process = Process(database)
    webhook, first = await process.make(got.url)
    rotated, second = await process.service.rotate(ADMIN, webhook.id)
    assert first != second
    assert rotated.previous_until is not None
    changed = Process(database, keys=(*KEYS, "the next key of this deployment"))
    _, third = await changed.service.rotate(ADMIN, webhook.id)
    await changed.service.test(ADMIN, webhook.id)
    ((headers, body),) = got.requests
    assert headers["webhook-signature"].count("v1,") == 4
    for secret in (second, third):
        assert standardwebhooks.Webhook(secret).verify(body, headers)["type"] == "io.packhouse.webhook.test.v1"
    with pytest.raises(standardwebhooks.WebhookVerificationError):
        standardwebhooks.Webhook(first).verify(body, headers)
    later = replace(rotated, previous_until=process.sending._clock.now() - timedelta(seconds=1))
    async with database.begin() as unit:
        await unit.webhooks.rotate(webhook.id, -1)
    await changed.service.test(ADMIN, later.id)
    assert got.requests[-1][0]["webhook-signature"].count("v1,") == 2


async def test_owners_see_and_make_webhooks_for_their_own_teams_only(process: Process, got: Receiver) -> None:
    mine, _ = await process.make(got.url, OWNER, teams=("shop",))
    everyones, _ = await process.make(got.url, name="all")
    assert [each.id for each in await process.service.list(OWNER, after=None, limit=10)] == [mine.id]
    assert len(await process.service.list(ADMIN, after=None, limit=10)) == 2
    for teams in (None, ("shop", "finance")):
        with pytest.raises(Forbidden, match="set teams to: hr, shop"):
            await process.make(got.url, OWNER, name="more", teams=teams)
    service, wanted = process.service, WebhookRequest("x", got.url, teams=("shop",))
    for call in (
        service.get(OWNER, everyones.id),
        service.replace(OWNER, everyones.id, wanted, 1),
        service.delete(OWNER, everyones.id, 1),
        service.rotate(OWNER, everyones.id),
        service.test(OWNER, everyones.id),
        service.deliveries(OWNER, everyones.id, None, before=None, limit=1),
        service.repeat_since(OWNER, everyones.id, since=process.sending._clock.now() - timedelta(1), until=None),
        service.get(OWNER, WebhookId("whk_none")),
    ):
        with pytest.raises(NotFound):
            await call
    assert got.requests == []
    with pytest.raises(StateConflict, match="a webhook of this name exists"):
        await process.make(got.url, name="all")
    await service.delete(OWNER, mine.id, mine.version)
    with pytest.raises(NotFound):
        await service.get(OWNER, mine.id)


async def test_events_of_a_time_are_sent_again_also_to_a_webhook_that_is_younger(
    process: Process, database: Database, got: Receiver
) -> None:
    table, begun = await registered(database), process.sending._clock.now() - timedelta(minutes=1)
    await pause(database, table, times=5)
    await process.turns()
    webhook, _ = await process.make(got.url, events=(EventType.TABLE_RESUMED,))
    process.sending._clock.instant += timedelta(minutes=1)
    assert await process.service.repeat_since(ADMIN, webhook.id, since=begun, until=None) == Repeated(2, begun, None)
    assert await process.turns() == 2
    assert await process.service.repeat_since(ADMIN, webhook.id, since=begun, until=None) == Repeated(2, begun, None)
    assert await process.turns() == 2
    assert got.ids[:2] == got.ids[2:]
    now = process.sending._clock.now()
    long_ago = await process.service.repeat_since(ADMIN, webhook.id, since=now - EVENTS_KEPT_FOR * 2, until=now)
    assert (long_ago.events, long_ago.since) == (2, now - EVENTS_KEPT_FOR)
    assert (await process.service.repeat_since(ADMIN, webhook.id, since=now, until=begun)).events == 0


async def test_events_are_kept_for_thirty_days(process: Process, database: Database, got: Receiver) -> None:
    webhook, _ = await process.make(got.url)
    await pause(database, await registered(database))
    await process.turns()
    async with database.begin() as unit:
        now = await unit.now()
        assert await unit.fleet_events.prune(now - timedelta(minutes=1), 10) == 0
        assert await unit.fleet_events.prune(now + timedelta(minutes=1), 10) == 1
    assert await process.states(webhook) == []


@pytest.mark.parametrize(
    "url",
    [
        "http://hooks.example.com/",
        "https://127.0.0.2/",
        "https://10.1.2.3/",
        "https://8.8.8.8/",
        "https://[::1]/",
        "https://[::ffff:7f00:1]:8443/",
        "https://2130706433/",
        "https://localhost/",
        "https://metadata.google.internal/",
        "https://user:pass@hooks.example.com/",
        "https://hooks.example.com/#part",
        "https://hooks.example.com:99999/",
        "https://hooks.ex%61mple.com/",
        "https:///path",
        "ftp://hooks.example.com/",
        "https://hooks.example.com/ a",
        "hooks.example.com",
    ],
)
async def test_addresses_that_could_reach_into_the_network_are_refused(sqlite_database: Database, url: str) -> None:
    with pytest.raises(InvalidInput, match="the address of the webhook can't be used") as refused:
        await Process(sqlite_database, rules="").make(url)
    assert refused.value.problems[0].pointer == "/url"


@pytest.mark.parametrize(
    "addresses",
    [
        ["127.0.0.1"],
        ["::ffff:10.0.0.1"],
        ["169.254.169.254"],
        ["100.100.100.200"],
        ["64:ff9b::a00:1"],
        ["fd00::1"],
        ["0.0.0.0"],
        ["224.0.0.1"],
    ],
)
async def test_a_public_name_that_resolves_to_a_private_address_is_not_connected_to(
    sqlite_database: Database, addresses: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    process = Process(sqlite_database, rules="")
    webhook, _ = await process.make("https://hooks.example.com/")

    def resolved(host: str, port: int, **_: Any) -> list[Any]:
        assert host == "hooks.example.com"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port)) for each in addresses]

    monkeypatch.setattr(socket, "getaddrinfo", resolved)
    answer = await process.service.test(ADMIN, webhook.id)
    assert answer.status is None
    assert (answer.problem or "").startswith("its host resolves to an address that is not public")


async def test_f59_a_name_that_is_rebound_between_deliveries_is_checked_at_each(
    database: Database, got: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The address that was checked is the one that is connected to: no second lookup lies between them."""
    process = Process(database, rules="hooks.internal")
    webhook, _ = await process.make(got.url.replace("127.0.0.1", "hooks.internal"))
    found = iter(["127.0.0.1", "169.254.169.254", "127.0.0.1"])

    def resolved(_host: str, port: int, **_: Any) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (next(found), port))]

    monkeypatch.setattr(socket, "getaddrinfo", resolved)
    assert [(await process.service.test(ADMIN, webhook.id)).status for _ in range(3)] == [204, None, 204]
    assert len(got.requests) == 2


async def test_redirects_are_not_followed_and_slow_or_cut_answers_end(
    process: Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(receivers, "LIMITS", CallLimits(seconds=0.3, body_bytes=1000))

    is_over = Event()

    def cut(_: int) -> int:
        raise ConnectionError

    def slow(_: int) -> int:
        is_over.wait(30)
        return 200

    for number, (answer, status, problem) in enumerate(
        ((lambda _: 302, 302, None), (cut, None, "did not answer"), (slow, None, "within 0.3 s"))
    ):
        with receiver(answer) as got:
            webhook, _ = await process.make(got.url, name=f"hook{number}")
            found = await process.service.test(ADMIN, webhook.id)
            assert (found.status, found.is_success) == (status, False)
            assert (found.problem is None) is (problem is None)
            assert (problem or "") in (found.problem or "")
            assert len(got.requests) == 1
    is_over.set()


async def test_many_events_are_distributed_at_once(process: Process, database: Database, got: Receiver) -> None:
    """After an hour without a coordinator: 3,000 events, which neither of two webhooks wants."""
    await process.make(got.url, teams=("hr",))
    webhook, _ = await process.make(got.url, name="frozen", events=(EventType.TABLE_FROZEN,))
    table = await registered(database)
    async with database.begin() as unit:
        await announce(unit.connection, [NewEvent(EventType.TABLE_PAUSED, table_id=table.id)] * 3000)
    assert await process.turn() == 0
    async with database.read() as unit:
        assert await unit.fleet_events.list_new(1) == []
    assert await process.states(webhook) == []
