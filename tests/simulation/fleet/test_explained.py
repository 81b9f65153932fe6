"""What explain predicts at random moments is when runs begin, and the check would see it if it were not."""

from dataclasses import replace
from datetime import timedelta

import pytest

from bench.fleet.explained import Explained, explained, recovered
from tests.simulation.world import Machine, open_world


@pytest.mark.deep
def test_predicted_starts_come_true(machine: Machine) -> None:
    with open_world(machine, seed=3, lease_seconds=15, worker_slots=4) as world:
        found: Explained = world.run(explained(world, minutes=10))
    assert found.wrong == []
    assert sum(map(len, found.errors.values())) >= 10
    assert judged_anew(found, timedelta(seconds=30)).wrong
    assert judged_anew(found, None).wrong


def test_a_run_begins_at_the_next_look_when_queries_are_fast_again(machine: Machine) -> None:
    with open_world(machine, seed=3) as world:
        found: Explained = world.run(recovered(world))
    assert found.wrong == []
    assert [len(errors) for errors in found.errors.values()] == [1]


def judged_anew(found: Explained, shift: timedelta | None) -> Explained:
    """Judge as if explain had said other times, or none."""
    said = [
        replace(each, at=None if shift is None or each.at is None else each.at + shift) for each in found.predictions
    ]
    other = Explained(said, found.changes, found.starts, found.ended_at)
    other.judge()
    return other
