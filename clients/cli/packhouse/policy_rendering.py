"""How changes of policies look to people."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape

from packhouse.output import print_rows

Document = Mapping[str, Any]


def preview(console: Console, found: Document) -> None:
    """Show what a change of a policy would come to."""
    covered, affected = found["covered_count"], found["affected_count"]
    console.print(f"of {covered} covered tables, settings of {affected} would change; nothing was written")
    for change in found["changes"]:
        console.print()
        count, example = change["table_count"], change["example"]["address"]
        title = example if count == 1 else f"{count} tables, such as {example}"
        rows = [
            (s["setting"], values(s["before"]), values(s["after"]), s["before_origin"], s["after_origin"])
            for s in change["settings"]
        ]
        print_rows(console, ("setting", "now", "then", "?from", "?then from"), rows, title=title)
    for problem in found["contradictions"]:
        console.print(f"[red]{escape(problem['pointer'])}[/]: {escape(problem['message'])}", soft_wrap=True)
    for note in found["notes"]:
        console.print(f"[yellow]note[/] {escape(note)}", soft_wrap=True)


def changes_of(changes: Sequence[Document]) -> str:
    """Return what a version changed, one setting a line."""
    return "\n".join(f"{c['setting']}: {values(c['before'])} → {values(c['after'])}" for c in changes)


def values(value: Any) -> str:
    """Return a setting's value in short; `-` where none is set."""
    match value:
        case None:
            return "-"
        case bool() | list() | dict():
            return json.dumps(value)
        case _:
            return str(value)
