"""`packhouse export`, `apply` and `drift`: all catalogs, policies and tables as files in a repository.

`apply` shows the changes like a diff, then makes them in the order of dependence. It stops at the first refusal and
prints which changes were made and which were not; running it again makes the rest. Without differences it does nothing.
A dry run and `drift` exit with 9 if there are differences, for jobs of CI.
"""

import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from packhouse_client import PackhouseError
from rich.markup import escape

from packhouse import problems
from packhouse.declarations import inventories, rendering
from packhouse.declarations.checks import Checked, check, document
from packhouse.declarations.plans import Planner, Prune, Step
from packhouse.exit_codes import ExitCode
from packhouse.output import print_fields
from packhouse.problems import CommandError
from packhouse.session import Session


class Form(StrEnum):
    """Format of differences."""

    TEXT = "text"
    MARKDOWN = "markdown"


FolderOption = Annotated[Path, typer.Option("--folder", "-f", metavar="DIR", help="Folder of the files.")]

FormatOption = Annotated[
    Form, typer.Option("--format", help="markdown: a comment for a pull request, in which nothing is markup of others.")
]
DryRunOption = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        help="Show the changes and have the server check them; change nothing. Exit codes: 0 without changes, "
        "9 with changes, 1 if one would be refused.",
    ),
]
PruneOption = Annotated[
    bool, typer.Option("--prune", help="Delete undeclared tables and policies of the catalogs that the files name.")
]
PruneAllOption = Annotated[
    bool, typer.Option("--prune-all", help="Delete every undeclared catalog, policy and table that the key sees.")
]
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
    dry_run: DryRunOption = False,
    form: FormatOption = Form.TEXT,
    prune: PruneOption = False,
    prune_all: PruneAllOption = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Delete without asking.")] = False,
    message: Annotated[
        str | None,
        typer.Option("--message", "-m", help="Why, in one line: kept with each version of a policy that is written."),
    ] = None,
    acknowledge_up_to: UpToOption = None,
) -> None:
    """Create and change catalogs, policies and tables to match the files of a folder."""
    session = Session.of(context)
    if form is Form.MARKDOWN and not dry_run:
        raise CommandError("--format markdown needs --dry-run", ExitCode.USAGE, "`--output json` suits other changes")
    wanted = _wanted(session, folder, form)
    acknowledge = None if acknowledge_up_to is None else f"up_to:{acknowledge_up_to}"
    planner = Planner(session, inventories.of_server(session), wanted, message=message, acknowledge=acknowledge)
    steps = planner.steps(prune=Prune.ALL if prune_all else Prune.DECLARED_CATALOGS if prune else Prune.NOTHING)
    deleted = {f"{step.kind} {step.name}" for step in steps if step.verb == "delete"}
    left = [name for name in planner.undeclared() if name not in deleted]
    if dry_run:
        _dry_run(session, check(steps, wanted.sources), left, form)
        return
    if refusal := next((step.refusal for step in steps if step.refusal is not None), None):
        raise refusal
    if session.is_for_people:
        rendering.plan(session.out, steps)
        _say_left_alone(session, left)
    _confirm_deletions(session, steps, is_confirmed=yes)
    _carry_out(session, steps)
    if not session.is_for_people:
        session.show({"dry_run": False, "steps": [document(step) for step in steps]}, lambda _: None)


def drift(
    context: typer.Context,
    folder: FolderOption,
    form: FormatOption = Form.TEXT,
    everything: Annotated[
        bool,
        typer.Option(
            "--all",
            help="Compare every catalog, policy and table that the key sees, also those of catalogs that the files do "
            "not name.",
        ),
    ] = False,
) -> None:
    """Show where the server differs from the files of a folder, such as changes made elsewhere.

    Exit codes: 0 without differences, 9 with differences.
    """
    session = Session.of(context)
    planner = Planner(session, inventories.of_server(session), _wanted(session, folder, form))
    steps = planner.steps(prune=Prune.ALL if everything else Prune.DECLARED_CATALOGS)
    if form is Form.MARKDOWN:
        session.out.out(rendering.drift_comment(steps), highlight=False)
    else:
        session.show({"steps": [document(step) for step in steps]}, lambda out: rendering.drift(out, steps))
    if steps:
        raise typer.Exit(ExitCode.DIFFERENCES)


def _wanted(session: Session, folder: Path, form: Form) -> inventories.Inventory:
    """Return the declared objects; an error in the files is the comment on their pull request."""
    if form is Form.MARKDOWN and not session.is_for_people:
        raise CommandError(f"--format markdown and --output {session.output} exclude each other", ExitCode.USAGE)
    try:
        return inventories.of_folder(folder)
    except CommandError as error:
        if form is Form.MARKDOWN:
            session.out.out(rendering.failure_comment(error), highlight=False)
        raise


def _dry_run(session: Session, checked: Sequence[Checked], left: Sequence[str], form: Form) -> None:
    """Show the steps with what they would do, and all refusals.

    Raises:
        CommandError: at least one step would be refused. typer.Exit: there are steps.
    """
    if form is Form.MARKDOWN:
        session.out.out(rendering.plan_comment(checked, left), highlight=False)
    elif session.is_for_people:
        rendering.plan(session.out, [each.step for each in checked])
        rendering.effects(session.out, checked)
        _say_left_alone(session, left)
    else:
        session.show({"dry_run": True, "steps": [each.document() for each in checked]}, lambda _: None)
    for each in checked:
        if each.refusal is not None:
            _show_refusal(session, each, each.refusal)
    unchecked = [str(each.step) for each in checked if each.effect is None and each.refusal is None]
    if unchecked:
        session.say(f"[dim]the server checks these only when they are made: {escape(', '.join(unchecked))}[/]")
    if refused := sum(each.refusal is not None for each in checked):
        raise CommandError(f"{refused} of {len(checked)} steps would be refused", ExitCode.ERROR)
    if checked:
        raise typer.Exit(ExitCode.DIFFERENCES)


def _show_refusal(session: Session, checked: Checked, refusal: CommandError) -> None:
    at = dict.fromkeys(place for place, _, _ in checked.reasons() if place)
    message = f"{', '.join(at)}: {checked.step}" if at else str(checked.step)
    shown = CommandError(f"{message}: {refusal.message}", refusal.code, refusal.hint, refusal.cause)
    problems.show(shown, session.err)


def _say_left_alone(session: Session, left: Sequence[str]) -> None:
    if left:
        session.say(f"[dim]not declared, left alone: {escape(', '.join(left))}[/]")


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
    """Add the commands at the top level."""
    for command in (export, apply, drift):
        root.command()(command)


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
