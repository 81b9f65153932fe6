"""Run events as Server-Sent Events: the database is polled and hints only shorten the wait, so any replica can serve.

Frames: `event: event` with the event's sequence as `id` and its JSON as data; `event: progress` without an id, since it
is not in the record and can't be resumed from; a comment as heartbeat. The stream ends after the run's last event.
Resume with `Last-Event-ID`. An event is sent within a poll (1 s) of its commit even if every hint is lost.

Frames and heartbeats are written here instead of by `sse-starlette`, because its pings go on while reading a run hangs
(the clients then never look for another replica), and importing it replaces `uvicorn.Server.handle_exit`.
"""

import asyncio
import json
import re
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from api.http.errors import EdgeProblem
from api.http.methods import is_head
from api.schemas.runs.run import Progress, RunEvent
from engine.domain.access.callers import Caller
from engine.domain.errors import FieldProblem, InvalidInput, Transient
from engine.domain.ids import RunId
from engine.domain.runs.run import LEASED_STATES
from engine.factory.services import Services

EVENT_STREAM: Final = "text/event-stream"
MAX_STREAMS_PER_CALLER: Final = 32
HEARTBEAT_SECONDS: Final = 15.0
POLL_SECONDS: Final = 1.0
_BATCH: Final = 200
_SEQUENCE: Final = re.compile(r"[0-9]{1,9}")


class StreamSlots:
    """Counts open streams by caller in this process."""

    def __init__(self) -> None:
        self._open: Counter[str] = Counter()

    @contextmanager
    def held(self, subject: str) -> Iterator[None]:
        """Hold a slot, or raise `EdgeProblem` (429)."""
        if self._open[subject] >= MAX_STREAMS_PER_CALLER:
            detail = f"{subject} has {MAX_STREAMS_PER_CALLER} open event streams on this api process"
            raise EdgeProblem("too_many_streams", detail, headers={"Retry-After": "10"})
        self._open[subject] += 1
        try:
            yield
        finally:
            self._open[subject] -= 1


class EventStreamResponse(StreamingResponse):
    """A streaming response that holds a slot of its caller while it is sent."""

    media_type = EVENT_STREAM

    def __init__(self, frames: AsyncIterator[str], *, slots: StreamSlots, subject: str) -> None:
        super().__init__(frames, headers={"X-Accel-Buffering": "no"})
        self._slots = slots
        self._subject = subject

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the stream; a caller with too many gets 429 instead."""
        with self._slots.held(self._subject):
            await super().__call__(scope, receive, send)


async def event_stream(request: Request, services: Services, caller: Caller, run_id: RunId) -> Response:
    """Return the stream of a run's events after `Last-Event-ID`; 204 when the run has ended and all events were seen.

    Raises:
        NotFound: no such run.
        InvalidInput: `Last-Event-ID` is not an id of this stream.
    """
    header = request.headers.get("last-event-id")
    after = 0 if header is None else _sequence(header)
    run = await services.runs.get(caller, run_id)
    if header and run.is_terminal and not await services.runs.events(caller, run_id, after_sequence=after, limit=1):
        return Response(status_code=204)  # tells an EventSource not to reconnect
    frames = _no_frames() if is_head(request.scope) else run_frames(services, caller, run_id, after=after)
    return EventStreamResponse(frames, slots=request.app.state.stream_slots, subject=caller.subject)


async def run_frames(services: Services, caller: Caller, run_id: RunId, *, after: int) -> AsyncIterator[str]:
    """Yield frames until the run has ended and its last event is sent, or the caller's credential has expired.

    Waits while the database does not answer.
    """
    clock = asyncio.get_running_loop().time
    yield "retry: 1000\n\n"
    sent_at, shown = clock(), ""
    async with services.hints.watch(run_id) as watch:
        while True:
            fresh: list[str] = []
            try:
                if not await services.access.still_holds(caller):
                    return  # a client that reconnects gets the reason
                run = await services.runs.get(caller, run_id)  # before the events: an ended run has its last event
                events = await services.runs.events(caller, run_id, after_sequence=after, limit=_BATCH)
                fresh += [_event_frame(RunEvent.from_domain(event)) for event in events]
                after = events[-1].sequence if events else after
                if run.state in LEASED_STATES and len(events) < _BATCH:
                    progress = _frame("progress", Progress.from_domain(await services.runs.progress(run)))
                    fresh += [progress] if progress != shown else []
                    shown = progress
                is_over = run.is_terminal and len(events) < _BATCH
            except Transient:
                is_over = False
            if not fresh and clock() - sent_at >= HEARTBEAT_SECONDS:
                fresh.append(": heartbeat\n\n")
            for frame in fresh:
                yield frame
                sent_at = clock()
            if is_over:
                return
            if len(fresh) < _BATCH:
                await watch.wait(POLL_SECONDS)


async def _no_frames() -> AsyncIterator[str]:
    """Yield nothing, for HEAD requests."""
    return
    yield


def wants_stream(accept: str | None) -> bool:
    """Return whether an Accept header prefers the event stream to JSON; JSON wins a tie.

    Raises:
        EdgeProblem: it accepts neither (406).
    """
    stream, document = _quality(accept, EVENT_STREAM), _quality(accept, "application/json")
    if max(stream, document) <= 0:
        raise EdgeProblem("not_acceptable", f"events come as application/json or {EVENT_STREAM}, not as {accept}")
    return stream > document


def _quality(accept: str | None, media_type: str) -> float:
    """Return the quality of a media type, 0 to 1: the most specific range decides (RFC 9110, 12.5.1)."""
    if not accept or not accept.strip():
        return 0.5
    best = (-1, 0.0)
    for entry in accept.lower().split(","):
        media_range, *parameters = (part.strip() for part in entry.split(";"))
        exactness = {media_type: 2, media_type.partition("/")[0] + "/*": 1, "*/*": 0}.get(media_range)
        if exactness is not None:
            weights = [part[2:] for part in parameters if part.startswith("q=")]
            best = max(best, (exactness, _weight(weights)))
    return best[1]


def _weight(written: list[str]) -> float:
    try:
        return min(1.0, max(0.0, float(written[0]))) if written else 1.0
    except ValueError:
        return 0.0


def _sequence(header: str) -> int:
    if not _SEQUENCE.fullmatch(header):
        hint = "send the id of the last event you got, or leave the header out to begin at the first"
        problem = FieldProblem("header:Last-Event-ID", "not an id of this stream", header, hint)
        raise InvalidInput("the stream can't be resumed there", problems=(problem,))
    return int(header)


def _event_frame(event: RunEvent) -> str:
    return f"id: {event.sequence}\n{_frame('event', event)}"


def _frame(name: str, model: RunEvent | Progress) -> str:
    data: Any = model.model_dump(mode="json")
    return f"event: {name}\ndata: {json.dumps(data, separators=(',', ':'))}\n\n"
