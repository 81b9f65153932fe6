"""The `packhouse` command: global options, registration of the commands, and the exit."""

import sys
from collections.abc import Sequence
from importlib.metadata import version
from typing import Annotated, Final

import typer
from packhouse_client import Packhouse, PackhouseError
from packhouse_client.client import DEFAULT_URL

from packhouse import problems
from packhouse.commands import (
    access,
    catalogs,
    contexts,
    declarations,
    deletions,
    endpoints,
    fleet,
    formats,
    policies,
    runs,
    signals,
    tables,
    webhooks,
)
from packhouse.contexts import Server, chosen
from packhouse.exit_codes import ExitCode
from packhouse.output import Output, console_of
from packhouse.session import Session

_EPILOG: Final = (
    "Global options are accepted anywhere. Exit codes: 0 done, 1 error, 2 wrong usage or input, 3 the run did not "
    "succeed, 4 not found, 5 refused by the current state, 6 server not reachable or busy, 7 not authenticated, "
    "8 not allowed, 9 files and server differ."
)
_GLOBAL_OPTIONS: Final = ("--output", "-o", "--url", "--api-key", "--context")

app = typer.Typer(
    name="packhouse",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    epilog=_EPILOG,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Control Packhouse, the compaction service for Iceberg, Hive and Paimon tables, from a terminal.",
)
app.add_typer(tables.app, name="tables")
app.add_typer(catalogs.app, name="catalogs")
app.add_typer(policies.app, name="policy")
app.add_typer(runs.app, name="runs")
app.add_typer(deletions.app, name="deletions")
app.add_typer(fleet.app, name="fleet")
app.add_typer(fleet.limits_app, name="limits")
app.add_typer(signals.app, name="signals")
app.add_typer(access.app, name="keys")
app.add_typer(webhooks.app, name="webhooks")
app.add_typer(endpoints.app, name="spark")
app.add_typer(contexts.app, name="context")
for module in (runs, tables, policies, access, formats, declarations, signals):
    module.add_commands(app)
app.command()(fleet.status)


def _show_version(wanted: bool) -> None:
    if wanted:
        console_of().out(f"packhouse {version('packhouse')}", highlight=False)
        raise typer.Exit


@app.callback()
def root(
    *,
    context: typer.Context,
    url: Annotated[
        str | None,
        typer.Option(
            envvar="PACKHOUSE_URL", help=f"URL of the server; without a context {DEFAULT_URL}.", show_default=False
        ),
    ] = None,
    api_key: Annotated[
        str | None, typer.Option(envvar="PACKHOUSE_API_KEY", help="API key.", show_default=False)
    ] = None,
    name: Annotated[
        str | None,
        typer.Option("--context", envvar="PACKHOUSE_CONTEXT", help="Named server to use; see `packhouse context`."),
    ] = None,
    output: Annotated[
        Output,
        typer.Option("--output", "-o", envvar="PACKHOUSE_OUTPUT", help="table for people; json or yaml for scripts."),
    ] = Output.TABLE,
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Make the session that all commands share."""
    is_local = context.invoked_subcommand == "context"
    server = Server() if is_local else chosen(url, api_key, name)
    try:
        client = context.with_resource(Packhouse(server.url, server.key()))
    except ValueError as error:
        raise problems.CommandError(str(error), ExitCode.USAGE) from None
    has_key = bool(server.api_key)
    context.obj = Session(client=client, has_key=has_key, output=output, out=console_of(), err=console_of(stderr=True))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command line and exit with its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        app(global_options_first(given))
    except (problems.CommandError, PackhouseError) as error:
        shown = error if isinstance(error, problems.CommandError) else problems.of(error)
        problems.show(shown, console_of(stderr=True))
        sys.exit(shown.code)
    except KeyboardInterrupt:
        sys.exit(ExitCode.ERROR)


def global_options_first(arguments: list[str]) -> list[str]:
    """Move global options before the command, so that they may be anywhere; arguments after `--` are not moved."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    first, rest, index = list[str](), list[str](), 0
    while index < end:
        name, equals, _ = arguments[index].partition("=")
        if name in _GLOBAL_OPTIONS:
            width = 1 if equals else 2
            first += arguments[index : min(index + width, end)]
            index += width
        else:
            rest.append(arguments[index])
            index += 1
    return first + rest + arguments[end:]
