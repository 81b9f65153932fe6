"""`packhouse export` and `packhouse apply`: all catalogs, policies and tables as files in a repository.

`apply` shows the changes like a diff, then makes them in the order of dependence. It stops at the first refusal and
prints which changes were made and which were not; running it again makes the rest. Without differences it does nothing.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from packhouse_client import PackhouseError
from rich.console import Console
from rich.markup import escape

from packhouse import problems
from packhouse.declarations import inventories
from packhouse.declarations.plans import Planner, Prune, Step
from packhouse.exit_codes import ExitCode
from packhouse.output import print_fields
from packhouse.problems import CommandError
from packhouse.session import Session

_COLOURS: Final = {"+": "green", "-": "red", "~": "yellow"}
_MARKS: Final = {"create": "+", "change": "~", "delete": "-"}

FolderOption = Annotated[Path, typer.Option("--folder", "-f", metavar="DIR", help="Folder of the files.")]


UpToOption = Annotated[
    str | None,
    typer.Option(
        metavar="BOUNDS",
        help="Acknowledge that each change may delete up to this much, such as bytes=50GB,files=10000.",
    ),
]


def export(context: typer.Context, folder: FolderOption = Path("packhouse")) -> None:
    """Write every catalog, policy and table to YAML files. Secrets are references, in the files too."""
    session = Session.of(context)
    found = inventories.of_server(session)
    written = inventories.write(found, folder)
    listed = [str(path) for path in written]
    session.show({"written": listed}, lambda out: print_fields(out, {"files written": len(listed), "to": folder}))


def apply(
    *,
    context: typer.Context,
    folder: FolderOption,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the changes and have the server check them; change nothing.")
    ] = False,
    prune: Annotated[
        bool,
        typer.Option("--prune", help="Delete undeclared tables and policies of the catalogs that the files name."),
    ] = False,
    prune_all: Annotated[
        bool, typer.Option("--prune-all", help="Delete every undeclared catalog, policy and table that the key sees.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Delete without asking.")] = False,
    message: Annotated[
        str | None,
        typer.Option("--message", "-m", help="Why, in one line: kept with each version of a policy that is written."),
    ] = None,
    acknowledge_up_to: UpToOption = None,
) -> None:
    """Create and change catalogs, policies and tables to match the files of a folder."""
    session = Session.of(context)
    wanted = inventories.of_folder(folder)
    acknowledge = None if acknowledge_up_to is None else f"up_to:{acknowledge_up_to}"
    planner = Planner(session, inventories.of_server(session), wanted, message=message, acknowledge=acknowledge)
    chosen = Prune.ALL if prune_all else Prune.DECLARED_CATALOGS if prune else Prune.NOTHING
    steps = planner.steps(prune=chosen)
    if session.is_for_people:
        _print_plan(session.out, steps)
        deleted = {f"{step.kind} {step.name}" for step in steps if step.verb == "delete"}
        if left := [name for name in planner.undeclared() if name not in deleted]:
            session.say(f"[dim]not declared, left alone: {escape(', '.join(left))}[/]")
    if dry_run:
        _check(session, steps)
    else:
        _confirm_deletions(session, steps, is_confirmed=yes)
        _carry_out(session, steps)
    if not session.is_for_people:
        session.show({"dry_run": dry_run, "steps": [_document(step) for step in steps]}, lambda _: None)


def _check(session: Session, steps: Sequence[Step]) -> None:
    """Check the steps with dry runs on the server; show all refusals, not only the first.

    Raises:
        CommandError: at least one step would be refused.
    """
    refused = []
    for step in steps:
        try:
            if step.check is not None:
                step.check()
        except PackhouseError as error:
            shown = problems.of(error)
            refused.append(shown)
            problems.show(CommandError(f"{step}: {shown.message}", shown.code, shown.hint, shown.cause), session.err)
    unchecked = [str(step) for step in steps if step.check is None]
    if unchecked:
        session.say(f"[dim]the server checks these only when they are made: {escape(', '.join(unchecked))}[/]")
    if refused:
        raise CommandError(f"{len(refused)} of {len(steps)} steps would be refused", refused[0].code)


def _confirm_deletions(session: Session, steps: Sequence[Step], *, is_confirmed: bool) -> None:
    """Ask before anything is deleted.

    Raises:
        CommandError: the answer is no, or there is no terminal for the question.
    """
    deleted = [str(step) for step in steps if step.verb == "delete"]
    if not deleted or is_confirmed:
        return
    if not sys.stdin.isatty() or not session.is_for_people:
        raise CommandError(
            f"this would {', '.join(deleted)}", ExitCode.USAGE, "add --yes to delete without being asked"
        )
    if not typer.confirm(f"{len(deleted)} objects will be deleted. Go on?", err=True):
        raise CommandError("nothing was changed", ExitCode.ERROR)


def add_commands(root: typer.Typer) -> None:
    """Add both commands at the top level."""
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
            hint = f"done: {done}; not tried: {rest}. Correct it and apply again: completed steps are not repeated"
            if any(problems.deletions_of(shown.cause)):
                hint += "; to delete that, add --acknowledge-up-to with bounds such as bytes=50GB,files=10000"
            raise CommandError(f"{step}: {shown.message}", shown.code, hint, shown.cause) from error
    if steps:
        session.say(f"{len(steps)} of {len(steps)} steps done")


def _print_plan(console: Console, steps: Sequence[Step]) -> None:
    if not steps:
        console.print("nothing to do: the server matches the files")
    for step in steps:
        _print_line(console, f"{_MARKS[step.verb]} {step}")
        for line in step.lines:
            _print_line(console, f"    {line}")


def _print_line(console: Console, line: str) -> None:
    colour = _COLOURS[line.lstrip()[0]]
    console.print(f"[{colour}]{escape(line)}[/]", highlight=False, soft_wrap=True)


def _document(step: Step) -> dict[str, Any]:
    return {"verb": step.verb, "kind": step.kind, "name": step.name, "lines": list(step.lines)}
