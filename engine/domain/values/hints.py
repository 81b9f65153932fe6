"""Hints for invalid input: the nearest known name, and errors with a hint in addition to their message."""

import difflib
from collections.abc import Iterable


class Misread(ValueError):
    """A written value can't be parsed: the message is the problem, `hint` is the way to fix it.

    Raised in validators: pydantic keeps the error in `ctx`, and the API returns the hint in a separate field.
    """

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is most similar to `name`, ignoring case; None when none is similar."""
    by_folded = {each.casefold(): each for each in known}
    near = difflib.get_close_matches(name[:_LONGEST].casefold(), by_folded, n=1)
    return by_folded[near[0]] if near else None


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """Return the nearest name as a question, otherwise all names; None when there are none."""
    names = sorted(known)
    near = nearest(name, names)
    if near is not None:
        return f"did you mean {near!r}?"
    return f"known: {', '.join(names)}" if names else None


_LONGEST = 200  # comparing takes quadratic time in the length, and any client can send names
