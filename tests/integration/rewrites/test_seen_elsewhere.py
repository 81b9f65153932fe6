"""What went wrong in other systems, played through on a whole rewrite: each test is named after its row there."""

from collections.abc import Callable, Sequence
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
from pyiceberg.typedef import Record

from engine.domain.runs.run import RunState
from engine.spark.dispatch import Ticket
from tests.support.iceberg_tables import commit_deletes, delete_file
from tests.support.world import World

DAY = "2026-11-02"


def files_of(world: World, day: str) -> list[str]:
    return sorted(path for path in world.lake.paths() if day in path)


async def test_f6_an_equality_delete_that_came_meanwhile_keeps_its_partition_as_it_is(world: World) -> None:
    """Outputs that replaced its files would be too new for it: the deleted rows would come back."""
    before = files_of(world, DAY)
    (one, *_) = world.lake.table.scan(row_filter=f"day = '{DAY}'", selected_fields=("id",)).to_arrow()["id"].to_pylist()

    def delete() -> None:
        table = world.lake.table
        commit_deletes(table, delete_file(table, [("", one)], equality_id=1, partition=Record(DAY)))

    world.at("before_commit", delete)
    run = await world.rewrite()
    assert run.result.document["groups_dropped"] == {"new_deletes": 1}
    live = {entry["file_path"] for entry in world.lake.table.inspect.data_files().to_pylist()}
    assert set(before) <= live
    assert len(live) == len(before) + 2


async def test_f7_a_position_delete_that_came_meanwhile_is_not_lost(world: World) -> None:
    """The row that was deleted while its file was rewritten stays deleted."""
    victim = files_of(world, DAY)[0]
    ids = world.lake.ids()

    def delete() -> None:
        table = world.lake.table
        commit_deletes(table, delete_file(table, [(victim, 0), (victim, 7)], partition=Record(DAY)))

    world.at("before_commit", delete)
    run = await world.rewrite()
    assert run.result.document["groups_dropped"] == {"new_deletes": 1}
    assert len(world.lake.ids()) == len(ids) - 2
    again = await world.finish((await world.submit(allow_duplicate=True)).id)
    assert (again.state, again.result.document["deleted_rows"]) == (RunState.SUCCEEDED, 2)
    assert len(world.lake.ids()) == len(ids) - 2


async def test_f8_rows_that_are_inserted_while_a_partition_is_sorted_stay(world: World) -> None:
    """Elsewhere a sort overwrote its partition, without the files that came meanwhile; here it replaces its inputs."""
    await world.set_policy({"rewrite": {"strategy": "sort", "columns": ["id"]}})
    world.at("before_commit", lambda: world.lake.append(day=DAY))
    run = await world.rewrite()
    assert (run.state, run.result.groups_committed) == (RunState.SUCCEEDED, 3), run.detail
    assert world.lake.ids() == list(range(world.lake.next_id))
    own = [each for each in world.lake.table.snapshots() if each.snapshot_id in world.lake.snapshots_of(run.id)]
    assert {each.summary.operation.value for each in own if each.summary} == {"replace"}


async def test_f10_f11_a_second_engine_finds_no_row_doubled_and_no_deleted_row(world: World) -> None:
    """Elsewhere rows were multiplied, or came back as their deletes were left out of the replacement; DuckDB counts."""
    victim, ids = files_of(world, DAY)[0], world.lake.ids()
    table = world.lake.table
    commit_deletes(table, delete_file(table, [(victim, 0), (victim, 7)], partition=Record(DAY)))
    left = world.lake.ids()
    assert len(left) == len(ids) - 2
    for _ in range(2):  # outputs are rewritten together with new files, and get the deletes of neither again
        run = await world.rewrite()
        assert run.state is RunState.SUCCEEDED, run.detail
        counted = duckdb.execute(
            "SELECT count(*), count(DISTINCT id), sum(id) FROM read_parquet(?)", [world.lake.paths()]
        )
        assert counted.fetchone() == (len(left), len(left), sum(left))
        for _ in range(4):
            world.lake.append(day=DAY)
        left = world.lake.ids()


async def test_f15_a_task_that_is_executed_twice_writes_every_row_once(world: World) -> None:
    """The client sends a call again after a lost connection, and Spark runs it a second time, under the same names."""
    rows, send = world.lake.rows(), world.dispatcher.run

    def twice(ticket: Ticket, function: Callable[[str], str], payloads: Sequence[str]) -> list[str]:
        def again(payload: str) -> str:
            function(payload)
            return function(payload)

        return send(ticket, again, payloads)

    world.dispatcher.run = twice  # type: ignore[method-assign]
    run = await world.rewrite()
    assert (run.state, run.result.groups_committed) == (RunState.SUCCEEDED, 3), run.detail
    assert (world.lake.rows(), len(world.lake.paths())) == (rows, 3)


async def test_f20_f22_a_single_file_over_the_delete_ratio_is_rewritten_and_its_rows_add_up(world: World) -> None:
    """Nothing merges with it, its size is right, and a quarter of it is dead: the ratio alone makes it due."""
    await world.rewrite()
    (one,) = files_of(world, DAY)
    table, ids = world.lake.table, world.lake.ids()
    commit_deletes(table, delete_file(table, [(one, row) for row in range(80)], partition=Record(DAY)))
    await world.set_policy(
        {"rewrite": {"min_input_files": 100, "deletes": {"files": 100, "ratio": 0.1}}, "verification": "content"}
    )
    run = await world.rewrite()
    assert (run.state, run.result.rewritten_files, run.result.document["deleted_rows"]) == (RunState.SUCCEEDED, 1, 80)
    assert files_of(world, DAY) != [one]
    assert len(world.lake.ids()) == len(ids) - 80
    (proof,) = run.result.verifications
    assert {check["name"]: check["holds"] for check in proof["checks"]}["rows_conserved"]


async def test_f23_what_was_rewritten_is_not_rewritten_again(world: World) -> None:
    """The same layout would come of it, run after run, for ever."""
    await world.rewrite()
    paths = world.lake.paths()
    for _ in range(2):
        run = await world.rewrite()
        assert (run.state, run.reason) == (RunState.SKIPPED, "nothing_to_do")
    assert world.lake.paths() == paths


async def test_f26_row_groups_of_small_files_become_one(world: World) -> None:
    """Copied as they are, they would be as many in one file as there were files, and readers would pay for each."""
    await world.rewrite()
    counts = [pq.ParquetFile(path.removeprefix("file://")).num_row_groups for path in world.lake.paths()]
    assert counts == [1, 1, 1]


async def test_f27_branches_and_tags_keep_what_they_had(world: World) -> None:
    """Only main is rewritten; what others refer to stays where it is, whatever is removed afterwards."""
    head = world.lake.table.current_snapshot()
    assert head is not None
    world.lake.table.manage_snapshots().create_tag(head.snapshot_id, "audit").create_branch(
        head.snapshot_id, "staging"
    ).commit()
    rows, paths = world.lake.rows(), world.lake.paths()
    await world.set_policy({"verification": "content"})
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED
    refs = {name: ref.snapshot_id for name, ref in world.lake.table.metadata.refs.items()}
    assert {name: refs[name] for name in ("audit", "staging")} == {
        "audit": head.snapshot_id,
        "staging": head.snapshot_id,
    }
    assert set(refs) == {"main", "audit", "staging"}
    for name in ("audit", "staging"):
        seen = world.lake.table.scan(snapshot_id=refs[name]).to_arrow()
        assert sorted(map(repr, seen.to_pylist())) == rows
    assert all(Path(path.removeprefix("file://")).exists() for path in paths)
