"""Every operation that deletes files: attempts that die, writers, cancels and other tables at any step of it."""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pytest

from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Run, RunState
from engine.formats.removal import bulk_deletes
from tests.interleaving.writers import ACTIONS
from tests.support.attempts import content, die_at, snapshot_ids
from tests.support.expired_files import stored
from tests.support.moved_clock import MovedClock
from tests.support.orphans import named
from tests.support.removal_runs import (
    PREPARED,
    SETTINGS,
    count_requests,
    gone,
    leftovers,
    nothing_needed_is_missing,
    root_of,
)
from tests.support.watching import DAY
from tests.support.windows_ahead import change_policy
from tests.support.world import World

EXPIRY_STEPS = ("planned", "before_commit", "after_commit", "files_recorded", "deleting_files", "files_deleted")
ORPHAN_STEPS = ("looking", "planned", "files_recorded", "deleting_files", "files_deleted", "before_end")
STEPS = {
    "expiry": (*EXPIRY_STEPS, "before_end"),
    "old compactions": ("planned", "before_commit", "after_commit", "files_recorded", "files_deleted"),
    "reclaim": ("planned", "after_commit", "files_recorded", "files_deleted", "before_end"),
    "purge": (*EXPIRY_STEPS, "before_end"),
    "orphans": ORPHAN_STEPS,
    "inventory": ORPHAN_STEPS,
}
OF_THEIR_OWN = {
    "old compactions": ("after_commit", "files_recorded"),
    "reclaim": ("after_commit", "files_recorded"),
    "purge": ("before_commit", "files_recorded", "deleting_files"),
    "orphans": ("looking", "planned", "deleting_files"),
    "inventory": ("looking", "deleting_files"),
}
"""All delete by one mechanism, which expiry shows at every step; these steps differ in the others."""


@dataclass
class Case:
    """A world whose table has files to delete, the request that deletes them, and what the table was like before."""

    name: str
    world: World
    request: RunRequest
    rows: pa.Table
    was: set[str]
    snapshots: list[int]

    async def submit(self) -> Run:
        return await self.world.submit(self.request)

    def is_complete(self, run: Run) -> None:
        """Hold that the run deleted what it should, counted each file once, and deleted nothing that is needed."""
        assert run.state is RunState.SUCCEEDED, run.detail
        assert nothing_needed_is_missing(self.world)
        document, deleted = run.result.document, len(self.was - stored(self.world.lake.table))
        assert document["deleted_files"] == deleted > 0
        match self.name:
            case "expiry":
                assert (document["deleted"]["data"]["files"], leftovers(self.world)) == (18, set())
                assert f"; {deleted} files of " in (run.detail or "")
            case "old compactions":
                assert run.result.expired_snapshots == 2
                assert self.snapshots[5] not in snapshot_ids(self.world), "the snapshot before the first rewrite"
            case "reclaim":
                assert document["reclaimed"]["predicted"] == document["reclaimed"]["actual"]
                assert document["reclaimed"]["actual"]["files"] > 18
            case "orphans" | "inventory":
                assert deleted == 3
                assert not any((root_of(self.world) / named(number=number)).exists() for number in range(3))


@pytest.fixture
async def case(world: World, clock: MovedClock, name: str) -> Case:
    request = await PREPARED[name](world, clock)
    return Case(name, world, request, content(world), stored(world.lake.table), snapshot_ids(world))


def at_steps(names: Iterable[str]) -> pytest.MarkDecorator:
    """Return the cases of these operations at each of their steps."""
    return pytest.mark.parametrize(
        ("name", "step"),
        [
            pytest.param(name, step, marks=() if step in OF_THEIR_OWN.get(name, STEPS[name]) else pytest.mark.deep)
            for name in names
            for step in STEPS[name]
        ],
    )


@at_steps(STEPS)
async def test_an_attempt_that_dies_at_any_step_is_resumed_and_each_file_is_counted_once(case: Case, step: str) -> None:
    """A purge deletes only what was shown in its dry run: snapshots since then stay."""
    world, run = case.world, await case.submit()
    await die_at(world, run, step)
    is_decided = case.name == "purge" and step != "planned"  # before it the hash of the dry run would not fit
    for _ in range(2 if is_decided else 0):
        world.lake.append(day=DAY)
    before = snapshot_ids(world)
    case.is_complete(await world.finish(run.id))
    if case.name == "purge":
        assert snapshot_ids(world) == before[before.index(case.snapshots[-1]) :]
    if not is_decided:
        assert content(world) == case.rows


@pytest.mark.parametrize("name", ["expiry", "old compactions", "orphans", "inventory"])
async def test_f53_a_run_that_was_interrupted_three_times_counts_each_file_once(case: Case) -> None:
    """Several attempts recorded the same files before one of them deleted these."""
    run = await case.submit()
    for step in ("files_recorded", "files_recorded", "files_deleted"):
        await die_at(case.world, run, step)
    case.is_complete(await case.world.finish(run.id))


@pytest.mark.parametrize("name", ["expiry"])
@pytest.mark.parametrize(
    "step",
    ["files_deleted", *(pytest.param(each, marks=pytest.mark.deep) for each in ("files_recorded", "before_end"))],
)
async def test_f53_figures_are_the_sum_of_attempts_that_deleted_files_of_different_snapshots(
    case: Case, clock: MovedClock, step: str
) -> None:
    world, run = case.world, await case.submit()
    await die_at(world, run, step)
    expired_first = len(case.snapshots) - 1
    for _ in range(2):
        world.lake.append(day=DAY)
    between = stored(world.lake.table)
    await clock.pass_by(hours=1)
    ended = await world.finish(run.id)
    assert ended.state is RunState.SUCCEEDED, ended.detail
    assert ended.result.expired_snapshots == expired_first + 2
    assert (nothing_needed_is_missing(world), leftovers(world)) == (True, set())
    assert ended.result.document["deleted_files"] == len(gone(world, case.was | between))
    assert ended.result.document["deleted"]["data"]["files"] == 18


@at_steps(["expiry", "orphans", "purge"])
async def test_a_writer_at_any_step_loses_nothing(case: Case, step: str) -> None:
    """Also one that adds a file which was an orphan until then."""
    world = case.world

    def write() -> None:
        world.lake.append(day=DAY)
        world.lake.table.delete("id < 10")
        if case.name == "orphans" and (root_of(world) / named(number=2)).exists():
            with world.lake.table.transaction() as change:
                change.add_files([f"{world.lake.table.location()}/data/2.parquet"], check_duplicate_files=False)

    run = await case.submit()
    world.at(step, write)
    run = await world.finish(run.id)
    assert run.state is RunState.SUCCEEDED, run.detail
    assert case.was - stored(world.lake.table)
    assert nothing_needed_is_missing(world)
    if case.name != "orphans":
        assert min(world.lake.ids()) == 10
        assert all(content(world, each).num_rows > 0 for each in snapshot_ids(world))
    if case.name == "purge":
        assert len(snapshot_ids(world)) == 3


@pytest.mark.parametrize(
    ("name", "step"),
    [("expiry", "files_recorded"), ("expiry", "deleting_files"), ("orphans", "looking"), ("orphans", "deleting_files")],
)
async def test_a_cancel_stops_the_run_and_no_file_is_deleted(case: Case, step: str) -> None:
    world, run = case.world, await case.submit()
    world.at(step, world.cancel_soon(run.id))
    run = await world.finish(run.id)
    assert run.state is RunState.CANCELLED
    assert gone(world, case.was) == set()
    if case.name == "expiry":
        assert (run.result.expired_snapshots > 0, run.result.document["deleted_files"]) == (True, 0)


@pytest.mark.parametrize(
    ("name", "step"),
    [
        ("expiry", "files_recorded"),
        ("expiry", "deleting_files"),
        ("expiry", "files_deleted"),
        ("orphans", "looking"),
        ("orphans", "deleting_files"),
    ],
)
async def test_a_table_that_is_dropped_and_created_again_ends_the_deletion(case: Case, step: str) -> None:
    """The other table is in the same folder: the run breaks no invariant, and deletes no file of it."""
    world, run = case.world, await case.submit()
    world.at(step, lambda: ACTIONS["recreate"](world))
    run = await world.finish(run.id)
    assert (run.state, run.reason) == (RunState.FAILED, "table_replaced")
    assert nothing_needed_is_missing(world)


@pytest.mark.parametrize("name", ["expiry", "orphans"])
async def test_files_that_the_store_refuses_to_delete_are_counted(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    delete, refused = bulk_deletes.BulkDelete._delete_one, list[str]()

    def some(self: bulk_deletes.BulkDelete, store: Any, path: str) -> str | None:
        if path.endswith(".parquet") and len(refused) < 2:
            refused.append(path)
            return "AccessDenied: object lock"
        return delete(self, store, path)

    monkeypatch.setattr(bulk_deletes.BulkDelete, "_delete_one", some)
    run = await case.world.finish((await case.submit()).id)
    result = run.result.document
    assert run.state is RunState.SUCCEEDED
    assert result["deleted_files"] == len(case.was - stored(case.world.lake.table))
    assert result["delete_failures"] == len(refused) == 2
    assert "object lock" in result["delete_failure_samples"][0]["reason"]
    assert "refused to delete 2 files" in (run.detail or "")


@pytest.mark.parametrize("name", ["reclaim", pytest.param("expiry", marks=pytest.mark.deep)])
async def test_m18_requests_of_a_reclamation_wait_for_the_limit_of_the_table(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of an expiry too."""
    count_requests(monkeypatch)
    world = case.world
    await change_policy(world, {"limits": {"requests": 10}, "maintenance": SETTINGS[case.name]})
    run = await case.submit()
    began = time.monotonic()
    run = await world.finish(run.id)
    result = run.result.document
    assert result["delete_requests"] == result["deleted_files"] > 18
    before_the_last_stage = result["deleted_files"] - result["deleted"]["manifest_lists"]["files"]
    assert time.monotonic() - began >= before_the_last_stage / 10 - 1, "the burst is a quarter of a second"
