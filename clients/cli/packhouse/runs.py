"""`packhouse run`, `watch`, `cancel` and `runs list`."""

import uuid
from typing import Annotated, Any

import typer
from packhouse_client._generated.api.runs import cancel_run, get_run, list_runs, submit_run
from packhouse_client._generated.models import RunState
from packhouse_client._generated.types import UNSET

from packhouse import rendering
from packhouse.addresses import table_id
from packhouse.exit_codes import ExitCode
from packhouse.session import Document, Session
from packhouse.tables import LimitOption, TableArgument
from packhouse.watching import watch_to_end

list_app = typer.Typer(no_args_is_help=True, help="Runs of all tables.")

RunArgument = Annotated[str, typer.Argument(metavar="RUN")]


def run(
    context: typer.Context,
    table: TableArgument,
    watch: Annotated[bool, typer.Option("--watch", "-w", help="Follow it to its end.")] = False,
    idempotency_key: Annotated[
        str | None, typer.Option(help="Repeating the command with the same key makes no second run.")
    ] = None,
) -> None:
    """Submit a rewrite of a table. A live one is not doubled: it is shown instead.

    With --watch the exit code is 3 when the run failed or was cancelled.
    """
    session = Session.of(context)
    body = Document({"table_id": table_id(session, table), "operation": "rewrite"})
    key = idempotency_key or str(uuid.uuid4())
    submitted: dict[str, Any] = session.answer(submit_run.sync_detailed, body=body, idempotency_key=key).document
    if submitted.get("deduplicated"):
        session.say("[yellow]a run of this table is live already; this is it[/]")
    if watch:
        _finish(session, watch_to_end(session, submitted["id"]))
    else:
        session.show(submitted, lambda console: rendering.run(console, submitted))


def watch(context: typer.Context, run: RunArgument) -> None:
    """Follow a run to its end; exits with 3 when it failed or was cancelled."""
    session = Session.of(context)
    session.answer(get_run.sync_detailed, run)
    _finish(session, watch_to_end(session, run))


def cancel(
    context: typer.Context,
    run: RunArgument,
    wait: Annotated[bool, typer.Option("--wait", help="Until it has ended.")] = False,
) -> None:
    """Cancel a run. What it committed already stays; nothing half-done does."""
    session = Session.of(context)
    found: dict[str, Any] = session.answer(cancel_run.sync_detailed, run).document
    if wait:
        found = watch_to_end(session, run)
    session.show(found, lambda console: rendering.run(console, found))


@list_app.command("list")
def list_(
    context: typer.Context,
    table: Annotated[str | None, typer.Option(help="Only runs of this table.")] = None,
    state: Annotated[list[RunState] | None, typer.Option(help="Only runs in this state; may be repeated.")] = None,
    limit: LimitOption = 20,
) -> None:
    """List runs, newest first."""
    session = Session.of(context)
    identity = table_id(session, table) if table else UNSET
    items = list(session.pages(list_runs.sync_detailed, limit=limit, table_id=identity, state=state or UNSET))
    session.show({"items": items}, lambda console: rendering.runs(console, items))


def add_commands(root: typer.Typer) -> None:
    """Add the commands that stand at the top."""
    root.command()(run)
    root.command()(watch)
    root.command()(cancel)


def _finish(session: Session, ended: dict[str, Any]) -> None:
    session.show(ended, lambda console: rendering.run(console, ended))
    if ended["state"] not in (RunState.SUCCEEDED, RunState.SKIPPED):
        raise typer.Exit(ExitCode.RUN_FAILED)
