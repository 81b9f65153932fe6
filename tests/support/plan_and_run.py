"""A plan as a promise: what it offers a run does, and what it refuses a run refuses for the same reason."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from engine.domain.access.callers import SYSTEM
from engine.domain.errors import Rejected
from engine.domain.ids import TableId
from engine.domain.runs.drops import DropKind
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, Run, RunState
from tests.support.acknowledging import acknowledged
from tests.support.world import World


@dataclass(frozen=True, slots=True)
class Promise:
    """What a plan offers: `offers` groups or things to change; `refusal`: the code and the clauses of its refusal."""

    offers: int = 0
    code: str = ""
    refusals: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.code}: {'; '.join(self.refusals)}" if self.code else f"eligible, {self.offers} to do"


async def planned_and_run(
    world: World[Any], table_id: TableId, operation: Operation, *, passing: Collection[str] = ()
) -> str:
    """Plan, run and compare the two, as `check_kept`; return both in words."""
    request = RunRequest(operation)
    promise = await promise_of(world, table_id, request)
    run, _ = await acknowledged(world.container.runs.submit, SYSTEM, table_id, request)
    run = await world.finish(run.id)
    await check_kept(world, promise, run, passing=passing)
    return f"{operation}: {promise}; {run.state}, {run.reason}: {run.detail}"


async def promise_of(world: World[Any], table_id: TableId, request: RunRequest) -> Promise:
    """Return what the plan of a request promises now, by the same services as the API."""
    try:
        if request.operation is not Operation.REWRITE:
            offered = await world.container.upkeep.plan(SYSTEM, table_id, request.operation)
            return Promise(offered["count"])
        planned = await world.container.tables.plan(SYSTEM, table_id, policy=None, request=request)
    except Rejected as error:
        return Promise(0, error.code, (error.message,))
    failed = [each for each in planned["conditions"] if not each["holds"]]
    if not planned["eligible"]:
        return Promise(0, "not_eligible", tuple(f"{each['name']} ({each['detail']})" for each in failed))
    return Promise(planned["groups_total"])


async def check_kept(world: World[Any], promise: Promise, run: Run, *, passing: Collection[str] = ()) -> None:
    """Raise AssertionError if a run did other than its plan promised.

    `passing`: codes of refusals of groups that only a footer shows, so that no plan can know them.
    """
    ended = f"{promise} was planned; {run.operation} ended {run.state}, {run.reason}: {run.detail}"
    if promise.code:
        assert (run.state, run.reason) == (RunState.REFUSED, promise.code), ended
        assert all(each in str(run.detail) for each in promise.refusals), ended
        return
    if not promise.offers:
        assert run.state in (RunState.SKIPPED, RunState.SUCCEEDED), ended
        return
    async with world.container.database.read() as unit:
        groups = await unit.groups.list(run.id)
    reasons = [each.reason for each in groups if each.reason is not None]
    assert all(each.kind is DropKind.REFUSED and each.code in passing for each in reasons), ended
    assert run.state is RunState.SUCCEEDED or (reasons and run.reason in ("groups_failed", "groups_refused")), ended
