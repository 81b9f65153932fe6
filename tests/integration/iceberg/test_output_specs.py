"""Rows of older partition specs move to the partitions of the current one, and every reader still finds them."""

import base64
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.expressions import EqualTo, IsNull
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.table import Table
from pyiceberg.table.update import RemovePartitionSpecsUpdate
from pyiceberg.transforms import (
    BucketTransform,
    DayTransform,
    HourTransform,
    IdentityTransform,
    MonthTransform,
    Transform,
    TruncateTransform,
    YearTransform,
)
from pyiceberg.typedef import Record

from engine.domain.errors import Fatal
from engine.domain.runs.drops import Loss
from engine.domain.runs.plans import FileGroup
from engine.formats.base import CommitOutcome, Engine, WrittenGroup
from engine.formats.iceberg import IcebergTable
from tests.integration.iceberg.test_kernel import EVERYTHING, everything, row
from tests.support.iceberg_tables import (
    BY_CITY,
    Lake,
    append_files,
    commit_deletes,
    delete_file,
    group_of,
    groups_by_partition,
    ids_of,
    live_paths,
    nothing,
    request_of,
)
from tests.support.kernel_groups import written_by_kernel
from tests.support.predicates import conditions

Fields = Sequence[tuple[str, Transform[Any, Any]]]
MOST_VALUES = None if os.environ.get("PACKHOUSE_DEEP") else 5
"""Values of each column that are looked for, beside null."""

SPECS: Mapping[str, Fields] = {
    "days and names": (("at", DayTransform()), ("name", IdentityTransform())),
    "buckets of ids": (("id", BucketTransform(4)),),
    "months": (("seen at", MonthTransform()),),
    "years of days": (("day", YearTransform()),),
    "hours": (("at", HourTransform()),),
    "flags": (("flag", IdentityTransform()),),
    "whole days": (("day", IdentityTransform()),),
    "moments": (("at", IdentityTransform()),),
    "clocks": (("clock", IdentityTransform()),),
    "decimals": (("amount", IdentityTransform()), ("huge", BucketTransform(3))),
    "ranges of decimals": (("amount", TruncateTransform(50)),),
    "keys": (("key", IdentityTransform()),),  # by which PyIceberg can't filter: it compares uuids with bytes
    "buckets of keys": (("key", BucketTransform(3)),),
    "bytes": (("hash", IdentityTransform()), ("blob", TruncateTransform(2))),
    "ranges of numbers": (("small", TruncateTransform(10)),),
    "beginnings of names": (("name", TruncateTransform(1)),),
    "a nested column": (("place.y z", IdentityTransform()),),
}


def evolve(table: Table, fields: Fields) -> None:
    """Add fields to the table's partition spec, as `p0` and so on."""
    with table.update_spec() as change:
        for at, (column, transform) in enumerate(fields):
            change.add_field(column, transform, f"p{at}")


def moving(opened: IcebergTable) -> list[FileGroup]:
    """Return a group for each partition of an older spec, to be moved to the current one."""
    current = opened.current_spec_id
    return [replace(group, output_spec_id=current) for group in groups_by_partition(opened) if group.spec_id != current]


def commit(opened: IcebergTable, *groups: WrittenGroup) -> CommitOutcome:
    return opened.commits.commit(request_of(opened, *groups), before_try=nothing)


def move(opened: IcebergTable) -> Sequence[WrittenGroup]:
    """Move all files of older specs, prove the commit from metadata, and return the groups."""
    written = [written_by_kernel(opened, group) for group in moving(opened)]
    outcome = commit(opened, *written)
    assert outcome.snapshot_id is not None
    found = opened.commits.prove(outcome.snapshot_id, written)
    assert found.ok, [check for check in found.checks if not check.holds]
    return written


def specs_of(table: Table) -> set[int]:
    return {task.file.spec_id for task in table.scan().plan_files()}


def filled(lake: Lake, *, version: str = "2", spec: PartitionSpec | None = None) -> Table:
    table = lake.create(schema=EVERYTHING, spec=spec or PartitionSpec(), properties={"format-version": version})
    for start in (0, 20, 40):
        rows = [row(number) for number in range(start, start + 20)]
        table.append(pa.Table.from_pylist(rows, schema=table.schema().as_arrow()))
    return table


@pytest.mark.parametrize(
    ("name", "version"),
    [
        pytest.param(name, version, marks=pytest.mark.deep if version == "1" and at % 8 else ())
        for at, name in enumerate(SPECS)
        for version in ("1", "2")
    ],
)
def test_rows_move_to_the_partitions_of_every_transform_and_type(lake: Lake, name: str, version: str) -> None:
    fields, table = SPECS[name], filled(lake, version=version)
    before = everything(table)
    evolve(table, fields)
    written = move(lake.open())
    after = lake.load()
    assert everything(after) == before
    assert specs_of(after) == {after.metadata.default_spec_id}
    assert len(live_paths(after)) == sum(len(group.outputs) for group in written) > 0
    values = after.scan().to_arrow()
    for column in (column for column, of in fields if "." not in column and (column, of) not in SPECS["keys"]):
        counts = Counter(values[column].to_pylist())
        for value in [*list(counts)[:MOST_VALUES], *({None} & counts.keys())]:
            found = IsNull(column) if value is None else EqualTo(column, value)
            assert after.scan(row_filter=found).count() == counts[value], (column, value)


def test_files_move_from_several_specs_at_once_and_an_old_field_is_void(lake: Lake) -> None:
    by_name = PartitionSpec(PartitionField(12, 1000, IdentityTransform(), "name"))
    table = filled(lake, version="1", spec=by_name)
    before = everything(table)
    evolve(table, [("at", DayTransform())])
    more = [row(number) for number in range(60, 80)]
    table.append(pa.Table.from_pylist(more, schema=table.schema().as_arrow()))
    with lake.load().update_spec() as change:
        change.remove_field("name")
    groups = move(lake.open())
    after = lake.load()
    assert {group.spec_id for group in groups} == {0, 1}
    assert specs_of(after) == {2}
    assert len(everything(after)) == len(before) + 20


def test_an_unpartitioned_spec_takes_the_rows_of_a_partition_without_decoding_them(lake: Lake) -> None:
    table = lake.create(spec=BY_CITY)
    append_files(table, 3)
    with table.update_spec() as change:
        change.remove_field("city")
    written = move(lake.open())
    after = lake.load()
    assert [output.partition for group in written for output in group.outputs] == [()]
    assert (ids_of(after), specs_of(after)) == (list(range(30)), {after.metadata.default_spec_id})


def test_outputs_of_the_move_stay_where_a_second_rewrite_finds_them(lake: Lake) -> None:
    table = filled(lake)
    evolve(table, SPECS["days and names"])
    opened = lake.open()
    first = move(opened)
    again = lake.open()
    assert moving(again) == []
    assert {group.partition for group in groups_by_partition(again)} == {
        each["partition"] for each in again.digest().to_pylist()
    }
    assert opened.commits.list_outputs(request_of(opened).run_id) == sorted(
        each.path for group in first for each in group.outputs
    )


def by_city(lake: Lake, *, files: int = 3) -> Table:
    """Return a table whose files are unpartitioned while its current spec is by city."""
    table = lake.create()
    append_files(table, files)
    evolve(table, [("city", IdentityTransform())])
    return lake.load()


def equality_deletes(table: Table, *ids: int) -> Any:
    """Return an equality-delete file on `id` in the partition Aachen of the current spec."""
    return delete_file(
        table,
        [("", each) for each in ids],
        spec_id=table.metadata.default_spec_id,
        partition=Record("Aachen"),
        equality_id=1,
    )


def test_an_equality_delete_of_before_in_the_new_partition_never_applies_to_moved_rows(lake: Lake) -> None:
    table = by_city(lake)
    commit_deletes(table, equality_deletes(table, 3, 4))
    move(lake.open())
    numbers = {entry["sequence_number"] for entry in lake.open().digest().to_pylist()}
    assert numbers == {4}  # that of the base: a delete applies to files with smaller numbers


def test_an_equality_delete_that_comes_into_the_new_partition_meanwhile_stops_the_commit(lake: Lake) -> None:
    table = by_city(lake)
    opened = lake.open()
    written = [written_by_kernel(opened, group) for group in moving(opened)]
    commit_deletes(lake.load(), equality_deletes(table, 3))
    outcome = commit(opened, *written)
    assert (outcome.snapshot_id, dict(outcome.dropped)) == (None, {0: Loss.NEW_DELETES})


def test_an_equality_delete_of_another_partition_is_no_conflict(lake: Lake) -> None:
    table = by_city(lake)
    opened = lake.open()
    written = [written_by_kernel(opened, group) for group in moving(opened)]
    other = replace_partition(equality_deletes(table, 3), "Bonn")
    commit_deletes(lake.load(), other)
    outcome = commit(opened, *written)
    assert outcome.committed == (0,)


def replace_partition(file: Any, city: str) -> Any:
    file[3] = Record(city)
    return file


def test_a_spec_that_was_removed_meanwhile_drops_the_groups_that_move_to_it(lake: Lake) -> None:
    table = by_city(lake)
    opened = lake.open()
    groups = moving(opened)
    written = [written_by_kernel(opened, group) for group in groups]
    with table.update_spec() as change:
        change.remove_field("p0")
    table = lake.load()
    table.catalog.commit_table(table, (), (RemovePartitionSpecsUpdate(spec_ids=[1]),))
    assert dict(commit(opened, *written).dropped) == {0: Loss.TABLE_CHANGED}
    now = lake.open()
    assert now.head_snapshot_id is not None
    assert dict(now.commits.lost(now.head_snapshot_id, now.schema_id, groups)) == {0: Loss.TABLE_CHANGED}


def test_position_deletes_are_applied_before_rows_move(lake: Lake) -> None:
    table = by_city(lake)
    path = live_paths(table)[0]
    commit_deletes(table, delete_file(table, [(path, 0), (path, 7)], spec_id=0))
    remaining = ids_of(lake.load())
    assert sum(group.rows_deleted for group in move(lake.open())) == 2
    assert (len(remaining), ids_of(lake.load())) == (28, remaining)


@pytest.mark.parametrize("wrong", [("Bonn",), (None,), (), ("Aachen", 1), None])
def test_a_partition_that_is_not_that_of_the_rows_is_never_committed(lake: Lake, wrong: Any) -> None:
    by_city(lake)
    opened = lake.open()
    (group,) = (written_by_kernel(opened, group) for group in moving(opened))
    lying = replace(group, outputs=tuple(replace(each, partition=wrong) for each in group.outputs))
    before = lake.load().metadata.current_snapshot_id
    with pytest.raises(Fatal, match=r"Aachen|does not fit spec|no partition by its task"):
        commit(opened, lying)
    assert lake.load().metadata.current_snapshot_id == before


def test_a_null_in_a_partition_of_a_value_is_never_committed(lake: Lake) -> None:
    table = lake.create()
    append_files(table, 1, city=None)
    evolve(table, [("city", IdentityTransform())])
    opened = lake.open()
    (group,) = (written_by_kernel(opened, group) for group in moving(opened))
    assert [each.partition for each in group.outputs] == [(None,)]
    lying = replace(group, outputs=(replace(group.outputs[0], partition=("Aachen",)),))
    with pytest.raises(Fatal, match=r"rows of p0 None, its task says 'Aachen'"):
        commit(opened, lying)


def test_verification_finds_an_output_in_another_partition_than_its_task_said(lake: Lake) -> None:
    by_city(lake)
    opened = lake.open()
    (group,) = (written_by_kernel(opened, group) for group in moving(opened))
    outcome = commit(opened, group)
    assert outcome.snapshot_id is not None
    other = replace(group, outputs=tuple(replace(each, partition=("Bonn",)) for each in group.outputs))
    found = opened.commits.prove(outcome.snapshot_id, [other])
    assert {check.name for check in found.checks if not check.holds} == {"specs_and_partitions_kept"}


def test_every_predicate_at_a_boundary_value_finds_the_same_rows_after_the_move(lake: Lake) -> None:
    table = filled(lake)
    evolve(table, SPECS["days and names"])
    field = table.schema().find_field("name")
    asked = [each for each in conditions(field, ["n0", "n1"]) if each.is_for_pyiceberg]
    before = [sorted(table.scan(row_filter=each.expression()).to_arrow()["id"].to_pylist()) for each in asked]
    move(lake.open())
    after = lake.load()
    found = [sorted(after.scan(row_filter=each.expression()).to_arrow()["id"].to_pylist()) for each in asked]
    assert found == before
    assert len({tuple(ids) for ids in found}) > 3


def test_a_delete_by_predicate_after_the_move_takes_exactly_its_rows(lake: Lake) -> None:
    table = filled(lake)
    evolve(table, SPECS["days and names"])
    move(lake.open())
    wanted = [each["id"] for each in everything(lake.load()) if each["name"] != "n1"]
    lake.load().delete(EqualTo("name", "n1"))
    assert [each["id"] for each in everything(lake.load())] == wanted


def test_the_condition_names_fields_by_which_rows_cannot_be_divided(lake: Lake) -> None:
    table = filled(lake)
    possible = {each.name: each for each in lake.open().engines[Engine.ARROW].conditions(moves_to_current_spec=True)}
    assert possible["current_spec_possible"].detail == "every live file is under the current partition spec"
    evolve(table, [("price", IdentityTransform())])
    kernel = lake.open().engines[Engine.ARROW]
    (failed,) = (each for each in kernel.conditions(moves_to_current_spec=True) if not each.holds)
    assert failed.detail == "rows can't be divided by p0 (identity of double): set rewrite.output_spec to keep"
    assert all(each.holds for each in kernel.conditions())


def test_a_group_of_one_file_splits_into_its_partitions(lake: Lake) -> None:
    table = lake.create()
    append_files(table, 1, city="Aachen")
    evolve(table, [("id", BucketTransform(3))])
    opened = lake.open()
    group = replace(group_of(opened), output_spec_id=opened.current_spec_id)
    written = written_by_kernel(opened, group)
    assert len(written.outputs) == 3
    assert base64.b64decode(written.outputs[0].footer)[-4:] == b"PAR1"
