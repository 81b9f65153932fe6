"""`packhouse policy …`: policies of tables and of wider scopes, and effective settings."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer
from packhouse_client import Answer
from packhouse_client.errors import NotFound
from rich.console import Console
from rich.markup import escape

from packhouse.arguments import completion
from packhouse.arguments.addresses import table_id
from packhouse.arguments.targets import Target, scope_of
from packhouse.commands.tables import AcknowledgeOption, AllOption, LimitOption, TableArgument
from packhouse.documents import editing
from packhouse.documents.reading import read_document, with_fields, written
from packhouse.exit_codes import ExitCode
from packhouse.output import as_yaml, moment, print_fields, print_rows
from packhouse.problems import CommandError
from packhouse.rendering import answers
from packhouse.rendering.policies import changes_of, preview, values
from packhouse.session import Session, etag_of

app = typer.Typer(
    no_args_is_help=True,
    help="Policies. TARGET is a table (id or catalog.namespace.name), the name of a policy of a wider scope, "
    "team:NAME, or label:KEY=VALUE.",
)

TargetArgument = Annotated[
    str,
    typer.Argument(
        metavar="TARGET",
        help="A table, a policy's name, team:NAME, or label:KEY=VALUE.",
        autocompletion=completion.targets,
    ),
]
FileOption = Annotated[typer.FileText, typer.Option("--file", "-f", help="YAML or JSON; `-` reads standard input.")]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Show what would change; write nothing.")]
FleetOption = Annotated[bool, typer.Option("--fleet", help="Scope of a new policy: every table.")]
CatalogOption = Annotated[str | None, typer.Option("--catalog", help="Scope of a new policy: a catalog.")]
NamespaceOption = Annotated[str | None, typer.Option("--namespace", help="Scope of a new policy: catalog.namespace.")]
TeamOption = Annotated[str | None, typer.Option("--team", help="Scope of a new policy: the tables of a team.")]
LabelOption = Annotated[
    str | None, typer.Option("--label", metavar="KEY=VALUE", help="Scope of a new policy: the tables with a label.")
]
MessageOption = Annotated[
    str | None,
    typer.Option(
        "--message", "-m", help="Reason for the change, one line; stored with the version and shown by `versions`."
    ),
]
PatternOption = Annotated[
    str | None, typer.Option("--pattern", help="Scope of a new policy: table addresses, with * and ?.")
]


@app.command("list")
def list_(context: typer.Context, limit: LimitOption = 100) -> None:
    """List the policies of wider scopes than a table."""
    session = Session.of(context)
    items = list(session.pages(session.client.policies.list, limit=limit))
    rows = [(p["name"], _scope(p["scope"]), p["version"], moment(p["updated_at"]), p["updated_by"]) for p in items]
    columns = ("policy", "scope", ">version", "=changed", "?by")
    empty = "no policies of wider scopes: `packhouse policy set NAME --fleet --set KEY=VALUE` makes one"
    session.show_list(items, lambda console: print_rows(console, columns, rows), empty=empty)


@app.command()
def get(context: typer.Context, target: TargetArgument) -> None:
    """Show a policy as it is stored. `effective` shows every setting of a table, inherited ones too."""
    session = Session.of(context)
    found = Target.of(session, target)
    try:
        _show(session, session.answer(found.calls.get, found.identity))
    except NotFound as error:
        hint = f"`packhouse policy effective {target}` shows the settings that apply; `policy set {target}` makes one"
        raise CommandError(error.detail, ExitCode.NOT_FOUND, hint if found.is_table else None, error) from error


@app.command("set")
def set_(
    *,
    context: typer.Context,
    target: TargetArgument,
    file: Annotated[
        typer.FileText | None, typer.Option("--file", "-f", help="The whole policy, YAML or JSON; `-` reads stdin.")
    ] = None,
    fields: Annotated[
        list[str] | None,
        typer.Option("--set", "-s", metavar="KEY=VALUE", help="Set one dotted field; may be given several times."),
    ] = None,
    unset: Annotated[
        list[str] | None,
        typer.Option("--unset", "-u", metavar="KEY", help="Remove one dotted field: it is inherited again."),
    ] = None,
    dry_run: DryRunOption = False,
    fleet: FleetOption = False,
    catalog: CatalogOption = None,
    namespace: NamespaceOption = None,
    pattern: PatternOption = None,
    team: TeamOption = None,
    label: LabelOption = None,
    message: MessageOption = None,
    acknowledge: AcknowledgeOption = None,
) -> None:
    """Replace a policy by a file, change single fields of it, or both; make it if there is none.

    What another person changed in between is not overwritten: the command then fails with exit code 5.
    """
    if file is None and not fields and not unset:
        hint = "give -f FILE, --set limits.bandwidth=80MB/s or --unset limits.bandwidth"
        raise CommandError("nothing to set", ExitCode.USAGE, hint)
    session = Session.of(context)
    found = Target.of(session, target)
    present = found.present(session)
    document = read_document(file) if file else written(present.document) if present else {}
    scope = {"fleet": "fleet" if fleet else None, "catalog": catalog, "namespace": namespace, "pattern": pattern}
    scope |= {"team": team, "label": label}
    changed = with_fields(document, fields or (), unset or ())
    write(session, found, present, changed, scope, dry_run=dry_run, given=given_options(message, acknowledge))


@app.command()
def apply(
    *,
    context: typer.Context,
    target: TargetArgument,
    file: FileOption,
    dry_run: DryRunOption = False,
    fleet: FleetOption = False,
    catalog: CatalogOption = None,
    namespace: NamespaceOption = None,
    pattern: PatternOption = None,
    team: TeamOption = None,
    label: LabelOption = None,
    message: MessageOption = None,
    acknowledge: AcknowledgeOption = None,
) -> None:
    """Replace a whole policy by the contents of a file. `put` is the same command."""
    set_(
        context=context,
        target=target,
        file=file,
        dry_run=dry_run,
        fleet=fleet,
        catalog=catalog,
        namespace=namespace,
        pattern=pattern,
        team=team,
        label=label,
        message=message,
        acknowledge=acknowledge,
    )


app.command("put")(apply)


@app.command()
def diff(context: typer.Context, target: TargetArgument, file: FileOption) -> None:
    """Show what `apply` would change: for which tables, which settings, from what to what."""
    session = Session.of(context)
    found = Target.of(session, target)
    _preview(session, found, {"change": "replace", "policy": read_document(file)})


@app.command()
def edit(context: typer.Context, target: TargetArgument, message: MessageOption = None) -> None:
    """Open a policy in $EDITOR. A refused document opens again with the errors as comments; save it empty to cancel."""
    session = Session.of(context)
    found = Target.of(session, target)
    present = found.present(session)
    if present is None and not found.is_table:
        raise CommandError(f"there is no policy {target}", ExitCode.NOT_FOUND, "make it with `packhouse policy apply`")

    def write(document: Mapping[str, Any]) -> Answer:
        given = {**_condition(present), **given_options(message)}
        return session.answer(found.calls.replace, found.identity, body=document, **given)

    changed = editing.edit(target, written(present.document) if present else {}, write)
    if changed is None:
        session.say("nothing changed")
    else:
        _show(session, changed)


@app.command()
def delete(
    context: typer.Context,
    target: TargetArgument,
    dry_run: DryRunOption = False,
    message: MessageOption = None,
    acknowledge: AcknowledgeOption = None,
) -> None:
    """Delete a policy: its settings are inherited again."""
    session = Session.of(context)
    found = Target.of(session, target)
    if dry_run:
        _preview(session, found, {"change": "delete"})
        return
    etag = etag_of(session.answer(found.calls.get, found.identity))
    session.answer(found.calls.delete, found.identity, if_match=etag, **given_options(message, acknowledge))
    session.show({"deleted": found.identity}, lambda console: print_fields(console, {"policy deleted": target}))


@app.command()
def versions(context: typer.Context, target: TargetArgument, limit: LimitOption = 20) -> None:
    """List all that was ever written of a policy, with what each version changed."""
    session = Session.of(context)
    found = Target.of(session, target)
    items = list(session.pages(found.calls.versions, found.identity, limit=limit))
    rows = [
        (
            v["version"],
            moment(v["written_at"]),
            v["written_by"],
            "deleted" if v["is_deletion"] else changes_of(v["changes"]),
            v.get("message") or "",
        )
        for v in items
    ]
    session.show({"items": items}, lambda out: print_rows(out, (">version", "=at", "by", "changed", "?message"), rows))


@app.command()
def restore(
    *,
    context: typer.Context,
    target: TargetArgument,
    version: Annotated[int, typer.Argument(min=1, help="Number of the version, from `versions`.")],
    dry_run: DryRunOption = False,
    message: MessageOption = None,
    acknowledge: AcknowledgeOption = None,
) -> None:
    """Store an earlier version as the next one."""
    session = Session.of(context)
    found = Target.of(session, target)
    if dry_run:
        _preview(session, found, {"change": "restore", "version": version})
    else:
        given = {**_condition(found.present(session)), **given_options(message, acknowledge)}
        _show(session, session.answer(found.calls.restore, found.identity, body={"version": version}, **given))


@app.command()
def effective(context: typer.Context, table: TableArgument, every: AllOption = False) -> None:
    """Show the settings of a table that differ from the defaults, and where each comes from."""
    session = Session.of(context)
    found = session.ask(session.client.table_policies.effective, table_id(session, table))
    rows = [
        (name, values(setting["value"], name), setting["origin"])
        for name, setting in answers.shown_settings(found["settings"], every=every).items()
    ]

    def render(console: Console) -> None:
        print_rows(console, ("=setting", "value", "from"), rows)
        answers.count_hidden(console, found["settings"], len(rows))

    session.show(found, render)


@app.command()
def presets(
    context: typer.Context, name: Annotated[str | None, typer.Argument(help="Show this preset in full.")] = None
) -> None:
    """List the named bases that a policy can start from, or show one."""
    session = Session.of(context)
    if name:
        found = session.ask(session.client.policies.preset, name)
        session.show(found, lambda console: console.out(as_yaml(found), highlight=False))
        return
    listed = session.ask(session.client.policies.presets)
    rows = [(preset["name"], preset["summary"]) for preset in listed["items"]]
    session.show(listed, lambda console: print_rows(console, ("=preset", "purpose"), rows))


def add_commands(root: typer.Typer) -> None:
    """Add `presets` at the top level."""
    root.command()(presets)


def write(
    session: Session,
    target: Target,
    present: Answer | None,
    document: Mapping[str, Any],
    scope: Mapping[str, str | None],
    *,
    dry_run: bool,
    given: Mapping[str, str],
) -> None:
    """Write or preview a policy. Fails if `present` was changed since it was read."""
    if any(scope.values()) and (present is not None or target.is_table or target.scope is not None):
        if present is None:
            raise CommandError(f"{target.name} names its scope already", ExitCode.USAGE, "leave the option out")
        hint = "leave the option out, or delete the policy and create another"
        raise CommandError(f"{target.name} has its scope already, which never changes", ExitCode.USAGE, hint)
    if present is None and not target.is_table:
        body: dict[str, Any] = {"scope": target.scope or scope_of(scope), "policy": document}
        if dry_run:
            _preview(session, target, {"change": "create", **body})
        else:
            body["name"] = target.identity
            _show(session, session.answer(session.client.policies.create, body=body, **given))
    elif dry_run:
        _preview(session, target, {"change": "replace", "policy": document})
    else:
        given = {**_condition(present), **given}
        _show(session, session.answer(target.calls.replace, target.identity, body=document, **given))
    if "acknowledge" in given and not dry_run:
        session.say("[dim]what it deletes is announced first: `packhouse deletions list`[/]")


def given_options(message: str | None, acknowledge: str | None = None) -> dict[str, str]:
    """Return the arguments of a change that are given."""
    return {name: value for name, value in (("message", message), ("acknowledge", acknowledge)) if value is not None}


def _condition(present: Answer | None) -> dict[str, str]:
    return {"if_none_match": "*"} if present is None else {"if_match": etag_of(present)}


def _preview(session: Session, target: Target, change: Mapping[str, Any]) -> None:
    found = session.ask(target.calls.preview, target.identity, body=change)
    session.show(found, lambda console: preview(console, found))


def _show(session: Session, answer: Answer) -> None:
    stored = answer.document

    def render(console: Console) -> None:
        console.out(as_yaml(written(stored)), highlight=False)
        session.say(f"[dim]version {stored['version']}, by {escape(stored['updated_by'])}[/]")
        if stored.get("message"):
            session.say(f"[dim]message: {escape(stored['message'])}[/]")
        for note in stored.get("notes") or ():
            session.say(f"[yellow]note[/] {escape(note)}")

    session.show(stored, render)


def _scope(scope: Mapping[str, Any]) -> str:
    parts = [str(scope["kind"])]
    if scope["kind"] == "label":
        return f"label {scope['key']}={scope['value']}"
    named = [scope.get("team"), scope.get("catalog"), *(scope.get("namespace") or ()), scope.get("pattern")]
    return " ".join([*parts, ".".join(part for part in named if part)]).strip()
