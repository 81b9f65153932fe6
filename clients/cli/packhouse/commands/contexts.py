"""`packhouse context …`: list, set, use and delete contexts."""

import sys
from dataclasses import replace
from typing import Annotated, Any

import typer

from packhouse.contexts import REFERENCES, Contexts, Server, read_contexts, write_contexts
from packhouse.exit_codes import ExitCode
from packhouse.output import Output, console_of, print_document, print_rows
from packhouse.problems import CommandError

app = typer.Typer(no_args_is_help=True, help="Manage contexts: named servers with their keys.")

NameArgument = Annotated[str, typer.Argument(metavar="CONTEXT")]


@app.command("list")
def list_(context: typer.Context) -> None:
    """List contexts; `*` marks the current one. Keys are shown as references only."""
    contexts = read_contexts()
    items: list[dict[str, Any]] = [
        {"name": name, "url": server.url, "api_key": _shown(server.api_key), "current": name == contexts.current}
        for name, server in sorted(contexts.servers.items())
    ]
    if context.obj is not None and context.obj.output is not Output.TABLE:
        print_document(context.obj.out, {"items": items}, context.obj.output)
        return
    rows = [("*" if item["current"] else "", item["name"], item["url"], item["api_key"]) for item in items]
    print_rows(console_of(), ("", "context", "url", "key"), rows)
    if not items:
        console_of(stderr=True).print("no contexts: `packhouse context set NAME URL` makes one")


@app.command("set")
def set_(
    name: NameArgument,
    url: Annotated[
        str | None, typer.Argument(metavar="[URL]", help="URL of the server; without it, the URL stays.")
    ] = None,
    key: Annotated[
        str | None,
        typer.Option("--key", metavar="REFERENCE", help="env:NAME, file:/path, or `-` to read the key from stdin."),
    ] = None,
) -> None:
    """Make or change a context; the first one becomes the current one."""
    contexts = read_contexts()
    before = contexts.servers.get(name, Server())
    after = replace(before, url=url or before.url, api_key=before.api_key if key is None else _read_key(key))
    write_contexts(Contexts(contexts.current or name, {**contexts.servers, name: after}))


@app.command()
def use(name: NameArgument) -> None:
    """Make a context the current one."""
    contexts = read_contexts()
    contexts.server(name)
    write_contexts(replace(contexts, current=name))


@app.command()
def delete(name: NameArgument) -> None:
    """Delete a context."""
    contexts = read_contexts()
    contexts.server(name)
    left = {other: server for other, server in contexts.servers.items() if other != name}
    write_contexts(Contexts(None if contexts.current == name else contexts.current, left))


def _read_key(given: str) -> str:
    if given == "-":
        return sys.stdin.readline().strip()
    if given.startswith(REFERENCES):
        return given
    hint = "write env:NAME or file:/path, or `-` and give the key on standard input: other users can see arguments"
    raise CommandError("a key can't be given as an argument", ExitCode.USAGE, hint)


def _shown(key: str) -> str | None:
    if not key:
        return None
    return key if key.startswith(REFERENCES) else "stored"
