"""What every benchmark shares: facts of the machine, a printed table, JSON."""

import json
import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

PACKAGES = ("pyarrow", "numpy", "pyiceberg", "pyspark")


def machine_facts() -> dict[str, Any]:
    """Return processor, cores, memory, load, versions and the commit that was measured."""
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "load_average": os.getloadavg(),
        "kernel": platform.release(),
        "python": platform.python_version(),
        "packages": {name: version(name) for name in PACKAGES},
        "commit": _commit(),
    }


def print_table(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print rows that have the same keys, numbers to the right with three significant digits."""
    if not rows:
        return
    names = list(rows[0])
    cells = [names, *([_cell(row[name]) for name in names] for row in rows)]
    widths = [max(len(line[at]) for line in cells) for at in range(len(names))]
    for line in cells:
        print("  ".join(_aligned(cell, width) for cell, width in zip(line, widths, strict=True)))


def write_json(path: Path | None, document: Mapping[str, Any]) -> None:
    """Write the document, when a path was asked for."""
    if path is not None:
        path.write_text(json.dumps(document, indent=2, default=str) + "\n")
        print(f"written: {path}")


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.3g}" if abs(value) < 100 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _aligned(cell: str, width: int) -> str:
    return cell.rjust(width) if cell[:1].isdigit() else cell.ljust(width)


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor()


def _commit() -> str:
    asked = subprocess.run(
        ["git", "describe", "--always", "--dirty"],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parent,
        check=False,
    )
    return asked.stdout.strip() or "unknown"
