"""Mutants of every foreign file and answer; `make fuzz-parsers` parses a million of them."""

import os
import time

import pytest

from tests.parsers import measuring
from tests.parsers.measuring import measure, report
from tests.parsers.subjects import Subject


def test_f34_f42_no_mutant_takes_2_seconds_or_256_mib_or_ends_the_process() -> None:
    """F34, F42: any bytes are read or refused, in bounded time and memory."""
    found = measure(660, seed=7)
    assert len(found) == 11
    assert not [fault for each in found.values() for fault in each.faults], report(found)
    assert all(each.outcomes["read"] < each.count == 60 for each in found.values())


@pytest.mark.deep
def test_f34_f42_no_mutant_of_many_takes_2_seconds_or_256_mib_or_ends_the_process() -> None:
    """F34, F42: the same of more."""
    found = measure(22_000, seed=8)
    assert not [fault for each in found.values() for fault in each.faults], report(found)


def _hostile(body: bytes) -> object:
    """A parser of which each mutant has another fault, by the number that is its only byte."""
    match body[0]:
        case 0:
            return os.abort()
        case 1:
            until = time.process_time() + 0.3
            while time.process_time() < until:
                pass
        case 2:
            return b"x" * (300 * 2**20)
        case 3:
            return bytearray(2**33)
        case 4:
            raise AttributeError("a name of ours")
        case _:
            raise ValueError("damaged")
    return None


def test_faults_of_a_parser_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    subject = Subject("hostile", [], _hostile)
    monkeypatch.setattr(measuring, "SECONDS", 0.2)
    monkeypatch.setattr(measuring, "subjects", lambda _: [subject])
    monkeypatch.setattr(measuring, "_mutant", lambda _subject, number, _seed: bytes([number % 6]))
    (found,) = measure(12, seed=1).values()
    assert found.outcomes == {"process ended": 2, "read": 4, "MemoryError": 2, "AttributeError": 2, "ValueError": 2}
    assert [fault.split(":")[0] for fault in found.faults] == [f"mutant {n}" for n in (0, 1, 2, 3, 4, 6, 7, 8, 9, 10)]
    assert found.slowest[0] > 0.2
    assert found.largest[0] > 256 * 2**20
