"""Render the steps of `apply` and the differences of `drift`: for people at a terminal, and as a comment in Markdown.

A comment begins with what can't be undone (deletions) and what would be refused. All names and values are foreign
text: they are in code spans and fenced blocks only (`declarations.markdown`).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from rich.console import Console
from rich.markup import escape

from packhouse.declarations import markdown
from packhouse.declarations.checks import Checked
from packhouse.declarations.markdown import code
from packhouse.declarations.plans import Step
from packhouse.problems import CommandError, deletion_lines

_COLOURS: Final = {"+": "green", "-": "red", "~": "yellow"}
_MARKS: Final = {"create": "+", "change": "~", "delete": "-"}
_DRIFT: Final = {"create": "only in the files", "change": "differs", "delete": "only on the server"}
_MOST_LINES: Final = 60
_MOST_NAMES: Final = 5
_ACKNOWLEDGE: Final = "--acknowledge-up-to bytes=…,files=…"

NO_CHANGE: Final = "nothing to do: the server matches the files"
NO_DRIFT: Final = "no drift: the server matches the files"
LEGEND: Final = "each difference: on the server → in the files; - is only on the server, + only in the files"


def plan(console: Console, steps: Sequence[Step]) -> None:
    """Print steps like a diff."""
    if not steps:
        console.print(NO_CHANGE)
    for step in steps:
        _print_lines(console, _diff(step, str(step)))


def effects(console: Console, checked: Sequence[Checked]) -> None:
    """Print what the steps would do, by the dry runs of the server."""
    for each in checked:
        for line in _effect(each, code=str):
            console.print(f"[dim]{escape(f'{each.step}: {line}')}[/]", highlight=False, soft_wrap=True)
        for line in _deletions(each):
            console.print(f"[red]{escape(line)}[/]", highlight=False, soft_wrap=True)


def drift(console: Console, steps: Sequence[Step]) -> None:
    """Print the differences between server and files."""
    console.print(LEGEND if steps else NO_DRIFT)
    for step in steps:
        _print_lines(console, _diff(step, _drift_title(step)))


def plan_comment(checked: Sequence[Checked], undeclared: Sequence[str]) -> str:
    """Return the steps, with what they would do, as a comment on a pull request."""
    refused = [each for each in checked if each.refusal is not None]
    deleting = [each for each in checked if each.deletions is not None]
    counts = [f"{len(checked)} {_plural('change', checked)}"]
    counts += [f"{len(deleting)} of them {_plural('delete', deleting, verb=True)} more than before"] if deleting else []
    counts += [f"{len(refused)} refused"] if refused else []
    sections = [[f"### Packhouse: {', '.join(counts) if checked else 'no change'}"]]
    sections += [markdown.caution(_deletions_in_markdown(deleting))] if deleting else []
    sections += [["**Refused**: the pull request can't be applied.", "", *_refusals(refused)]] if refused else []
    for each in checked:
        effect = [f"- {line}" for line in _effect(each, code=code)]
        sections.append([*_block(each.step, str(each.step)), *effect])
    unchecked = [code(each.step) for each in checked if each.effect is None and each.refusal is None]
    sections += [[f"The server checks these only when they are made: {_some(unchecked)}."]] if unchecked else []
    sections += [[f"On the server and not declared, left alone: {_some(list(map(code, undeclared)))}."]] * bool(
        undeclared
    )
    return markdown.joined(sections)


def drift_comment(steps: Sequence[Step]) -> str:
    """Return the differences between server and files as the text of an issue or a comment."""
    count = (
        f"{len(steps)} {_plural('object', steps)} of the server {_plural('differ', steps, verb=True)} from the files"
    )
    title = f"### Packhouse: {count if steps else NO_DRIFT}"
    blocks = [_block(step, _drift_title(step)) for step in steps]
    return markdown.joined([[title], *([[f"{LEGEND.capitalize()}."]] if steps else []), *blocks])


def failure_comment(error: CommandError) -> str:
    """Return an error in the files, found before any step, as a comment on a pull request."""
    hint = [f"- {code(error.hint)}"] if error.hint else []
    return "\n".join(["### Packhouse: the files can't be applied", "", f"- {code(error.message)}", *hint])


def _deletions_in_markdown(deleting: Sequence[Checked]) -> Iterator[str]:
    yield f"**Deletes for the first time, or more than before**, without a way back. To apply it: `{_ACKNOWLEDGE}`."
    yield ""
    for each in deleting:
        yield f"- {code(each.step)}"
        yield from (f"  - {code(line.strip())}" for line in _deletions(each))


def _deletions(checked: Checked) -> Iterator[str]:
    return iter(()) if checked.deletions is None else deletion_lines(checked.deletions)


def _refusals(refused: Sequence[Checked]) -> Iterator[str]:
    for each in refused:
        yield f"- {code(each.step)}"
        for at, message, hint in each.reasons():
            yield f"  - {code(at)}: {code(message)}" if at else f"  - {code(message)}"
            if hint:
                yield f"    - {code(hint)}"


def _effect(checked: Checked, *, code: Any) -> Iterator[str]:
    """Yield what a step would do, apart from deletions; `code` marks names."""
    found = checked.effect
    if found is None:
        return
    due = found["due"]
    covered, affected = found["covered_count"], found["affected_count"]
    more = f"; {due['count']} become due: {_due(due, code)}" if due["count"] else ""
    yield f"of {covered} covered tables, settings of {affected} would change{more}"
    for problem in found["contradictions"]:
        yield f"contradiction: {code(problem['pointer'])}: {code(problem['message'])}"
    yield from (code(note) for note in found["notes"])


def _due(due: Mapping[str, Any], code: Any) -> str:
    return _some([code(each["address"]) for each in due["tables"]], count=due["count"])


def _some(names: Sequence[str], *, count: int | None = None) -> str:
    total = len(names) if count is None else count
    rest = total - len(names[:_MOST_NAMES])
    return ", ".join([*names[:_MOST_NAMES], *([f"{rest} more"] if rest else [])])


def _plural(word: str, counted: Sequence[object], *, verb: bool = False) -> str:
    return word if (len(counted) == 1) != verb else f"{word}s"


def _drift_title(step: Step) -> str:
    return f"{step.kind} {step.name}: {_DRIFT[step.verb]}"


def _diff(step: Step, title: str) -> list[str]:
    return [f"{_MARKS[step.verb]} {title}", *(f"    {line}" for line in step.lines)]


def _block(step: Step, title: str) -> list[str]:
    """Return a step in the language of diffs, in which `!` marks a changed line."""
    rest = len(step.lines) - _MOST_LINES
    shown = [line.replace("~", "!", 1) if line[0] == "~" else line for line in step.lines[:_MOST_LINES]]
    return markdown.block([f"@@ {title} @@", *shown, *([f"# {rest} more"] if rest > 0 else [])], "diff")


def _print_lines(console: Console, lines: Sequence[str]) -> None:
    for line in lines:
        colour = _COLOURS.get(line.lstrip()[0], "dim")
        console.print(f"[{colour}]{escape(line)}[/]", highlight=False, soft_wrap=True)
