"""F24: tables that become due together are looked at one after another, and worked off within the limit."""

import pytest

from bench.fleet.storm import Stormed, storm
from tests.simulation.world import Machine, open_world

TABLES = 60


def stormed(machine: Machine) -> Stormed:
    with open_world(machine, seed=7) as world:
        found: Stormed = world.run(storm(world, tables=TABLES, parallel_runs=8))
    return found


def test_f24_a_storm_is_spread_and_drains(machine: Machine) -> None:
    assert stormed(machine).broken() == []


@pytest.mark.deep
def test_f24_the_check_fails_when_looks_are_not_spread(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.stores.watching.watches.phase_of", lambda _table_id: 0.0)
    monkeypatch.setattr("engine.services.watching.service.EVALUATIONS_TOGETHER", 10**6)  # spreads looks, too
    assert any("looks at once" in broken for broken in stormed(machine).broken())
