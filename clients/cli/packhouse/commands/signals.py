"""`packhouse signals …`: signals of other systems about tables, and advice to policies and writers."""

import json
from typing import Annotated

import typer
from packhouse_client.models import SignalKind
from rich.markup import escape

from packhouse.arguments import completion
from packhouse.arguments.addresses import table_id
from packhouse.arguments.targets import Target
from packhouse.commands import tables
from packhouse.commands.policies import MessageOption, given_options, write
from packhouse.commands.tables import LimitOption, TableArgument
from packhouse.documents.reading import with_fields
from packhouse.output import moment, print_rows, print_tree
from packhouse.rendering import answers
from packhouse.session import Session

app = typer.Typer(no_args_is_help=True, help="Signals of other systems: commits, latencies, back-pressure, filters.")

KindArgument = Annotated[SignalKind, typer.Argument(help="Kind of the signal.")]
TableOption = Annotated[
    str | None,
    typer.Option("--table", help="Table of the signal; without it: the fleet.", autocompletion=completion.tables),
]


@app.command()
def send(
    context: typer.Context,
    kind: KindArgument,
    fields: Annotated[list[str], typer.Argument(metavar="KEY=VALUE...", help="p95_seconds=2.5, added_files=12 …")],
    table: TableOption = None,
) -> None:
    """Send a signal; values are read as YAML."""
    session = Session.of(context)
    signal = {"kind": kind.value, **with_fields({}, fields)}
    body = {"signal": signal} | ({"table_id": table_id(session, table)} if table else {})
    stored = session.ask(session.client.signals.send, body=body)
    session.show(stored, lambda console: print_tree(console, stored))


@app.command("list")
def list_(context: typer.Context, kind: KindArgument, table: TableOption = None, limit: LimitOption = 20) -> None:
    """List the signals of a kind, newest first."""
    session = Session.of(context)
    identity = table_id(session, table) if table else None
    items = list(session.pages(session.client.signals.list, limit=limit, kind=kind, table_id=identity))
    rows = [(moment(s["at"]), s["sent_by"], json.dumps(s["signal"])) for s in items]
    session.show({"items": items}, lambda console: print_rows(console, ("=at", "by", "signal"), rows))


@tables.app.command()
def advice(
    context: typer.Context,
    table: TableArgument,
    apply: Annotated[
        bool, typer.Option("--apply", help="Write the recommended layout to the table's own policy.")
    ] = False,
    message: MessageOption = None,
) -> None:
    """Recommend a policy for a table; with --apply, write it."""
    session = Session.of(context)
    target = Target.of(session, table_id(session, table))
    present = target.present(session) if apply else None
    found = session.ask(session.client.tables.advice, target.identity)
    if not apply:
        session.show(found, lambda console: answers.advice(console, found))
    elif found["policy"] is None:
        session.show(found, lambda console: console.print(f"nothing to change: {escape(found['layout']['because'])}"))
    else:
        write(session, target, present, found["policy"], {}, dry_run=False, given=given_options(message))


@tables.app.command()
def backpressure(context: typer.Context, table: TableArgument) -> None:
    """Show whether writers of a table should slow down."""
    session = Session.of(context)
    found = session.ask(session.client.tables.backpressure, table_id(session, table))
    session.show(found, lambda console: print_tree(console, found))
