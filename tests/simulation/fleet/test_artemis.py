"""L9 to L20 in small: a backlog falls to nothing within its share, out of quiet hours, slower for slow queries."""

from collections.abc import Iterator
from typing import Any

import pytest

from engine.workers import coordinator
from tests.simulation.fleet.artemis import SMALL, UPKEEP, Archive, artemis
from tests.simulation.world import Machine, open_world


@pytest.fixture(autouse=True)
def upkeep() -> Iterator[None]:
    before = {name: getattr(coordinator, name) for name in UPKEEP}
    yield
    for name, seconds in before.items():
        setattr(coordinator, name, seconds)


def test_l16_l17_l18_l19_the_archive_is_worked_off_within_its_limits(machine: Machine) -> None:
    found: list[Archive] = []

    async def main(world: Any) -> None:
        found.append(await artemis(world, SMALL))

    with open_world(machine, seed=1, lease_seconds=15) as world:
        world.run(main(world))
    assert found[0].broken() == []
    assert found[0].top_rate > 0.85
    assert found[0].slow_rate > 0
