"""Render policy changes for the terminal."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape

from packhouse.documents.reading import is_size, with_sizes
from packhouse.output import print_rows, size
from packhouse.problems import deletion_lines

Document = Mapping[str, Any]


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
            return f"{shown} (about {size(shown)})" if is_size(shown, name) else str(shown)
