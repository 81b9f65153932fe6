"""What explain predicts at random moments is when runs begin, and the check would see it if it were not."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

from bench.fleet.explained import Explained, explained, recovered
from tests.simulation.world import Machine, open_world


def test_predicted_starts_come_true(machine: Machine) -> None:
    found: list[Explained] = []

    async def main(world: Any) -> None:
        found.append(await explained(world, minutes=10))

    with open_world(machine, seed=3, lease_seconds=15, worker_slots=4) as world:
        world.run(main(world))
    assert found[0].wrong == []
    assert sum(map(len, found[0].errors.values())) >= 10
    assert judged_anew(found[0], timedelta(seconds=30)).wrong
    assert judged_anew(found[0], None).wrong


def test_a_run_begins_at_the_next_look_when_queries_are_fast_again(machine: Machine) -> None:
    found: list[Explained] = []

    async def main(world: Any) -> None:
        found.append(await recovered(world))

    with open_world(machine, seed=3) as world:
        world.run(main(world))
    assert found[0].wrong == []
    assert [len(errors) for errors in found[0].errors.values()] == [1]


def judged_anew(found: Explained, shift: timedelta | None) -> Explained:
    """Judge as if explain had said other times, or none."""
    said = [
        replace(each, at=None if shift is None or each.at is None else each.at + shift) for each in found.predictions
    ]
    other = Explained(said, found.changes, found.starts, found.ended_at)
    other.judge()
    return other
