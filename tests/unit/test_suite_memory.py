"""What the tests themselves hold in memory while they run."""

from collections.abc import Iterable, Mapping
from typing import Any

import pytest

MIB = 2**20


def size_of(value: Any) -> int:
    """Return the bytes of the texts and bytes in a value."""
    match value:
        case str() | bytes() | bytearray():
            return len(value)
        case Mapping():
            return sum(size_of(key) + size_of(each) for key, each in value.items())
        case list() | tuple() | set() | frozenset():
            return sum(map(size_of, value))
    return 0


def parameters_of(items: Iterable[pytest.Item]) -> Iterable[tuple[str, int]]:
    for item in items:
        case = getattr(item, "callspec", None)
        yield item.nodeid, sum(map(size_of, case.params.values())) if case else 0


def test_no_list_of_cases_holds_large_values(request: pytest.FixtureRequest) -> None:
    """Each process collects all tests and keeps their cases: one of 300 MiB took 900 MiB until the last test ended."""
    assert [name[:200] for name, size in parameters_of(request.session.items) if size > 8 * MIB] == []
