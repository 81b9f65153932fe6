"""What processes used, read from the outside: CPU seconds of a process tree, bytes of system calls of one process."""

import os
import time
from collections.abc import Callable
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


def tree_cpu_seconds(root: int | None = None) -> float:
    """Return user + system seconds of a process (default: this one), its living descendants and all they waited for.

    A descendant that ended before its parent waited for it, or whose parent ended, is missed.
    """
    stats = _stats()
    children: dict[int, list[int]] = {}
    for pid, (parent, _) in stats.items():
        children.setdefault(parent, []).append(pid)
    total, waiting = 0.0, [os.getpid() if root is None else root]
    while waiting:
        pid = waiting.pop()
        total += stats.get(pid, (0, 0.0))[1]
        waiting += children.get(pid, [])
    return total


def timed(work: Callable[[], object], cpu: Callable[[], float]) -> tuple[float, float]:
    """Return the wall and CPU seconds of some work; `cpu` returns the CPU seconds so far."""
    begun, spent = time.monotonic(), cpu()
    work()
    return time.monotonic() - begun, cpu() - spent


def moved_bytes(pid: int) -> int:
    """Return the bytes of all read and write system calls of a process so far: files, and pipes and sockets too.

    Raises:
        ProcessLookupError: the process is gone.
    """
    try:
        lines = Path(f"/proc/{pid}/io").read_text().splitlines()
    except OSError as error:
        raise ProcessLookupError(pid) from error
    counters = dict(line.split(": ") for line in lines)
    return int(counters["rchar"]) + int(counters["wchar"])


def python_workers() -> list[int]:
    """Return the Python processes that Spark's tasks run in, among this process's living descendants."""
    stats = _stats()
    mine, grew = {os.getpid()}, True
    while grew:
        found = {pid for pid, (parent, _) in stats.items() if parent in mine} - mine
        grew = bool(found)
        mine |= found
    return [pid for pid in mine if b"pyspark" in _command(pid)]


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""  # gone meanwhile


def _stats() -> dict[int, tuple[int, float]]:
    """Return parent and CPU seconds, waited-for children included, by process."""
    found = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            # the command name is in parentheses and may hold anything
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue  # gone meanwhile
        found[int(entry.name)] = (int(fields[1]), sum(int(ticks) for ticks in fields[11:15]) / _TICKS)
    return found
