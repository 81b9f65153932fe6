"""`packhouse fleet …` and `limits …` for all tables together, and the pauses of single tables and catalogs."""

from typing import Annotated, Any

import typer
from packhouse_client.models import HistoryStep, RunState, Verdict

from packhouse.arguments import completion
from packhouse.arguments.addresses import table_id
from packhouse.commands import catalogs, tables
from packhouse.commands.tables import LimitOption, TableArgument
from packhouse.documents.reading import assignments
from packhouse.exit_codes import ExitCode
from packhouse.output import print_fields, print_tree
from packhouse.problems import CommandError
from packhouse.rendering import fleet as rendering
from packhouse.rendering.series import fleet_history, windows
from packhouse.session import Call, Session, etag_of

app = typer.Typer(no_args_is_help=True, help="All tables together.")
limits_app = typer.Typer(no_args_is_help=True, help="Limits of all rewrites together.")

ReasonOption = Annotated[
    str, typer.Option("--reason", "-m", help="Reason, shown with everything that waits because of it.")
]
StopOption = Annotated[
    bool, typer.Option("--stop", help="Interrupt file groups in flight instead of letting them finish.")
]


@app.command()
def show(context: typer.Context) -> None:
    """Show sums over all tables, what happened in the last 24 hours, and the backlog."""
    session = Session.of(context)
    found = session.ask(session.client.fleet.figures)
    session.show(found, lambda console: rendering.figures(console, found))


def status(context: typer.Context) -> None:
    """Show what of Packhouse and its dependencies works, and how many runs wait for what does not."""
    session = Session.of(context)
    found = session.ask(session.client.fleet.system)
    session.show(found, lambda console: rendering.system(console, found))


@app.command("history")
def show_history(
    context: typer.Context,
    since: Annotated[
        str | None, typer.Option(help="From this instant on, such as 2026-11-01T00:00:00Z; default: the last 24 hours.")
    ] = None,
    until: Annotated[str | None, typer.Option(help="Before this instant; default: now.")] = None,
    step: Annotated[HistoryStep, typer.Option(help="Length of the intervals.")] = HistoryStep.VALUE_1H,
) -> None:
    """Show small files made and removed, rewrites, losses and the backlog by hour or day."""
    session = Session.of(context)
    found = session.ask(session.client.fleet.history, since=since, until=until, step=step)
    session.show(found, lambda console: fleet_history(console, found))


@app.command("windows")
def list_windows(
    context: typer.Context,
    hours: Annotated[int, typer.Option(min=1, max=168, help="Hours from now on.")] = 24,
) -> None:
    """List the quiet hours and blackouts to come of all tables."""
    session = Session.of(context)
    found = session.ask(session.client.fleet.windows, hours=hours)
    session.show(found, lambda console: windows(console, found["items"]))


@app.command("tables")
def list_tables(
    *,
    context: typer.Context,
    verdict: Annotated[
        list[Verdict] | None, typer.Option(help="Only tables whose last look found this; may be repeated.")
    ] = None,
    hold: Annotated[
        list[str] | None, typer.Option(help="Only tables held back by this code, such as quiet_hours; may be repeated.")
    ] = None,
    last_run: Annotated[
        list[RunState] | None, typer.Option(help="Only tables whose newest run is in this state; may be repeated.")
    ] = None,
    catalog: Annotated[
        str | None, typer.Option(help="Only tables in this catalog.", autocompletion=completion.catalogs)
    ] = None,
    team: Annotated[str | None, typer.Option(help="Only tables of this team.")] = None,
    search: tables.SearchOption = None,
    sort: Annotated[
        str,
        typer.Option(
            help="avoidable_file_count, benefit_per_cost, due_since, history_bytes, hold, last_run, next_look_at, "
            "score or verdict; descending with - in front: --sort=-last_run."
        ),
    ] = "-avoidable_file_count",
    limit: LimitOption = 20,
) -> None:
    """List tables with verdict, hold, next look and last run, those with the most files to save first."""
    session = Session.of(context)
    filters = {"verdict": verdict, "hold": hold, "last_run_state": last_run, "catalog": catalog, "owner_team": team}
    filters["search"] = search
    items = list(session.pages(session.client.fleet.tables, limit=limit, sort=sort, **filters))
    is_filtered = any(value is not None for value in filters.values())
    empty = "no table matches" if is_filtered else "no tables: `packhouse tables register TABLE` adds one"
    session.show_list(items, lambda console: rendering.tables(console, items), empty=empty)


@app.command("pause")
def pause_fleet(context: typer.Context, reason: ReasonOption, stop: StopOption = False) -> None:
    """Start nothing new on any table; what runs drains (or stops), then waits."""
    session = Session.of(context)
    _pause(session, session.client.fleet.pause, reason=reason, stop=stop)


@app.command("resume")
def resume_fleet(context: typer.Context) -> None:
    """End the pause of the fleet."""
    session = Session.of(context)
    session.answer(session.client.fleet.resume)
    session.show({"resumed": "fleet"}, lambda console: print_fields(console, {"resumed": "fleet"}))


@tables.app.command("pause")
def pause_table(context: typer.Context, table: TableArgument, reason: ReasonOption, stop: StopOption = False) -> None:
    """Start nothing new on a table; what runs drains (or stops), then waits."""
    session = Session.of(context)
    _pause(session, session.client.tables.pause, table_id(session, table), reason=reason, stop=stop)


@tables.app.command("resume")
def resume_table(context: typer.Context, table: TableArgument) -> None:
    """End the pause of a table, its rest after runs without effect, and the cool-down of its partitions."""
    session = Session.of(context)
    session.answer(session.client.tables.resume, table_id(session, table))
    session.show({"resumed": table}, lambda console: print_fields(console, {"resumed": table}))


@tables.app.command("unfreeze")
def unfreeze_table(context: typer.Context, table: TableArgument, reason: ReasonOption) -> None:
    """Unfreeze a table that was frozen by a failed proof; inspect the snapshots that `tables get` names first."""
    session = Session.of(context)
    session.answer(session.client.tables.unfreeze, table_id(session, table), body={"reason": reason})
    session.show({"unfrozen": table}, lambda console: print_fields(console, {"unfrozen": table}))


@catalogs.app.command("pause")
def pause_catalog(
    context: typer.Context, name: catalogs.NameArgument, reason: ReasonOption, stop: StopOption = False
) -> None:
    """Start nothing new on any table of a catalog; what runs drains (or stops), then waits."""
    session = Session.of(context)
    _pause(session, session.client.catalogs.pause, name, reason=reason, stop=stop)


@catalogs.app.command("resume")
def resume_catalog(context: typer.Context, name: catalogs.NameArgument) -> None:
    """End the pause of a catalog and close its breaker; tables that were paused themselves stay so."""
    session = Session.of(context)
    session.answer(session.client.catalogs.resume, name)
    session.show({"resumed": name}, lambda console: print_fields(console, {"resumed": name}))


@limits_app.command("get")
def get_limits(context: typer.Context) -> None:
    """Show the limits that hold for all tables together."""
    session = Session.of(context)
    found = session.ask(session.client.fleet.limits)
    session.show(found, lambda console: print_fields(console, found))


@limits_app.command("set")
def set_limits(
    context: typer.Context,
    fields: Annotated[
        list[str],
        typer.Argument(
            metavar="KEY=VALUE...",
            help="bandwidth=400MB; catalogs.NAME.bandwidth=9MB of one catalog; null: unlimited.",
        ),
    ],
) -> None:
    """Change single limits, of all tables or of one catalog's; other limits stay."""
    session = Session.of(context)
    present = session.answer(session.client.fleet.limits)
    known = {name: value for name, value in present.document.items() if name not in _OF_THE_RECORD}
    body: dict[str, Any] = known | {"catalogs": dict(known.get("catalogs") or {})}
    for name, text in assignments(fields).items():
        _set_limit(body, name, _value(text))
    changed = session.ask(session.client.fleet.replace_limits, body=body, if_match=etag_of(present))
    session.show(changed, lambda console: print_fields(console, changed))


_OF_THE_RECORD = ("version", "updated_at", "updated_by")


def _set_limit(body: dict[str, Any], name: str, value: Any) -> None:
    """Set a limit by its dotted name: of the fleet, of a catalog (`catalogs.lake.requests`), or all of a catalog's."""
    section, _, rest = name.partition(".")
    if section != "catalogs":
        body[name] = value
        return
    catalog, _, limit = rest.partition(".")
    if not catalog or (not limit and value is not None):
        raise CommandError(f"{name} is not a limit", ExitCode.USAGE, "write catalogs.NAME.bandwidth=100MB")
    if not limit:
        body["catalogs"].pop(catalog, None)
    else:
        body["catalogs"][catalog] = {**body["catalogs"].get(catalog, {}), limit: value}


def _value(text: str) -> Any:
    if not text:
        raise CommandError("a limit needs a value", ExitCode.USAGE, "write bandwidth=400MB, or bandwidth=null")
    if text in ("null", "unlimited"):
        return None
    return int(text) if text.removeprefix("-").isdecimal() else text


def _pause(session: Session, call: Call, *path: str, reason: str, stop: bool) -> None:
    paused = session.ask(call, *path, body={"reason": reason, "mode": "stop" if stop else "drain"})
    session.show(paused, lambda console: print_tree(console, paused))
