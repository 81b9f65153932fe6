"""`packhouse catalogs …`: connections to catalogs of tables."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer
from packhouse_client.errors import NotFound
from rich.console import Console

from packhouse.arguments import completion
from packhouse.commands.tables import AcknowledgeOption
from packhouse.documents.reading import assignments
from packhouse.exit_codes import ExitCode
from packhouse.output import Markup, moment, print_fields, print_rows, print_tree
from packhouse.problems import CommandError
from packhouse.rendering.policies import print_deletions
from packhouse.session import Session, etag_of

app = typer.Typer(no_args_is_help=True, help="Create, list, change, check, discover, grant and delete catalogs.")

NameArgument = Annotated[str, typer.Argument(metavar="CATALOG", autocompletion=completion.catalogs)]
PropertyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--property", "-p", metavar="KEY=VALUE", help="KEY=VALUE; may be given several times. Secrets: env:NAME."
    ),
]
FormatOption = Annotated[str, typer.Option("--format", help="Table format.")]
TeamOption = Annotated[str, typer.Option("--team", metavar="TEAM", help="The team; '*' is every team.")]
RightOption = Annotated[
    list[str],
    typer.Option("--right", metavar="RIGHT", help="discover, register or read; may be given several times."),
]
NamespaceOption = Annotated[
    list[str] | None,
    typer.Option(
        "--namespace",
        metavar="PATTERN",
        help="Namespaces, levels joined by dots: `*` any characters, `?` one. Default: all. Repeatable.",
    ),
]
LocationOption = Annotated[
    list[str] | None,
    typer.Option(
        "--allow", metavar="PREFIX", help="Location that its tables may be below; may be given several times."
    ),
]
OutsideOption = Annotated[
    str | None,
    typer.Option(
        "--outside-files",
        metavar="refuse|allowed_locations",
        help="Which files outside of their own location its tables may name: none, or those below --allow.",
    ),
]


@app.command()
def create(
    context: typer.Context,
    name: NameArgument,
    properties: PropertyOption = None,
    allow: LocationOption = None,
    *,
    outside_files: OutsideOption = None,
    table_format: FormatOption = "iceberg",
) -> None:
    """Create a catalog. The connection is not tried: `check` does that."""
    session = Session.of(context)
    body = {"name": name, "format": table_format, **_content(properties, allow, outside_files)}
    created = session.ask(session.client.catalogs.create, body=body)
    session.show(created, lambda console: print_tree(console, created))


@app.command("types")
def list_types(context: typer.Context) -> None:
    """Show the types of catalogs of each table format with their properties; required ones end with `*`."""
    session = Session.of(context)
    found = session.ask(session.client.formats.list_catalog_types)
    rows = [
        (
            each["format"],
            each["type"],
            Markup("[green]yes[/]" if each["supported"] else "[red]no[/]"),
            _properties(each),
        )
        for each in found["items"]
    ]
    session.show(found, lambda console: print_rows(console, ("format", "=type", "", "properties, or why not"), rows))


def _properties(kind: Mapping[str, Any]) -> str:
    names = (f"{each['name']}*" if each["required"] else each["name"] for each in kind["properties"])
    return kind["reason"] or ", ".join(names)


@app.command("set")
def set_(
    context: typer.Context,
    name: NameArgument,
    properties: PropertyOption = None,
    allow: LocationOption = None,
    *,
    outside_files: OutsideOption = None,
    table_format: FormatOption = "iceberg",
) -> None:
    """Create a catalog, or replace all properties of the one that is there."""
    session = Session.of(context)
    try:
        present = session.answer(session.client.catalogs.get, name)
    except NotFound:
        create(context, name, properties, allow, outside_files=outside_files, table_format=table_format)
        return
    body = _content(properties, allow, outside_files)
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
    rows = [(c["name"], c["format"], ", ".join(_rights(c["grants"])) or "-", moment(c["updated_at"])) for c in items]
    columns = ("catalog", "format", "granted", "changed")
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
    *,
    pattern: Annotated[str, typer.Option(help="Only addresses like this: `*` any characters, `?` one.")] = "*",
    register: Annotated[bool, typer.Option("--register", help="Register the listed tables.")] = False,
    owner_team: Annotated[str | None, typer.Option(help="Owner team of the registered tables.")] = None,
    label: Annotated[
        list[str] | None, typer.Option("--label", metavar="KEY=VALUE", help="May be given several times.")
    ] = None,
    paused: Annotated[
        bool, typer.Option("--paused", help="Register them as paused: no run starts until each is resumed.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what `--register` would do, and what policies would delete.")
    ] = False,
    acknowledge: AcknowledgeOption = None,
) -> None:
    """List the tables of a catalog, and register those that match."""
    given = {"--owner-team": owner_team, "--label": label, "--paused": paused, "--acknowledge": acknowledge}
    given |= {"--dry-run": dry_run}
    if not register and (useless := [option for option, value in given.items() if value]):
        message = f"{', '.join(useless)}: only with --register"
        raise CommandError(message, ExitCode.USAGE, "add --register, or leave it out")
    session = Session.of(context)
    catalogs = session.client.catalogs
    body: dict[str, Any] = {"pattern": pattern.removeprefix(f"{name}.")}
    body |= {"owner_team": owner_team} if owner_team else {}
    body |= {"labels": assignments(label)} if label else {}
    body |= {"paused": True} if paused else {}
    if not register:
        found = session.ask(catalogs.discover, name, body=body)
    elif dry_run:
        found = session.ask(catalogs.preview_registration, name, body=body)
    else:
        found = session.ask(catalogs.register, name, body=body, acknowledge=acknowledge)

    session.show(found, lambda console: _show_discovery(session, console, name, pattern, found))


def _show_discovery(session: Session, console: Console, name: str, pattern: str, found: Mapping[str, Any]) -> None:
    rows = [
        (".".join((name, *t["namespace"], t["name"])), t["outcome"].replace("_", " "), t["detail"])
        for t in found["tables"]
    ]
    print_rows(console, ("table", "outcome", "detail"), rows)
    if not rows:
        session.say(_none_found(name, pattern))
    if found["truncated"]:
        session.say(f"[yellow]only the first {found['examined']} tables of the catalog were searched[/]")
    if found.get("deletions"):
        print_deletions(console, found["deletions"])


def _none_found(name: str, pattern: str) -> str:
    if pattern != "*":
        return f"no table matches {pattern!r}: a pattern is matched against namespace.name, such as 'shop.*'"
    return f"the catalog has no tables that you may see: `packhouse catalogs check {name}` shows what it has"


@app.command()
def grants(context: typer.Context, name: NameArgument) -> None:
    """List what teams may do with a catalog's tables. Admins may do everything without a grant."""
    session = Session.of(context)
    found = session.ask(session.client.catalogs.grants, name)
    _show_grants(session, found)


@app.command()
def grant(
    context: typer.Context,
    name: NameArgument,
    team: TeamOption,
    right: RightOption,
    namespace: NamespaceOption = None,
) -> None:
    """Grant rights on a catalog's tables to a team, in addition to those that it has."""
    session = Session.of(context)
    found = session.answer(session.client.catalogs.grants, name)
    kept, patterns = list(found.document["grants"]), namespace or ["*"]
    same = next((each for each in kept if (each["team"], each["namespaces"]) == (team, patterns)), None)
    if same is None:
        kept.append({"team": team, "namespaces": patterns, "rights": sorted(set(right))})
    else:
        same["rights"] = sorted({*same["rights"], *right})
    _write_grants(session, name, kept, etag_of(found))


@app.command()
def revoke(context: typer.Context, name: NameArgument, team: TeamOption, namespace: NamespaceOption = None) -> None:
    """Take back a team's grants on a catalog: all, or the one with exactly these namespaces."""
    session = Session.of(context)
    found = session.answer(session.client.catalogs.grants, name)
    present = found.document["grants"]
    kept = [each for each in present if each["team"] != team or namespace not in (None, each["namespaces"])]
    if kept == present:
        which = "" if namespace is None else f" with the namespaces {', '.join(namespace)}"
        raise CommandError(f"catalog {name} has no grant to team {team}{which}", ExitCode.NOT_FOUND)
    _write_grants(session, name, kept, etag_of(found))


@app.command()
def delete(context: typer.Context, name: NameArgument) -> None:
    """Delete a catalog without registered tables."""
    session = Session.of(context)
    etag = etag_of(session.answer(session.client.catalogs.get, name))
    session.answer(session.client.catalogs.delete, name, if_match=etag)
    session.show({"deleted": name}, lambda console: print_fields(console, {"deleted": name}))


def _write_grants(session: Session, name: str, kept: list[dict[str, Any]], etag: str) -> None:
    written = session.ask(session.client.catalogs.replace_grants, name, body={"grants": kept}, if_match=etag)
    _show_grants(session, written)


def _show_grants(session: Session, found: dict[str, Any]) -> None:
    rows = [(each["team"], ", ".join(each["namespaces"]), ", ".join(each["rights"])) for each in found["grants"]]

    def render(console: Console) -> None:
        print_rows(console, ("team", "namespaces", "rights"), rows)
        if not rows:
            session.say(f"no grants: only admins use the catalog; packhouse catalogs grant {found['catalog']} --team …")

    session.show(found, render)


def _rights(found: list[dict[str, Any]]) -> list[str]:
    return [f"{each['team']}: {'+'.join(each['rights'])}" for each in found]


def _content(properties: list[str] | None, allow: list[str] | None, outside_files: str | None) -> dict[str, Any]:
    locations = {"allowed_locations": allow} if allow else {}
    outside = {"outside_files": outside_files} if outside_files else {}
    return {"properties": assignments(properties or ()), **locations, **outside}
