"""What a summary of explain must say, sentence by sentence, and what it must not."""

from collections.abc import Sequence
from typing import NamedTuple


class Expected(NamedTuple):
    """Sentences that must be there, in this order, and parts of sentences that must not.

    One of `said` that does not end in a full stop is a part of a sentence, whose other words many situations have.
    """

    said: tuple[str, ...]
    unsaid: tuple[str, ...] = ()


def check(found: Sequence[str], expected: Expected) -> None:
    """Assert that sentences are as expected."""
    text, after = "\n".join(found), 0
    for said in expected.said:
        places = [at for at, sentence in enumerate(found) if _is(said, sentence)]
        assert places, f"{said!r} is not in:\n{text}"
        assert places[-1] >= after, f"{said!r} is too early in:\n{text}"
        after = next(at for at in places if at >= after)
    assert [part for part in expected.unsaid if part in text] == [], text


def _is(said: str, sentence: str) -> bool:
    return said == sentence if said.endswith(".") else said in sentence


def told(*said: str, unsaid: tuple[str, ...] = ()) -> Expected:
    """Expect some sentences, and none of others."""
    return Expected(said, unsaid)
