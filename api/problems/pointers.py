"""Pointers of problems that a service finds in a part of a body."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

from engine.domain.errors import FieldProblem, InvalidInput

_NAME: Final = "/name"
_BESIDE: Final = (_NAME, "/scope", "/version", "/partitions", "/policy")
"""Fields that stand beside the document of a policy, and that document."""


@contextmanager
def in_policy_field(name: str = _NAME) -> Iterator[None]:
    """Point to where a body has a policy's document, its field `policy`; `name` is the place of the policy's name.

    Raises:
        InvalidInput: the refusal of the services.
    """
    try:
        yield
    except InvalidInput as error:
        problems = tuple(_moved(problem, name) for problem in error.problems)
        raise InvalidInput(error.message, problems=problems) from error


def _moved(problem: FieldProblem, name: str) -> FieldProblem:
    pointer = problem.pointer
    if pointer == _NAME:
        return replace(problem, pointer=name)
    if not pointer.startswith("/") or pointer.startswith(_BESIDE):
        return problem
    return replace(problem, pointer=f"/policy{pointer}")
