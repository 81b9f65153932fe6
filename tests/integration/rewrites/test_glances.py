"""The coordinator's glance at a table: enough to decide about a table that is not due, and never out of date."""

from collections.abc import Awaitable
from typing import Any

from sqlalchemy import Engine, event

from engine.domain.access.callers import COORDINATOR
from tests.support.watching import FEW, Watching, set_policy
from tests.support.world import World


async def test_a_glance_takes_less_than_half_of_the_queries_of_all_facts(world: World, watching: Watching):
    reader = watching.service._facts
    await watching.look()  # the measurement is stored: neither of the two below writes one
    few = await _queries(reader.glance(COORDINATOR, world.table_id))
    assert 0 < few < await _queries(reader.read(COORDINATOR, world.table_id)) / 2


async def test_all_facts_of_a_due_table_are_those_of_the_glance(world: World, watching: Watching):
    await set_policy(world)
    glance = await watching.service._facts.glance(COORDINATOR, world.table_id)
    facts = await watching.service._facts.read(COORDINATOR, world.table_id, glance)
    assert glance.sight.trial is None
    assert facts.sight.trial is not None
    assert facts.sight.evaluation is glance.sight.evaluation


async def test_a_glance_is_taken_again_when_a_run_of_the_table_has_ended_since(world: World, watching: Watching):
    await world.set_policy({"triggers": [FEW]})
    glance = await watching.service._facts.glance(COORDINATOR, world.table_id)
    assert glance.sight.evaluation is not None
    assert glance.sight.evaluation.is_due
    await world.rewrite()
    facts = await watching.service._facts.read(COORDINATOR, world.table_id, glance)
    assert facts.sight.evaluation is not None
    assert not facts.sight.evaluation.is_due


async def _queries(reading: Awaitable[Any]) -> int:
    statements: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        statements.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        await reading
    finally:
        event.remove(Engine, "before_cursor_execute", note)
    return len(statements)
