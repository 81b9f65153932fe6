"""Printing: tables for people, JSON for scripts; results go to standard output, the rest to standard error."""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

_STATE_COLOURS = {
    "succeeded": "green",
    "skipped": "yellow",
    "failed": "red",
    "cancelled": "magenta",
    "queued": "dim",
    "planning": "cyan",
    "rewriting": "cyan",
    "committing": "cyan",
}


class Output(StrEnum):
    """How results are printed."""

    TABLE = "table"
    JSON = "json"


def print_json(console: Console, document: object) -> None:
    """Print one JSON document, indented, without colours or wrapping."""
    console.out(json.dumps(document, indent=2, ensure_ascii=False), highlight=False)


def print_rows(console: Console, columns: Sequence[str], rows: Iterable[Sequence[Any]], *, title: str = "") -> None:
    """Print a table; columns named `>…` are aligned right, `=…` never broken. None is shown as `-`."""
    table = Table(title=title or None, title_justify="left", box=None, header_style="bold", pad_edge=False)
    for column in columns:
        name, is_fixed = column.lstrip("=>"), column.startswith("=")
        table.add_column(name, justify="right" if column.startswith(">") else "left", overflow="fold", no_wrap=is_fixed)
    for row in rows:
        table.add_row(*(cell(value) for value in row))
    console.print(table)


def print_fields(console: Console, fields: Mapping[str, Any]) -> None:
    """Print names and values below one another."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for name, value in fields.items():
        table.add_row(name, cell(value))
    console.print(table)


def cell(value: object) -> str:
    """Return a value as rich markup for one cell."""
    match value:
        case None:
            return "[dim]-[/]"
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:.3g}"
        case Markup():
            return value.text
        case list() | dict():
            return escape(json.dumps(value))
        case _:
            return escape(str(value))


class Markup:
    """Text that is rich markup already."""

    def __init__(self, text: str) -> None:
        self.text = text


def state(name: str) -> Markup:
    """Return a run's state in its colour."""
    return Markup(f"[{_STATE_COLOURS.get(name, 'default')}]{escape(name)}[/]")


def size(count: float | None) -> str | None:
    """Return bytes for people: `1.46 GiB`."""
    if count is None:
        return None
    amount = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if abs(amount) < 1024:  # noqa: PLR2004 - the step of binary units
            return f"{amount:.0f} B" if unit == "B" else f"{amount:.3g} {unit}"
        amount /= 1024
    return f"{amount:.3g} TiB"


def seconds(count: float | None) -> str | None:
    """Return a duration for people: `0.8 s`, `2 min 05 s`, `3 h 10 min`."""
    if count is None:
        return None
    if count < 60:  # noqa: PLR2004 - a minute
        return f"{count:.1f} s"
    minutes, rest = divmod(round(count), 60)
    if minutes < 60:  # noqa: PLR2004 - an hour
        return f"{minutes} min {rest:02d} s"
    return f"{minutes // 60} h {minutes % 60:02d} min"


def moment(text: str | None) -> str | None:
    """Return an RFC 3339 instant in local time, to the second."""
    if text is None:
        return None
    return datetime.fromisoformat(text).astimezone().strftime("%Y-%m-%d %H:%M:%S")
