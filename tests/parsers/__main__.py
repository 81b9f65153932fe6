"""Parse mutants of foreign files and print what they came to: `python -m tests.parsers [--count 1000000] [--seed 1]`.

Each is parsed in a process with little memory. Exits with 1 if one takes more than 2 s of CPU time or 256 MiB, ends the
process, or raises what reports a fault of the program. `--only NAME --show NUMBER` writes a mutant to standard output.
"""

import argparse
import sys

from tests.parsers.measuring import measure, one, report


def main() -> int:
    """Read the arguments, parse, print; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.parsers", description=__doc__)
    parser.add_argument("--count", type=int, default=1_000_000, help="the number of mutants of all parsers together")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after this time")
    parser.add_argument("--only", action="append", default=[], help="a parser; all without one")
    parser.add_argument("--show", type=int, help="the number of a mutant")
    asked = parser.parse_args()
    if asked.show is not None:
        sys.stdout.buffer.write(one(asked.show, asked.seed, asked.only[0]))
        return 0
    found = measure(asked.count, asked.seed, asked.only, asked.seconds)
    sys.stdout.write(f"{report(found)}\n")
    return int(any(each.faults for each in found.values()))


if __name__ == "__main__":
    sys.exit(main())
