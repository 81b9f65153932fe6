"""Render policy changes for the terminal."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeGuard

from rich.console import Console
from rich.markup import escape

from packhouse.output import print_rows, size
from packhouse.problems import deletion_lines

Document = Mapping[str, Any]
_SIZES: Final = frozenset({"bandwidth", "available_bandwidth", "bytes_per_day"})
_UNITS: Final = {"GiB": 2**30, "MiB": 2**20, "GB": 10**9, "MB": 10**6, "KiB": 2**10, "kB": 10**3}


def preview(console: Console, found: Document) -> None:
    """Print the effect that a change of a policy would have."""
    covered, affected = found["covered_count"], found["affected_count"]
    console.print(f"of {covered} covered tables, settings of {affected} would change; nothing was written")
    for change in found["changes"]:
        console.print()
        count, example = change["table_count"], change["example"]["address"]
        title = example if count == 1 else f"{count} tables, such as {example}"
        rows = [
            (name, values(s["before"], name), values(s["after"], name), s["before_origin"], s["after_origin"])
            for s in change["settings"]
            for name in (s["setting"],)
        ]
        print_rows(console, ("setting", "now", "then", "?from", "?then from"), rows, title=title)
    if found.get("deletions"):
        console.print()
        print_deletions(console, found["deletions"])
    for problem in found["contradictions"]:
        console.print(f"[red]{escape(problem['pointer'])}[/]: {escape(problem['message'])}", soft_wrap=True)
    for note in found["notes"]:
        console.print(f"[yellow]note[/] {escape(note)}", soft_wrap=True)


def print_deletions(console: Console, found: Mapping[str, Any]) -> None:
    """Show what a change would delete, and the option that acknowledges it."""
    for line in deletion_lines(found):
        console.print(f"[red]{escape(line)}[/]", soft_wrap=True)
    console.print(f"acknowledge it with --acknowledge {escape(found['acknowledge'])}", soft_wrap=True)


def changes_of(changes: Sequence[Document]) -> str:
    """Return the changes of a version, one setting per line."""
    return "\n".join(
        f"{c['setting']}: {values(c['before'], c['setting'])} → {values(c['after'], c['setting'])}" for c in changes
    )


def values(value: Any, name: str = "") -> str:
    """Return a setting's value in short form, with readable sizes; `-` if none is set."""
    match with_sizes(value, name):
        case None:
            return "-"
        case bool() | list() | dict():
            return json.dumps(with_sizes(value, name))
        case shown:
            return f"{shown} (about {size(shown)})" if _is_size(shown, name) else str(shown)


def with_sizes(value: Any, name: str = "") -> Any:
    """Return a document, or the value of a setting, with exact readable sizes: `128MiB`."""
    match value:
        case dict():
            return {key: with_sizes(inner, key) for key, inner in value.items()}
        case list():
            return [with_sizes(inner) for inner in value]
        case _ if _is_size(value, name):
            return next((f"{value // step}{unit}" for unit, step in _UNITS.items() if value % step == 0), value)
        case _:
            return value


def _is_size(value: object, name: str) -> TypeGuard[int]:
    last = name.rpartition(".")[2]
    return type(value) is int and value > 0 and (last.endswith("_bytes") or last in _SIZES)
