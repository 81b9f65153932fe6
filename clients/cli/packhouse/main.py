"""The `packhouse` command: options that hold for all commands, the commands, and the one place that exits."""

import sys
from collections.abc import Sequence
from typing import Annotated, Final

import typer
from packhouse_client import Packhouse, PackhouseError
from packhouse_client.client import DEFAULT_URL
from rich.console import Console

from packhouse import access, catalogs, declarations, fleet, formats, policies, problems, runs, signals, tables
from packhouse.exit_codes import ExitCode
from packhouse.output import Output
from packhouse.session import Session

_EPILOG: Final = (
    "Global options may stand anywhere. Exit codes: 0 done, 1 error, 2 wrong usage or input, 3 the run did not "
    "succeed, 4 not found, 5 refused by the present state, 6 server not reachable or busy, 7 not authenticated, "
    "8 not allowed."
)
_GLOBAL_OPTIONS: Final = ("--output", "-o", "--url", "--api-key")

app = typer.Typer(
    name="packhouse",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    epilog=_EPILOG,
    help="Compaction of lakehouse tables, seen and steered from a terminal.",
)
app.add_typer(tables.app, name="tables")
app.add_typer(catalogs.app, name="catalogs")
app.add_typer(policies.app, name="policy")
app.add_typer(runs.app, name="runs")
app.add_typer(fleet.app, name="fleet")
app.add_typer(fleet.limits_app, name="limits")
app.add_typer(signals.app, name="signals")
app.add_typer(access.app, name="keys")
for module in (runs, tables, policies, access, formats, declarations):
    module.add_commands(app)


@app.callback()
def root(
    context: typer.Context,
    url: Annotated[str, typer.Option(envvar="PACKHOUSE_URL", help="Where the server is.")] = DEFAULT_URL,
    api_key: Annotated[
        str, typer.Option(envvar="PACKHOUSE_API_KEY", help="The caller's key.", show_default=False)
    ] = "",
    output: Annotated[
        Output, typer.Option("--output", "-o", envvar="PACKHOUSE_OUTPUT", help="For people, or for scripts.")
    ] = Output.TABLE,
) -> None:
    """Make the session that all commands share."""
    try:
        client = context.with_resource(Packhouse(url, api_key))
    except ValueError as error:
        raise problems.CommandError(str(error), ExitCode.USAGE) from None
    context.obj = Session(client=client, has_key=bool(api_key), output=output, out=Console(), err=Console(stderr=True))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command line and exit with what it came to."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        app(global_options_first(given))
    except (problems.CommandError, PackhouseError) as error:
        shown = error if isinstance(error, problems.CommandError) else problems.of(error)
        problems.show(shown, Console(stderr=True))
        sys.exit(shown.code)
    except KeyboardInterrupt:
        sys.exit(ExitCode.ERROR)


def global_options_first(arguments: list[str]) -> list[str]:
    """Move global options before the command, so that they may stand anywhere; what follows `--` stays."""
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
