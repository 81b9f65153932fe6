"""`packhouse webhooks …`: receivers of events, and what was sent to them."""

from datetime import datetime
from typing import Annotated, Any

import typer
from packhouse_client.models import DeliveryState, EventType, WebhookFormat
from rich.console import Console

from packhouse.commands.tables import LimitOption
from packhouse.exit_codes import ExitCode
from packhouse.output import moment, print_fields, print_rows
from packhouse.problems import CommandError
from packhouse.session import Session

app = typer.Typer(no_args_is_help=True, help="Send events to HTTP receivers: failed runs, frozen tables, outages.")

WebhookArgument = Annotated[str, typer.Argument(metavar="WEBHOOK", help="Name or id of the webhook.")]
EventOption = Annotated[
    list[EventType] | None, typer.Option("--event", help="Type of events; may be repeated; without it: every type.")
]
TeamOption = Annotated[
    list[str] | None, typer.Option("--team", help="Team whose tables; may be repeated; without it: every event.")
]
CatalogOption = Annotated[
    list[str] | None, typer.Option("--catalog", help="Catalog; may be repeated; without it: every catalog.")
]
_WRITTEN = ("name", "url", "events", "teams", "catalogs", "enabled", "format")
_LISTED = 1000


@app.command()
def create(
    *,
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="Name of the webhook.")],
    url: Annotated[str, typer.Argument(metavar="URL", help="Address of the receiver, https://…")],
    event: EventOption = None,
    team: TeamOption = None,
    catalog: CatalogOption = None,
    format_: Annotated[
        WebhookFormat | None,
        typer.Option("--format", help="Format of its requests; openlineage: run events of OpenLineage, for runs only."),
    ] = None,
) -> None:
    """Create a webhook. Its secret is shown this once."""
    session = Session.of(context)
    lists: dict[str, list[str] | None] = {
        "events": [each.value for each in event or ()],
        "teams": team,
        "catalogs": catalog,
    }
    body = {"name": name, "url": url, **{field: given for field, given in lists.items() if given}}
    body |= {} if format_ is None else {"format": format_.value}
    _show_secret(session, session.ask(session.client.webhooks.create, body=body))


@app.command("list")
def list_(context: typer.Context, limit: LimitOption = 100) -> None:
    """List webhooks."""
    session = Session.of(context)
    items = list(session.pages(session.client.webhooks.list, limit=limit))
    rows = [
        (
            each["name"],
            each["url"],
            _all_or(each["events"]),
            _all_or(each["teams"]),
            "enabled" if each["enabled"] else each["disabled_reason"] or "disabled",
            str(each["failures"] or ""),
        )
        for each in items
    ]
    columns = ("=name", "url", "events", "teams", "state", "?failures")
    empty = "no webhooks: `packhouse webhooks create NAME URL` makes one"
    session.show_list(items, lambda console: print_rows(console, columns, rows), empty=empty)


@app.command()
def get(context: typer.Context, webhook: WebhookArgument) -> None:
    """Show a webhook without its secret."""
    session = Session.of(context)
    found = _found(session, webhook)
    session.show(found, lambda console: print_fields(console, found))


@app.command()
def enable(context: typer.Context, webhook: WebhookArgument) -> None:
    """Enable a webhook: the events that wait for it are sent."""
    _switch(Session.of(context), webhook, enabled=True)


@app.command()
def disable(context: typer.Context, webhook: WebhookArgument) -> None:
    """Disable a webhook: it gets no new events, and those that wait stay."""
    _switch(Session.of(context), webhook, enabled=False)


@app.command()
def delete(context: typer.Context, webhook: WebhookArgument) -> None:
    """Delete a webhook with its deliveries."""
    session = Session.of(context)
    found = _found(session, webhook)
    session.answer(session.client.webhooks.delete, found["id"], if_match=f'"{found["version"]}"')
    session.show({"deleted": found["name"]}, lambda console: print_fields(console, {"deleted": found["name"]}))


@app.command()
def rotate(context: typer.Context, webhook: WebhookArgument) -> None:
    """Begin a new secret, shown this once; for a day the one before signs as well."""
    session = Session.of(context)
    identity = _found(session, webhook)["id"]
    _show_secret(session, session.ask(session.client.webhooks.rotate_secret, identity))


@app.command()
def test(context: typer.Context, webhook: WebhookArgument) -> None:
    """Send a test event now and show the answer."""
    session = Session.of(context)
    answer = session.ask(session.client.webhooks.test, _found(session, webhook)["id"])
    session.show(answer, lambda console: print_fields(console, answer))
    if not answer["ok"]:
        raise typer.Exit(ExitCode.ERROR)


@app.command()
def deliveries(
    context: typer.Context,
    webhook: WebhookArgument,
    state: Annotated[DeliveryState | None, typer.Option(help="Only deliveries in this state.")] = None,
    limit: LimitOption = 20,
) -> None:
    """List what was sent, what waits and what was given up, the newest events first."""
    session = Session.of(context)
    identity, given = _found(session, webhook)["id"], state and state.value
    items = list(session.pages(session.client.webhooks.deliveries, identity, limit=limit, state=given))
    rows = [
        (
            moment(each["at"]),
            each["type"],
            each["subject"],
            each["state"],
            str(each["attempts"]),
            str(each["status"] or each["problem"] or ""),
            each["event_id"],
        )
        for each in items
    ]
    columns = ("=at", "event", "subject", "state", ">attempts", "answer", "=id")
    empty = "no event was sent to it, or waits for it, in the last 30 days"
    session.show_list(items, lambda console: print_rows(console, columns, rows), empty=empty)


@app.command()
def repeat(
    *,
    context: typer.Context,
    webhook: WebhookArgument,
    event: Annotated[str | None, typer.Option(metavar="ID", help="Id of one event.")] = None,
    since: Annotated[datetime | None, typer.Option(help="Begin of a time, local time.")] = None,
    until: Annotated[datetime | None, typer.Option(help="Its end; without it: now.")] = None,
) -> None:
    """Send one event again, or all of a time, with the same ids."""
    session = Session.of(context)
    identity = _found(session, webhook)["id"]
    if (event is None) is (since is None):
        raise CommandError("give one of --event and --since", ExitCode.USAGE)
    if event is not None:
        session.answer(session.client.webhooks.repeat, identity, event)
        answer: dict[str, Any] = {"events": 1}
    else:
        times = {"since": since, "until": until}
        body = {name: at.astimezone().isoformat() for name, at in times.items() if at is not None}
        answer = session.ask(session.client.webhooks.repeat_since, identity, body=body)
    session.show(answer, lambda console: print_fields(console, answer))


def _switch(session: Session, webhook: str, *, enabled: bool) -> None:
    found = _found(session, webhook)
    body = {**{name: found[name] for name in _WRITTEN}, "enabled": enabled}
    match = f'"{found["version"]}"'
    written = session.ask(session.client.webhooks.replace, found["id"], body=body, if_match=match)
    session.show(written, lambda console: print_fields(console, written))


def _all_or(given: list[str] | None) -> str:
    return "all" if given is None else ", ".join(given)


def _show_secret(session: Session, made: dict[str, Any]) -> None:
    def render(console: Console) -> None:
        print_fields(console, {name: value for name, value in made.items() if name != "secret"})
        session.say("[yellow]the secret is shown only now[/]")
        console.out(made["secret"], highlight=False)

    session.show(made, render)


def _found(session: Session, webhook: str) -> dict[str, Any]:
    if webhook.startswith("whk_"):
        return dict(session.ask(session.client.webhooks.get, webhook))
    for each in session.pages(session.client.webhooks.list, limit=_LISTED):
        if each["name"] == webhook:
            return dict(each)
    hint = "`packhouse webhooks list` shows them"
    raise CommandError(f"no webhook has the name {webhook!r}", ExitCode.NOT_FOUND, hint)
