"""The steps of a connection check, in order until one fails."""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from itertools import islice
from typing import Final

from engine.domain.errors import FieldProblem, InvalidInput, PackhouseError
from engine.formats.base.catalogs import CheckStep

Guard = Callable[[str], AbstractContextManager[None]]
"""Turns the errors of a block into errors of the domain; its argument completes "Could not …"."""

_SHOWN: Final = 5
_PROPERTIES: Final = "/properties/"


def run_steps(steps: Iterable[tuple[str, Guard, Callable[[], str]]]) -> list[CheckStep]:
    """Run steps, each with its name, its guard and a function that returns its findings; stop after one that fails."""
    done: list[CheckStep] = []
    for name, guard, step in steps:
        done.append(_tried(name, guard, step))
        if not done[-1].ok:
            break
    return done


def _tried(name: str, guard: Guard, step: Callable[[], str]) -> CheckStep:
    try:
        with guard(name.replace("_", " ")):
            return CheckStep(name, True, step())
    except InvalidInput as error:
        return CheckStep(name, False, problems_in_words(error))
    except PackhouseError as error:
        return CheckStep(name, False, error.message)


def problems_in_words(error: InvalidInput) -> str:
    """Return the problems of an error on one line, each with the property that it is about and its remedy."""
    return "; ".join(map(_in_words, error.problems)) or error.message


def _in_words(problem: FieldProblem) -> str:
    name = problem.pointer.removeprefix(_PROPERTIES).replace("~1", "/").replace("~0", "~")
    about = f"{name}: " if problem.pointer.startswith(_PROPERTIES) else ""
    return f"{about}{problem.message}{f'; {problem.hint}' if problem.hint else ''}"


def examples(names: Iterable[str]) -> str:
    """Return the first names in parentheses, to follow their number; empty without any."""
    shown = list(islice(names, _SHOWN + 1))
    return f" ({', '.join(shown[:_SHOWN])}{', …' if len(shown) > _SHOWN else ''})" if shown else ""
