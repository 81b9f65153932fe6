"""Follows a run live: a bar of bytes with rate and eta, and the run's events above it. All of it on standard error."""

import json
from collections.abc import Mapping
from typing import Any

import httpx
from packhouse_client._generated.api.runs import get_run
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskProgressColumn, TextColumn

from packhouse import events, problems, rendering
from packhouse.output import seconds, size
from packhouse.session import Session


def watch_to_end(session: Session, run: str) -> dict[str, Any]:
    """Show a run's events and progress until it has ended; return the run as it then is.

    Raises:
        CommandError: the server refused, or stayed away.
    """
    http = session.client.get_httpx_client()
    try:
        with _bar(session) as bar:
            task = bar.add_task("queued", total=None, figures="")
            for event in events.follow(http, f"/v1/runs/{run}/events"):
                document = json.loads(event.data)
                if event.name == "progress":
                    _advance(bar, task, document)
                else:
                    _tell(bar, task, document)
    except httpx.HTTPError as error:
        raise problems.from_transport(error, session.url) from error
    ended: dict[str, Any] = session.answer(get_run.sync_detailed, run).document
    return ended


def _bar(session: Session) -> Progress:
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[figures]}"),
    )
    return Progress(*columns, console=session.err, transient=True, disable=session.wants_json)


def _advance(bar: Progress, task: Any, progress: Mapping[str, Any]) -> None:
    done, total = progress["bytes_finished"], progress["bytes_total"]
    rate, eta = progress["bytes_per_second"], progress["eta_seconds"]
    figures = [f"{size(done)} of {size(total)}", f"{progress['groups_finished']}/{progress['groups_total']} groups"]
    figures += [f"{size(rate)}/s"] if rate else []
    figures += [f"eta {seconds(eta)}"] if eta is not None else []
    bar.update(task, completed=done, total=total or None, figures=" · ".join(figures))


def _tell(bar: Progress, task: Any, event: Mapping[str, Any]) -> None:
    to_state = event.get("to_state")
    if to_state:
        bar.update(task, description=to_state)
    if not bar.disable:
        bar.console.print(rendering.event(event), highlight=False, soft_wrap=True)
