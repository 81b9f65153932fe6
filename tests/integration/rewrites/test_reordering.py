"""L6, L7: a new order reaches old files by a rule or a request, once, and the table then stays as it is."""

import asyncio
import shutil
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pyarrow.parquet as pq
import pytest
from pyiceberg.manifest import DataFile
from pyiceberg.table.sorting import NullOrder
from pyiceberg.transforms import BucketTransform, IdentityTransform
from pyiceberg.typedef import Record
from pyiceberg.types import FloatType

from engine.domain.access.callers import SYSTEM
from engine.domain.errors import InvalidInput
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import GroupState, Run, RunState
from engine.domain.tables.watches import Verdict
from engine.services.operations.tasks import waiting_groups
from engine.services.runs import hold_watch
from tests.support.attempts import append_files, content, explained, groups_of, set_properties
from tests.support.iceberg_tables import commit_deletes, delete_file
from tests.support.moved_clock import MovedClock
from tests.support.passing_time import PassingTime
from tests.support.statements import texts_of
from tests.support.watching import AT_ONCE, DAY, Watching, finish_live, runs_of
from tests.support.windows_ahead import Gate, blackout, change_policy, go_on, instant
from tests.support.world import World

RULE = {"name": "new order", "all": [{"metric": "unordered_share", "above": 0}]}
NOTE = {"name": "note", "direction": "desc", "nulls": "last"}
ORDERS: dict[str, Any] = {
    "sort": {"strategy": "sort", "columns": [NOTE, "id"]},
    "zorder": {"strategy": "zorder", "columns": ["note", "value"]},
    "hilbert": {"strategy": "hilbert", "columns": ["value", "id"]},
}
TOTAL = {"metric": "total_bytes", "above": "1MiB"}
BY_ID: dict[str, Any] = {"strategy": "sort", "columns": ["id"]}


def policy(rewrite: dict[str, Any], *triggers: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"rewrite": rewrite, "triggers": list(triggers or (RULE,)), "schedule": AT_ONCE, **more}


def files_of(world: World) -> list[DataFile]:
    return [task.file for task in world.lake.table.scan().plan_files()]


def column_of(file: DataFile, name: str) -> list[Any]:
    values: list[Any] = pq.read_table(file.file_path.removeprefix("file://"), columns=[name])[name].to_pylist()
    return values


async def health(world: World) -> Any:
    return (await world.container.observations.health(SYSTEM, world.table_id))["order"]


async def told(world: World) -> tuple[Any, str]:
    found = await explained(world)
    return found, " ".join(texts_of(found))


async def requested(world: World, request: RunRequest | None = None) -> Run:
    return await world.finish((await world.submit(request or RunRequest())).id)


async def started(world: World, watching: Watching) -> Run:
    """Let the coordinator start a run by itself, and finish it."""
    assert (await watching.look(wake=True)).verdict is Verdict.SUBMITTED
    run = await finish_live(world)
    assert run.state is RunState.SUCCEEDED, run.detail
    return run


def set_order(world: World) -> int:
    """Give the table a sort order by its id, and return the order's id."""
    with world.lake.table.update_sort_order() as change:
        change.asc("id", IdentityTransform(), NullOrder.NULLS_FIRST)
    return world.lake.table.metadata.default_sort_order_id


def claimed_path(path: str) -> str:
    return path.replace(".parquet", "-claimed.parquet")


def claim_order(world: World, path: str, order_id: int | None) -> None:
    """Replace a file by one of another writer with the same rows, for which the manifest has a sort order's id."""
    (old,) = [file for file in files_of(world) if file.file_path == path]
    shutil.copy(path.removeprefix("file://"), claimed_path(path).removeprefix("file://"))
    new = DataFile.from_args(
        content=old.content,
        file_path=claimed_path(path),
        file_format=old.file_format,
        partition=old.partition,
        record_count=old.record_count,
        file_size_in_bytes=old.file_size_in_bytes,
        value_counts=old.value_counts,
        null_value_counts=old.null_value_counts,
        sort_order_id=order_id,
    )
    new.spec_id = old.spec_id
    with world.lake.table.transaction() as transaction, transaction.update_snapshot().overwrite() as change:
        change.delete_data_file(old)
        change.append_data_file(new)


@pytest.fixture
async def packed(world: World) -> Sequence[str]:
    """One file for each of the three partitions, in no order."""
    await world.rewrite()
    return world.lake.paths()


@pytest.mark.parametrize("strategy", ["sort", "hilbert", pytest.param("zorder", marks=pytest.mark.deep)])
async def test_a_rule_brings_old_files_into_a_new_order_once_and_the_table_is_still_for_a_week(
    world: World, packed: Sequence[str], watching: Watching, clock: MovedClock, strategy: str
) -> None:
    """L6, L7: several rounds, each of which ends, also where the table can't record the order."""
    rows = content(world)
    await change_policy(world, policy(ORDERS[strategy]))
    first = await started(world, watching)
    assert (first.result.rewritten_files, first.plan["reordered_files"], first.plan["unordered_files"]) == (3, 3, 3)
    assert first.request["cause"]["rule"] == "new order"
    ordered = set(world.lake.paths())
    assert not ordered & set(packed)
    assert content(world) == rows
    assert {file.sort_order_id for file in files_of(world)} == {None}
    if strategy == "sort":
        for file in files_of(world):
            notes = column_of(file, "note")
            assert notes == sorted(notes, reverse=True)
    assert (await watching.look(wake=True)).verdict is Verdict.NOT_DUE

    world.lake.append(day=DAY)  # a new file is not in the order
    again = await started(world, watching)
    assert (again.result.rewritten_files, again.plan["unordered_files"]) == (2, 1)
    assert len(set(world.lake.paths()) & ordered) == 2
    assert (await watching.look(wake=True)).verdict is Verdict.NOT_DUE

    await change_policy(world, policy(BY_ID))  # another order
    assert (await started(world, watching)).result.rewritten_files == 3
    assert ((await health(world))["unordered_share"], (await health(world))["unordered_file_count"]) == (0.0, 0)

    final, time = world.lake.paths(), PassingTime(watching, clock)
    assert (await watching.look(wake=True)).verdict is Verdict.NOT_DUE
    assert await time.until(await time.clock.now() + timedelta(days=7)) is None
    assert (await watching.look(wake=True)).verdict is Verdict.NOT_DUE
    assert world.lake.paths() == final
    skipped = await requested(world)
    assert (skipped.state, skipped.reason) == (RunState.SKIPPED, "nothing_to_do")


async def test_a_skipped_run_says_that_every_file_is_in_the_order(world: World, packed: Sequence[str]) -> None:
    await change_policy(world, policy({**ORDERS["sort"], "small_file_bytes": 1}))
    only_due = await requested(world, RunRequest(only_due=True))
    assert only_due.result.rewritten_files == len(packed)
    skipped = await requested(world)
    wanted = "every file is in the requested order (sort by note desc, id)"
    assert skipped.detail == f"no partition is worth a rewrite: the files have the right size; {wanted}"
    assert (skipped.plan["unordered_files"], skipped.plan["reordered_files"]) == (0, 0)
    automatic = await requested(world, RunRequest(only_due=True))
    assert (automatic.detail or "").endswith(f"no rule of the policy makes it due now; {wanted}")
    assert f"nothing to do: 3 partitions: the files have the right size; {wanted}." in (await told(world))[1]


async def test_an_automatic_run_without_the_rule_leaves_them_and_says_so(world: World, packed: Sequence[str]) -> None:
    """An order is asked for, but no rule is on it."""
    few = {"name": "few", "all": [{"metric": "small_file_count", "at_least": 3}]}
    await change_policy(world, policy({**BY_ID, "small_file_bytes": 1}, few))
    run = await requested(world, RunRequest(only_due=True))
    assert (run.state, run.plan["unordered_files"]) == (RunState.SKIPPED, 3)
    assert (run.detail or "").endswith("3 files are not in the requested order (sort by id)")
    assert world.lake.paths() == packed


async def test_explain_names_the_rule_the_share_and_the_files_and_what_to_do_without_a_rule(
    world: World, packed: Sequence[str]
) -> None:
    few = {"name": "few", "all": [{"metric": "small_file_count", "at_least": 50}]}
    await change_policy(world, policy(ORDERS["sort"], few))
    found, said = await told(world)
    assert (found["due"], found["now"]["reordered_files"], found["now"]["unordered_files"]) == (False, 3, 3)
    assert "3 files of them only for the requested order (sort by note desc, id)." in said
    assert (
        "Automatic runs rewrite no file only for its order: add a rule on unordered_share to triggers (table)" in said
    )
    await change_policy(world, policy(ORDERS["sort"]))
    found, said = await told(world)
    assert found["due"]
    assert "Rule 'new order' makes 3 partitions due, most of all" in said
    assert "unordered_share 100 % (wanted: more than 0 %)" in said
    assert "Automatic runs rewrite no file" not in said
    assert len(packed) == 3


async def test_health_has_the_share_of_the_table_and_of_its_partitions(world: World, packed: Sequence[str]) -> None:
    assert await health(world) is None
    await change_policy(world, policy(BY_ID))
    await requested(world)
    world.lake.append(day=DAY, rows=500)
    found = await health(world)
    shares = {each["partition"]: each["unordered_share"] for each in found["partitions"]}
    (late,) = [file for file in files_of(world) if "/run_" not in file.file_path]
    there = [file for file in files_of(world) if file.partition == late.partition]
    assert found["unordered_file_count"] == 1
    assert shares.pop(f'{{"day":"{DAY}"}}') == round(
        late.file_size_in_bytes / sum(file.file_size_in_bytes for file in there), 4
    )
    assert [*shares.values()] == [0.0, 0.0]
    whole = sum(file.file_size_in_bytes for file in files_of(world))
    assert found["unordered_share"] == round(late.file_size_in_bytes / whole, 4)
    assert not set(packed) & set(world.lake.paths())


async def test_deletes_and_renamed_promoted_or_added_columns_leave_files_in_their_order(
    world: World, packed: Sequence[str], watching: Watching
) -> None:
    with world.lake.table.update_schema() as change:
        change.add_column("weight", FloatType())
    await change_policy(world, policy({"strategy": "sort", "columns": ["weight", "value"], "deletes": {"files": 5}}))
    await started(world, watching)
    ordered = world.lake.paths()
    with world.lake.table.update_schema() as change:
        change.rename_column("value", "amount")
        change.add_column("more", FloatType())
    (file,) = [each for each in files_of(world) if each.partition == Record(DAY)]
    commit_deletes(
        world.lake.table, delete_file(world.lake.table, [(file.file_path, 3)], partition=Record(DAY), aimed=True)
    )
    await change_policy(world, policy({"strategy": "sort", "columns": ["weight", "amount"], "deletes": {"files": 5}}))
    assert (await health(world))["unordered_file_count"] == 0
    assert (await watching.look(wake=True)).verdict is Verdict.NOT_DUE
    assert world.lake.paths() == ordered
    assert len(packed) == len(ordered)


async def test_files_of_an_older_spec_are_reordered_in_their_own_and_rest(
    world: World, packed: Sequence[str], watching: Watching
) -> None:
    with world.lake.table.update_spec() as change:
        change.remove_field("day")
        change.add_field("id", BucketTransform(2), "bucket")
    for _ in range(2):
        world.lake.append(day=DAY)
    rows = content(world)
    await change_policy(world, policy(ORDERS["hilbert"]))
    await started(world, watching)
    assert not set(world.lake.paths()) & set(packed)
    assert {file.spec_id for file in files_of(world)} == {0, 1}
    assert content(world) == rows
    assert (await watching.look(wake=True)).verdict is Verdict.NOT_DUE


async def test_an_order_by_a_dropped_column_makes_nothing_due_and_fails_no_run_of_its_own(
    world: World, packed: Sequence[str], watching: Watching
) -> None:
    await change_policy(world, policy(ORDERS["sort"]))
    with world.lake.table.update_schema() as change:
        change.delete_column("note")
    assert (await watching.look(wake=True)).verdict in {Verdict.NOT_DUE, Verdict.HELD}
    assert [run.state for run in await runs_of(world)] == [RunState.SUCCEEDED]
    found = await explained(world)
    (condition,) = found["triggers"]["rules"][0]["conditions"]
    assert (condition["measured"], condition["holds"]) == (None, False)
    assert "can't be put into the order" in condition["detail"]
    assert world.lake.paths() == packed


async def test_the_native_procedure_orders_nothing_so_no_run_starts_for_an_order(
    world: World, packed: Sequence[str], watching: Watching
) -> None:
    set_properties(world, {"write.parquet.bloom-filter-enabled.column.id": "true"})  # only the procedure writes them
    with pytest.raises(InvalidInput):
        await change_policy(world, policy({**BY_ID, "engine": "native"}))
    await change_policy(world, policy(BY_ID))
    seen = await watching.look(wake=True)
    assert (seen.verdict, seen.code) == (Verdict.HELD, "not_eligible")
    assert [run.state for run in await runs_of(world)] == [RunState.SUCCEEDED]
    assert world.lake.paths() == packed


async def test_a_file_that_another_engine_sorted_is_left_alone_and_one_with_an_unknown_order_is_not(
    world: World, packed: Sequence[str]
) -> None:
    order_id = set_order(world)
    for path, claimed in zip(packed, (order_id, order_id + 40, None), strict=True):
        claim_order(world, path, claimed)
    await change_policy(world, policy(BY_ID))
    run = await requested(world)
    assert (run.state, run.plan["unordered_files"]) == (RunState.SUCCEEDED, 2)
    after = {file.file_path: file.sort_order_id for file in files_of(world)}
    assert [claimed_path(path) in after for path in packed] == [True, False, False]
    assert {*after.values()} == {order_id}
    assert (await requested(world)).state is RunState.SKIPPED


async def test_a_run_that_is_interrupted_goes_on_until_a_partition_that_it_began_is_in_order(
    world: World, clock: MovedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its first groups bring the share below that of the rule, which would not make it due again."""
    monkeypatch.setattr(waiting_groups, "LEAST_BUNDLE_BYTES", 1)
    monkeypatch.setattr(hold_watch, "POLICY_SECONDS", 0.0)
    append_files(world.lake, "2026-12-01", 4, rows=90_000)
    most = {"target_file_bytes": "1MiB", "max_ordered_bytes": "1MiB", "small_file_bytes": 1, "large_file_bytes": "off"}
    rule = {"name": "new order", "all": [{"metric": "unordered_share", "at_least": 0.7}, TOTAL]}
    wanted = policy({**BY_ID, **most}, rule, limits={"parallel_groups": 1})
    await change_policy(world, wanted)
    gate, rows = Gate(world, 3), content(world)
    run = await world.submit(RunRequest(only_due=True))
    advancing = asyncio.create_task(world.container.worker.advance(run.id))
    await asyncio.wait_for(gate.reached.wait(), 30)
    end = instant(seconds=3600)
    await change_policy(world, {**wanted, "blackouts": [blackout(instant(seconds=0), end, "interrupt")]})
    await asyncio.wait_for(advancing, 30)
    assert [group.state for group in await groups_of(world, run.id)].count(GroupState.COMMITTED) == 2
    assert (await world.get(run.id)).state is RunState.QUEUED
    await clock.pass_until(end)
    ended = await go_on(world, run)
    assert (ended.state, ended.result.rewritten_files) == (RunState.SUCCEEDED, 4), ended.detail
    found = await health(world)
    assert {each["partition"]: each["unordered_share"] for each in found["partitions"]} == {
        '{"day":"2026-12-01"}': 0.0
    } | {f'{{"day":"2026-11-0{day}"}}': 1.0 for day in (1, 2, 3)}
    assert content(world) == rows
