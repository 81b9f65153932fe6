"""`make house`: print which modules run between `POST /v1/runs` and the end of a run, and the figures of the tree.

    scripts/house [--quiet]    --quiet: without the list of modules

Exit code 1 when a figure is above its limit in `LIMITS`, or when a file of the walk in
docs/contributing/architecture.md did not run or is out of order. A move that makes a figure smaller lowers its limit;
nothing raises one without saying why. Limits of lines are whole thousands, and those of traced modules three above what
an idle machine prints: how many of them run depends on timers, such as those of heartbeats and outages.
"""

import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

from figures import ROOT, static_figures
from walk import traced_run

LIMITS: Final[Mapping[str, int]] = {
    "traced modules": 290,
    "traced modules of engine": 270,
    "modules of engine": 800,
    "lines of engine": 112_000,
    "protocols in formats/base": 13,
    "isinstance of roles": 0,
    "fields of KernelTask": 4,
    "lines of tests": 134_000,
}
GOALS: Final[Mapping[str, int]] = {
    "traced modules of engine": 110,
    "modules of engine": 540,
    "lines of engine": 76_000,
    "protocols in formats/base": 8,
    "isinstance of roles": 0,
    "fields of KernelTask": 4,
    "lines of tests": 80_000,
}
PAGE: Final = "docs/contributing/architecture.md"
_DEEP: Final = ("services", "formats", "rewriting")
"""Layers that are counted by room."""


def main(arguments: Sequence[str]) -> int:
    """Print everything; return the exit code."""
    traced = traced_run()
    if "--quiet" not in arguments:
        _print_walk(traced)
    engine = sum(each.startswith("engine/") for each in traced)
    figures = {"traced modules": len(traced), "traced modules of engine": engine, **static_figures()}
    print(f"\n{'figure':28} {'now':>7} {'limit':>7} {'goal':>7}")
    for name, value in figures.items():
        print(f"{name:28} {value:7} {LIMITS[name]:7} {GOALS.get(name, ''):>7}")
    faults = [f"{name}: {value} is above {LIMITS[name]}" for name, value in figures.items() if value > LIMITS[name]]
    faults += documented_faults((ROOT / PAGE).read_text(), traced)
    print("".join(f"\nFAULT {each}" for each in faults), end="\n" if faults else "")
    return 1 if faults else 0


def documented_faults(text: str, traced: Sequence[str]) -> list[str]:
    """Return which files of the walk in a text did not run, and which are named before one that ran earlier."""
    walk = text.partition("\n## The walk\n")[2].partition("\n## ")[0]
    named = re.findall(r"\]\((?:\.\./)+([^)#]+\.py)\)", walk)
    places = {module: place for place, module in enumerate(traced)}
    faults = [f"{PAGE}: {each} is in the walk and did not run" for each in named if each not in places]
    faults += [] if named else [f"{PAGE}: the walk names no file"]
    ran = [each for each in named if each in places]
    for before, after in pairwise(ran):
        if places[before] > places[after]:
            faults.append(f"{PAGE}: {after} ran before {before}")
    return faults


def _print_walk(traced: Sequence[str]) -> None:
    print("Modules in the order of their first call, from POST /v1/runs until the run has succeeded:\n")
    for place, module in enumerate(traced, start=1):
        print(f"{place:4}  {module}")
    print("\nBy layer and room:\n")
    for layer, count in Counter(map(_layer, traced)).most_common():
        print(f"{count:4}  {layer}")


def _layer(module: str) -> str:
    parts = module.split("/")[:-1]
    if parts[0] == "api":
        return "api"
    return "/".join(parts[:3] if parts[1:2] and parts[1] in _DEEP else parts[:2])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
