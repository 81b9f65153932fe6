"""`packhouse keys …`, `whoami` and `audit`: API keys, the caller, and the audit log."""

import json
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

import typer
from rich.console import Console

from packhouse.commands.tables import LimitOption
from packhouse.exit_codes import ExitCode
from packhouse.output import moment, print_fields, print_rows, print_tree
from packhouse.problems import CommandError
from packhouse.session import Session

app = typer.Typer(no_args_is_help=True, help="Create, list, show and revoke API keys.")

KeyArgument = Annotated[str, typer.Argument(metavar="KEY", help="Id or name of the key.")]
_LISTED = 1000


class Role(StrEnum):
    """Roles from the weakest to the strongest; the SDK's list is in alphabetical order."""

    VIEWER = "viewer"
    PLANNER = "planner"
    OPERATOR = "operator"
    OWNER = "owner"
    ADMIN = "admin"


@app.command()
def create(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="Name of the key, shown in records.")],
    role: Annotated[
        Role, typer.Option(help="viewer, planner, operator, owner or admin; each role includes the ones before it.")
    ],
    team: Annotated[
        list[str] | None, typer.Option(help="Team whose tables the key sees; may be repeated; without it: all teams.")
    ] = None,
    expires_at: Annotated[datetime | None, typer.Option(help="Expiry, local time; without it: never.")] = None,
) -> None:
    """Make a key. Its secret is shown this once."""
    session = Session.of(context)
    body: dict[str, Any] = {"name": name, "role": role.value}
    optional = {"teams": team or None, "expires_at": expires_at and expires_at.astimezone().isoformat()}
    body |= {field: value for field, value in optional.items() if value}
    created = session.ask(session.client.keys.create, body=body)

    def render(console: Console) -> None:
        print_fields(console, {name: value for name, value in created.items() if name != "secret"})
        session.say("[yellow]the secret is shown only now[/]")
        console.out(created["secret"], highlight=False)

    session.show(created, render)


@app.command("list")
def list_(context: typer.Context, limit: LimitOption = 100) -> None:
    """List keys without their secrets, newest first."""
    session = Session.of(context)
    items = list(session.pages(session.client.keys.list, limit=limit))
    rows = [
        (
            k["id"],
            k["name"],
            k["role"],
            "all" if k["teams"] is None else ", ".join(k["teams"]),
            "revoked" if k["revoked_at"] else moment(k["expires_at"]) or "never",
            moment(k["last_used_at"]),
        )
        for k in items
    ]
    columns = ("=id", "name", "role", "teams", "ends", "?last used")
    empty = "no keys: `packhouse keys create NAME --role viewer` makes one"
    session.show_list(items, lambda console: print_rows(console, columns, rows), empty=empty)


@app.command()
def get(context: typer.Context, key: KeyArgument) -> None:
    """Show a key without its secret."""
    session = Session.of(context)
    found = session.ask(session.client.keys.get, _key_id(session, key))
    session.show(found, lambda console: print_fields(console, found))


@app.command()
def revoke(context: typer.Context, key: KeyArgument) -> None:
    """Revoke a key for good."""
    session = Session.of(context)
    identity = _key_id(session, key)
    session.answer(session.client.keys.revoke, identity)
    session.show({"revoked": identity}, lambda console: print_fields(console, {"revoked": identity}))


def _key_id(session: Session, key: str) -> str:
    if key.startswith("key_"):
        return key
    listed = session.pages(session.client.keys.list, limit=_LISTED)
    live = [found["id"] for found in listed if found["name"] == key and not found["revoked_at"]]
    if len(live) != 1:
        what = f"{len(live)} live keys have the name {key!r}" if live else f"no live key has the name {key!r}"
        code = ExitCode.USAGE if live else ExitCode.NOT_FOUND
        raise CommandError(what, code, "give an id: `packhouse keys list` shows them")
    return str(live[0])


def whoami(context: typer.Context) -> None:
    """Show who you are to the server: name, role, teams."""
    session = Session.of(context)
    found = session.ask(session.client.access.whoami)
    teams = found.get("teams")
    shown = found | {"teams": "all" if teams is None else ", ".join(teams)}
    session.show(found, lambda console: print_tree(console, shown))


def audit(
    *,
    context: typer.Context,
    caller: Annotated[str | None, typer.Option(help="Only changes by this caller.")] = None,
    action: Annotated[str | None, typer.Option(help="Only changes of this action, such as run.submit.")] = None,
    changed: Annotated[
        str | None, typer.Option("--object", help="Only changes of the object with this id or name.")
    ] = None,
    since: Annotated[datetime | None, typer.Option(help="From this instant on, local time.")] = None,
    until: Annotated[datetime | None, typer.Option(help="Before this instant, local time.")] = None,
    limit: LimitOption = 50,
) -> None:
    """List who changed what, newest first."""
    session = Session.of(context)
    filters = {
        "caller": caller,
        "action": action,
        "object_": changed,
        "since": since and since.astimezone(),
        "until": until and until.astimezone(),
    }
    items = list(session.pages(session.client.access.audit, limit=limit, **filters))
    rows = [
        (moment(e["at"]), e["caller"], e["action"], e["object"], json.dumps(e["after"]) if e["after"] else None)
        for e in items
    ]
    columns = ("=at", "caller", "action", "object", "?after")
    session.show_list(items, lambda console: print_rows(console, columns, rows), empty="no change matches")


def add_commands(root: typer.Typer) -> None:
    """Add the top-level commands."""
    root.command()(whoami)
    root.command()(audit)
