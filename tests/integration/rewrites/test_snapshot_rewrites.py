"""Runs that rewrite delete files or manifests: the same rows, proven, resumed, cancelled, scheduled, explained."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pyiceberg.manifest import DataFileContent, ManifestFile
from pyiceberg.table import Table

from engine.domain.access.callers import SYSTEM
from engine.domain.errors import InvalidInput, OutcomeUnknown
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, Run, RunState
from engine.domain.tables.watches import Verdict
from engine.formats.base import Condition, RollBack, SnapshotProof
from engine.formats.iceberg.catalog.paths import normalised
from engine.formats.iceberg.commits.commit import TableCommits
from engine.formats.iceberg.commits.tries import CommitTries
from engine.formats.iceberg.upkeep.deletes import files as delete_files
from engine.formats.iceberg.upkeep.rewrites import TableDeletes, TableManifests
from engine.services.operations.metadata.snapshots import SnapshotAttempt
from engine.services.runs.attempts import AttemptStop, Stop
from tests.interleaving.writers import ACTIONS
from tests.support.attempts import advanced, die_at, explained, resumed_from, succeeded
from tests.support.expired_files import stored
from tests.support.iceberg_tables import commit_deletes, delete_file
from tests.support.watching import DAY, Watching, finish_live, runs_of, set_policy
from tests.support.world import World

DELETES_ON = {"rewrite_deletes": {"interval": "1h", "at_least_files": 5}}
MANIFESTS_ALONE = pytest.mark.parametrize("kind", ["manifests"])
ONE_MECHANISM = pytest.mark.parametrize("kind", ["manifests", pytest.param("deletes", marks=pytest.mark.deep)])
"""For steps of their common base: the shorter of the two shows them."""


def delete_rows(table: Table, *, times: int = 3) -> None:
    """Commit delete files for the first rows of some data files, several for each."""
    tasks = sorted(table.scan().plan_files(), key=lambda task: task.file.file_path)[:4]
    for at in range(times):
        each = [delete_file(table, [(task.file.file_path, at)], partition=task.file.partition) for task in tasks]
        commit_deletes(table.refresh(), *each)


def count_manifests(table: Table) -> int:
    head = table.current_snapshot()
    assert head is not None
    return len(head.manifests(table.io))


def count_delete_files(table: Table) -> int:
    """Return the number of live delete files of the head."""
    head = table.current_snapshot()
    assert head is not None
    entries = (each for m in head.manifests(table.io) for each in m.fetch_manifest_entry(table.io))
    return sum(each.data_file.content != DataFileContent.DATA for each in entries)


def unlisted(table: Table) -> set[str]:
    """Return the stored files that no snapshot lists, but for metadata files."""
    listed, manifests = set[str](), dict[str, ManifestFile]()
    for snapshot in table.snapshots():
        listed.add(snapshot.manifest_list)
        manifests |= {each.manifest_path: each for each in snapshot.manifests(table.io)}
    for path, manifest in manifests.items():
        listed |= {path, *(each.data_file.file_path for each in manifest.fetch_manifest_entry(table.io))}
    return {path for path in stored(table) if not path.endswith(".metadata.json")} - set(map(normalised, listed))


def fail_proof(*_: Any) -> SnapshotProof:
    return SnapshotProof((Condition("same_deleted_positions", False, "1 position is missing"),), None)


def fail_manifest_proof(*_: Any) -> SnapshotProof:
    return SnapshotProof((Condition("same_live_files", False, "1 live file is missing"),), None)


@dataclass(frozen=True)
class Kind:
    """An operation: what it makes fewer, and the part that proves it."""

    operation: Operation
    noun: str
    count: Callable[[Table], int]
    part: type[TableDeletes | TableManifests]
    failing: Callable[..., Any]

    @property
    def request(self) -> RunRequest:
        return RunRequest(self.operation)


KINDS = {
    "deletes": Kind(Operation.REWRITE_DELETES, "delete_files", count_delete_files, TableDeletes, fail_proof),
    "manifests": Kind(
        Operation.REWRITE_MANIFESTS,
        "manifests",
        count_manifests,
        TableManifests,
        fail_manifest_proof,
    ),
}


class Case:
    """A world whose table has work for an operation, and what the table was like before."""

    def __init__(self, world: World, kind: Kind) -> None:
        self.world, self.lake, self.kind = world, world.lake, kind
        self.ids, self.paths = self.lake.ids(), sorted(self.lake.paths())
        self.location, self.before = self.lake.table.metadata_location, self.count()

    def count(self) -> int:
        return self.kind.count(self.lake.table)

    async def submit(self) -> Run:
        return await self.world.submit(self.kind.request)

    async def rewritten(self) -> Run:
        return await self.world.finish((await self.submit()).id)

    def is_done_once(self, run: Run) -> None:
        """Hold that one snapshot replaced the files, no row or data file changed, and no file is left over."""
        assert (run.state, run.reason) == (RunState.SUCCEEDED, "committed"), run.detail
        assert (self.lake.ids(), sorted(self.lake.paths())) == (self.ids, self.paths)
        assert self.lake.snapshots_of(run.id) == set(map(int, run.result.snapshot_ids))
        assert len(run.result.snapshot_ids) == 1
        assert run.result.document[f"rewritten_{self.kind.noun}"] == self.before > self.count()
        assert run.unsettled == frozenset()
        assert unlisted(self.lake.table) == set()

    def is_unchanged(self) -> None:
        """Hold that nothing was committed and no file is left over."""
        assert self.lake.table.metadata_location == self.location
        assert unlisted(self.lake.table) == set()


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
async def case(world: World, kind: str) -> Case:
    """Twelve delete files of four data files, or six manifests."""
    if kind == "deletes":
        await world.set_policy({"maintenance": DELETES_ON})
        delete_rows(world.lake.table)
    return Case(world, KINDS[kind])


@pytest.mark.parametrize("kind", ["deletes"])
async def test_u17_delete_files_become_fewer_and_rows_stay(case: Case) -> None:
    run = await case.rewritten()
    case.is_done_once(run)
    result, after = run.result.document, case.count()
    assert result["delete_files"] == {"before": case.before, "after": after}
    assert result["added_delete_files"] == after
    assert result["deleted_positions"] == {"read": case.before, "kept": case.before}
    assert [each["ok"] for each in run.result.verifications] == [True]
    assert run.plan["rewritten_delete_files"] == case.before
    again = await case.rewritten()
    assert (again.state, again.reason) == (RunState.SKIPPED, "nothing_to_do")
    assert "can be merged or dropped" in (again.detail or "")


def damage(case: Case, *, files: int) -> list[str]:
    """Overwrite delete files of the head, so that nothing can read them; return their paths."""
    table, paths = case.lake.table, list[str]()
    head = table.current_snapshot()
    assert head is not None
    for manifest in head.manifests(table.io):
        paths += [each.data_file.file_path for each in manifest.fetch_manifest_entry(table.io)]
    chosen = sorted(path for path in paths if path.endswith("-deletes.parquet"))[:files]
    for path in chosen:
        Path(path.removeprefix("file://")).write_bytes(b"PAR1 nothing PAR1")
    return chosen


@pytest.mark.parametrize("kind", ["deletes"])
async def test_f51_a_run_that_left_out_every_file_for_an_error_has_not_succeeded(case: Case) -> None:
    damaged = damage(case, files=99)
    run = await case.rewritten()
    assert (run.state, run.reason) == (RunState.FAILED, "left_out"), run.detail
    left = run.result.document["left_out"]
    assert (left["count"], left["errors"], left["reasons"]) == (12, 12, {"unreadable": 12})
    assert {each["name"] for each in left["items"]} == set(damaged)
    assert all("Parquet" in each["detail"] for each in left["items"]), left
    assert "no delete files could be merged; left out: 12 unreadable; the first is file:" in (run.detail or "")
    case.is_unchanged()


@pytest.mark.parametrize("kind", ["deletes"])
async def test_f51_a_run_names_the_files_that_it_left_out(case: Case) -> None:
    (damaged,) = damage(case, files=1)
    run = await case.rewritten()
    assert (run.state, run.reason) == (RunState.SUCCEEDED, "committed"), run.detail
    assert run.result.document["rewritten_delete_files"] == 11
    assert [each["name"] for each in run.result.document["left_out"]["items"]] == [damaged]
    assert f"left out: 1 unreadable; the first is {damaged}" in (run.detail or "")


@pytest.mark.parametrize("kind", ["deletes"])
async def test_f47_a_run_names_the_files_that_it_left_out_also_if_the_answer_was_lost(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F47: the snapshot was committed, but its result did not name the file."""
    (damaged,) = damage(case, files=1)
    send = CommitTries._send

    def lost(self: CommitTries, *given: Any) -> bool:
        send(self, *given)
        raise OutcomeUnknown("the answer was lost")

    monkeypatch.setattr(CommitTries, "_send", lost)
    run = await case.rewritten()
    assert (run.state, run.reason) == (RunState.SUCCEEDED, "committed"), run.detail
    assert [each["name"] for each in run.result.document["left_out"]["items"]] == [damaged]


@pytest.mark.parametrize("kind", ["deletes"])
async def test_f51_a_fault_of_ours_is_no_success(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on every object store before, where Arrow asked a stream for something that it did not have."""
    monkeypatch.setattr(delete_files, "each_read", lambda *_: object().closed)  # type: ignore[attr-defined]
    run = await case.rewritten()
    assert (run.state, run.reason) == (RunState.FAILED, "gave_up")
    case.is_unchanged()


@MANIFESTS_ALONE
async def test_manifests_become_one_and_rows_stay(case: Case) -> None:
    """L21: metadata only, with the counts before and after; a table that was just rewritten is skipped."""
    run = await case.rewritten()
    case.is_done_once(run)
    result = run.result.document
    assert (case.count(), result["added_manifests"]) == (1, 1)
    assert result["manifests"] == {"before": case.before, "after": 1}
    assert result["manifest_entries"] == len(case.paths)
    assert result["manifest_read_seconds"].keys() == {"before", "after"}
    assert [each["ok"] for each in run.result.verifications] == [True]
    assert run.plan["rewritten_manifests"] == case.before
    before = case.lake.table.metadata_location
    again = await case.rewritten()
    assert (again.state, again.reason) == (RunState.SKIPPED, "nothing_to_do")
    assert "none of 1 manifest can be merged" in (again.detail or "")
    assert case.lake.table.metadata_location == before


async def test_a_rewrite_of_files_follows_and_the_other_way_round(case: Case) -> None:
    """It applies the merged deletes, and finds the files in the merged manifests."""
    await case.rewritten()
    run = await case.world.rewrite()
    assert run.state is RunState.SUCCEEDED, run.detail
    assert all(each["ok"] for each in run.result.verifications)
    await case.rewritten()
    assert case.lake.ids() == case.ids


async def test_a_run_takes_no_fields_of_a_rewrite_and_needs_its_setting(world: World, kind: str) -> None:
    name = KINDS[kind].operation.value
    await world.set_policy({"maintenance": {name: "off"}})
    with pytest.raises(InvalidInput, match="switched off for this table"):
        await world.submit(KINDS[kind].request)
    with pytest.raises(InvalidInput, match="force_full"):
        await world.submit(RunRequest(KINDS[kind].operation, force_full=True))


@pytest.mark.parametrize(
    ("kind", "step"),
    [("manifests", step) for step in ("claimed", "planned", "before_commit", "after_commit", "before_end")]
    + [("deletes", step) for step in ("before_commit", "after_commit")]
    + [pytest.param("deletes", step, marks=pytest.mark.deep) for step in ("claimed", "planned", "before_end")],
)
async def test_an_attempt_that_dies_at_any_step_is_resumed(case: Case, step: str) -> None:
    """Committed once, whatever the first attempt did, and no file is left."""
    case.is_done_once(await resumed_from(case.world, await case.submit(), step))


async def test_a_stale_holder_sends_nothing_and_leaves_no_file(case: Case) -> None:
    """Its successor deletes what it wrote: a commit of it afterwards would lack its manifests."""
    await die_at(case.world, await case.submit(), "before_commit")
    case.is_unchanged()


@ONE_MECHANISM
@pytest.mark.parametrize("arrives", [True, False])
async def test_f53_a_lost_answer_is_a_failed_attempt_only_if_the_table_is_as_before(
    case: Case, monkeypatch: pytest.MonkeyPatch, arrives: bool
) -> None:
    send, left = CommitTries._send, [1]

    def lost(self: CommitTries, *given: Any) -> bool:
        if not left:
            return send(self, *given)
        left.clear()
        if arrives:
            send(self, *given)
        raise OutcomeUnknown("the answer was lost")

    monkeypatch.setattr(CommitTries, "_send", lost)
    run = await case.rewritten()
    assert run.attempt == (1 if arrives else 2)
    case.is_done_once(run)


async def test_a_commit_that_arrives_late_is_refused(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    send, late = CommitTries._send, list[Callable[[], bool]]()

    def delayed(self: CommitTries, *given: Any) -> bool:
        if late:
            return send(self, *given)
        late.append(lambda: send(self, *given))
        raise OutcomeUnknown("the answer was lost")

    monkeypatch.setattr(CommitTries, "_send", delayed)
    run = await case.rewritten()
    assert late[0]() is False
    case.is_done_once(run)


@ONE_MECHANISM
@pytest.mark.parametrize("step", ["claimed", "planned"])
async def test_a_cancelled_run_changes_nothing(case: Case, step: str) -> None:
    run = await case.submit()
    case.world.at(step, case.world.cancel_soon(run.id))
    run = await case.world.finish(run.id)
    assert (run.state, run.reason) == (RunState.CANCELLED, "cancelled")
    case.is_unchanged()


@MANIFESTS_ALONE
async def test_a_cancel_after_the_commit_leaves_it_committed(case: Case) -> None:
    run = await case.submit()
    case.world.at("after_commit", case.world.cancel_soon(run.id))
    case.is_done_once(await case.world.finish(run.id))


@ONE_MECHANISM
@pytest.mark.parametrize("stop", [Stop.CANCELLED, Stop.SHUTDOWN])
async def test_a_stop_between_plan_and_request_is_obeyed(
    case: Case, monkeypatch: pytest.MonkeyPatch, stop: Stop
) -> None:
    asked = SnapshotAttempt._prove_lease

    def stopped(self: SnapshotAttempt) -> None:
        self._attempt.request_stop(AttemptStop(stop))
        asked(self)

    monkeypatch.setattr(SnapshotAttempt, "_prove_lease", stopped)
    ended = await advanced(case.world, await case.submit())
    wanted = (RunState.CANCELLED, "cancelled") if stop is Stop.CANCELLED else (RunState.QUEUED, "worker_stopped")
    assert (ended.state, ended.reason) == wanted, ended.detail
    assert ended.unsettled == frozenset()
    case.is_unchanged()


async def test_f7_deletes_and_appends_between_plan_and_commit_are_kept(case: Case) -> None:
    def write() -> None:
        case.lake.append(day=DAY)
        table = case.lake.table
        task = min(table.scan().plan_files(), key=lambda each: each.file.file_path)
        commit_deletes(table, delete_file(table, [(task.file.file_path, 20)], partition=task.file.partition))

    case.world.at("before_commit", write)
    run = await case.rewritten()
    assert run.state is RunState.SUCCEEDED, run.detail
    assert len(case.lake.ids()) == len(case.ids) + 50 - 1


async def test_a_snapshot_that_fails_its_proof_is_rolled_back(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    head, rows = case.lake.table.metadata.current_snapshot_id, case.lake.rows()
    monkeypatch.setattr(case.kind.part, "prove", case.kind.failing)
    run = await case.rewritten()
    assert (run.state, run.reason) == (RunState.FAILED, "invariant_broken")
    assert "it was rolled back" in (run.detail or "")
    assert (case.lake.table.metadata.current_snapshot_id, case.lake.rows()) == (head, rows)


@ONE_MECHANISM
async def test_a_table_that_can_not_be_rolled_back_is_frozen(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(case.kind.part, "prove", case.kind.failing)
    monkeypatch.setattr(TableCommits, "undo", lambda *_: RollBack.FOLLOWED)
    run = await case.rewritten()
    assert (run.state, run.reason) == (RunState.FAILED, "invariant_broken")
    assert "the table is frozen" in (run.detail or "")
    assert (await case.world.container.tables.get(SYSTEM, case.world.table_id)).freeze is not None


@MANIFESTS_ALONE
@pytest.mark.parametrize("dies", [False, True])
async def test_a_snapshot_that_another_program_rolled_back_is_no_failed_proof(case: Case, dies: bool) -> None:
    """The table is not frozen and nothing is rolled back; a next attempt does not repeat it."""
    world, run = case.world, await case.submit()
    world.at("after_commit", lambda: ACTIONS["roll_back"](world))
    run = await (resumed_from(world, run, "taken_back") if dies else world.finish(run.id))
    assert (run.state, run.reason) == (RunState.FAILED, "taken_back"), run.detail
    assert "another program rolled the table back" in (run.detail or "")
    assert len(case.lake.snapshots_of(run.id)) == 1
    assert (await world.container.tables.get(SYSTEM, world.table_id)).freeze is None


@pytest.mark.parametrize(
    ("kind", "maintenance"),
    [
        ("deletes", {**DELETES_ON, "rewrite_manifests": "off"}),
        ("manifests", {"rewrite_manifests": {"interval": "off", "above_count": 5}}),
    ],
)
async def test_the_coordinator_merges_many_files_and_then_leaves_them(
    world: World, watching: Watching, kind: str, maintenance: dict[str, Any]
) -> None:
    operation = KINDS[kind].operation
    await set_policy(world, triggers=[], maintenance=maintenance)
    if kind == "deletes":
        delete_rows(world.lake.table)
    while kind == "manifests" and count_manifests(world.lake.table) < 12:
        await asyncio.to_thread(world.lake.append, day=DAY)
    assert (await watching.look()).verdict is Verdict.SUBMITTED
    (run,) = await runs_of(world)
    assert (run.operation, run.request["cause"]["rule"]) == (operation, f"maintenance.{operation.value}")
    assert (await finish_live(world)).state is RunState.SUCCEEDED
    assert (await watching.look(wake=True)).verdict is Verdict.NOT_DUE


async def test_few_delete_files_start_nothing_and_explain_states_the_limit(world: World, watching: Watching) -> None:
    await set_policy(world, triggers=[], maintenance={**DELETES_ON, "rewrite_manifests": "off"})
    delete_rows(world.lake.table, times=1)
    assert (await watching.look()).verdict is Verdict.NOT_DUE
    (upkeep,) = (await explained(world))["upkeep"]
    assert "too few to start automatically (at_least_files: 5)" in upkeep["detail"]


@MANIFESTS_ALONE
async def test_few_manifests_start_nothing_and_explain_says_why(case: Case, watching: Watching) -> None:
    await set_policy(case.world, triggers=[], maintenance={"rewrite_manifests": {"interval": "1h"}})
    await succeeded(case.world, await case.submit())
    for _ in range(3):
        await asyncio.to_thread(case.lake.append, day=DAY)
    assert (await watching.look()).verdict is Verdict.NOT_DUE
    (upkeep,) = (await explained(case.world))["upkeep"]
    assert (upkeep["operation"], upkeep["due"], upkeep["due_at"]) == (Operation.REWRITE_MANIFESTS, False, None)
    assert "4 of 4 manifests can become 1" in upkeep["detail"]
    assert "too few to start automatically (10 fewer are needed)" in upkeep["detail"]


@MANIFESTS_ALONE
async def test_a_dry_run_counts_and_changes_nothing(case: Case) -> None:
    plan = await case.world.container.upkeep.plan(SYSTEM, case.world.table_id, case.kind.operation)
    assert (plan["count"], plan["details"]["added_manifests"]) == (case.before, 1)
    case.is_unchanged()
