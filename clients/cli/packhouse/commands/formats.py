"""`packhouse formats` and `packhouse operations`: what each operation does, and which table formats support it."""

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


def operations(context: typer.Context) -> None:
    """Show what each operation does and deletes, the setting that switches it on, and who may request it."""
    session = Session.of(context)
    found = session.ask(session.client.formats.list_operations)
    columns = ("operation", "setting", "deletes", "role", "what a run does")
    rows = [
        (each["operation"], each["setting"], each["deletes"], each["caller_role"], each["summary"])
        for each in found["items"]
    ]
    session.show(found, lambda console: print_rows(console, columns, rows))


def add_commands(root: typer.Typer) -> None:
    """Add the commands."""
    root.command()(formats)
    root.command()(operations)
