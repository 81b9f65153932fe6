"""Each invariant falls when the defence that holds it is taken away, and holds with it: the checks can fail."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from engine.domain.fleet.budgets import Budget
from engine.domain.fleet.limits import FleetLimits
from engine.domain.runs.leases import Lease
from engine.queue.budgets import PaceLedger
from engine.services.operations.rewrite import commits
from engine.services.runs import attempts
from engine.stores.runs import changes as run_changes
from engine.stores.runs import store as runs
from engine.stores.schema import core as schema
from engine.workers.coordinator import Coordinator
from tests.simulation.chaos import Chaos, Result
from tests.simulation.journal import Window
from tests.simulation.loop import START
from tests.simulation.plans import MIB, Happening, Plan, TablePlan
from tests.simulation.world import Machine, World, open_machine, open_world

DAY = '{"day":"2026-11-01"}'

# what a killed process held is left to the collector
pytestmark = pytest.mark.filterwarnings("ignore:The garbage collector")


@pytest.fixture(scope="module")
def machine() -> Iterator[Machine]:
    with open_machine() as opened:
        yield opened


def table(number: int = 0, *, windows: tuple[Window, ...] = (), limits: Any = None, **policy: Any) -> TablePlan:
    document = {
        "rewrite": {"target_file_bytes": 32 * MIB, "max_group_bytes": 32 * MIB, "min_input_files": 2},
        "triggers": [{"name": "never", "all": [{"metric": "small_file_count", "at_least": 10_000}]}],
        "limits": {"parallel_groups": 1} | (limits or {}),
        **policy,
    }
    return TablePlan(f"t{number}", "lake", None, document, windows, {DAY: [4 * MIB] * 12})


def plan(*happenings: Happening, **changes: Any) -> Plan:
    made = Plan(
        seed=1,
        seconds=40.0,
        settings={"lease_seconds": 5, "worker_slots": 1, "max_failures": 3},
        workers=2,
        coordinators=1,
        limits={},
        speed=4e6,
        tables=[table()],
        faults={"redis": {}, "catalog": {}, "tasks": {}},
        happenings=[Happening(0.1, "submit", (0, False, False)), *happenings],
    )
    return replace(made, **changes)


def play(machine: Machine, wanted: Plan, spoil: Callable[[World], None] = lambda _world: None) -> Result:
    with open_world(machine, seed=wanted.seed, **wanted.settings) as world:
        spoil(world)
        return Chaos(world, wanted).run()


FREEZE = {"from": "2026-11-02T08:00:07Z", "to": "2026-11-02T08:00:40Z", "reason": "a freeze", "on_start": "interrupt"}
PLANS = {
    "frozen": plan(Happening(5.0, "freeze", (0.0, 12.0))),
    "raced": plan(*(Happening(at, "write", (0, 0.05, seed)) for seed, at in enumerate((2.0, 4.0, 6.0, 8.0)))),
    "in a window": plan(
        tables=[table(blackouts=[FREEZE], windows=(Window("blackout", START + 7, START + 40, "interrupt"),))],
        seconds=60.0,
    ),
    "paced": plan(tables=[table(limits={"bandwidth": 2_000_000})]),
    "full": plan(
        *(Happening(0.2, "submit", (number, False, False)) for number in (1, 2)),
        tables=[table(number) for number in range(3)],
        limits={"parallel_runs": 1},
    ),
    "dead": plan(*(Happening(at, "kill", (0.0, 3.0)) for at in (4.0, 4.1))),
    "unanswered": plan(faults={"redis": {}, "catalog": {"lost_answer": 1.0}, "tasks": {}}),
}


def let_stale_holders_write(patch: pytest.MonkeyPatch, _world: World) -> None:
    async def unguarded(self: runs.RunStore, lease: Lease, _seconds: float) -> Any:
        return await self.get(lease.run_id), lease

    async def no_look(_self: attempts.Attempt, extended_at: float) -> float:
        return extended_at

    def held_by_any(lease: Lease) -> Any:
        return schema.runs.c.id == lease.run_id, schema.runs.c.lease_holder.is_not(None)

    for module in (runs, run_changes):
        patch.setattr(module, "held", held_by_any)
    patch.setattr(runs.RunStore, "extend", unguarded)
    patch.setattr(attempts.Attempt, "_renew_lease", no_look)


def check_no_sources(_patch: pytest.MonkeyPatch, world: World) -> None:
    world.lake.checks_sources = False


def ignore_windows(patch: pytest.MonkeyPatch, _world: World) -> None:
    patch.setattr(attempts.Attempt, "_apply_hold", lambda _self: None)


def double_budgets(patch: pytest.MonkeyPatch, _world: World) -> None:
    opened = PaceLedger.open

    async def doubled(self: PaceLedger, run_id: Any, attempt: int, budget: Budget, lanes: int, **rest: Any) -> None:
        await opened(self, run_id, attempt, budget.scaled(2.0), lanes, **rest)

    patch.setattr(PaceLedger, "open", doubled)


def ignore_limits(patch: pytest.MonkeyPatch, _world: World) -> None:
    patch.setattr(FleetLimits, "room", lambda _self, _at_work: None)


def reap_nothing(patch: pytest.MonkeyPatch, _world: World) -> None:
    async def nothing(_self: Coordinator) -> int:
        return 0

    patch.setattr(Coordinator, "reap", nothing)


def forget_commits(patch: pytest.MonkeyPatch, _world: World) -> None:
    async def nothing_found(_self: Any, groups: Any) -> Any:
        return groups

    patch.setattr(commits.Commits, "adopt_found", nothing_found)


@pytest.mark.parametrize("name", PLANS)
def test_invariants_hold_with_every_defence(machine: Machine, name: str) -> None:
    result = play(machine, PLANS[name])
    assert result.violations == []
    assert result.counts["runs"] >= 1


@pytest.mark.parametrize(
    ("spoil", "name", "invariant"),
    [
        (let_stale_holders_write, "frozen", "I6"),
        (check_no_sources, "raced", "I2"),
        (ignore_windows, "in a window", "I7"),
        (double_budgets, "paced", "I7"),
        (ignore_limits, "full", "I7"),
        (reap_nothing, "dead", "I4"),
        (forget_commits, "unanswered", "I5"),
    ],
)
def test_an_invariant_falls_without_its_defence(
    machine: Machine,
    monkeypatch: pytest.MonkeyPatch,
    spoil: Callable[[pytest.MonkeyPatch, World], None],
    name: str,
    invariant: str,
) -> None:
    result = play(machine, PLANS[name], lambda world: spoil(monkeypatch, world))
    assert invariant in {violation.invariant for violation in result.violations}
