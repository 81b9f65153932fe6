"""A snapshot of ours that does not hold what it should is taken back, or the table is frozen until somebody has looked.

The damage is real: the commit forgets manifests that it did not touch, and with them live files of others.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from pyiceberg.catalog.sql import SqlCatalog

from engine.domain.access.audit import AuditFilter
from engine.domain.access.callers import SYSTEM
from engine.domain.errors import StateConflict
from engine.domain.runs.run import Run, RunState
from engine.domain.tables.table import Freeze
from engine.formats.iceberg.commits.producer import SnapshotProducer
from engine.services.operations import mismatches
from tests.support.world import World

CHECKED = {"verification": "content"}


@contextmanager
def forgetful_commits() -> Iterator[None]:
    """Let commits lose every live file in manifests that they do not rewrite."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(SnapshotProducer, "_untouched", lambda _self, _touched: [])
        yield


@pytest.fixture
def bystander(world: World) -> World:
    """Give the table a file that no rewrite touches."""
    world.lake.append(day="2026-12-24")
    return world


@pytest.fixture(autouse=True)
def _no_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mismatches, "_WAITS", (0.0, 0.0))


async def freeze_of(world: World) -> Freeze | None:
    return (await world.container.tables.get(SYSTEM, world.table_id)).freeze


async def kinds(world: World, run: Run) -> list[str]:
    async with world.container.database.read() as unit:
        return [event.kind for event in await unit.events.list(run.id, limit=1000)]


async def audited(world: World) -> list[str]:
    async with world.container.database.read() as unit:
        found = await unit.audit.list(AuditFilter(object=world.table_id), before=None, limit=100)
    return [entry.action for entry, _ in found]


def tags(world: World) -> list[str]:
    return [name for name in world.lake.table.metadata.refs if name != "main"]


async def failed(world: World) -> Run:
    with forgetful_commits():
        run = await world.rewrite()
    assert (run.state, run.reason) == (RunState.FAILED, "invariant_broken"), run.detail
    return run


async def test_a_commit_that_lost_rows_is_taken_back(bystander: World) -> None:
    """F5, L25: nobody committed since, so the table is as it was before the run."""
    lake = bystander.lake
    before, head = lake.rows(), lake.table.current_snapshot()
    run = await failed(bystander)
    assert (lake.rows(), lake.table.current_snapshot()) == (before, head)
    assert "all_else_unchanged" in (run.detail or "")
    assert "it was rolled back" in (run.detail or "")
    assert (run.result.groups_committed, run.result.document["groups_dropped"]) == (0, {"rolled_back": 3})
    assert run.unsettled == frozenset()
    assert {"verification_failed", "rolled_back"} <= set(await kinds(bystander, run))
    assert "table.roll_back" in await audited(bystander)
    assert await freeze_of(bystander) is None
    again = await bystander.rewrite()
    assert (again.state, lake.rows()) == (RunState.SUCCEEDED, before)


async def test_files_of_a_commit_that_was_taken_back_stay_while_its_snapshot_is_known(bystander: World) -> None:
    """I3: the snapshot can still be read by its id, for whoever finds out what went wrong."""
    run = await failed(bystander)
    (wrong,) = (s for s in bystander.lake.table.snapshots() if s.summary and s.summary["packhouse.run-id"] == run.id)
    assert bystander.lake.table.scan(snapshot_id=wrong.snapshot_id).to_arrow().num_rows > 0


async def test_what_others_committed_since_is_kept_and_the_table_is_frozen(bystander: World) -> None:
    """F5: going back would take the append along, which only people may decide."""
    bystander.at("verified", lambda: bystander.lake.append(day="2026-11-01"))
    run = await failed(bystander)
    assert set(range(bystander.lake.next_id - 50, bystander.lake.next_id)) <= set(bystander.lake.ids())
    freeze = await freeze_of(bystander)
    assert freeze is not None
    assert freeze.run_id == run.id
    for said in (str(freeze.snapshot_id), str(freeze.parent_id), "others committed after it", "all_else_unchanged"):
        assert said in freeze.reason
    assert "the table is frozen" in (run.detail or "")
    assert run.result.document["snapshot_ids"] == [str(freeze.snapshot_id)]
    assert "table.freeze" in await audited(bystander)


async def test_the_parent_of_a_frozen_snapshot_outlives_expiry(bystander: World) -> None:
    bystander.at("verified", lambda: bystander.lake.append(day="2026-11-01"))
    await failed(bystander)
    freeze = await freeze_of(bystander)
    table = bystander.lake.table
    kept = {ref.snapshot_id for ref in table.metadata.refs.values()}
    table.maintenance.expire_snapshots().by_ids(
        [s.snapshot_id for s in table.snapshots() if s.snapshot_id not in kept]
    ).commit()
    assert freeze is not None
    assert {s.snapshot_id for s in bystander.lake.table.snapshots()} >= {freeze.parent_id}


async def test_a_frozen_table_takes_no_run_until_it_is_unfrozen(bystander: World) -> None:
    waiting = await bystander.submit(force=True)
    bystander.at("verified", lambda: bystander.lake.append(day="2026-11-01"))
    with forgetful_commits():
        first = await bystander.submit(force=True)
        await bystander.finish(first.id)
    with pytest.raises(StateConflict, match=r"is frozen since .*/unfreeze"):
        await bystander.submit(force=True)
    assert not await bystander.container.worker.advance(waiting.id)
    async with bystander.container.database.read() as unit:
        assert [run.id for run in await unit.runs.list_ready(10)] == []
    seen = await bystander.get(waiting.id)
    assert (seen.state, seen.waiting_for, seen.reason) == (RunState.QUEUED, "paused", "table_frozen")
    explained = await bystander.container.explain.explain(SYSTEM, bystander.table_id)
    held = {hold["code"]: hold["detail"] for hold in explained["next_eligible"]["held_by"]}
    assert f"POST /v1/tables/{bystander.table_id}/unfreeze" in held["table_frozen"]

    for _ in range(6):
        bystander.lake.append(day="2026-11-02")
    await bystander.container.freezes.unfreeze(SYSTEM, bystander.table_id, reason="looked, appended again")
    assert await freeze_of(bystander) is None
    assert "table.unfreeze" in await audited(bystander)
    ended = await bystander.finish(waiting.id)
    assert ended.state is RunState.SUCCEEDED
    assert tags(bystander) == []  # the parent may go


async def test_a_waiting_run_of_a_frozen_table_can_be_cancelled(bystander: World) -> None:
    waiting = await bystander.submit(force=True)
    bystander.at("verified", lambda: bystander.lake.append(day="2026-11-01"))
    with forgetful_commits():
        await bystander.finish((await bystander.submit(force=True)).id)
    assert (await bystander.container.runs.cancel(SYSTEM, waiting.id)).state is RunState.CANCELLED


async def test_unfreezing_twice_changes_nothing(world: World) -> None:
    await world.container.freezes.unfreeze(SYSTEM, world.table_id, reason="nothing to do")
    assert "table.unfreeze" not in await audited(world)


@pytest.mark.parametrize("step", ["verified", "rolled_back"])
async def test_a_worker_that_dies_on_the_way_back_is_followed_by_one_that_gets_there(
    bystander: World, step: str
) -> None:
    """F14: found out and dead before the way back, or dead after it and before the record."""
    before = bystander.lake.rows()
    run = await bystander.submit()
    bystander.at(step, bystander.steal_lease(run.id))
    with forgetful_commits():
        await bystander.container.worker.advance(run.id)
    await bystander.expire_lease(run.id)
    run = await bystander.finish(run.id)
    assert (run.state, run.reason, run.result.document["groups_dropped"]) == (
        RunState.FAILED,
        "invariant_broken",
        {"rolled_back": 3},
    )
    assert bystander.lake.rows() == before
    assert len(bystander.lake.replaces()) == 1  # it was not sent again


async def test_a_worker_that_dies_before_it_freezes_is_followed_by_one_that_does(bystander: World) -> None:
    run = await bystander.submit()
    bystander.at("verified", lambda: bystander.lake.append(day="2026-11-01"))
    bystander.at("not_rolled_back", bystander.steal_lease(run.id))
    with forgetful_commits():
        await bystander.container.worker.advance(run.id)
    assert await freeze_of(bystander) is None
    await bystander.expire_lease(run.id)
    run = await bystander.finish(run.id)
    assert (run.state, run.reason) == (RunState.FAILED, "invariant_broken")
    assert await freeze_of(bystander) is not None


async def test_a_worker_that_dies_between_commit_and_proof_leaves_the_proof_to_the_next(bystander: World) -> None:
    """F14: what is proven is the table, by whoever comes next; a bad commit is taken back then."""
    before = bystander.lake.rows()
    run = await bystander.submit()
    bystander.at("after_commit", bystander.steal_lease(run.id))
    with forgetful_commits():
        await bystander.container.worker.advance(run.id)
    assert bystander.lake.rows() != before
    await bystander.expire_lease(run.id)
    run = await bystander.finish(run.id)
    assert (run.state, run.reason, bystander.lake.rows()) == (RunState.FAILED, "invariant_broken", before)


async def test_a_catalog_that_goes_away_at_that_moment_means_a_freeze(
    bystander: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: Any, **__: Any) -> Any:
        message = "connection reset by peer"
        raise ConnectionResetError(message)

    bystander.at("verified", lambda: monkeypatch.setattr(SqlCatalog, "commit_table", away))
    await failed(bystander)
    freeze = await freeze_of(bystander)
    assert freeze is not None
    assert "the catalog does not answer" in freeze.reason


async def test_parents_are_kept_from_the_commit_to_the_proof_where_rows_are_compared(world: World) -> None:
    await world.set_policy(CHECKED)
    seen: list[list[str]] = []
    world.at("after_commit", lambda: seen.append(tags(world)))
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED, run.detail
    assert [len(each) for each in seen] == [1]
    assert seen[0][0].startswith(f"packhouse-parent-{run.id}-")
    assert tags(world) == []


async def test_the_tag_of_a_dead_worker_goes_with_the_run(world: World) -> None:
    await world.set_policy(CHECKED)
    run = await world.submit()
    world.at("after_commit", world.steal_lease(run.id))
    await world.container.worker.advance(run.id)
    assert len(tags(world)) == 1
    await world.expire_lease(run.id)
    run = await world.finish(run.id)
    assert (run.state, tags(world)) == (RunState.SUCCEEDED, [])


async def test_by_metadata_alone_no_commit_is_made_for_a_tag(world: World) -> None:
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED
    assert tags(world) == []
    assert len(world.lake.table.metadata.snapshot_log) == 6 + 1
