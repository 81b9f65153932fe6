"""`packhouse tables …`, and the history and explanation of one table."""

from typing import Annotated, Any

import typer

from packhouse.arguments import completion
from packhouse.arguments.addresses import address_of, find_table, split_address, table_id
from packhouse.documents.reading import assignments, read_document
from packhouse.exit_codes import ExitCode
from packhouse.output import moment, print_fields, print_rows, size
from packhouse.problems import CommandError
from packhouse.rendering import answers, series, upkeep
from packhouse.rendering import partitions as partition_list
from packhouse.session import Session, etag_of

app = typer.Typer(no_args_is_help=True, help="List, register, inspect, change and delete registered tables.")

TableArgument = Annotated[
    str,
    typer.Argument(
        metavar="TABLE", help="Id of the table, or catalog.namespace.name.", autocompletion=completion.tables
    ),
]
AcknowledgeOption = Annotated[
    str | None,
    typer.Option(
        metavar="TOKEN",
        help="Acknowledge what the command deletes: the token that the refused command or --dry-run printed, or a "
        "bound such as up_to:bytes=50GB,files=10000.",
    ),
]
LimitOption = Annotated[int, typer.Option("--limit", min=1, help="Maximum number to list, newest first.")]
AllOption = Annotated[bool, typer.Option("--all", "-a", help="Show every setting, including defaults.")]
LabelOption = Annotated[
    list[str] | None, typer.Option("--label", metavar="KEY=VALUE", help="May be given several times.")
]
SearchOption = Annotated[
    str | None, typer.Option(help="Only tables with this text in their address, such as shop.ord in lake.shop.orders.")
]


@app.command("list")
def list_(
    *,
    context: typer.Context,
    catalog: Annotated[
        str | None, typer.Option(help="Only tables of this catalog.", autocompletion=completion.catalogs)
    ] = None,
    owner_team: Annotated[str | None, typer.Option(help="Only tables of this team.")] = None,
    search: SearchOption = None,
    label: LabelOption = None,
    paused: Annotated[bool | None, typer.Option(help="Only tables that are paused, or that are not.")] = None,
    frozen: Annotated[bool | None, typer.Option(help="Only tables that are frozen, or that are not.")] = None,
    limit: LimitOption = 100,
) -> None:
    """List registered tables, newest first."""
    session = Session.of(context)
    labels = [f"{key}:{value}" for key, value in assignments(label or ()).items()] or None
    filters = {"catalog": catalog, "owner_team": owner_team, "search": search, "label": labels, "paused": paused}
    filters |= {"frozen": frozen}
    items = list(session.pages(session.client.tables.list, limit=limit, **filters))
    is_filtered = any(value is not None for value in filters.values())
    empty = (
        "no table matches" if is_filtered else "no tables: `packhouse catalogs discover CATALOG --register` adds some"
    )
    session.show_list(items, lambda console: answers.tables(console, items), empty=empty)


@app.command()
def get(context: typer.Context, table: TableArgument) -> None:
    """Show one table."""
    session = Session.of(context)
    found = find_table(session, table)
    session.show(found, lambda console: answers.table(console, found))


@app.command()
def register(
    context: typer.Context,
    table: Annotated[str, typer.Argument(metavar="TABLE", help="catalog.namespace.name")],
    owner_team: Annotated[str | None, typer.Option(help="Owner team.")] = None,
    label: LabelOption = None,
    *,
    paused: Annotated[
        bool, typer.Option("--paused", help="Register it as paused: no run starts until it is resumed.")
    ] = False,
    acknowledge: AcknowledgeOption = None,
) -> None:
    """Register a table of a catalog; its first automatic run waits for 15 minutes, unless set otherwise."""
    session = Session.of(context)
    catalog, namespace, name = split_address(table)
    body: dict[str, Any] = {"catalog": catalog, "namespace": namespace, "name": name}
    body |= {"owner_team": owner_team} if owner_team else {}
    body |= {"labels": assignments(label)} if label else {}
    body |= {"paused": True} if paused else {}
    created = session.ask(session.client.tables.register, body=body, acknowledge=acknowledge)
    session.show(created, lambda console: answers.table(console, created))


@app.command()
def update(
    *,
    context: typer.Context,
    table: TableArgument,
    owner_team: Annotated[str | None, typer.Option(help="Owner team; empty for none.")] = None,
    label: LabelOption = None,
    no_label: Annotated[list[str] | None, typer.Option(metavar="KEY", help="Remove a label.")] = None,
    acknowledge: AcknowledgeOption = None,
) -> None:
    """Change a table's team or labels; other fields stay."""
    body: dict[str, Any] = {} if owner_team is None else {"owner_team": owner_team or None}
    labels: dict[str, str | None] = {**assignments(label or ()), **dict.fromkeys(no_label or ())}
    body |= {"labels": labels} if labels else {}
    if not body:
        raise CommandError("nothing to change", ExitCode.USAGE, "give --owner-team, --label or --no-label")
    session = Session.of(context)
    identity = table_id(session, table)
    etag = etag_of(session.answer(session.client.tables.get, identity))
    given = {"if_match": etag} | ({} if acknowledge is None else {"acknowledge": acknowledge})
    changed = session.ask(session.client.tables.update, identity, body=body, **given)
    session.show(changed, lambda console: answers.table(console, changed))


@app.command()
def health(
    context: typer.Context,
    table: TableArgument,
    history: Annotated[bool, typer.Option("--history", help="Show earlier measurements, newest first.")] = False,
    limit: LimitOption = 20,
) -> None:
    """Measure a table's files: sizes, small files, deletes, score."""
    session = Session.of(context)
    identity = table_id(session, table)
    if not history:
        measured = session.ask(session.client.tables.health, identity)
        session.show(measured, lambda console: answers.health(console, measured))
        return
    items = list(session.pages(session.client.tables.measurements, identity, limit=limit))
    rows = [
        (moment(m["measured_at"]), m["score"], m["file_count"], m["small_file_count"], size(m["total_bytes"]))
        for m in items
    ]
    columns = ("=measured", ">score", ">files", ">small", ">bytes")
    empty = f"not measured yet: `packhouse tables health {table}` measures it"
    session.show_list(items, lambda console: print_rows(console, columns, rows), empty=empty)


@app.command()
def partitions(
    *,
    context: typer.Context,
    table: TableArgument,
    sort: Annotated[
        str,
        typer.Option(
            help="average_file_bytes, avoidable_file_count, file_count, files_with_deletes, partition, "
            "small_file_count or total_bytes; descending with - in front: --sort=-total_bytes."
        ),
    ] = "-small_file_count",
    decisions: Annotated[
        bool, typer.Option("--decisions", help="Show the decision of the coordinator on each: due or not, and why.")
    ] = False,
    tasks: Annotated[
        bool, typer.Option("--tasks", help="Show the newest compaction task of each: state, files, size reduction.")
    ] = False,
    limit: Annotated[int, typer.Option("--limit", min=1, help="Maximum number to list.")] = 20,
) -> None:
    """List a table's partitions with their files, those with the most small files first.

    With --decisions and --tasks these are shown instead, as separate tables.
    """
    session = Session.of(context)
    include = [part for part, is_wanted in (("decision", decisions), ("task", tasks)) if is_wanted] or None
    call, given = session.client.tables.partitions, {"sort": sort, "include": include}
    pages = list(session.whole_pages(call, table_id(session, table), limit=limit, **given))
    items = [item for page in pages for item in page["items"]]
    if not items and session.is_for_people:
        session.say("no partitions: the table has no data files")
        return
    decided: dict[str, Any] = {name: value for name, value in pages[0].items() if name in {"decided_at", "watch"}}
    session.show({"items": items, **decided}, lambda console: partition_list.show(console, items, decided, include))


@app.command("write-locations")
def write_locations(
    context: typer.Context,
    table: TableArgument,
    partition: Annotated[
        list[str],
        typer.Option(
            metavar="KEY=VALUE", help="The partition, a value for each partition key: day=2026-11-01; empty: null."
        ),
    ],
    file_name: Annotated[str | None, typer.Option(help="Name of the file, from an earlier answer.")] = None,
) -> None:
    """Show the folders of a partition to write a file to, and the name to give it."""
    session = Session.of(context)
    asked = {"partition": partition, "file_name": file_name}
    found = session.ask(session.client.tables.write_locations, table_id(session, table), **asked)
    session.show(found, lambda console: partition_list.write_locations(console, found))


@app.command("windows")
def list_windows(
    context: typer.Context,
    table: TableArgument,
    hours: Annotated[int, typer.Option(min=1, max=168, help="Hours from now on.")] = 168,
) -> None:
    """List a table's quiet hours and blackouts to come."""
    session = Session.of(context)
    found = session.ask(session.client.tables.windows, table_id(session, table), hours=hours)
    session.show(found, lambda console: series.windows(console, found["items"]))


@app.command("upkeep")
def show_upkeep(context: typer.Context, table: TableArgument) -> None:
    """Show every operation besides rewriting: whether it is on, its effect now, when it is due, and its last run."""
    session = Session.of(context)
    found = session.ask(session.client.tables.upkeep, table_id(session, table))
    session.show(found, lambda console: upkeep.overview(console, found, table=table))


@app.command()
def plan(
    context: typer.Context,
    table: TableArgument,
    policy: Annotated[
        typer.FileText | None,
        typer.Option("--policy", "-f", help="Plan with this policy (YAML or JSON) instead of the stored one."),
    ] = None,
) -> None:
    """Show the plan of a run that starts now; change nothing."""
    session = Session.of(context)
    body = {"policy": read_document(policy)} if policy else {}
    planned = session.ask(session.client.tables.plan, table_id(session, table), body=body)
    session.show(planned, lambda console: answers.plan(console, planned))


@app.command()
def delete(context: typer.Context, table: TableArgument) -> None:
    """Forget a table and its policy; the table itself is not touched."""
    session = Session.of(context)
    found = find_table(session, table)
    session.answer(session.client.tables.delete, str(found["id"]))
    session.show({"deleted": found["id"]}, lambda console: print_fields(console, {"deleted": address_of(found)}))


def history(context: typer.Context, table: TableArgument, limit: LimitOption = 20) -> None:
    """Show the runs that changed a table, with predicted and measured figures."""
    session = Session.of(context)
    items = list(session.pages(session.client.tables.history, table_id(session, table), limit=limit))
    empty = f"no run has changed the table: `packhouse explain {table}` shows why"
    session.show_list(items, lambda console: answers.history(console, items), empty=empty)


def explain(context: typer.Context, table: TableArgument, every: AllOption = False) -> None:
    """Show why a table did or did not run, what a run would do now, and the settings that differ from the defaults."""
    session = Session.of(context)
    answer = session.ask(session.client.tables.explain, table_id(session, table))
    session.show(answer, lambda console: answers.explanation(console, answer, every=every))


def add_commands(root: typer.Typer) -> None:
    """Add `history` and `explain` at the top level, as the most used commands, and below `tables`."""
    for command in (history, explain):
        root.command()(command)
        app.command()(command)
