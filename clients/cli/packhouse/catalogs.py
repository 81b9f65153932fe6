"""`packhouse catalogs …`: connections to catalogs of tables."""

from typing import Annotated

import typer
from packhouse_client._generated.api.catalogs import (
    check_catalog,
    create_catalog,
    delete_catalog,
    get_catalog,
    list_catalogs,
)
from rich.console import Console

from packhouse.documents import assignments
from packhouse.exit_codes import ExitCode
from packhouse.output import Markup, moment, print_fields, print_rows
from packhouse.session import Document, Session

app = typer.Typer(no_args_is_help=True, help="Catalogs: create, list, check, delete.")

NameArgument = Annotated[str, typer.Argument(metavar="CATALOG")]


@app.command()
def create(
    context: typer.Context,
    name: NameArgument,
    property_: Annotated[
        list[str] | None,
        typer.Option("--property", "-p", metavar="KEY=VALUE", help="May be given several times. Secrets: env:NAME."),
    ] = None,
    table_format: Annotated[str, typer.Option("--format", help="Table format.")] = "iceberg",
) -> None:
    """Create a catalog. The connection is not tried: `check` does that."""
    session = Session.of(context)
    body = {"name": name, "format": table_format, "properties": assignments(property_ or [])}
    created = session.answer(create_catalog.sync_detailed, body=Document(body)).document
    session.show(created, lambda console: print_fields(console, created))


@app.command("list")
def list_(context: typer.Context, limit: Annotated[int, typer.Option(min=1)] = 500) -> None:
    """List catalogs by name."""
    session = Session.of(context)
    items = list(session.pages(list_catalogs.sync_detailed, limit=limit))
    rows = [(c["name"], c["format"], len(c["properties"]), moment(c["updated_at"])) for c in items]
    session.show({"items": items}, lambda out: print_rows(out, ("catalog", "format", ">properties", "changed"), rows))


@app.command()
def check(context: typer.Context, name: NameArgument) -> None:
    """Try a catalog's connection, step by step; exits with 1 when one fails."""
    session = Session.of(context)
    report = session.answer(check_catalog.sync_detailed, name).document
    steps = report["steps"]

    def render(console: Console) -> None:
        marks = {True: Markup("[green]ok[/]"), False: Markup("[red]failed[/]")}
        print_rows(console, ("step", "", "found"), [(s["name"], marks[s["ok"]], s["detail"]) for s in steps])

    session.show(report, render)
    if not all(step["ok"] for step in steps):
        raise typer.Exit(ExitCode.ERROR)


@app.command()
def delete(context: typer.Context, name: NameArgument) -> None:
    """Delete a catalog without registered tables."""
    session = Session.of(context)
    etag = session.answer(get_catalog.sync_detailed, name).etag
    session.answer(delete_catalog.sync_detailed, name, if_match=etag)
    session.show({"deleted": name}, lambda console: print_fields(console, {"deleted": name}))
