"""Print tables for people, JSON or YAML for scripts; results go to standard output, the rest to standard error.

Tables are readable at 80 columns: long cells are folded, and less important columns are left out below 100 columns.
Piped output is not limited.

Texts of others (names, reasons of the server, lines of files) may hold sequences that a terminal or the viewer of a CI
log obeys: they hide or forge lines, set the title, or write to the clipboard. `SafeConsole` shows such characters as
symbols, and documents for scripts escape them, so that their values stay exact.
"""

import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

import yaml
from rich.console import Console, ConsoleOptions, RenderableType
from rich.markup import escape
from rich.segment import Segment
from rich.table import Table

_WIDE: Final = 100
_STATE_COLOURS: Final = {
    "succeeded": "green",
    "skipped": "yellow",
    "refused": "red",
    "failed": "red",
    "cancelled": "magenta",
    "queued": "dim",
    "planning": "cyan",
    "rewriting": "cyan",
    "committing": "cyan",
}


_PIPED_WIDTH: Final = 10_000
"""Width of piped output, in columns: complete, with each row on one line."""

_OBEYED: Final = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Characters that terminals obey (C0 without the line feed, DEL, C1), separate lines, or change the direction."""
_FIRST_PICTURE: Final = 0x2400
"""`SYMBOL FOR NULL`; the symbols of the other C0 characters follow in order."""


class SafeConsole(Console):
    """A console on which texts have no effect but to be shown; the console's own styles and bars work."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        """Yield the segments of a renderable, with a symbol in place of each character that terminals obey."""
        for segment in super().render(renderable, options):
            has_effect = segment.control is None and _OBEYED.search(segment.text)
            yield segment._replace(text=shown_safely(segment.text)) if has_effect else segment


def shown_safely(text: str) -> str:
    """Return a text with a symbol in place of each character that terminals obey."""
    return _OBEYED.sub(_symbol, text)


def _symbol(found: re.Match[str]) -> str:
    code = ord(found[0])
    return chr(_FIRST_PICTURE + code) if code < ord(" ") else "\N{REPLACEMENT CHARACTER}"


def console_of(*, stderr: bool = False) -> Console:
    """Return a console on standard output or error, with the width of the terminal, or of COLUMNS.

    Names of tables are shown unchanged: `:smile:` is not replaced by an emoji.
    """
    stream = sys.stderr if stderr else sys.stdout
    is_limited = stream.isatty() or bool(os.environ.get("COLUMNS"))
    return SafeConsole(stderr=stderr, emoji=False, width=None if is_limited else _PIPED_WIDTH)


class Output(StrEnum):
    """Output formats of results."""

    TABLE = "table"
    JSON = "json"
    YAML = "yaml"


def print_document(console: Console, document: object, form: Output) -> None:
    """Print one document for a script, without colours or wrapping."""
    console.out(as_yaml(document) if form is Output.YAML else _as_json(document), highlight=False)


def as_yaml(document: object) -> str:
    """Return a document as YAML, fields in the order given; characters that terminals obey are escaped."""
    text = yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=120)
    if _OBEYED.search(text):  # YAML escapes in quoted texts only, and PyYAML decides on those by this option
        text = yaml.safe_dump(document, sort_keys=False, allow_unicode=False, width=120)
    return text.rstrip()


def _as_json(document: object) -> str:
    text = json.dumps(document, indent=2, ensure_ascii=False)
    return _OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)  # they occur within texts only


def print_rows(console: Console, columns: Sequence[str], rows: Iterable[Sequence[Any]], *, title: str = "") -> None:
    """Print a table; None is shown as `-`.

    Columns named `>…` are right-aligned, `=…` never wrapped, `?…` shown on wide terminals only. A column of times has
    their zone in its header.
    """
    table = Table(title=title or None, title_justify="left", box=None, header_style="bold", pad_edge=False)
    shown = [n for n, column in enumerate(columns) if not column.startswith("?") or console.width >= _WIDE]
    cells = [[row[n] for n in shown] for row in rows]
    zones = [_zone_of(row[at] for row in cells) for at in range(len(shown))]
    for column, zone in zip((columns[n].lstrip("?") for n in shown), zones, strict=True):
        name, is_fixed = column.lstrip("=>") + (f" ({zone})" if zone else ""), column.startswith("=")
        table.add_column(name, justify="right" if column.startswith(">") else "left", overflow="fold", no_wrap=is_fixed)
    for row in cells:
        table.add_row(*(cell(_without(zone, value)) for value, zone in zip(row, zones, strict=True)))
    console.print(table)


def print_fields(console: Console, fields: Mapping[str, Any]) -> None:
    """Print names and values, one pair per line."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for name, value in fields.items():
        table.add_row(name, cell(value))
    console.print(table)


def print_tree(console: Console, document: Mapping[str, Any]) -> None:
    """Print a document of any structure as names and values; nested names are dotted."""
    print_fields(console, dict(flat(document)))


def flat(document: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield a document's leaves by dotted name; lists are leaves."""
    for name, value in document.items():
        if isinstance(value, Mapping) and value:
            yield from flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


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


def amounts(found: Mapping[str, Any]) -> str:
    """Return the amounts of a deletion that are known and not 0: `1 snapshot, 84 files, 345 KiB`; empty for none."""
    counts = [(found.get(name), name) for name in ("snapshots", "files")]
    words = [f"{count} {name if count != 1 else name.removesuffix('s')}" for count, name in counts if count]
    return ", ".join([*words, str(size(found["bytes"]))] if found.get("bytes") else words)


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


class Moment(str):
    """A date and time of day in local time, to the second, with the name of its zone: `2026-11-01 09:30:00 CET`."""

    __slots__ = ()

    @property
    def zone(self) -> str:
        """Name of the zone, or its distance from UTC."""
        return self.rpartition(" ")[2]


def moment(text: str | None) -> Moment | None:
    """Return an RFC 3339 instant in local time."""
    if text is None:
        return None
    return Moment(datetime.fromisoformat(text).astimezone().strftime("%Y-%m-%d %H:%M:%S %Z"))


def _zone_of(values: Iterable[object]) -> str | None:
    """Return the zone of the moments among the values; None without any, or if there are several zones."""
    zones = {value.zone for value in values if isinstance(value, Moment)}
    return zones.pop() if len(zones) == 1 else None


def _without(zone: str | None, value: object) -> object:
    return value.removesuffix(f" {zone}") if zone is not None and isinstance(value, Moment) else value
