"""`packhouse tables …`, and what can be asked of one table: history and explain."""

from typing import Annotated, Any

import typer
from packhouse_client._generated.api.tables import (
    delete_table,
    explain_table,
    get_table_health,
    list_table_history,
    list_tables,
    plan_table,
    register_table,
)
from packhouse_client._generated.types import UNSET
from rich.console import Console

from packhouse import rendering
from packhouse.addresses import address_of, find_table, split_address, table_id
from packhouse.documents import assignments, read_document
from packhouse.output import print_fields
from packhouse.session import Document, Session

app = typer.Typer(no_args_is_help=True, help="Registered tables: list, register, look into, forget.")

TableArgument = Annotated[str, typer.Argument(metavar="TABLE", help="Its id, or catalog.namespace.name.")]
LimitOption = Annotated[int, typer.Option("--limit", min=1, help="At most so many, newest first.")]


@app.command("list")
def list_(
    context: typer.Context,
    catalog: Annotated[str | None, typer.Option(help="Only tables of this catalog.")] = None,
    limit: LimitOption = 100,
) -> None:
    """List registered tables, newest first."""
    session = Session.of(context)
    items = list(session.pages(list_tables.sync_detailed, limit=limit, catalog=catalog or UNSET))
    session.show({"items": items}, lambda console: rendering.tables(console, items))


@app.command()
def get(context: typer.Context, table: TableArgument) -> None:
    """Show one table."""
    session = Session.of(context)
    found = find_table(session, table)
    session.show(found, lambda console: rendering.table(console, found))


@app.command()
def register(
    context: typer.Context,
    table: Annotated[str, typer.Argument(metavar="TABLE", help="catalog.namespace.name")],
    owner_team: Annotated[str | None, typer.Option(help="The team that it belongs to.")] = None,
    label: Annotated[list[str] | None, typer.Option(metavar="KEY=VALUE", help="May be given several times.")] = None,
) -> None:
    """Register a table of a catalog."""
    session = Session.of(context)
    catalog, namespace, name = split_address(table)
    body: dict[str, Any] = {"catalog": catalog, "namespace": namespace, "name": name}
    body |= {"owner_team": owner_team} if owner_team else {}
    body |= {"labels": assignments(label)} if label else {}
    created = session.answer(register_table.sync_detailed, body=Document(body)).document
    session.show(created, lambda console: rendering.table(console, created))


@app.command()
def health(context: typer.Context, table: TableArgument) -> None:
    """Measure a table's files: sizes, small files, deletes, score."""
    session = Session.of(context)
    measured = session.answer(get_table_health.sync_detailed, table_id(session, table)).document
    session.show(measured, lambda console: rendering.health(console, measured))


@app.command()
def plan(
    context: typer.Context,
    table: TableArgument,
    policy: Annotated[
        typer.FileText | None, typer.Option("--policy", "-f", help="Try this policy (YAML or JSON) instead.")
    ] = None,
) -> None:
    """Show what a run would do now; changes nothing."""
    session = Session.of(context)
    body = {"policy": read_document(policy)} if policy else {}
    planned = session.answer(plan_table.sync_detailed, table_id(session, table), body=body).document
    session.show(planned, lambda console: rendering.plan(console, planned))


@app.command()
def delete(context: typer.Context, table: TableArgument) -> None:
    """Forget a table and its policy; the table itself is not touched."""
    session = Session.of(context)
    found = find_table(session, table)
    session.answer(delete_table.sync_detailed, str(found["id"]))
    session.show({"deleted": found["id"]}, lambda console: print_fields(console, {"deleted": address_of(found)}))


def history(context: typer.Context, table: TableArgument, limit: LimitOption = 20) -> None:
    """Show the runs that changed a table, with what was predicted and what was measured."""
    session = Session.of(context)
    identity = table_id(session, table)
    items = list(session.pages(list_table_history.sync_detailed, identity, limit=limit))
    session.show({"items": items}, lambda console: rendering.history(console, items))


def explain(context: typer.Context, table: TableArgument) -> None:
    """Say why a table did or did not run, and what a run would do now."""
    session = Session.of(context)
    answer = session.answer(explain_table.sync_detailed, table_id(session, table)).document

    def render(console: Console) -> None:
        rendering.explanation(console, answer)

    session.show(answer, render)


def add_commands(root: typer.Typer) -> None:
    """Add `history` and `explain`, which stand at the top because they are what people ask most."""
    root.command()(history)
    root.command()(explain)
