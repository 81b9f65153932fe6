"""The preset `artemis` in small: a backlog falls to nothing within its limits; its judge finds each broken one."""

from dataclasses import replace

import pytest

from bench.fleet.artemis import PARALLEL_GROUPS, SMALL, Archive, artemis, judge
from tests.simulation.loop import START
from tests.simulation.world import Machine, World, open_world

pytestmark = pytest.mark.usefixtures("upkeep")


def test_l16_l17_l18_l19_the_archive_is_worked_off_within_its_limits(machine: Machine) -> None:
    """L20: in the end no small file is left in a sealed partition."""
    with open_world(machine, seed=1, lease_seconds=15) as world:
        found: Archive = world.run(artemis(world, SMALL))
    assert found.broken() == []
    assert found.top_rate > 0.85
    assert found.slow_rate > 0
    for what, fall in (("quiet hours", _move_at_noon), ("% of the limit in ten", _burst), ("groups at once", _crowd)):
        fall(world)
        judge(world, found)
        assert any(what in broken for broken in found.broken()), what


def _move_at_noon(world: World) -> None:
    world.spark.moves.append(replace(world.spark.moves[0], at=START + 4 * 3600))


def _burst(world: World) -> None:
    world.spark.moves.extend(world.spark.moves[:100] * 20)


def _crowd(world: World) -> None:
    world.spark.operations.extend(world.spark.operations[:1] * PARALLEL_GROUPS)
