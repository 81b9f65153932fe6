"""Mutants of every foreign file and answer; `make fuzz-parsers` parses a million of them."""

import os
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from tests.parsers import measuring
from tests.parsers.measuring import Measured, measure
from tests.parsers.subjects import Subject


def parsed(count: int, seed: int) -> str:
    """Parse mutants in a new process: threads of libraries that this one has started would not be in its forks."""
    command = [sys.executable, "-m", "tests.parsers", "--count", f"{count}", "--seed", f"{seed}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=500)
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
    return done.stdout


def test_f34_f42_no_mutant_takes_2_seconds_or_256_mib_or_ends_the_process() -> None:
    """F34, F42: any bytes are read or refused, in bounded time and memory."""
    assert "| all | 660 |" in parsed(660, seed=7)


@pytest.mark.deep
def test_f34_f42_no_mutant_of_many_takes_2_seconds_or_256_mib_or_ends_the_process() -> None:
    """F34, F42: the same of more."""
    assert "| all | 22,000 |" in parsed(22_000, seed=8)


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


def _measured_hostile() -> Measured:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measuring, "SECONDS", 0.2)
        patch.setattr(measuring, "subjects", lambda _: [Subject("hostile", [], _hostile)])
        patch.setattr(measuring, "_mutant", lambda _subject, number, _seed: bytes([number % 6]))
        (found,) = measure(12, seed=1).values()
    return found


def test_faults_of_a_parser_are_found() -> None:
    with ProcessPoolExecutor(1, get_context("spawn")) as new:  # as in `parsed`: a fork of this process may be stuck
        found = new.submit(_measured_hostile).result()
    assert found.outcomes == {"process ended": 2, "read": 4, "MemoryError": 2, "AttributeError": 2, "ValueError": 2}
    assert [fault.split(":")[0] for fault in found.faults] == [f"mutant {n}" for n in (0, 1, 2, 3, 4, 6, 7, 8, 9, 10)]
    assert found.slowest[0] > 0.2
    assert found.largest[0] > 256 * 2**20
