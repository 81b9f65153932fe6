"""Predictions of one table: the same in explain, in a dry run and in the run that the coordinator starts."""

from typing import Any

from engine.domain.access.callers import SYSTEM
from engine.domain.runs.run import RunState
from engine.services.explain.decisions import request_of
from engine.services.explain.facts import Facts
from tests.support.attempts import append_files
from tests.support.watching import Watching, set_policy
from tests.support.world import World

FIGURES = ("prediction", "calibration", "time_estimate")


async def test_after_a_measured_run_a_due_plan_predicts_what_the_dry_run_and_the_run_predict(
    world: World, watching: Watching
) -> None:
    facts = await _due_again(world, watching)
    dry = await world.container.tables.plan(SYSTEM, world.table_id, policy=None)
    run = await world.finish((await world.submit(request_of(facts))).id)
    assert run.state is RunState.SUCCEEDED, run.detail
    assert facts.sight.due is not None
    due = facts.sight.due.plan
    assert (due.calibration.runs, due.time.document()["source"]) == (1, "table"), "calibrated by the run before"
    assert due.calibration.metadata_bytes > 0
    assert due.digest() == dry["plan_hash"] == run.plan["hash"]
    assert _figures(due.summary()) == _figures(dry) == _figures(run.plan)


async def _due_again(world: World, watching: Watching) -> Facts:
    """Rewrite the table once, write as many files again, and return the facts from which the coordinator decides."""
    await set_policy(world)
    await world.rewrite()
    for day in (1, 2, 3):
        append_files(world.lake, f"2026-11-0{day}")
    return await watching.service._facts.read(SYSTEM, world.table_id)


def _figures(plan: Any) -> dict[str, Any]:
    return {name: plan[name] for name in FIGURES}
