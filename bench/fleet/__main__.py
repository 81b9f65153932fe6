"""Run the full scenarios: `python -m bench.fleet [scenario …] [--seed N] [--days 7]` prints a table of each.

Days are those of the replays of presets. Ends with 1 when a bound does not hold.
"""

import argparse
import os
import sys
from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import partial
from time import monotonic
from typing import Any, TypeVar

import structlog

from bench.fleet import artemis, explained, key_tables, missions, race, replays, starvation, storm
from bench.fleet.line import Line
from bench.fleet.upkeep.report import judge
from bench.fleet.upkeep.report import report as upkeep_report
from tests.simulation.world import World, open_machine, open_world

_T = TypeVar("_T")
EXPLAIN_SEEDS = 4
KEY_TABLE_PRESETS = ("balanced", "paimon-universal", "paimon-low-latency", "paimon-write-heavy")


def _in_worlds(seeds: list[int], scenario: Callable[[World], Coroutine[Any, Any, _T]], **settings: Any) -> list[_T]:
    """Run a scenario once for each seed, each in a world of its own."""
    found: list[_T] = []

    async def main(world: World) -> None:
        found.append(await scenario(world))

    with open_machine() as machine:
        for seed in seeds:
            with open_world(machine, seed=seed, **settings) as world:
                world.run(main(world))
    return found


def _race(seed: int, *, history_days: int, capacity: float) -> tuple[str, list[str]]:
    setting = race.Setting(tables=35_000, days=7, history_days=history_days, capacity=capacity, slots=64, seed=seed)
    found = race.race(setting)
    return race.report(setting, found), race.broken(found)


def _starvation(seed: int) -> tuple[str, list[str]]:
    found = starvation.starve(Line(), hours=72, backlog=5000, seed=seed)
    return starvation.report(found, backlog=5000), found.broken()


def _storm(seed: int) -> tuple[str, list[str]]:
    found = _in_worlds([seed], lambda world: storm.storm(world, tables=400, parallel_runs=16))
    return storm.report(found), found[0].broken()


def _artemis(seed: int) -> tuple[str, list[str]]:
    found = _in_worlds([seed], lambda world: artemis.artemis(world, artemis.FULL), lease_seconds=15)
    return artemis.report(found[0]), found[0].broken()


def _missions(seed: int) -> tuple[str, list[str]]:
    found = _in_worlds([seed], lambda world: missions.missions(world, missions.FULL), lease_seconds=15)
    return missions.report(found[0]), found[0].broken()


def _explained(seed: int) -> tuple[str, list[str]]:
    seeds = list(range(seed, seed + EXPLAIN_SEEDS))
    found = _in_worlds(seeds, lambda world: explained.explained(world, minutes=25), lease_seconds=15, worker_slots=4)
    return explained.report(found), [wrong for each in found for wrong in each.wrong]


def _upkeep(seed: int, *, tables: int, workers: int, is_scarce: bool) -> tuple[str, list[str]]:
    found = judge(tables, days=7, workers=workers, is_scarce=is_scarce, seed=seed)
    return upkeep_report(found), found.broken()


def _presets(seed: int, *, days: float) -> tuple[str, list[str]]:
    found = replays.replay_presets(days=days, seed=seed)
    wrong = [each for result in found["balanced"] for each in replays.broken("balanced", result)]
    return replays.report(found, days=days, seed=seed), wrong


def _key_tables(seed: int, *, days: float) -> tuple[str, list[str]]:
    found = key_tables.replay_presets(days=days, seed=seed, presets=KEY_TABLE_PRESETS)
    wrong = [each for result in found["balanced"] for each in key_tables.broken("balanced", result)]
    return key_tables.report(found, days=days, seed=seed), wrong


def scenarios(days: float) -> Mapping[str, Callable[[int], tuple[str, list[str]]]]:
    """Return every scenario by name, as a function of the seed; replays of presets take so many days."""
    return {
        "fleet-scarce": partial(_race, history_days=10, capacity=1.5),
        "fleet-ample": partial(_race, history_days=3, capacity=4.0),
        "starvation": _starvation,
        "storm": _storm,
        "explain": _explained,
        "artemis": _artemis,
        "missions": _missions,
        "presets": partial(_presets, days=days),
        "key-tables": partial(_key_tables, days=days),
        "upkeep": partial(_upkeep, tables=1000, workers=5, is_scarce=True),
        "upkeep-ample": partial(_upkeep, tables=100, workers=2, is_scarce=False),
    }


NAMES = tuple(scenarios(0))


def run(names: Sequence[str], *, seed: int, days: float) -> int:
    """Run scenarios and print their tables; return how many bounds did not hold."""
    structlog.configure(processors=[_nothing])
    broken = 0
    for name in names:
        began = monotonic()
        table, failures = scenarios(days)[name](seed)
        broken += len(failures)
        print(f"## {name}\n\n{table}\n{monotonic() - began:.0f} s; broken bounds: {'; '.join(failures) or 'none'}\n")
        sys.stdout.flush()
    return broken


def _nothing(_logger: Any, _method: str, _entry: Any) -> Any:
    raise structlog.DropEvent


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.fleet", description=__doc__)
    parser.add_argument("scenarios", nargs="*", metavar="scenario", help=f"of {', '.join(NAMES)}; all without any")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--days", type=float, default=7, help="of presets and key-tables")
    given = parser.parse_args()
    if unknown := set(given.scenarios) - set(NAMES):
        parser.error(f"no scenario {min(unknown)!r}; there are {', '.join(NAMES)}")
    return 1 if run(given.scenarios or NAMES, seed=given.seed, days=given.days) else 0


if __name__ == "__main__":
    if os.environ.get("PYTHONHASHSEED") != "0":  # sets of strings are walked in another order in each process
        command = [sys.executable, "-m", "bench.fleet", *sys.argv[1:]]
        os.execve(sys.executable, command, os.environ | {"PYTHONHASHSEED": "0"})
    sys.exit(main())
