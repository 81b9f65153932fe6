"""`packhouse formats`: the operations supported for each table format in this version, and why others are not."""

from typing import Any

import typer

from packhouse.output import Markup, print_rows
from packhouse.session import Session


def formats(context: typer.Context) -> None:
    """Show the operations supported for each table format, and why others are not."""
    session = Session.of(context)
    found = session.ask(session.client.formats.list)
    marks = {True: Markup("[green]yes[/]"), False: Markup("[red]no[/]")}
    rows: list[tuple[Any, ...]] = []
    for table_format in found["items"]:
        ways: dict[tuple[Any, ...], list[str]] = {}
        for cell in table_format["capabilities"]:
            how = "/".join(part for part in (cell["strategy"], cell["engine"]) if part)
            ways.setdefault((cell["operation"], cell["possible"], cell["reason"]), []).append(how)
        for (operation, is_possible, reason), by in ways.items():
            rows.append((table_format["format"], operation, ", ".join(filter(None, by)), marks[is_possible], reason))
        if not ways:
            rows.append((table_format["format"], None, None, marks[table_format["served"]], None))
    session.show(found, lambda console: print_rows(console, ("format", "operation", "by", "", "why not"), rows))


def add_commands(root: typer.Typer) -> None:
    """Add the command."""
    root.command()(formats)
