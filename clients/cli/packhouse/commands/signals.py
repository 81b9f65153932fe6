"""`packhouse signals …`, `dbt-signal`: signals of other systems about tables, and advice to policies and writers."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer
from packhouse_client.addresses import join_address
from packhouse_client.errors import Forbidden, InvalidInput, NotFound
from packhouse_client.models import SignalKind
from rich.console import Console
from rich.markup import escape

from packhouse.arguments import completion
from packhouse.arguments.addresses import table_id
from packhouse.arguments.targets import Target
from packhouse.commands import tables
from packhouse.commands.policies import MessageOption, given_options, write
from packhouse.commands.tables import LimitOption, TableArgument
from packhouse.documents import dbt
from packhouse.documents.reading import with_fields
from packhouse.exit_codes import ExitCode
from packhouse.output import moment, print_rows, print_tree
from packhouse.problems import CommandError
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


def dbt_signal(
    context: typer.Context,
    target: Annotated[Path, typer.Argument(metavar="TARGET", help="The target folder of dbt, with its artefacts.")],
    catalog: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[DATABASE=]CATALOG",
            help="Catalog of the tables of a database of dbt, or of all; repeatable. Without it: the database's name.",
        ),
    ] = None,
) -> None:
    """Send a commit signal for each table that a dbt command wrote, so that Packhouse looks at it at once.

    Tables that are not registered, or not visible to the key, are listed as unknown.
    """
    session = Session.of(context)
    catalogs = dict(_catalog(word) for word in catalog or ())
    found: dict[str, list[dict[str, str]]] = {"sent": [], "unknown": [], "refused": []}
    for written in dbt.written_tables(target):
        where = catalogs.get(written.database) or catalogs.get("") or written.database
        if not where:
            message = f"{written.unique_id} has no database in dbt's manifest"
            raise CommandError(message, ExitCode.USAGE, "name its catalog with --catalog CATALOG")
        address = join_address(where, written.schema.split("."), written.name)
        outcome, reason = _send_commit(session, address, written.key(address))
        found[outcome].append({"model": written.unique_id, "table": address, "reason": reason})
    session.show(found, lambda console: _print_sent(console, found))
    if found["refused"]:
        message = f"{len(found['refused'])} signals were refused: {found['refused'][0]['reason']}"
        raise CommandError(message, ExitCode.FORBIDDEN, "a key needs the role operator and the teams of the tables")


def _catalog(word: str) -> tuple[str, str]:
    database, equals, name = word.rpartition("=")
    if not name or (equals and not database):
        raise CommandError(
            f"--catalog {word!r}: a name is missing", ExitCode.USAGE, "write CATALOG or DATABASE=CATALOG"
        )
    return database, name


def _send_commit(session: Session, address: str, key: str) -> tuple[str, str]:
    """Send the signal of a table; return `sent`, `unknown` or `refused`, with the server's reason."""
    body = {"table_id": address, "signal": {"kind": SignalKind.COMMIT.value}}
    try:
        session.ask(session.client.signals.send, body=body, idempotency_key=key)
    except (NotFound, InvalidInput) as error:
        return "unknown", error.detail
    except Forbidden as error:
        return "refused", error.detail
    return "sent", ""


def _print_sent(console: Console, found: Mapping[str, Sequence[Mapping[str, str]]]) -> None:
    rows = [(outcome, each["table"], each["model"]) for outcome, listed in found.items() for each in listed]
    if not rows:
        console.print("dbt wrote no table: no signal was sent")
    else:
        print_rows(console, ("signal", "table", "model"), rows)


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


def add_commands(root: typer.Typer) -> None:
    """Add the top-level command."""
    root.command("dbt-signal")(dbt_signal)
