"""F30: locations in the Metastore that are changed to another table's while a rewrite or a deletion is at work.

Who may change entries of one table in the Metastore must not reach the files of another through Packhouse.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from engine.domain.access.callers import SYSTEM
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, Run, RunState
from engine.domain.tables.table import OutsideFiles
from tests.integration.hive.conftest import Opened
from tests.support.hive.lakes import HiveLake, HiveTable, path_of, uri_of
from tests.support.hive.worlds import DAYS, STEPS, WrittenTable
from tests.support.moved_clock import MovedClock
from tests.support.world import World

pytestmark = pytest.mark.usefixtures("redis")

DELETE = RunRequest(Operation.DELETE_OLD_COMPACTIONS)
Swap = Callable[[WrittenTable, HiveTable], None]


@pytest.fixture
def victim(hive_lake: HiveLake) -> HiveTable:
    """A table that is not registered, with the same partitions."""
    table = hive_lake.create_table("victim", keys=[("day", "string")])
    table.create_partitions({day: [[{"id": number, "value": 0.5}] for number in range(4)] for day in DAYS})
    return table


def all_files(folder: Path) -> dict[Path, bytes]:
    """Return the content of every file below a folder."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def partition(own: WrittenTable, victim: HiveTable) -> None:
    """Give a partition the folder of the victim's partition."""
    own.table.set_location([DAYS[0]], path_of(victim.partition([DAYS[0]]).sd.location))  # type: ignore[union-attr]


def all_of_it(own: WrittenTable, victim: HiveTable) -> None:
    """Give the table the victim's location, as ALTER TABLE … SET LOCATION does, and partitions folders of it."""
    with own.table.metastore.client() as client:
        changed = client.get_table(own.table.database, own.table.name)
        changed.sd.location = uri_of(victim.folder)
        client.alter_table(own.table.database, own.table.name, changed)
    partition(own, victim)
    own.table.set_location([DAYS[1]], victim.folder)


def _deep_but(one: str | None, steps: Sequence[str | None]) -> list[Any]:
    return [step if step == one else pytest.param(step, marks=pytest.mark.deep) for step in steps]


@pytest.mark.parametrize("swap", [partition, all_of_it])
@pytest.mark.parametrize("step", _deep_but("commit_made", STEPS))
async def test_f30_a_location_that_is_swapped_during_a_rewrite_reaches_no_file_of_another_table(
    opened: Opened, victim: HiveTable, step: str, swap: Swap
) -> None:
    async with opened(DAYS) as world:
        await _widen(world, victim)
        before = all_files(victim.folder)
        world.at(step, lambda: swap(world.lake, victim))
        run = await world.rewrite()
        assert run.is_terminal, run.state
        assert world.actions[step] == []
        assert all_files(victim.folder) == before
        await _delete(world)
        assert all_files(victim.folder) == before


@pytest.mark.parametrize("swap", [partition, all_of_it])
@pytest.mark.parametrize("step", _deep_but(None, (None, "planned", "files_recorded", "deleting_files")))
async def test_f30_a_location_that_is_swapped_before_the_clean_up_reaches_no_file_of_another_table(
    opened: Opened, victim: HiveTable, step: str | None, swap: Swap
) -> None:
    async with opened(DAYS) as world:
        await _widen(world, victim)
        before = all_files(victim.folder)
        await world.rewrite()
        if step is None:
            swap(world.lake, victim)
        else:
            world.at(step, lambda: swap(world.lake, victim))
        run = await _delete(world)
        assert all_files(victim.folder) == before
        if step is None and swap is all_of_it:
            assert (run.state, run.reason) == (RunState.REFUSED, "not_eligible")
            assert "register it again" in (run.detail or "")


async def test_f30_a_replaced_folder_that_became_a_link_loses_no_file(opened: Opened) -> None:
    """The files that it leads to are those that were rewritten, in the folder of another program now."""
    async with opened(DAYS) as world:
        old = [path_of(each) for each in world.lake.locations()]
        await world.rewrite()
        theirs = old[0].rename(world.lake.table.folder.parent / "theirs")
        old[0].symlink_to(theirs)
        before = all_files(theirs)
        await _delete(world)
        assert all_files(theirs) == before
        assert [path for path in all_files(old[1]) if path.suffix == ".parquet"] == []


async def _widen(world: World[WrittenTable], victim: HiveTable) -> None:
    """Let the tables of the catalog have files anywhere in the lake: its rules for locations stop nothing."""
    catalog = await world.container.catalogs.get(SYSTEM, "lake")
    await world.container.catalogs.replace(
        SYSTEM, "lake", catalog.properties, catalog.version,
        allowed_locations=[uri_of(victim.folder.parent)], outside_files=OutsideFiles.ALLOWED_LOCATIONS,
    )  # fmt: skip


async def _delete(world: World[WrittenTable]) -> Run:
    clock = await MovedClock.of(world.container.database)
    await clock.pass_by(hours=2)
    run = await world.finish((await world.submit(DELETE)).id)
    assert run.is_terminal
    return run
