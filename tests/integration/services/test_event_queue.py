"""Events that are read from a queue of SQS: real requests to moto's server, and what is stored and deleted."""

import asyncio
import json
from contextlib import suppress
from time import monotonic
from typing import Any

import pytest

from engine.aws.sqs import QueueAddress, SqsQueue
from engine.domain.errors import InvalidInput, Transient
from engine.domain.ids import TableId
from engine.domain.tables.cloud_events import EventOutcome, EventSource
from engine.domain.tables.queued_events import events_of
from engine.domain.tables.signals import Signal, SignalKind
from engine.metrics import WorkMetrics
from engine.services.tables.events import EventService
from engine.services.watching.event_queue import LONGEST_WAIT_SECONDS, SENDER, EventQueueReader
from engine.stores.database import Database
from tests.integration.stores.samples import registered
from tests.support.event_queues import EventQueue, event_queue, fast_queue
from tests.support.fake_clock import FakeClock
from tests.support.s3_server import S3Server

GARBAGE = ("no JSON", "[]", {"hello": 1}, {"Records": [{"eventName": 7}]})


@pytest.fixture
def queue(s3: S3Server, monkeypatch: pytest.MonkeyPatch) -> EventQueue:
    return event_queue(s3, monkeypatch)


def event(number: int, folder: str = "t") -> dict[str, Any]:
    """Return a notification of S3 of a new object."""
    s3 = {
        "bucket": {"name": "lake"},
        "object": {"key": f"{folder}/day%3D1/{number}.parquet", "sequencer": f"{number:X}"},
    }
    return {"Records": [{"eventName": "ObjectCreated:Put", "eventSource": "aws:s3", "awsRegion": "us-east-1",
                         "responseElements": {"x-amz-request-id": "R"}, "s3": s3}]}  # fmt: skip


class Reader:
    """A coordinator's reader and a table at `s3://lake/t`."""

    def __init__(self, database: Database, queue: EventQueue) -> None:
        self.clock, self.metrics, self.database = FakeClock(), WorkMetrics(), database
        self.reader = self.of(SqsQueue(queue.address))
        self.table_id = TableId("")

    def of(self, queue: SqsQueue) -> EventQueueReader:
        events = EventService(database=self.database, metrics=self.metrics)
        return EventQueueReader(queue=queue, events=events, clock=self.clock, metrics=self.metrics)

    async def signals(self) -> list[Signal]:
        async with self.database.read() as unit:
            return await unit.signals.list(self.table_id, SignalKind.COMMIT, limit=1000)

    def counted(self, line: str) -> float:
        found = [each for each in self.metrics.render().decode().splitlines() if each.startswith(f"packhouse_{line} ")]
        return float(found[0].rpartition(" ")[2])

    def events(self, outcome: str) -> float:
        return self.counted(f'signals_total{{kind="commit",outcome="{outcome}",source="sqs"}}')


@pytest.fixture
async def reader(database: Database, queue: EventQueue) -> Reader:
    made = Reader(database, queue)
    made.table_id = (await registered(database)).id
    async with database.begin() as unit:
        await unit.locations.replace(made.table_id, ["s3://lake/t"])
    return made


async def test_messages_are_deleted_once_their_signals_are_stored(queue: EventQueue, reader: Reader) -> None:
    sns = {"Type": "Notification", "Message": json.dumps(event(2))}
    bridge = {"id": "3", "source": "aws.s3", "detail-type": "Object Created",
              "detail": {"bucket": {"name": "lake"}, "object": {"key": "t/day=1/3.parquet"}}}  # fmt: skip
    queue.send(event(1), sns, bridge, {"Event": "s3:TestEvent"}, event(4, folder="unknown"), event(1))
    assert await reader.reader.read() == 6
    assert (queue.waiting(), len(await reader.signals())) == (0, 1)
    assert [reader.events(each) for each in ("taken", "unknown_table", "duplicate", "refused")] == [3, 1, 1, 0]
    queue.send(event(2))
    assert await reader.reader.read() == 1
    assert (reader.events("duplicate"), len(await reader.signals())) == (2, 1)
    assert reader.counted("event_queue_up") == 1


async def test_a_message_that_can_not_be_read_is_left_for_the_dead_letter_queue(
    s3: S3Server, queue: EventQueue, reader: Reader
) -> None:
    dead = queue.client.create_queue(QueueName="dead")["QueueUrl"]
    policy = {"deadLetterTargetArn": "arn:aws:sqs:us-east-1:123456789012:dead", "maxReceiveCount": "2"}
    queue.client.set_queue_attributes(QueueUrl=queue.url, Attributes={"RedrivePolicy": json.dumps(policy)})
    queue.send(*GARBAGE, event(1))
    for received in (5, 4, 0):
        assert await reader.reader.read() == received
        queue.show_again()
    assert queue.waiting() == 0
    assert reader.counted('event_messages_total{outcome="unreadable"}') == 2 * len(GARBAGE)
    assert reader.counted('event_messages_total{outcome="taken"}') == 1
    assert len(queue.client.receive_message(QueueUrl=dead, MaxNumberOfMessages=10)["Messages"]) == len(GARBAGE)


async def test_a_queue_that_is_away_is_tried_less_and_less_often_until_it_is_back(
    s3: S3Server, queue: EventQueue, reader: Reader
) -> None:
    queue.send(event(1))
    s3.is_away = True
    waits = []
    for _ in range(8):
        begun, asked = reader.clock.monotonic(), len(s3.asked)
        while len(s3.asked) == asked:
            with suppress(Transient):
                assert await reader.reader.read() == 0
            reader.clock.advance(1)
        waits.append(reader.clock.monotonic() - begun)
    assert waits == [1, 1, 2, 4, 8, 16, 32, LONGEST_WAIT_SECONDS]
    assert reader.counted("event_queue_up") == 0
    s3.is_away = False
    reader.clock.advance(LONGEST_WAIT_SECONDS)
    assert await reader.reader.read() == 1
    assert (reader.counted("event_queue_up"), len(await reader.signals())) == (1, 1)


async def test_a_message_is_delivered_again_when_its_signal_could_not_be_stored(
    queue: EventQueue, reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: Any) -> None:
        raise Transient("the database does not answer")

    queue.send(event(1))
    with monkeypatch.context() as patched:
        patched.setattr(EventService, "take", fail)
        with pytest.raises(Transient, match="database"):
            await reader.reader.read()
    queue.show_again()
    reader.clock.advance(60)
    assert await reader.reader.read() == 1
    assert (queue.waiting(), len(await reader.signals())) == (0, 1)


async def test_no_message_is_received_while_the_database_is_away(
    queue: EventQueue, reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each delivery counts for the dead-letter queue."""

    async def fail(_: EventService) -> None:
        raise Transient("the database does not answer")

    queue.send(event(1))
    monkeypatch.setattr(EventService, "check", fail)
    with pytest.raises(Transient, match="database"):
        await reader.reader.read()
    assert queue.waiting(hidden=False) == 1


async def test_coordinators_that_read_the_same_messages_at_once_take_each_event_once(reader: Reader) -> None:
    """As after the time for which messages are hidden, while their first reader still stores them."""
    other = await registered(reader.database, "other")
    async with reader.database.begin() as unit:
        await unit.locations.replace(other.id, ["s3://lake/u"])
    found = [
        each for number in range(40) for each in events_of(json.dumps(event(number, folder="tu"[number % 2])), "m")
    ]
    service = EventService(database=reader.database, metrics=reader.metrics)
    batches = [found, found[::-1]] * 4
    counts = await asyncio.gather(*(service.take(SENDER, batch, EventSource.SQS) for batch in batches))
    assert sum(each[EventOutcome.TAKEN] for each in counts) == 40
    assert sum(each[EventOutcome.DUPLICATE] for each in counts) == 40 * (len(batches) - 1)


@pytest.mark.timeout(200)
async def test_ten_thousand_messages_are_drained_and_make_a_bounded_number_of_rows(
    queue: EventQueue, reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From a server of our own: each request to moto takes as long as it has messages."""
    with fast_queue([json.dumps(event(number)) for number in range(10_000)]) as (url, left):
        address = QueueAddress(f"{url}/1/q", "us-east-1", url)
        reader.reader = reader.of(SqsQueue(address))
        begun, count = monotonic(), 0
        while left:
            count += await reader.reader.read()
        seconds = monotonic() - begun
    assert count == 10_000
    assert seconds < 120
    assert reader.events("taken") == 10_000
    assert len(await reader.signals()) <= 1000


@pytest.mark.parametrize(
    ("given", "url", "region"),
    [
        (("arn:aws:sqs:eu-west-1:12:q.fifo", None, None), "https://sqs.eu-west-1.amazonaws.com/12/q.fifo", "eu-west-1"),
        (("arn:aws-cn:sqs:cn-north-1:1:q", None, None), "https://sqs.cn-north-1.amazonaws.com.cn/1/q", "cn-north-1"),
        (("arn:aws:sqs:eu-west-1:1:q", None, "http://vpce:1/"), "http://vpce:1/1/q", "eu-west-1"),
        (("https://sqs.us-gov-west-1.amazonaws.com/1/q", None, None), ..., "us-gov-west-1"),
        (("https://eu-west-1.queue.amazonaws.com/1/q", None, None), ..., "eu-west-1"),
        (("http://127.0.0.1:9324/000000000000/q", "elastic", None), ..., "elastic"),
    ],
)
def test_a_queue_is_named_by_its_arn_or_its_address(given: tuple[Any, ...], url: Any, region: Any) -> None:
    found = QueueAddress.of(*given)
    assert found is not None
    assert found.url == (given[0] if url is ... else url)
    assert found.region == region


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ((None, "eu-west-1", None), "without PACKHOUSE_EVENT_QUEUE"),
        (("packhouse", None, None), "is not the URL or ARN"),
        (("arn:aws:s3:::lake", None, None), "is not the URL or ARN"),
        (("https://user:secret@sqs.eu-west-1.amazonaws.com/1/q", None, None), "is not the URL or ARN"),
        (("https://queue.example/1/q", None, None), "set PACKHOUSE_EVENT_QUEUE_REGION"),
        (("arn:aws:sqs:eu-west-1:1:q", None, "vpce"), "PACKHOUSE_EVENT_QUEUE_ENDPOINT: 'vpce' is not an address"),
    ],
)
def test_a_setting_that_names_no_queue_is_refused(given: tuple[Any, ...], named: str) -> None:
    with pytest.raises(InvalidInput, match=named):
        QueueAddress.of(*given)
