"""Run seeds and print what they came to: `python -m tests.simulation [--seeds 10000] [--first 0] [--jobs 2]`.

`--seed N --trace` plays one seed again and tells everything that happened in it. Exits with 1 on a violation.
"""

import argparse
import os
import sys

from tests.simulation.seeds import play, report, run_seeds


def main() -> int:
    """Read the arguments, run, print; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("--seeds", type=int, default=10_000, help="how many")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--jobs", type=int, default=2, help="processes at once")
    parser.add_argument("--seed", type=int, help="play this one only")
    parser.add_argument("--trace", action="store_true", help="tell everything that happens in it")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no more seeds after so long")
    asked = parser.parse_args()
    if asked.seed is not None:
        found = [play(asked.seed, trace=asked.trace)]
    else:
        found = run_seeds(range(asked.first, asked.first + asked.seeds), jobs=asked.jobs, seconds=asked.seconds)
    return report(found)


if __name__ == "__main__":
    if os.environ.get("PYTHONHASHSEED") != "0":  # sets of strings are walked in another order in each process
        command = [sys.executable, "-m", "tests.simulation", *sys.argv[1:]]
        os.execve(sys.executable, command, os.environ | {"PYTHONHASHSEED": "0"})
    sys.exit(main())
