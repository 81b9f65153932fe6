"""Follow a run live on standard error: a progress bar on a terminal, a line at intervals elsewhere, and its events."""

from __future__ import annotations  # the models are imported when a run is watched, not for every command

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from packhouse_client import RunFailed
from packhouse_client import models as sdk
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskProgressColumn, TextColumn

from packhouse.output import seconds, size
from packhouse.rendering import answers
from packhouse.session import Session

LINE_SECONDS: Final = 10.0
"""Interval between two lines of progress where standard error is not a terminal: a log of a CI job stays short."""


def watch_to_end(session: Session, run: str) -> dict[str, Any]:
    """Show a run's events and progress until it has ended in any state; return the ended run."""
    session.ask(session.client.runs.get, run)  # a wrong id or key is reported before anything is drawn
    with suppress(RunFailed):  # the caller handles a failed run
        if session.is_for_people and session.err.is_terminal:
            _draw(session, run)
        else:
            lines = ProgressLines(session)
            session.client.wait_for_run(run, on_progress=lines.advance, on_event=lines.tell)
    ended: dict[str, Any] = session.ask(session.client.runs.get, run)
    return ended


class ProgressLines:
    """Prints events, and the progress at intervals. Prints nothing when results are for a script."""

    def __init__(self, session: Session, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._session = session
        self._monotonic = monotonic
        self._next = monotonic() + LINE_SECONDS

    def advance(self, progress: sdk.Progress) -> None:
        """Print a line if the last one is old enough."""
        now = self._monotonic()
        if self._session.is_for_people and now >= self._next and progress.bytes_total:
            self._next = now + LINE_SECONDS
            self._print(_figures(progress))

    def tell(self, event: sdk.RunEvent) -> None:
        """Print an event."""
        if self._session.is_for_people:
            self._print(answers.event(event.to_document()))

    def _print(self, line: str) -> None:
        self._session.err.print(line, highlight=False, soft_wrap=True)


def _draw(session: Session, run: str) -> None:
    with _bar(session) as bar:
        task = bar.add_task("queued", total=None, figures="")

        def advance(progress: sdk.Progress) -> None:
            done, total = progress.bytes_finished, progress.bytes_total
            bar.update(task, completed=done, total=total or None, figures=_figures(progress))

        def tell(event: sdk.RunEvent) -> None:
            if event.to_state:
                waits = answers.cause_of_wait(event.details)
                bar.update(task, description=str(event.to_state) + (f", {waits}" if waits else ""))
            bar.console.print(answers.event(event.to_document()), highlight=False, soft_wrap=True)

        session.client.wait_for_run(run, on_progress=advance, on_event=tell)


def _bar(session: Session) -> Progress:
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=16),
        TaskProgressColumn(),
        TextColumn("{task.fields[figures]}"),
    )
    return Progress(*columns, console=session.err, transient=True)


def _figures(progress: sdk.Progress) -> str:
    found = [f"{size(progress.bytes_finished)} of {size(progress.bytes_total)}"]
    found += [f"{progress.groups_finished}/{progress.groups_total} groups"]
    found += [f"{size(progress.bytes_per_second)}/s"] if progress.bytes_per_second else []
    found += [f"eta {seconds(progress.eta_seconds)}"] if progress.eta_seconds is not None else []
    return " · ".join(found)
