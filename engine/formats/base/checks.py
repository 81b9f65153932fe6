"""The steps of a connection check, in order until one fails."""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from itertools import islice
from typing import Final

from engine.domain.errors import InvalidInput, PackhouseError
from engine.formats.base.catalogs import CheckStep

Guard = Callable[[str], AbstractContextManager[None]]
"""Turns the errors of a block into errors of the domain; its argument completes "Could not …"."""

_SHOWN: Final = 5


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
        return CheckStep(name, False, "; ".join(problem.message for problem in error.problems) or error.message)
    except PackhouseError as error:
        return CheckStep(name, False, error.message)


def examples(names: Iterable[str]) -> str:
    """Return the first names in parentheses, to follow their number; empty without any."""
    shown = list(islice(names, _SHOWN + 1))
    return f" ({', '.join(shown[:_SHOWN])}{', …' if len(shown) > _SHOWN else ''})" if shown else ""
