"""Files that a table's metadata names outside of its own location: no run copies another table's rows."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from engine.domain.access.callers import SYSTEM
from engine.domain.errors import NotEligible
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import GroupState, RunState
from engine.domain.tables.table import OutsideFiles
from engine.formats.intake.outside_files import PathSummary
from engine.uris.locations import Location
from tests.support.attempts import explained, groups_of
from tests.support.iceberg_tables import edit_metadata
from tests.support.world import SCHEMA, SPEC, World

SHARED_DAY = '{"day":"2026-11-02"}'
FOREIGN_ID = 1_000_000
OTHER = ("lake", "salaries")


def make_another_table(world: World) -> list[str]:
    """Make the table `salaries` beside `events`, with three files of one day, and return their paths."""
    other = world.lake.catalog.create_table(OTHER, SCHEMA, partition_spec=SPEC)
    rows = world.lake.table.scan(limit=7).to_arrow()
    for number in range(3):
        columns = {"id": [FOREIGN_ID + number] * rows.num_rows, "day": ["2026-11-02"] * rows.num_rows}
        for name, values in columns.items():
            at = rows.schema.get_field_index(name)
            rows = rows.set_column(at, rows.schema.field(at), [values])
        other.append(rows)
    return [task.file.file_path for task in world.lake.catalog.load_table(OTHER).scan().plan_files()]


def import_another_table(world: World) -> list[str]:
    """Let a manifest of `events` name the data files of `salaries`; return their paths."""
    paths = make_another_table(world)
    world.lake.table.add_files(paths)
    return paths


def folder_of(world: World) -> Path:
    return Path(world.lake.table.location().removeprefix("file://"))


def copied_rows(world: World) -> int:
    """Count rows of `salaries` in files below the location of `events`."""
    ids = [one for path in folder_of(world).rglob("*.parquet") for one in pq.read_table(path)["id"].to_pylist()]
    return sum(one >= FOREIGN_ID for one in ids)


def set_manifest_list(world: World, path: str) -> None:
    """Let the newest snapshot of `events` name another manifest list."""

    def change(body: dict[str, Any]) -> None:
        head = body["current-snapshot-id"]
        next(each for each in body["snapshots"] if each["snapshot-id"] == head)["manifest-list"] = path

    edit_metadata(world.lake.table, change)


async def test_rows_of_another_table_are_not_copied_and_plan_explain_and_health_name_the_reason(world: World) -> None:
    foreign = import_another_table(world)
    rows = world.lake.rows()
    planned = await world.container.tables.plan(SYSTEM, world.table_id, policy=None, request=RunRequest())
    assert {each["partition"]: each["reason"] for each in planned["skipped"]} == {SHARED_DAY: "outside_files"}
    health = await world.container.observations.health(SYSTEM, world.table_id)
    assert health["outside_file_count"] == 3
    assert "outside_files: allowed_locations" in str(await explained(world))
    run = await world.rewrite()
    assert (run.state, run.result.groups_committed) == (RunState.SUCCEEDED, 2), run.detail
    assert run.result.document["left_out"]["reasons"] == {"outside_files": 1}
    assert copied_rows(world) == 0
    assert set(foreign) <= set(world.lake.paths())
    assert world.lake.rows() == rows


async def test_the_kernel_refuses_what_a_planner_let_through(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The planner is made blind; the task still has the table's places."""
    import_another_table(world)
    monkeypatch.setattr(PathSummary, "is_inside", lambda *_: True)
    run = await world.rewrite()
    assert (run.state, run.reason) == (RunState.SUCCEEDED, "committed"), run.detail
    assert run.result.document["left_out"]["reasons"] == {"outside_files": 1}
    states = {group.partition: group.state for group in await groups_of(world, run.id)}
    assert states.pop(SHARED_DAY) is GroupState.DROPPED
    assert set(states.values()) == {GroupState.COMMITTED}
    assert copied_rows(world) == 0


@pytest.mark.parametrize("of", ["manifest", "manifest list"])
async def test_a_manifest_of_another_table_is_not_read(world: World, of: str) -> None:
    """The whole table is refused: what it holds can't be known. Its catalog's breaker does not count it."""
    make_another_table(world)
    other = world.lake.catalog.load_table(OTHER)
    head = other.current_snapshot()
    assert head is not None
    listed = head.manifest_list
    if of == "manifest":  # an own list that names manifests of the other table
        listed = f"{world.lake.table.location()}/metadata/snap-foreign.avro"
        shutil.copy(head.manifest_list.removeprefix("file://"), listed.removeprefix("file://"))

    set_manifest_list(world, listed)
    run = await world.rewrite()
    assert (run.state, run.reason) == (RunState.REFUSED, "not_eligible"), run.detail
    assert "outside_files" in (run.detail or "")
    assert "salaries" in (run.detail or "")
    assert copied_rows(world) == 0
    async with world.container.database.read() as unit:
        assert await unit.breakers.get("lake") is None


@pytest.mark.parametrize(
    "properties", [{"write.data.path": "{other}/data"}, {"write.metadata.path": "{other}/metadata"}]
)
async def test_a_table_that_writes_into_another_one_is_not_rewritten(
    world: World, properties: Mapping[str, str]
) -> None:
    make_another_table(world)
    other = world.lake.catalog.load_table(OTHER).location()
    before = set(Path(other.removeprefix("file://")).rglob("*"))
    moved = {name: value.format(other=other) for name, value in properties.items()}
    edit_metadata(world.lake.table, lambda body: body["properties"].update(moved))
    run = await world.rewrite()
    assert (run.state, run.reason) == (RunState.REFUSED, "invalid_input"), run.detail
    assert set(Path(other.removeprefix("file://")).rglob("*")) == before


async def test_a_table_that_says_it_is_where_another_one_is_keeps_to_its_registered_location(world: World) -> None:
    foreign = import_another_table(world)
    other = world.lake.catalog.load_table(OTHER).location()
    edit_metadata(world.lake.table, lambda body: body.update(location=other))
    run = await world.rewrite()
    assert (run.state, run.reason) == (RunState.REFUSED, "invalid_input"), run.detail
    assert "register the table again if it was moved" in (run.detail or "")
    assert all(Path(path.removeprefix("file://")).exists() for path in foreign)


async def test_a_catalog_may_let_its_tables_name_files_below_its_allowed_locations(world: World) -> None:
    foreign = import_another_table(world)
    rows = world.lake.rows()
    warehouse = str(folder_of(world).parents[1])
    await world.allow(OutsideFiles.ALLOWED_LOCATIONS, f"file://{warehouse}")
    run = await world.rewrite()
    assert (run.state, run.result.groups_committed) == (RunState.SUCCEEDED, 3), run.detail
    assert world.lake.rows() == rows
    assert not set(foreign) & set(world.lake.paths())
    await world.allow(OutsideFiles.REFUSE, f"file://{warehouse}")


async def test_objects_below_a_place_that_a_property_names_find_the_table_while_it_does(world: World) -> None:
    warehouse = folder_of(world).parents[1]
    await world.allow(OutsideFiles.ALLOWED_LOCATIONS, f"file://{warehouse}")
    stored = Location.of(f"{warehouse}/elsewhere/day=1/x.parquet")
    assert stored is not None
    for place, found in ((f"file://{warehouse}/elsewhere", {stored: [world.table_id]}), ("", {})):
        edit_metadata(world.lake.table, lambda body, to=place: body["properties"].update({"write.data.path": to}))
        await world.container.observations.health(SYSTEM, world.table_id)
        async with world.container.database.read() as unit:
            assert await unit.locations.find([stored]) == found


async def test_manifests_held_for_one_table_are_not_given_to_another(world: World) -> None:
    """`events` names the manifest list of `salaries` after both were read in this process."""
    make_another_table(world)
    other = await world.register(OTHER[1])
    await world.container.observations.health(SYSTEM, other.id)
    head = world.lake.catalog.load_table(OTHER).current_snapshot()
    assert head is not None

    set_manifest_list(world, head.manifest_list)
    with pytest.raises(NotEligible, match="outside_files"):
        await world.container.observations.health(SYSTEM, world.table_id)
