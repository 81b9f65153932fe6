"""Waiting for a run: its event stream while that works, questions every few seconds when it doesn't.

What decides is always the run as `GET /v1/runs/{id}` shows it; the stream only says when to look, and feeds the
callbacks. The last seconds before a time-out are polled, since a silent stream can't be left on time.
"""

import json
from collections.abc import Callable
from typing import Any, Final

from packhouse_client.errors import NoAnswer, PackhouseError, RunFailed, Unavailable, WaitTimedOut
from packhouse_client.models import Progress, RunDetail, RunEvent, RunState
from packhouse_client.resources import Runs
from packhouse_client.senders import AsyncSender, Sender
from packhouse_client.streams import ServerEvent, follow, follow_async

POLL_SECONDS: Final = 2.0
_STREAM_ABOVE_SECONDS: Final = 20.0  # heartbeats come every 15
_PATIENCE_SECONDS: Final = 120.0  # a server that is started anew comes back within it
_GOOD_ENDINGS: Final = (RunState.SUCCEEDED, RunState.SKIPPED)


class Wait:
    """One wait: its deadline, its callbacks, and what an answer means for it. `clock` counts seconds."""

    def __init__(
        self,
        run_id: str,
        *,
        clock: Callable[[], float],
        timeout: float | None,
        on_progress: Callable[[Progress], object] | None,
        on_event: Callable[[RunEvent], object] | None,
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
        """False near the deadline."""
        return self._deadline - self._clock() > _STREAM_ABOVE_SECONDS

    def tell(self, event: ServerEvent) -> None:
        """Hand a streamed event to the callbacks."""
        if event.name == "progress" and self._on_progress:
            self._on_progress(Progress.from_dict(json.loads(event.data)))
        elif event.name == "event" and self._on_event:
            self._on_event(RunEvent.from_dict(json.loads(event.data)))

    def end(self, run: RunDetail) -> RunDetail | None:
        """Return the run if it has ended well, None if it goes on.

        Raises:
            RunFailed: it ended otherwise. WaitTimedOut: it goes on and the time is over.
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
        """Take a server that is away for a moment.

        Raises:
            NoAnswer, Unavailable: it has been away for too long. WaitTimedOut: the time is over.
        """
        now = self._clock()
        self._away_since = now if self._away_since is None else self._away_since
        if now - self._away_since >= _PATIENCE_SECONDS:
            raise error
        if now >= self._deadline:
            raise WaitTimedOut(f"run {self.run_id} could not be asked for; it may go on") from error

    def pause(self) -> float:
        """Return seconds until the next question, at least a moment."""
        return max(0.05, min(POLL_SECONDS, self._deadline - self._clock()))


def wait(sender: Sender, run_id: str, **options: Any) -> RunDetail:
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


async def wait_async(sender: AsyncSender, run_id: str, **options: Any) -> RunDetail:
    """Do as `wait`."""
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
        return  # no stream, or no more of it: asking tells what is wrong, or goes on without
    finally:
        events.close()


async def _stream_async(sender: AsyncSender, waiting: Wait) -> None:
    events = follow_async(sender, waiting.run_id)
    try:
        while waiting.has_time_to_stream and (event := await anext(events, None)):
            waiting.tell(event)
    except PackhouseError:
        return  # no stream, or no more of it: asking tells what is wrong, or goes on without
    finally:
        await events.aclose()
