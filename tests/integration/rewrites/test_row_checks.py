"""`verification: sample | content`: rows are compared before the commit, and other rows never get there."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.domain.runs.run import RunState
from engine.rewriting.kernel import task as tasks
from engine.rewriting.kernel.contract import TaskInput
from engine.rewriting.kernel.reading.row_check import CheckedRows, check_rows
from engine.services.runs.row_checks import has_rows_checked
from tests.support.attempts import content
from tests.support.world import World


async def test_content_compares_the_rows_of_every_group(world: World) -> None:
    await world.set_policy({"verification": "content"})
    rows = content(world)
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED, run.detail
    checked = run.result.document["checked"]
    assert (checked["mode"], checked["groups"], checked["rows"]) == ("content", 3, len(rows))
    assert checked["bytes"] == run.result.rewritten_bytes + run.result.added_bytes
    assert checked["seconds"] > 0
    assert content(world) == rows


async def test_sample_compares_the_rows_of_the_first_group_at_least(world: World) -> None:
    await world.set_policy({"verification": "sample"})
    run = await world.rewrite()
    expected = sum(has_rows_checked("sample", run.id, ordinal) for ordinal in range(3))
    assert (run.state, run.result.document["checked"]["mode"]) == (RunState.SUCCEEDED, "sample")
    assert run.result.document["checked"]["groups"] == expected >= 1


async def test_without_it_nothing_is_read_twice(world: World) -> None:
    run = await world.rewrite()
    assert run.result.document["checked"] == {
        "mode": "metadata",
        "groups": 0,
        "rows": 0,
        "bytes": 0,
        "seconds": 0,
        "limits": {},
    }
    assert run.result.document["measured"]["bytes_read"] == run.result.rewritten_bytes


def test_a_sample_is_one_group_in_sixteen_the_first_and_the_same_each_time() -> None:
    chosen = [n for n in range(16_000) if has_rows_checked("sample", "run_1", n)]
    assert chosen[0] == 0
    assert 800 < len(chosen) < 1200
    assert chosen == [n for n in range(16_000) if has_rows_checked("sample", "run_1", n)]
    assert chosen != [n for n in range(16_000) if has_rows_checked("sample", "run_2", n)]


async def test_a_group_with_other_rows_is_never_committed(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """L25, F4: every row count is right; one value of one row of one partition is not."""
    spoil(monkeypatch, "2026-11-02", lambda table: table.set_column(3, "note", notes_with_one_changed(table)))
    await world.set_policy({"verification": "content"})
    before = [path for path in world.lake.paths() if "2026-11-02" in path]
    rows = content(world)
    run = await world.rewrite()
    assert (run.state, run.reason, run.result.groups_committed) == (RunState.FAILED, "groups_failed", 2)
    assert "other rows than the inputs'" in (run.detail or "")
    assert [path for path in world.lake.paths() if "2026-11-02" in path] == before
    assert content(world) == rows
    stored = {Path(path).name for path in world.lake.stored_files() if "2026-11-02" in path}
    assert stored == {Path(path).name for path in before}


async def test_metadata_alone_does_not_see_it(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other side of the test above: without `content` the same damage gets into the table."""
    real = tasks.GroupRewrite._rewrite
    rows = content(world)

    def damaged(self: tasks.GroupRewrite, begun: float) -> object:
        result = real(self, begun)
        for output in result.outputs:
            change_file(output.path, lambda table: table.set_column(3, "note", notes_with_one_changed(table)))
        return result

    monkeypatch.setattr(tasks.GroupRewrite, "_rewrite", damaged)
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED
    assert content(world) != rows


async def test_damage_that_goes_away_costs_a_second_try_only(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    spoil(monkeypatch, "2026-11-02", lambda table: table.slice(1), times=1)
    await world.set_policy({"verification": "content"})
    run = await world.rewrite()
    assert (run.state, run.result.document["checked"]["groups"]) == (RunState.SUCCEEDED, 3), run.detail


def notes_with_one_changed(table: pa.Table) -> pa.Array:
    return pa.array(["another", *table["note"].to_pylist()[1:]])


def local(path: str) -> str:
    return path.removeprefix("file://")


def change_file(path: str, change: Callable[[pa.Table], pa.Table]) -> None:
    table = pq.read_table(local(path))
    pq.write_table(change(table).cast(table.schema), local(path), store_schema=False)


def spoil(
    monkeypatch: pytest.MonkeyPatch, partition: str, change: Callable[[pa.Table], pa.Table], *, times: int = 1000
) -> None:
    """Rewrite outputs of a partition between the moment they were written and the moment they are checked."""
    left = [times]

    def spoiled(**arguments: object) -> CheckedRows:
        outputs: list[TaskInput] = arguments["outputs"]  # type: ignore[assignment]
        for at, one in enumerate(outputs):
            if partition in one.path and left[0]:
                left[0] -= 1
                change_file(one.path, change)
                outputs[at] = replace(one, file_bytes=Path(local(one.path)).stat().st_size)
        return check_rows(**arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(tasks, "check_rows", spoiled)
