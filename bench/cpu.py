"""CPU seconds of this process and all that it starts, of processes that have ended too: counted by a control group.

Reading `/proc` before and after misses what ends in between, seconds of Spark's Python workers among it. A group of the
kernel (cgroup v1 `cpuacct` or v2) counts everything that ever ran in it. It takes root, or a delegated group.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from bench.processes import tree_cpu_seconds

_FORMS: Final = (  # mount, file with the CPU time, its unit in seconds
    ("/sys/fs/cgroup/cpuacct", "cpuacct.usage", 1e-9),
    ("/sys/fs/cgroup", "cpu.stat", 1e-6),
    ("/sys/fs/cgroup/unified", "cpu.stat", 1e-6),
)


@contextmanager
def counted_cpu() -> Iterator[Callable[[], float]]:
    """Yield what returns the CPU seconds so far; call it before the first child starts.

    Without a group that can be made here, CPU is counted from `/proc`, and the bench says so.
    """
    for mount, name, unit in _FORMS:
        group, before = Path(mount) / f"packhouse-bench-{os.getpid()}", Path(mount) / "cgroup.procs"
        try:
            group.mkdir()
        except OSError:
            continue
        try:
            (group / "cgroup.procs").write_text(str(os.getpid()))
            if not (group / name).is_file():
                continue
            yield lambda usage=group / name, unit=unit: _first_number(usage) * unit  # type: ignore[misc]
            return
        finally:
            before.write_text(str(os.getpid()))
            group.rmdir()
    print("CPU is counted from /proc: processes that end within a measurement are missed")
    yield tree_cpu_seconds


def _first_number(usage: Path) -> int:
    """Return the number in the first line: the usage alone, or after its name."""
    return int(usage.read_text().splitlines()[0].split()[-1])
