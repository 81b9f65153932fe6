"""Parse mutants in a process with little memory, and tell how long each took, what it allocated, and how it ended."""

import faulthandler
import gc
import json
import multiprocessing
import os
import resource
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random

import structlog

from engine.formats.intake.errors import is_own_fault
from tests.parsers.mutants import mutant
from tests.parsers.subjects import Subject, subjects

SECONDS = 2.0
MOST_BYTES = 256 * 2**20
_ADDRESS_SPACE = 4 * 2**30
_STUCK_SECONDS = 30.0
_EACH = 200
_KILO = 1024


@dataclass
class Measured:
    """What the mutants of one subject came to. `number`: of the mutant, which the seed reproduces."""

    count: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    slowest: tuple[float, int] = (0.0, -1)
    largest: tuple[int, int] = (0, -1)
    faults: list[str] = field(default_factory=list)

    def add(self, number: int, outcome: str, seconds: float, grown: int, fault: str | None) -> None:
        """Add a mutant."""
        self.count += 1
        self.outcomes[outcome] += 1
        self.slowest = max(self.slowest, (seconds, number))
        self.largest = max(self.largest, (grown, number))
        if fault is not None:
            self.faults.append(f"mutant {number}: {fault}"[:300])
        if seconds > SECONDS or grown > MOST_BYTES:
            self.faults.append(f"mutant {number}: {seconds:.1f} s, {grown / 2**20:.0f} MiB")


def measure(count: int, seed: int, only: Sequence[str] = (), seconds: float = float("inf")) -> dict[str, Measured]:
    """Parse this number of mutants, the same number of each subject; return what came of them by subject.

    A process that ends, or is stuck, counts as a fault, and another one goes on with the next mutant.
    """
    until = time.monotonic() + seconds
    found: dict[str, Measured] = {}
    with tempfile.TemporaryDirectory(prefix="packhouse-parsers-") as folder:
        every = [each for each in subjects(Path(folder)) if not only or each.name in only]
        for subject in every:
            found[subject.name] = _measured(subject, range(-(-count // len(every))), seed, until, len(every))
    return found


def one(number: int, seed: int, name: str) -> bytes:
    """Return a mutant."""
    with tempfile.TemporaryDirectory(prefix="packhouse-parsers-") as folder:
        (subject,) = (each for each in subjects(Path(folder)) if each.name == name)
    return _mutant(subject, number, seed)


def _mutant(subject: Subject, number: int, seed: int) -> bytes:
    return subject.wrap(mutant(subject.seeds, Random(f"{seed} {subject.name} {number}")))


def _measured(subject: Subject, numbers: range, seed: int, until: float, share: int) -> Measured:
    found, at, each = Measured(), 0, _EACH
    until = min(until, time.monotonic() + (until - time.monotonic()) / share)
    while at < len(numbers) and time.monotonic() < until:
        answers, sender = multiprocessing.Pipe(duplex=False)
        child = os.fork()
        if not child:
            _parse_all(subject, numbers[at:], seed, sender, each)
        sender.close()
        try:
            at = _collect(found, answers, at, until)
        finally:  # one that stays has the pipes of all servers of this process, which wait for their end
            os.kill(child, signal.SIGKILL)
            _, status = os.waitpid(child, 0)
        if at == len(numbers) or time.monotonic() >= until:
            break
        if each == 1:  # otherwise some mutants before it were parsed, whose answers are lost
            found.add(at, "process ended", 0.0, 0, f"the process ended with {status}, or was stuck")
            at += 1
        each = 1 if each > 1 else _EACH
    return found


def _collect(found: Measured, answers: Connection, at: int, until: float) -> int:
    """Add what a process answers until it ends, is stuck or the time is over; return the next number."""
    while time.monotonic() < until and answers.poll(_STUCK_SECONDS):
        try:
            batch = answers.recv()
        except EOFError:
            break
        for number, *rest in batch:
            found.add(number, *rest)
            at = number + 1
    return at


def _parse_all(subject: Subject, numbers: Iterable[int], seed: int, sender: Connection, each: int) -> None:
    """Parse mutants and send what came of them, a few at a time; never returns."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + _ADDRESS_SPACE,) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    faulthandler.disable()
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
    gc.freeze()
    base = _lowered_peak()
    sent = time.monotonic()
    batch: list[tuple[int, str, float, int, str | None]] = []
    for number in numbers:
        body = _mutant(subject, number, seed)
        outcome, seconds, fault = _parsed(subject, body)
        grown = _peak() - base
        batch.append((number, outcome, seconds, grown, fault))
        if grown > 2**24:
            gc.collect()
            base = _lowered_peak()
        if len(batch) >= each or time.monotonic() - sent > 1 or fault:
            sender.send(batch)
            batch, sent = [], time.monotonic()
    sender.send(batch)
    os._exit(0)


def _parsed(subject: Subject, body: bytes) -> tuple[str, float, str | None]:
    started = time.process_time()
    fault = None
    try:
        subject.parse(body)
        outcome = "read"
    except BaseException as error:  # noqa: BLE001 - also what Rust raises
        outcome = type(error).__name__
        if is_own_fault(error) or isinstance(error, MemoryError) or not isinstance(error, Exception):
            fault = repr(error)
    return outcome, time.process_time() - started, fault


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _KILO


def _lowered_peak() -> int:
    """Forget the most memory that the process had; return what it has."""
    Path("/proc/self/clear_refs").write_text("5")
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def report(found: dict[str, Measured]) -> str:
    """Return a table of what came of the mutants."""
    lines = [
        "| parser | mutants | read | refused | slowest | largest | faults |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name, each in found.items():
        read = each.outcomes["read"]
        refused = each.count - read - each.outcomes["process ended"]
        lines.append(
            f"| {name} | {each.count:,} | {read:,} | {refused:,} | {each.slowest[0]:.2f} s | "
            f"{each.largest[0] / 2**20:.0f} MiB | {len(each.faults)} |"
        )
    total = sum(each.count for each in found.values())
    lines.append(
        f"| all | {total:,} | | | {max(e.slowest[0] for e in found.values()):.2f} s | "
        f"{max(e.largest[0] for e in found.values()) / 2**20:.0f} MiB | {sum(len(e.faults) for e in found.values())} |"
    )
    kinds = {name: dict(each.outcomes.most_common()) for name, each in found.items()}
    return "\n".join([*lines, json.dumps(kinds), *(f"{n}: {f}" for n, e in found.items() for f in e.faults[:20])])
