"""Remedies for what people write: the nearest known name, and errors that carry a hint besides their message."""

import difflib
from collections.abc import Iterable


class Misread(ValueError):
    """A written value can't be read: what is wrong is the message, `hint` is how to mend it.

    Raised in validators: pydantic keeps the error in `ctx`, and the API answers the hint in a member of its own.
    """

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is most like `name`, letters' case aside; None when none is near."""
    by_folded = {each.casefold(): each for each in known}
    near = difflib.get_close_matches(name[:_LONGEST].casefold(), by_folded, n=1)
    return by_folded[near[0]] if near else None


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """Return the nearest name as a question, else all names; None when there are none."""
    names = sorted(known)
    near = nearest(name, names)
    if near is not None:
        return f"did you mean {near!r}?"
    return f"known: {', '.join(names)}" if names else None


_LONGEST = 200  # comparing takes time with the square of the length, and names are sent by anybody
