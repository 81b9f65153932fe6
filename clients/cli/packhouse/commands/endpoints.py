"""`packhouse spark …`: the Spark Connect servers that rewrites run on."""

from typing import Annotated, Any

import typer

from packhouse.commands.tables import LimitOption
from packhouse.exit_codes import ExitCode
from packhouse.output import print_fields, print_rows
from packhouse.problems import CommandError
from packhouse.session import Session

app = typer.Typer(no_args_is_help=True, help="Spark Connect servers on which rewrites run, by labels.")

NameArgument = Annotated[str, typer.Argument(metavar="ENDPOINT", help="Name of the endpoint.")]
_WRITTEN = ("url", "token", "labels", "parallel_groups", "drained")


@app.command("list")
def list_(context: typer.Context, limit: LimitOption = 100) -> None:
    """List endpoints: what each is chosen by, whether it can take runs, and how many are at work."""
    session = Session.of(context)
    items = list(session.pages(session.client.endpoints.list, limit=limit))
    rows = [
        (
            each["name"],
            ", ".join(f"{key}={value}" for key, value in sorted(each["labels"].items())),
            f"{each['state']}, drained" if each["drained"] else each["state"],
            str(each["runs"]),
            each["spark_version"] or "",
            each["detail"],
        )
        for each in items
    ]
    columns = ("=name", "labels", "state", ">runs", "spark", "?detail")
    session.show_list(items, lambda console: print_rows(console, columns, rows), empty="no endpoints")


@app.command()
def get(context: typer.Context, endpoint: NameArgument) -> None:
    """Show an endpoint."""
    session = Session.of(context)
    found = session.ask(session.client.endpoints.get, endpoint)
    session.show(found, lambda console: print_fields(console, found))


@app.command("set")
def set_(
    *,
    context: typer.Context,
    endpoint: NameArgument,
    address: Annotated[
        str | None, typer.Option(metavar="URL", help="Address: sc://host:port, with /;use_ssl=true for TLS.")
    ] = None,
    token: Annotated[
        str | None, typer.Option(metavar="REFERENCE", help="Where workers read the token: env:NAME or file:/PATH.")
    ] = None,
    label: Annotated[
        list[str] | None, typer.Option(metavar="KEY=VALUE", help="Label; may be repeated; replaces those that it has.")
    ] = None,
    parallel_groups: Annotated[int | None, typer.Option(help="File groups of all runs there at once.")] = None,
) -> None:
    """Add an endpoint, or change what is given of one that exists."""
    session = Session.of(context)
    present = _found(session, endpoint)
    given = {
        "url": address,
        "token": token,
        "labels": None if label is None else dict(map(_label, label)),
        "parallel_groups": parallel_groups,
    }
    _write(session, endpoint, present, {name: value for name, value in given.items() if value is not None})


@app.command()
def drain(context: typer.Context, endpoint: NameArgument) -> None:
    """Let no run begin on an endpoint; runs at work there go on."""
    _switch(Session.of(context), endpoint, drained=True)


@app.command("open")
def open_(context: typer.Context, endpoint: NameArgument) -> None:
    """Let runs begin on an endpoint that was drained."""
    _switch(Session.of(context), endpoint, drained=False)


@app.command()
def delete(context: typer.Context, endpoint: NameArgument) -> None:
    """Delete an endpoint on which no live run has worked."""
    session = Session.of(context)
    found = session.ask(session.client.endpoints.get, endpoint)
    session.answer(session.client.endpoints.delete, endpoint, if_match=f'"{found["version"]}"')
    session.show({"deleted": endpoint}, lambda console: print_fields(console, {"deleted": endpoint}))


def _label(written: str) -> tuple[str, str]:
    key, sign, value = written.partition("=")
    if not sign:
        raise CommandError(f"--label {written}: give KEY=VALUE", ExitCode.USAGE)
    return key, value


def _found(session: Session, endpoint: str) -> dict[str, Any] | None:
    items = session.pages(session.client.endpoints.list, limit=1000)
    return next((dict(each) for each in items if each["name"] == endpoint), None)


def _switch(session: Session, endpoint: str, *, drained: bool) -> None:
    present = dict(session.ask(session.client.endpoints.get, endpoint))
    _write(session, endpoint, present, {"drained": drained})


def _write(session: Session, endpoint: str, present: dict[str, Any] | None, changes: dict[str, Any]) -> None:
    """Write an endpoint: a new one, or the changes of one that was read."""
    if present is None:
        condition = {"if_none_match": "*"}
        body = changes
    else:
        condition = {"if_match": f'"{present["version"]}"'}
        body = {**{name: present[name] for name in _WRITTEN}, **changes}
    written = session.ask(session.client.endpoints.replace, endpoint, body=body, **condition)
    session.show(written, lambda console: print_fields(console, written))
