"""Wait for a run by its event stream, or by polling every few seconds if the stream fails.

Only the state in `GET /v1/runs/{id}` decides; the stream only triggers that request and feeds the callbacks. The last
seconds before a timeout are polled, since reading a silent stream can't be ended on time.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

from packhouse_client import models
from packhouse_client.errors import NoAnswer, PackhouseError, RunFailed, Unavailable, WaitTimedOut
from packhouse_client.models import RunState
from packhouse_client.operations import AsModel
from packhouse_client.resources import Runs
from packhouse_client.senders import AsyncSender, Sender
from packhouse_client.streams import ServerEvent, follow, follow_async

POLL_SECONDS: Final = 2.0
_STREAM_ABOVE_SECONDS: Final = 20.0  # heartbeats come every 15
_PATIENCE_SECONDS: Final = 120.0  # a server that restarts answers again within it
_GOOD_ENDINGS: Final = (RunState.SUCCEEDED, RunState.SKIPPED)
_PROGRESS: Final = AsModel(lambda: models.Progress)
_EVENT: Final = AsModel(lambda: models.RunEvent)


class Wait:
    """State of one wait: its deadline and callbacks, and its reaction to answers. `clock` counts seconds."""

    def __init__(
        self,
        run_id: str,
        *,
        clock: Callable[[], float],
        timeout: float | None,
        on_progress: Callable[[models.Progress], object] | None,
        on_event: Callable[[models.RunEvent], object] | None,
    ) -> None:
        self.run_id = run_id
        self._clock = clock
        self._timeout = timeout
        self._deadline = float("inf") if timeout is None else clock() + timeout
        self._away_since: float | None = None
        self._on_progress = on_progress
        self._on_event = on_event

    @property
    def has_time_to_stream(self) -> bool:
        """Return whether there is time for a stream; False near the deadline."""
        return self._deadline - self._clock() > _STREAM_ABOVE_SECONDS

    def tell(self, event: ServerEvent) -> None:
        """Pass a streamed event to the callbacks.

        Raises:
            UnreadableAnswer: it does not match the model of this version.
        """
        if event.name == "progress" and self._on_progress:
            self._on_progress(_PROGRESS(json.loads(event.data)))
        elif event.name == "event" and self._on_event:
            self._on_event(_EVENT(json.loads(event.data)))

    def end(self, run: models.RunDetail) -> models.RunDetail | None:
        """Return the run if it has ended without failure, None if it goes on.

        Raises:
            RunFailed: it ended otherwise. WaitTimedOut: it goes on after the deadline.
        """
        self._away_since = None
        if run.is_terminal:
            if run.state not in _GOOD_ENDINGS:
                raise RunFailed(run)
            return run
        if self._clock() >= self._deadline:
            raise WaitTimedOut(f"run {run.id} is {run.state} after {self._timeout:g} s; it goes on")
        if self._on_progress:
            self._on_progress(run.progress)
        return None

    def bear(self, error: NoAnswer | Unavailable) -> None:
        """Tolerate a server that does not answer for a short time.

        Raises:
            NoAnswer, Unavailable: it has not answered for too long. WaitTimedOut: the deadline has passed.
        """
        now = self._clock()
        self._away_since = now if self._away_since is None else self._away_since
        if now - self._away_since >= _PATIENCE_SECONDS:
            raise error
        if now >= self._deadline:
            raise WaitTimedOut(f"run {self.run_id} could not be asked for; it may go on") from error

    def pause(self) -> float:
        """Return seconds until the next poll, at least 0.05."""
        return max(0.05, min(POLL_SECONDS, self._deadline - self._clock()))


def wait(sender: Sender, run_id: str, **options: Any) -> models.RunDetail:
    """Wait until a run has ended; options are those of `Wait`."""
    waiting, runs = Wait(run_id, **options), Runs(sender)
    _stream(sender, waiting)
    while True:
        try:
            if ended := waiting.end(runs.get(run_id)):
                return ended
        except (NoAnswer, Unavailable) as error:
            waiting.bear(error)
        sender.sleep(waiting.pause())


async def wait_async(sender: AsyncSender, run_id: str, **options: Any) -> models.RunDetail:
    """Wait until a run has ended; see `wait`."""
    waiting, runs = Wait(run_id, **options), Runs(sender)
    await _stream_async(sender, waiting)
    while True:
        try:
            if ended := waiting.end(await runs.get(run_id)):
                return ended
        except (NoAnswer, Unavailable) as error:
            waiting.bear(error)
        await sender.sleep(waiting.pause())


def _stream(sender: Sender, waiting: Wait) -> None:
    events = follow(sender, waiting.run_id)
    try:
        while waiting.has_time_to_stream and (event := next(events, None)):
            waiting.tell(event)
    except PackhouseError:
        return  # no stream, or it ended: the next poll reports the error, or continues without it
    finally:
        events.close()


async def _stream_async(sender: AsyncSender, waiting: Wait) -> None:
    events = follow_async(sender, waiting.run_id)
    try:
        while waiting.has_time_to_stream and (event := await anext(events, None)):
            waiting.tell(event)
    except PackhouseError:
        return  # no stream, or it ended: the next poll reports the error, or continues without it
    finally:
        await events.aclose()
