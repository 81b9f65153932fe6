"""`packhouse deletions …`: what will be deleted and when, what was, how to stop it, and how to acknowledge it."""

from typing import Annotated

import typer
from packhouse_client.models import DeletionState
from rich.markup import escape

from packhouse.arguments import completion
from packhouse.arguments.addresses import table_id
from packhouse.commands.tables import LimitOption
from packhouse.output import print_rows
from packhouse.rendering import deletions as rendering
from packhouse.session import Session

DeletionArgument = Annotated[str, typer.Argument(metavar="DELETION", autocompletion=completion.runs)]

app = typer.Typer(no_args_is_help=True, help="List, inspect, undo and acknowledge deletions of files and history.")


@app.command("list")
def list_(
    context: typer.Context,
    table: Annotated[
        str | None, typer.Option(help="Only deletions of this table.", autocompletion=completion.tables)
    ] = None,
    states: Annotated[
        list[DeletionState] | None, typer.Option("--state", help="Only deletions in this state; may be repeated.")
    ] = None,
    limit: LimitOption = 20,
) -> None:
    """List deletions, newest first: announced, at work, and ended."""
    session = Session.of(context)
    filters = {"table_id": table_id(session, table) if table else None, "state": states}
    items = list(session.pages(session.client.deletions.list, limit=limit, **filters))
    empty = "no deletion is announced, at work or ended"
    session.show_list(
        items, lambda console: print_rows(console, rendering.COLUMNS, map(rendering.row, items)), empty=empty
    )


@app.command()
def get(context: typer.Context, deletion: DeletionArgument) -> None:
    """Show a deletion: what it deletes, from when on, and until when it can be undone."""
    session = Session.of(context)
    found = session.ask(session.client.deletions.get, deletion)
    session.show(found, lambda console: rendering.deletion(console, found))


@app.command()
def undo(context: typer.Context, deletion: DeletionArgument) -> None:
    """End a deletion before it starts, or stop it at work; if it is automatic, set its setting to off for the table."""
    session = Session.of(context)
    found = session.ask(session.client.deletions.undo, deletion)
    session.show(found, lambda console: rendering.deletion(console, found))
    for sentence in rendering.undone(found):
        session.say(escape(sentence))


@app.command()
def acknowledge(context: typer.Context, deletion: DeletionArgument) -> None:
    """Let a deletion that waits for an acknowledgement delete what `packhouse deletions get` shows."""
    session = Session.of(context)
    found = session.ask(session.client.deletions.acknowledge, deletion)
    session.show(found, lambda console: rendering.deletion(console, found))
