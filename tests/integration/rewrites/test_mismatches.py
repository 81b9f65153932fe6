"""A snapshot of ours that does not hold what it should is taken back, or the table is frozen until somebody has looked.

The damage is real: the commit forgets manifests that it did not touch, and with them live files of others.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict

import pytest

from engine.domain.access.audit import AuditFilter
from engine.domain.access.callers import SYSTEM
from engine.domain.errors import StateConflict
from engine.domain.remedies import remedy
from engine.domain.runs.run import Run, RunState
from engine.domain.tables.table import Freeze
from engine.formats.iceberg.catalog.stored.sql import GuardedSqlCatalog
from engine.formats.iceberg.commits.producer import SnapshotProducer
from engine.services.operations import mismatches
from tests.support.attempts import (
    append_files,
    content,
    die_at,
    events_of,
    explained,
    raising,
    snapshot_ids,
    succeeded,
)
from tests.support.world import World

CHECKED = {"verification": "content"}


@contextmanager
def forgetful_commits() -> Iterator[None]:
    """Let commits lose every live file in manifests that they do not rewrite."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(SnapshotProducer, "_untouched", lambda _self, _touched: [])
        yield


@pytest.fixture
def world(world: World) -> World:
    """Give the table a file that no rewrite touches."""
    world.lake.append(day="2026-12-24")
    return world


@pytest.fixture(autouse=True)
def _no_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mismatches, "_WAITS", (0.0, 0.0))


async def freeze_of(world: World) -> Freeze | None:
    return (await world.container.tables.get(SYSTEM, world.table_id)).freeze


async def kinds(world: World, run: Run) -> list[str]:
    return [event.kind for event in await events_of(world, run.id)]


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


async def test_a_commit_that_lost_rows_is_taken_back(world: World) -> None:
    """F5, L25: nobody committed since, so the table is as it was before the run.

    I3: the snapshot can still be read by its id, for whoever finds out what went wrong.
    """
    lake = world.lake
    before, head = lake.rows(), lake.table.current_snapshot()
    run = await failed(world)
    assert (lake.rows(), lake.table.current_snapshot()) == (before, head)
    assert "all_else_unchanged" in (run.detail or "")
    assert "it was rolled back" in (run.detail or "")
    assert (run.result.groups_committed, run.result.document["groups_dropped"]) == (0, {"rolled_back": 3})
    assert run.unsettled == frozenset()
    assert {"verification_failed", "rolled_back"} <= set(await kinds(world, run))
    assert "table.roll_back" in await audited(world)
    assert await freeze_of(world) is None
    (wrong,) = lake.snapshots_of(run.id)
    assert lake.table.scan(snapshot_id=wrong).to_arrow().num_rows > 0
    again = await world.rewrite()
    assert (again.state, lake.rows()) == (RunState.SUCCEEDED, before)


async def test_what_others_committed_since_is_kept_and_the_table_is_frozen(world: World) -> None:
    """F5: going back would take the append along, which only people may decide. The parent outlives an expiry."""
    world.at("verified", lambda: world.lake.append(day="2026-11-01"))
    run = await failed(world)
    assert set(range(world.lake.next_id - 50, world.lake.next_id)) <= set(world.lake.ids())
    freeze = await freeze_of(world)
    assert freeze is not None
    assert freeze.run_id == run.id
    for said in (str(freeze.snapshot_id), str(freeze.parent_id), "others committed after it", "all_else_unchanged"):
        assert said in freeze.reason
    assert "the table is frozen" in (run.detail or "")
    assert run.result.document["snapshot_ids"] == [str(freeze.snapshot_id)]
    assert "table.freeze" in await audited(world)
    table = world.lake.table
    kept = {ref.snapshot_id for ref in table.metadata.refs.values()}
    table.maintenance.expire_snapshots().by_ids([each for each in snapshot_ids(world) if each not in kept]).commit()
    assert freeze.parent_id in snapshot_ids(world)


async def test_a_frozen_table_takes_no_run_until_it_is_unfrozen_but_a_cancel(world: World) -> None:
    waiting, cancelled = await world.submit(allow_duplicate=True), await world.submit(allow_duplicate=True)
    world.at("verified", lambda: world.lake.append(day="2026-11-01"))
    with forgetful_commits():
        await world.finish((await world.submit(allow_duplicate=True)).id)
    with pytest.raises(StateConflict, match=r"is frozen since .* unfreeze the table") as refused:
        await world.submit(allow_duplicate=True)
    assert refused.value.remedy == remedy("unfreeze_table", table_id=world.table_id)
    assert not await world.container.worker.advance(waiting.id)
    async with world.container.database.read() as unit:
        assert [run.id for run in await unit.runs.list_ready(10)] == []
    seen = await world.get(waiting.id)
    assert (seen.state, seen.waiting_for, seen.reason) == (RunState.QUEUED, "paused", "table_frozen")
    held = {hold["code"]: hold["remedy"] for hold in (await explained(world))["next_eligible"]["held_by"]}
    assert held["table_frozen"] == asdict(refused.value.remedy)

    assert (await world.container.runs.cancel(SYSTEM, cancelled.id)).state is RunState.CANCELLED

    append_files(world.lake, "2026-11-02")
    await world.container.freezes.unfreeze(SYSTEM, world.table_id, reason="looked, appended again")
    assert await freeze_of(world) is None
    assert "table.unfreeze" in await audited(world)
    ended = await world.finish(waiting.id)
    assert ended.state is RunState.SUCCEEDED
    assert tags(world) == []  # the parent may go


async def test_unfreezing_twice_changes_nothing(world: World) -> None:
    await world.container.freezes.unfreeze(SYSTEM, world.table_id, reason="nothing to do")
    assert "table.unfreeze" not in await audited(world)


@pytest.mark.parametrize("step", ["verified", "rolled_back"])
async def test_a_worker_that_dies_on_the_way_back_is_followed_by_one_that_gets_there(world: World, step: str) -> None:
    """F14: found out and dead before the way back, or dead after it and before the record."""
    before = content(world)
    run = await world.submit()
    with forgetful_commits():
        await die_at(world, run, step)
    run = await world.finish(run.id)
    assert (run.state, run.reason, run.result.document["groups_dropped"]) == (
        RunState.FAILED,
        "invariant_broken",
        {"rolled_back": 3},
    )
    assert content(world) == before
    assert len(world.lake.replaces()) == 1  # it was not sent again


async def test_a_worker_that_dies_before_it_freezes_is_followed_by_one_that_does(world: World) -> None:
    run = await world.submit()
    world.at("verified", lambda: world.lake.append(day="2026-11-01"))
    with forgetful_commits():
        await die_at(world, run, "not_rolled_back")
    assert await freeze_of(world) is None
    run = await world.finish(run.id)
    assert (run.state, run.reason) == (RunState.FAILED, "invariant_broken")
    assert await freeze_of(world) is not None


async def test_a_worker_that_dies_between_commit_and_proof_leaves_the_proof_to_the_next(world: World) -> None:
    """F14: what is proven is the table, by whoever comes next; a bad commit is taken back then."""
    before = content(world)
    run = await world.submit()
    with forgetful_commits():
        await die_at(world, run, "after_commit")
    assert content(world) != before
    run = await world.finish(run.id)
    assert (run.state, run.reason, content(world)) == (RunState.FAILED, "invariant_broken", before)


async def test_a_catalog_that_goes_away_at_that_moment_means_a_freeze(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    away = raising(ConnectionResetError("connection reset by peer"))
    world.at("verified", lambda: monkeypatch.setattr(GuardedSqlCatalog, "commit_table", away))
    await failed(world)
    freeze = await freeze_of(world)
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
    await die_at(world, run, "after_commit")
    assert len(tags(world)) == 1
    await succeeded(world, run)
    assert tags(world) == []


async def test_by_metadata_alone_no_commit_is_made_for_a_tag(world: World) -> None:
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED
    assert tags(world) == []
    assert len(world.lake.table.metadata.snapshot_log) == 7 + 1
