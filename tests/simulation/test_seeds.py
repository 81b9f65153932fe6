"""Some seeds hold every invariant, and the same seed does the same twice."""

import os
from collections.abc import Iterator

import pytest

from tests.simulation.chaos import Chaos
from tests.simulation.checks import Facts
from tests.simulation.plans import draw
from tests.simulation.seeds import play_on
from tests.simulation.world import Machine, open_machine, open_world

SEEDS, TOGETHER = (40, 5) if os.environ.get("PACKHOUSE_DEEP") else (2, 2)


# what a killed process held is left to the collector
pytestmark = pytest.mark.filterwarnings("ignore:The garbage collector")


@pytest.fixture(scope="module")
def machine() -> Iterator[Machine]:
    with open_machine() as opened:
        yield opened


@pytest.mark.parametrize("first", range(0, SEEDS, TOGETHER))
def test_seeds_hold_every_invariant(machine: Machine, first: int):
    results = [play_on(machine, seed) for seed in range(first, first + TOGETHER)]
    found = [(each.seed, violation) for each in results for violation in each.violations]
    assert not found, f"again: python -m tests.simulation --seed {found[0][0]} --trace"
    assert sum(each.counts["run succeeded"] for each in results) > TOGETHER


def test_a_seed_does_the_same_twice(machine: Machine):
    told: list[list[str]] = []
    for _ in range(2):
        lines: list[str] = []
        plan = draw(3)
        with open_world(machine, seed=3, **plan.settings) as world:
            world.trace = lines.append
            Chaos(world, plan).run()
            lines += [str(row) for rows in Facts.read(world).events.values() for row in rows]
        told.append(lines)
    assert told[0] == told[1]
    assert len(told[0]) > 20
