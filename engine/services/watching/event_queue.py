"""Read events of stores from a queue, and delete each message once the signals of its events are stored.

Every coordinator reads: a queue gives a message to one reader at a time, and a message that is delivered twice changes
nothing. So no leader is needed, and none that fails holds events up.

A message that can't be read is left in the queue, which delivers it again and, after the number of times that its
redrive policy names, moves it to its dead-letter queue: there a person finds it. Deleted, nothing would show what was
sent wrongly. Events of unknown tables are no such thing: a bucket may have other objects, and their messages go.
"""

from collections.abc import Callable, Sequence
from typing import Final

import structlog

from engine.aws.sqs import Message, SqsQueue
from engine.domain.access.callers import Caller, Role
from engine.domain.clock import Clock, doubled
from engine.domain.errors import Transient
from engine.domain.tables.cloud_events import MOST_EVENTS, CloudEvent, EventSource, UnusableEvent
from engine.domain.tables.queued_events import events_of
from engine.metrics import TAKEN, UNREADABLE, WorkMetrics
from engine.services.tables.events import EventService

_log = structlog.get_logger(__name__)

SENDER: Final = Caller(subject="sqs", role=Role.ADMIN)
"""The sender of signals from the queue. Who may write to the queue may report changes of every table."""

MOST_ROUNDS: Final = 200
"""Most rounds in a row, of up to 50 messages each; then other duties are seen to."""
FIRST_WAIT_SECONDS: Final = 1.0
LONGEST_WAIT_SECONDS: Final = 60.0
"""Time between tries while the queue does not answer: it doubles from the first to the longest."""


class EventQueueReader:
    """Reads while there are messages."""

    def __init__(self, *, queue: SqsQueue, events: EventService, clock: Clock, metrics: WorkMetrics) -> None:
        self._queue = queue
        self._events = events
        self._clock = clock
        self._metrics = metrics
        self._failures = 0
        self._next_at = float("-inf")

    async def read(self, *, is_stopping: Callable[[], bool] = lambda: False) -> int:
        """Take the messages that are there; return their number. After an error, wait before the next try.

        Raises:
            Transient: the queue or the database does not answer; messages that were not deleted are delivered again.
        """
        if self._clock.monotonic() < self._next_at:
            return 0
        count = 0
        try:
            await self._events.check()  # each delivery of a message brings it nearer to the dead-letter queue
            for _ in range(MOST_ROUNDS):
                messages = await self._receive()
                if messages:
                    await self._take(messages)
                self._failures = 0
                count += len(messages)
                if not messages or is_stopping():
                    break
        except Transient:
            wait = doubled(FIRST_WAIT_SECONDS, self._failures, longest=LONGEST_WAIT_SECONDS)
            self._failures, self._next_at = self._failures + 1, self._clock.monotonic() + wait
            raise
        return count

    async def close(self) -> None:
        """Let go of the queue."""
        self._queue.close()

    async def _receive(self) -> Sequence[Message]:
        try:
            messages = await self._queue.receive()
        except Transient:
            self._metrics.event_queue_up.set(0)
            raise
        self._metrics.event_queue_up.set(1)
        return messages

    async def _take(self, messages: Sequence[Message]) -> None:
        read, events = list[Message](), list[CloudEvent]()
        for message in messages:
            try:
                events += events_of(message.body, message.id)
            except UnusableEvent as error:
                _log.warning("event_message_unreadable", message_id=message.id[:100], reason=str(error))
                continue
            read.append(message)
        self._metrics.event_messages.labels(UNREADABLE).inc(len(messages) - len(read))
        for first in range(0, len(events), MOST_EVENTS):
            await self._events.take(SENDER, events[first : first + MOST_EVENTS], EventSource.SQS)
        if read and (remaining := await self._queue.delete(read)):
            _log.warning("event_messages_not_deleted", messages=remaining)
        self._metrics.event_messages.labels(TAKEN).inc(len(read))
