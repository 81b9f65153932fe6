"""The preset `artemis` without a time in the partitions, in small: what waits for a rewrite, what long runs lose."""

import pytest

from bench.fleet.artemis import MB
from bench.fleet.missions import Missions, Plan, missions
from tests.simulation.world import Machine, open_world

pytestmark = [pytest.mark.deep, pytest.mark.usefixtures("upkeep")]


def played(machine: Machine, plan: Plan) -> Missions:
    with open_world(machine, seed=1, lease_seconds=15) as world:
        found: Missions = world.run(missions(world, plan))
    return found


def test_l15_small_files_of_a_mission_that_is_written_every_30_seconds_stay_bounded(machine: Machine) -> None:
    """L15: ten minutes of commits wait at most, although the writer never pauses and another one wins some races."""
    found = played(machine, Plan(hours=0.8, seal_minutes=10))
    assert found.broken() == []
    assert len(found.succeeded) >= 2
    assert max(found.small) > 20, "the seal holds back what is younger"
    assert min(found.small[20:]) < 20, "a rewrite leaves what came since it began"


def test_l12_a_run_of_five_minutes_beside_a_commit_every_30_seconds_loses_nothing_to_appends(machine: Machine) -> None:
    """L12: ten commits come during a run; what they add is no reason to plan, or to write, a group again."""
    found = played(machine, Plan(hours=0.4, seal_minutes=10, available=int(1.5 * MB), changes=1e9))
    assert found.longest_seconds > 300
    committed, lost = found.groups
    assert (committed >= 2, lost, found.lost_rows) == (True, 0, 0)
