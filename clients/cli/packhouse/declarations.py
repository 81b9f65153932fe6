"""`packhouse export` and `packhouse apply`: all catalogs, policies and tables as files in a repository.

`apply` shows what it would change like a diff, then does it in the order of dependence. It stops at the first refusal
and says what was done and what was not; running it again does the rest. When nothing differs it does nothing.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from packhouse_client import PackhouseError
from rich.console import Console
from rich.markup import escape

from packhouse import inventories, problems
from packhouse.output import print_fields
from packhouse.plans import Planner, Step
from packhouse.problems import CommandError
from packhouse.session import Session

_COLOURS: Final = {"+": "green", "-": "red", "~": "yellow"}
_MARKS: Final = {"create": "+", "change": "~", "delete": "-"}

FolderOption = Annotated[Path, typer.Option("--folder", "-f", metavar="DIR", help="Where the files are.")]


def export(context: typer.Context, folder: FolderOption = Path("packhouse")) -> None:
    """Write every catalog, policy and table to YAML files. Secrets are references, in the files too."""
    session = Session.of(context)
    found = inventories.of_server(session)
    written = inventories.write(found, folder)
    listed = [str(path) for path in written]
    session.show({"written": listed}, lambda out: print_fields(out, {"files written": len(listed), "to": folder}))


def apply(
    context: typer.Context,
    folder: FolderOption,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be done; do nothing.")] = False,
    prune: Annotated[bool, typer.Option("--prune", help="Delete what is not declared.")] = False,
) -> None:
    """Make the server have what the files of a folder say."""
    session = Session.of(context)
    wanted = inventories.of_folder(folder)
    planner = Planner(session, inventories.of_server(session), wanted)
    steps = planner.steps(prune=prune)
    if session.is_for_people:
        _print_plan(session.out, steps)
        if not prune and (undeclared := planner.undeclared()):
            session.say(f"[dim]not declared, left alone: {escape(', '.join(undeclared))}[/]")
    if not dry_run:
        _carry_out(session, steps)
    if not session.is_for_people:
        session.show({"dry_run": dry_run, "steps": [_document(step) for step in steps]}, lambda _: None)


def add_commands(root: typer.Typer) -> None:
    """Add both commands at the top."""
    root.command()(export)
    root.command()(apply)


def _carry_out(session: Session, steps: Sequence[Step]) -> None:
    for number, step in enumerate(steps):
        try:
            step.do()
        except (PackhouseError, CommandError) as error:
            shown = error if isinstance(error, CommandError) else problems.of(error)
            done = ", ".join(map(str, steps[:number])) or "nothing"
            rest = ", ".join(map(str, steps[number + 1 :])) or "nothing"
            hint = f"done: {done}; not tried: {rest}. Mend it and apply again: what is done is not done twice"
            raise CommandError(f"{step}: {shown.message}", shown.code, hint, shown.cause) from error
    if steps:
        session.say(f"{len(steps)} of {len(steps)} steps done")


def _print_plan(console: Console, steps: Sequence[Step]) -> None:
    if not steps:
        console.print("nothing to do: the server has what the files say")
    for step in steps:
        _print_line(console, f"{_MARKS[step.verb]} {step}")
        for line in step.lines:
            _print_line(console, f"    {line}")


def _print_line(console: Console, line: str) -> None:
    colour = _COLOURS[line.lstrip()[0]]
    console.print(f"[{colour}]{escape(line)}[/]", highlight=False, soft_wrap=True)


def _document(step: Step) -> dict[str, Any]:
    return {"verb": step.verb, "kind": step.kind, "name": step.name, "lines": list(step.lines)}
