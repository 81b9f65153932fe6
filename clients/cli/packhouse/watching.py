"""Follows a run live: a bar of bytes with rate and eta, and the run's events above it. All of it on standard error."""

from contextlib import suppress
from typing import Any

from packhouse_client import RunFailed
from packhouse_client import models as sdk
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskProgressColumn, TextColumn

from packhouse import rendering
from packhouse.output import seconds, size
from packhouse.session import Session


def watch_to_end(session: Session, run: str) -> dict[str, Any]:
    """Show a run's events and progress until it has ended, however; return the run as it then is."""
    session.ask(session.client.runs.get, run)  # a wrong id or key is told before anything is drawn
    with _bar(session) as bar:
        task = bar.add_task("queued", total=None, figures="")

        def advance(progress: sdk.Progress) -> None:
            done, total = progress.bytes_finished, progress.bytes_total
            bar.update(task, completed=done, total=total or None, figures=_figures(progress))

        def tell(event: sdk.RunEvent) -> None:
            if event.to_state:
                bar.update(task, description=str(event.to_state))
            if not bar.disable:
                bar.console.print(rendering.event(event.to_dict()), highlight=False, soft_wrap=True)

        with suppress(RunFailed):  # whoever asked decides what that means
            session.client.wait_for_run(run, on_progress=advance, on_event=tell)
    ended: dict[str, Any] = session.ask(session.client.runs.get, run)
    return ended


def _bar(session: Session) -> Progress:
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=16),
        TaskProgressColumn(),
        TextColumn("{task.fields[figures]}"),
    )
    return Progress(*columns, console=session.err, transient=True, disable=not session.is_for_people)


def _figures(progress: sdk.Progress) -> str:
    found = [f"{size(progress.bytes_finished)} of {size(progress.bytes_total)}"]
    found += [f"{progress.groups_finished}/{progress.groups_total} groups"]
    found += [f"{size(progress.bytes_per_second)}/s"] if progress.bytes_per_second else []
    found += [f"eta {seconds(progress.eta_seconds)}"] if progress.eta_seconds is not None else []
    return " · ".join(found)
