"""A run does what can be done, and lists the partitions that can't be rewritten with their reasons."""

from collections.abc import Callable

import pytest

from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import RunState
from engine.domain.tables.table import OutsideFiles
from engine.formats.base import Engine
from tests.integration.hive.conftest import Opened
from tests.support.hive.lakes import path_of, uri_of
from tests.support.hive.worlds import MANY_DAYS, WrittenTable
from tests.support.plan_and_run import check_kept, promise_of

pytestmark = pytest.mark.usefixtures("redis")

Act = Callable[[WrittenTable, str], object]


def _add_text(table: WrittenTable, day: str) -> None:
    (table.files(day)[0].parent / "notes.txt").write_text("no Parquet file")


def _add_folder(table: WrittenTable, day: str) -> None:
    below = table.files(day)[0].parent / "below"
    table.table.write_file(below, [{"id": -1, "value": 0.5}])


def _mark(table: WrittenTable, day: str) -> None:
    marked = table.files(day)[0].parent / ".hoodie_partition_metadata"
    marked.write_text("x")


def _move_outside(table: WrittenTable, day: str) -> None:
    folder = table.files(day)[0].parent
    table.table.set_location([day], folder.rename(table.table.folder.parent / f"elsewhere-{day}"))


def _share(table: WrittenTable, day: str) -> None:
    stored = table.table.partition([day])
    assert stored is not None
    table.table.add_partition(["shared"], path_of(stored.sd.location) / "inside")


ODD: dict[str, tuple[Act, str]] = {
    "2026-11-01": (_add_text, "not_eligible"),
    "2026-11-02": (_add_folder, "nested_files"),
    "2026-11-03": (_mark, "other_format"),
    "2026-11-04": (_share, "shared_location"),
}
"""What is odd about a partition, and the reason for which it is left out."""


async def test_f47_odd_partitions_are_left_out_and_the_others_are_rewritten(opened: Opened) -> None:
    """F47: nine of ten partitions done is a success that names the tenth; it was `failed`, or nothing was done."""
    async with opened(MANY_DAYS) as world:
        for day, (act, _) in ODD.items():
            act(world.lake, day)
        _move_outside(world.lake, "2026-11-05")

        run = await world.rewrite()

        assert (run.state, run.reason) == (RunState.SUCCEEDED, "committed"), run.detail
        moved = {each.values[0] for each in world.lake.table.partitions() if "/_compacted/" in each.sd.location}
        assert moved == {"2026-11-06", "2026-11-07"}
        left_out = run.result.document["left_out"]
        assert {each["name"]: each["reason"] for each in left_out["items"]} == {
            f'{{"day":"{day}"}}': reason for day, (_, reason) in ODD.items()
        }
        assert (left_out["count"], left_out["errors"]) == (4, 0)
        assert "left out: 1 nested files, 1 not eligible" in run.detail
        assert "notes.txt is not a Parquet file" in left_out["items"][0]["detail"]
        assert "1 of 8 partitions are left out: outside of the table's location" in {
            each.detail for each in world.lake.open().engines[Engine.ARROW].conditions()
        }


async def test_f49_a_plan_leaves_out_a_partition_that_no_run_could_move_into_the_table(opened: Opened) -> None:
    """F49: it was offered, and each run of a table of such partitions failed."""
    async with opened(MANY_DAYS[:2]) as world:
        await world.allow(OutsideFiles.ALLOWED_LOCATIONS, uri_of(world.lake.table.folder.parent))
        for day, wanted in zip(MANY_DAYS, ("committed", "not_eligible"), strict=False):
            _move_outside(world.lake, day)
            promise = await promise_of(world, world.table_id, RunRequest())
            run = await world.rewrite()
            assert run.reason == wanted, run.detail
            await check_kept(world, promise, run)
        assert "inside_location (2 of 2 partitions are left out" in str(run.detail)


async def test_f47_a_run_of_which_every_partition_was_left_out_is_no_success(opened: Opened) -> None:
    async with opened(MANY_DAYS[:2]) as world:
        for day in MANY_DAYS[:2]:
            _add_text(world.lake, day)
        run = await world.rewrite()
        assert (run.state, run.reason) == (RunState.REFUSED, "groups_refused")
        assert run.result.document["left_out"]["reasons"] == {"not_eligible": 2}


async def test_f47_a_table_of_which_no_partition_can_be_rewritten_says_why(opened: Opened) -> None:
    async with opened(MANY_DAYS[:2]) as world:
        for day in MANY_DAYS[:2]:
            _add_folder(world.lake, day)
        run = await world.rewrite()
        assert (run.state, run.reason) == (RunState.REFUSED, "not_eligible")
        assert "flat_partitions (2 of 2 partitions are left out" in run.detail
