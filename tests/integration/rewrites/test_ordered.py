"""L6, L7: sort, zorder and hilbert end to end: what a policy names, what the table holds then, and when to stop."""

from typing import Any

import pyarrow.parquet as pq
import pytest
from pyiceberg.manifest import DataFile
from pyiceberg.table.sorting import NullOrder, SortDirection, SortField, SortOrder
from pyiceberg.table.update import AddSortOrderUpdate, AssertTableUUID, SetDefaultSortOrderUpdate
from pyiceberg.transforms import BucketTransform, IdentityTransform, Transform
from pyiceberg.types import ListType, StringType

from engine.domain.access.callers import SYSTEM
from engine.domain.errors import InvalidInput
from engine.domain.policies import PolicyDocument, PolicyScope, PolicyScopeKind
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import RunState
from engine.domain.tables.watches import Verdict
from tests.support.attempts import content, explained
from tests.support.watching import AT_ONCE, Watching, finish_live
from tests.support.world import World

FULL = RunRequest(force_full=True)
BY_NOTE = {"strategy": "sort", "columns": [{"name": "note", "direction": "desc", "nulls": "last"}, "id"]}


def files_of(world: World) -> list[DataFile]:
    return [task.file for task in world.lake.table.scan().plan_files()]


def rows_of(file: DataFile, *names: str) -> list[Any]:
    table = pq.read_table(file.file_path.removeprefix("file://"), columns=list(names))
    return [tuple(row.values()) for row in table.to_pylist()]


async def in_full(world: World) -> Any:
    return await world.finish((await world.submit(FULL)).id)


def set_order(world: World, *fields: tuple[int, Transform[Any, Any], SortDirection, NullOrder]) -> int:
    """Give the table a sort order of its own and return its id."""
    table = world.lake.table
    order_id = max(order.order_id for order in table.metadata.sort_orders) + 1
    sort_fields = [
        SortField(source_id=source, transform=how, direction=towards, null_order=nulls)
        for source, how, towards, nulls in fields
    ]
    order = SortOrder(*sort_fields, order_id=order_id)
    world.lake.catalog.commit_table(
        table,
        (AssertTableUUID(uuid=table.metadata.table_uuid),),
        (AddSortOrderUpdate(sort_order=order), SetDefaultSortOrderUpdate(sort_order_id=order_id)),
    )
    return order_id


async def test_rows_come_out_sorted_as_the_policy_says(world: World) -> None:
    """L6: `sort` orders the rows of each group."""
    before = content(world)
    await world.set_policy({"rewrite": BY_NOTE})
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED, run.detail
    assert content(world) == before
    for file in files_of(world):
        rows = rows_of(file, "note", "id")
        assert rows == sorted(sorted(rows, key=lambda row: row[1]), key=lambda row: row[0], reverse=True)
        assert file.sort_order_id is None
    assert run.plan["order"]["strategy"] == "sort"
    assert [column["name"] for column in run.plan["order"]["columns"]] == ["note", "id"]


@pytest.mark.parametrize(
    ("column", "before"),
    [("id", (6, 1, 1.0, 0.8333)), ("note", (6, 6, 6.0, 0.0))],  # each file has ids of its own, and every note
)
async def test_health_tells_how_far_files_overlap_where_the_policy_orders_rows(
    world: World, column: str, before: tuple[int, int, float, float]
) -> None:
    async def order() -> Any:
        return (await world.container.observations.health(SYSTEM, world.table_id))["order"]

    def overlaps(found: Any) -> list[tuple[Any, ...]]:
        names = ("files", "overlap_depth", "files_for_a_lookup", "pruned_share")
        return [tuple(each[name] for name in names) for each in found["partitions"]]

    assert await order() is None
    await world.set_policy({"rewrite": {"strategy": "sort", "columns": [column]}})
    found = await order()
    assert (found["strategy"], [each["name"] for each in found["columns"]]) == ("sort", [column])
    assert (overlaps(found), found["partitions_total"]) == ([before] * 3, 3)
    await world.rewrite()
    assert overlaps(await order()) == [(1, 1, 1.0, 0.0)] * 3


@pytest.mark.parametrize("strategy", ["zorder", "hilbert"])
async def test_curves_cluster_rows_and_lose_none(world: World, strategy: str) -> None:
    """L7: `zorder` and `hilbert` write the same rows in another order."""
    before = content(world)
    await world.set_policy({"rewrite": {"strategy": strategy, "columns": ["id", "value"]}})
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED, run.detail
    assert content(world) == before
    assert all(f"-{strategy}" in file.file_path for file in files_of(world))
    assert {file.sort_order_id for file in files_of(world)} == {None}


async def test_without_columns_the_tables_own_order_is_used_and_its_id_is_set(world: World) -> None:
    order_id = set_order(
        world,
        (3, IdentityTransform(), SortDirection.DESC, NullOrder.NULLS_LAST),
        (1, IdentityTransform(), SortDirection.ASC, NullOrder.NULLS_FIRST),
    )
    await world.set_policy({"rewrite": {"strategy": "sort"}})
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED, run.detail
    assert {file.sort_order_id for file in files_of(world)} == {order_id}
    for file in files_of(world):
        values = [value for (value,) in rows_of(file, "value")]
        present = [value for value in values if value is not None]
        assert present == sorted(present, reverse=True)
        assert values == present + [None] * (len(values) - len(present))
    (verification,) = run.result.verifications
    (check,) = [check for check in verification["checks"] if check["name"] == "sort_orders_as_written"]
    assert (check["holds"], check["detail"]) == (True, "3 added files claim a sort order, 3 rightly")


async def test_an_order_that_is_nearly_the_tables_own_is_not_claimed(world: World) -> None:
    set_order(world, (4, IdentityTransform(), SortDirection.DESC, NullOrder.NULLS_LAST))
    await world.set_policy({"rewrite": BY_NOTE})
    await world.rewrite()
    assert {file.sort_order_id for file in files_of(world)} == {None}


IMPOSSIBLE: dict[str, dict[str, Any]] = {
    "the table has no sort order of its own": {"strategy": "sort"},
    "the table has no column 'valeu'; did you mean 'value'?": {"strategy": "hilbert", "columns": ["id", "valeu"]},
    "'tags' is a list<string>, which has no order": {"strategy": "sort", "columns": ["tags"]},
    "'tags.element' is a field of another column": {"strategy": "sort", "columns": ["tags.element"]},
}


async def test_an_impossible_order_is_refused_or_fails_the_run_before_it_begins_and_names_the_column(
    world: World,
) -> None:
    with world.lake.table.update_schema() as change:
        change.add_column("tags", ListType(10, StringType(), element_required=False))
    for column in ("tags", "tags.element", "idd"):
        with pytest.raises(InvalidInput) as caught:
            await world.set_policy({"rewrite": {"strategy": "sort", "columns": ["id", column]}})
        found = [(problem.pointer, problem.value) for problem in caught.value.problems]
        assert found == [("/rewrite/columns/1", column)]
    before, scope = world.lake.paths(), PolicyScope(PolicyScopeKind.TABLE, table_id=world.table_id)
    for version, (said, rewrite) in enumerate(IMPOSSIBLE.items()):
        document = PolicyDocument.model_validate({"rewrite": rewrite})
        async with world.container.database.begin() as unit:  # as if stored while the table could not be asked
            if version:
                await unit.policies.replace(world.table_id, document, SYSTEM.subject, version)
            else:
                await unit.policies.insert(world.table_id, scope, document, SYSTEM.subject)
        run = await world.rewrite()
        assert (run.state, run.reason) == (RunState.REFUSED, "not_eligible")
        assert said in (run.detail or "")
        assert world.lake.paths() == before


async def test_the_result_shows_how_far_files_overlapped_before_and_after(world: World) -> None:
    await world.set_policy({"rewrite": {"strategy": "sort", "columns": ["value"]}})
    run = await world.rewrite()
    order = run.result.document["order"]
    assert (order["strategy"], order["partitions_total"]) == ("sort", 3)
    assert [one["before"]["files"] for one in order["partitions"]] == [6, 6, 6]
    assert all(one["before"]["overlap_depth"] >= 1 for one in order["partitions"])
    assert [one["after"]["overlap_depth"] for one in order["partitions"]] == [1, 1, 1]
    assert [one["after"]["pruned_share"] for one in order["partitions"]] == [0.0, 0.0, 0.0]


async def test_a_second_full_rewrite_finds_everything_in_order_until_new_files_come(world: World) -> None:
    """The fixed point: neither runs by themselves nor full ones rewrite what is in the order asked for."""
    await world.set_policy({"rewrite": BY_NOTE})
    assert (await in_full(world)).state is RunState.SUCCEEDED
    ordered = world.lake.paths()
    for run in (await in_full(world), await world.rewrite()):
        assert (run.state, run.reason) == (RunState.SKIPPED, "nothing_to_do")
    assert world.lake.paths() == ordered
    world.lake.append(day="2026-11-01")
    assert (await in_full(world)).result.rewritten_files == 2
    assert len(set(ordered) & set(world.lake.paths())) == 2


@pytest.mark.parametrize("request_", [FULL, RunRequest()], ids=["in full", "requested"])
async def test_requested_runs_put_well_sized_single_files_into_order_and_automatic_ones_do_not(
    world: World, watching: Watching, request_: RunRequest
) -> None:
    """An order alone makes no automatic run rewrite a file."""
    await world.rewrite()  # one file a partition, packed
    packed = world.lake.paths()
    await world.set_policy({"rewrite": {"strategy": "hilbert", "columns": ["id", "value"]}, "schedule": AT_ONCE})
    assert (await watching.look(wake=True)).verdict is Verdict.NOT_DUE
    run = await world.finish((await world.submit(request_)).id)
    assert run.state is RunState.SUCCEEDED, run.detail
    assert not set(world.lake.paths()) & set(packed)


async def test_a_renamed_column_stays_the_same_order(world: World) -> None:
    """The order goes by field id: the file that has it is told by it."""
    await world.set_policy({"rewrite": {"strategy": "sort", "columns": ["value"]}})
    await in_full(world)
    with world.lake.table.update_schema() as change:
        change.rename_column("value", "amount")
    own = (await world.container.policies.get(SYSTEM, world.table_id)).policy.version
    document = PolicyDocument.model_validate({"rewrite": {"strategy": "sort", "columns": ["amount"]}})
    await world.container.policies.replace(SYSTEM, world.table_id, document, if_match=own)
    assert (await in_full(world)).state is RunState.SKIPPED


async def test_a_sort_order_by_transformed_values_is_refused(world: World) -> None:
    set_order(world, (1, BucketTransform(4), SortDirection.ASC, NullOrder.NULLS_FIRST))
    await world.set_policy({"rewrite": {"strategy": "sort"}})
    run = await world.rewrite()
    assert (run.state, run.reason) == (RunState.REFUSED, "not_eligible")
    assert "uses bucket[4]: name columns" in (run.detail or "")


OVERLAPS = {
    "rewrite": {"strategy": "sort", "columns": ["note"], "small_file_bytes": 1},
    "triggers": [{"name": "overlaps", "all": [{"metric": "overlap_depth", "above": 3}]}],
    "schedule": AT_ONCE,
}


async def test_overlap_begins_a_run_of_whole_partitions_by_itself_and_rests_when_it_is_mended(
    world: World, watching: Watching
) -> None:
    """L7: no file is small: what is rewritten is only what overlaps, once."""
    before = content(world)
    await world.set_policy(OVERLAPS)
    assert (await watching.look()).verdict is Verdict.SUBMITTED
    run = await finish_live(world)
    assert (run.state, run.request["force_full"]) == (RunState.SUCCEEDED, True)
    assert run.request["cause"]["rule"] == "overlaps"
    shown = run.result.document["order"]["partitions"]
    assert [(one["before"]["overlap_depth"], one["after"]["overlap_depth"]) for one in shown] == [(6, 1)] * 3
    assert content(world) == before
    assert (await watching.look(wake=True)).verdict is Verdict.NOT_DUE


async def test_explain_measures_overlap_in_the_partition_that_is_nearest(world: World) -> None:
    await world.set_policy(
        {**OVERLAPS, "triggers": [{"name": "deep", "all": [{"metric": "overlap_depth", "above": 9}]}]}
    )
    answer = await explained(world)
    (rule,) = [rule for rule in answer["triggers"]["rules"] if rule["name"] == "deep"]
    assert (rule["conditions"][0]["measured"], rule["conditions"][0]["holds"]) == (6, False)
