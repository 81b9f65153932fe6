"""`packhouse run`, `watch` and `cancel`, and `packhouse runs …`."""

from datetime import datetime
from typing import Annotated, Any

import typer
from packhouse_client.models import GroupState, Operation, RunState

from packhouse.arguments import completion
from packhouse.arguments.addresses import table_id
from packhouse.arguments.predicates import predicate_of
from packhouse.commands.tables import AcknowledgeOption, LimitOption, TableArgument
from packhouse.exit_codes import ExitCode
from packhouse.output import print_rows, size, state
from packhouse.problems import CommandError
from packhouse.rendering import answers, upkeep
from packhouse.rendering.watching import watch_to_end
from packhouse.session import Session

app = typer.Typer(no_args_is_help=True, help="Submit, list, inspect, watch and cancel runs.")

RunArgument = Annotated[str, typer.Argument(metavar="RUN", autocompletion=completion.runs)]


def run(
    *,
    context: typer.Context,
    table: TableArgument,
    watch: Annotated[bool, typer.Option("--watch", "-w", help="Follow it to its end.")] = False,
    operation: Annotated[Operation, typer.Option(help="Operation of the run.")] = Operation.REWRITE,
    partition: Annotated[
        list[str] | None,
        typer.Option(
            "--partition",
            "-p",
            metavar="CONDITION",
            help="Only partitions of these values of the column that the table is partitioned by, not of the partition "
            "field: ordered_at=2026-11-01 on day(ordered_at), region!=eu, or JSON; repeatable.",
        ),
    ] = None,
    force_full: Annotated[bool, typer.Option("--force-full", help="Rewrite whole partitions.")] = False,
    every_file: Annotated[
        bool,
        typer.Option(
            "--every-file",
            help="Rewrite every data file, including files that would not be merged (after a change of compression).",
        ),
    ] = False,
    priority: Annotated[str | None, typer.Option(help="low, normal or high.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the plan; submit nothing.")] = False,
    files: Annotated[
        typer.FileTextWrite | None,
        typer.Option(
            lazy=True, help="With --dry-run: write a list of all files that the run would delete to this file, CSV."
        ),
    ] = None,
    allow_duplicate: Annotated[
        bool, typer.Option("--allow-duplicate", help="Start even if an equal run is live.")
    ] = False,
    include_cooling: Annotated[
        bool, typer.Option("--include-cooling", help="Include partitions that cool down after lost races.")
    ] = False,
    plan_hash: Annotated[str | None, typer.Option(help="Of a purge: the hash that its dry run shows.")] = None,
    confirm: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Of a purge: the address of the table, typed out.")
    ] = None,
    grace: Annotated[
        str | None,
        typer.Option(help="Of a run that deletes: time before it starts, such as 1h; below 15m only for admins."),
    ] = None,
    acknowledge: AcknowledgeOption = None,
    idempotency_key: Annotated[
        str | None, typer.Option(help="Repeating the command with the same key starts no second run.")
    ] = None,
) -> None:
    """Submit a run of a table. If an equal run is live, show that run instead.

    With --watch the exit code is 3 when the run was refused, failed or was cancelled.
    """
    session = Session.of(context)
    body: dict[str, Any] = {"table_id": table_id(session, table), "operation": operation.value}
    chosen = {
        "partitions": predicate_of(partition or ()),
        "force_full": force_full or None,
        "every_file": every_file or None,
        "priority": priority,
        "allow_duplicate": allow_duplicate or None,
        "include_cooling": include_cooling or None,
        "plan_hash": plan_hash,
        "confirm": confirm,
        "grace": grace,
    }
    body |= {name: value for name, value in chosen.items() if value is not None}
    if files is not None and not dry_run:
        raise CommandError(
            "--files needs --dry-run", ExitCode.USAGE, "`packhouse runs files RUN FILE` lists those of a run"
        )
    if dry_run:
        if files is not None:
            listed = session.ask(session.client.tables.removable_files, body["table_id"], operation.value)
            files.write(listed)  # opens the file: an error before that leaves it unchanged
        if operation is Operation.REWRITE:
            planned = session.ask(session.client.runs.preview, body=body)
            session.show(planned, lambda console: answers.plan(console, planned))
        else:
            preview = session.ask(session.client.runs.preview_upkeep, body=body)
            session.show(preview, lambda console: upkeep.plan(console, preview))
        return
    answer = session.ask(
        session.client.runs.submit, body=body, idempotency_key=idempotency_key, acknowledge=acknowledge
    )
    if answer.get("deduplicated"):
        session.say(f"[yellow]an equal run of this table is live already; it is shown{answers.wait(answer)}[/]")
    if watch:
        _finish(session, watch_to_end(session, answer["id"]))
    else:
        session.show(answer, lambda console: answers.run(console, answer))


def watch(context: typer.Context, run: RunArgument) -> None:
    """Follow a run to its end; exits with 3 when it was refused, failed or was cancelled."""
    session = Session.of(context)
    _finish(session, watch_to_end(session, run))


def cancel(
    context: typer.Context,
    run: RunArgument,
    wait: Annotated[bool, typer.Option("--wait", help="Follow it until it has ended.")] = False,
) -> None:
    """Cancel a run. Committed file groups stay; unfinished ones are removed."""
    session = Session.of(context)
    found: dict[str, Any] = session.ask(session.client.runs.cancel, run)
    if wait:
        found = watch_to_end(session, run)
    session.show(found, lambda console: answers.run(console, found))


@app.command("list")
def list_(
    *,
    context: typer.Context,
    table: Annotated[
        str | None, typer.Option(help="Only runs of this table.", autocompletion=completion.tables)
    ] = None,
    state: Annotated[list[RunState] | None, typer.Option(help="Only runs in this state; may be repeated.")] = None,
    operation: Annotated[Operation | None, typer.Option(help="Only runs of this operation.")] = None,
    catalog: Annotated[
        str | None, typer.Option(help="Only runs in this catalog.", autocompletion=completion.catalogs)
    ] = None,
    team: Annotated[str | None, typer.Option(help="Only runs of this team's tables.")] = None,
    since: Annotated[datetime | None, typer.Option(help="Submitted after this instant, local time.")] = None,
    until: Annotated[datetime | None, typer.Option(help="Submitted before this instant, local time.")] = None,
    limit: LimitOption = 20,
) -> None:
    """List runs, newest first."""
    session = Session.of(context)
    filters = {
        "table_id": table_id(session, table) if table else None,
        "state": state,
        "operation": operation,
        "catalog": catalog,
        "owner_team": team,
        "since": since and since.astimezone(),
        "until": until and until.astimezone(),
    }
    items = list(session.pages(session.client.runs.list, limit=limit, **filters))
    is_filtered = any(value is not None for value in filters.values())
    empty = "no run matches" if is_filtered else "no runs: `packhouse run TABLE` submits one"
    session.show_list(items, lambda console: answers.runs(console, items), empty=empty)


@app.command()
def get(context: typer.Context, run: RunArgument) -> None:
    """Show a run: its progress, and its result if it has ended."""
    session = Session.of(context)
    found = session.ask(session.client.runs.get, run)
    session.show(found, lambda console: answers.run(console, found))


@app.command()
def groups(
    context: typer.Context,
    run: RunArgument,
    group_state: Annotated[list[GroupState] | None, typer.Option("--state", help="May be repeated.")] = None,
    limit: LimitOption = 100,
) -> None:
    """List the file groups of a run."""
    session = Session.of(context)
    items = list(session.pages(session.client.runs.groups, run, limit=limit, state=group_state))
    rows = [
        (
            g["ordinal"],
            state(g["state"]),
            g["partition"]["text"],
            g["input_files"],
            size(g["input_bytes"]),
            g["output_files"],
        )
        for g in items
    ]
    columns = (">group", "state", "partition", ">files", ">bytes", ">into")
    empty = f"no file groups: `packhouse runs get {run}` shows how far the run is"
    session.show_list(items, lambda console: print_rows(console, columns, rows), empty=empty)


@app.command("files")
def list_files(
    context: typer.Context,
    run: RunArgument,
    file: Annotated[typer.FileTextWrite, typer.Argument(help="CSV file to write; `-` for standard output.")],
) -> None:
    """Write the list of the files that a run deleted to a file, as CSV."""
    session = Session.of(context)
    listed = session.ask(session.client.runs.deleted_files, run)
    file.write(listed)  # opens the file: an error before that leaves it unchanged


@app.command()
def events(context: typer.Context, run: RunArgument, limit: LimitOption = 200) -> None:
    """List what happened to a run, oldest first. `watch` follows it live."""
    session = Session.of(context)
    items = list(session.pages(session.client.runs.events, run, limit=limit))
    lines = [answers.event(item) for item in items]
    session.show({"items": items}, lambda console: console.print("\n".join(lines), highlight=False, soft_wrap=True))


def add_commands(root: typer.Typer) -> None:
    """Add the top-level commands, and the same commands below `runs`."""
    root.command()(run)
    app.command("submit")(run)
    for command in (watch, cancel):
        root.command()(command)
        app.command()(command)


def _finish(session: Session, ended: dict[str, Any]) -> None:
    session.show(ended, lambda console: answers.run(console, ended))
    if ended["state"] not in (RunState.SUCCEEDED, RunState.SKIPPED):
        raise typer.Exit(ExitCode.RUN_FAILED)
