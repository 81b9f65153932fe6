"""`packhouse catalogs …`: connections to catalogs of tables."""

from typing import Annotated, Any

import typer
from packhouse_client.errors import NotFound
from rich.console import Console

from packhouse import completion
from packhouse.documents import assignments
from packhouse.exit_codes import ExitCode
from packhouse.output import Markup, moment, print_fields, print_rows, print_tree
from packhouse.problems import CommandError
from packhouse.session import Session, etag_of

app = typer.Typer(no_args_is_help=True, help="Catalogs: create, list, change, check, discover, pause, delete.")

NameArgument = Annotated[str, typer.Argument(metavar="CATALOG", autocompletion=completion.catalogs)]
PropertyOption = Annotated[
    list[str] | None,
    typer.Option("--property", "-p", metavar="KEY=VALUE", help="May be given several times. Secrets: env:NAME."),
]
FormatOption = Annotated[str, typer.Option("--format", help="Table format.")]
LocationOption = Annotated[
    list[str] | None,
    typer.Option("--allow", metavar="PREFIX", help="Where its tables may lie; may be given several times."),
]


@app.command()
def create(
    context: typer.Context,
    name: NameArgument,
    properties: PropertyOption = None,
    allow: LocationOption = None,
    table_format: FormatOption = "iceberg",
) -> None:
    """Create a catalog. The connection is not tried: `check` does that."""
    session = Session.of(context)
    body = {"name": name, "format": table_format, **_content(properties, allow)}
    created = session.ask(session.client.catalogs.create, body=body)
    session.show(created, lambda console: print_tree(console, created))


@app.command("set")
def set_(
    context: typer.Context,
    name: NameArgument,
    properties: PropertyOption = None,
    allow: LocationOption = None,
    table_format: FormatOption = "iceberg",
) -> None:
    """Create a catalog, or replace all properties of the one that is there."""
    session = Session.of(context)
    try:
        present = session.answer(session.client.catalogs.get, name)
    except NotFound:
        create(context, name, properties, allow, table_format)
        return
    body = _content(properties, allow)
    changed = session.ask(session.client.catalogs.replace, name, body=body, if_match=etag_of(present))
    session.show(changed, lambda console: print_tree(console, changed))


@app.command()
def get(context: typer.Context, name: NameArgument) -> None:
    """Show a catalog. Secrets are references: nothing of them is shown."""
    session = Session.of(context)
    found = session.ask(session.client.catalogs.get, name)
    session.show(found, lambda console: print_tree(console, found))


@app.command("list")
def list_(context: typer.Context, limit: Annotated[int, typer.Option(min=1)] = 500) -> None:
    """List catalogs by name."""
    session = Session.of(context)
    items = list(session.pages(session.client.catalogs.list, limit=limit))
    rows = [(c["name"], c["format"], len(c["properties"]), moment(c["updated_at"])) for c in items]
    columns = ("catalog", "format", ">properties", "changed")
    empty = "no catalogs: `packhouse catalogs create NAME -p type=rest -p uri=https://…` makes one"
    session.show_list(items, lambda out: print_rows(out, columns, rows), empty=empty)


@app.command()
def check(context: typer.Context, name: NameArgument) -> None:
    """Try a catalog's connection, step by step; exits with 1 when one fails."""
    session = Session.of(context)
    report = session.ask(session.client.catalogs.check, name)
    steps = report["steps"]

    def render(console: Console) -> None:
        marks = {True: Markup("[green]ok[/]"), False: Markup("[red]failed[/]")}
        print_rows(console, ("step", "", "found"), [(s["name"], marks[s["ok"]], s["detail"]) for s in steps])

    session.show(report, render)
    if not all(step["ok"] for step in steps):
        raise typer.Exit(ExitCode.ERROR)


@app.command()
def discover(
    context: typer.Context,
    name: NameArgument,
    pattern: Annotated[str, typer.Option(help="Only addresses like this: `*` any characters, `?` one.")] = "*",
    register: Annotated[bool, typer.Option("--register", help="Register them, too.")] = False,
    owner_team: Annotated[str | None, typer.Option(help="The team that they belong to.")] = None,
) -> None:
    """List the tables of a catalog, and register those that match."""
    if owner_team and not register:
        raise CommandError("--owner-team is for --register", ExitCode.USAGE, "add --register, or leave the team out")
    session = Session.of(context)
    body = {"pattern": pattern.removeprefix(f"{name}."), "register": register} | (
        {"owner_team": owner_team} if owner_team else {}
    )
    found = session.ask(session.client.catalogs.discover, name, body=body)

    def render(console: Console) -> None:
        rows = [
            (".".join((name, *t["namespace"], t["name"])), t["outcome"].replace("_", " "), t["detail"])
            for t in found["tables"]
        ]
        print_rows(console, ("table", "outcome", "detail"), rows)
        if not rows:
            session.say("no table of the catalog matches: a pattern is held against namespace.name, such as 'shop.*'")
        if found["truncated"]:
            session.say(f"[yellow]only the first {found['examined']} tables of the catalog were looked at[/]")

    session.show(found, render)


@app.command()
def delete(context: typer.Context, name: NameArgument) -> None:
    """Delete a catalog without registered tables."""
    session = Session.of(context)
    etag = etag_of(session.answer(session.client.catalogs.get, name))
    session.answer(session.client.catalogs.delete, name, if_match=etag)
    session.show({"deleted": name}, lambda console: print_fields(console, {"deleted": name}))


def _content(properties: list[str] | None, allow: list[str] | None) -> dict[str, Any]:
    locations = {"allowed_locations": allow} if allow else {}
    return {"properties": assignments(properties or ()), **locations}
