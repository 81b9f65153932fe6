"""Row ids of format version 3: what files inherit, which tables are left alone, and the statistics of the columns."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.manifest import ManifestContent, ManifestFile
from pyiceberg.types import LongType

from engine.domain.errors import Fatal
from engine.domain.runs.plans import FileGroup
from engine.formats.base import Condition, Engine, GroupSettings, WrittenGroup
from engine.formats.iceberg.manifests.decoding import ADDED, DELETED, ENTRIES, EXISTING
from engine.formats.iceberg.manifests.inheritance import first_row_id_of, with_row_ids
from engine.formats.iceberg.metadata.eligibility import conditions_of
from engine.formats.iceberg.metadata.views import TableView
from engine.formats.iceberg.statistics.column_metrics import ColumnMetrics
from engine.formats.iceberg.statistics.entries import data_files
from engine.formats.iceberg.statistics.lineage_columns import lineage_modes, misses_ids
from engine.formats.iceberg.statistics.metrics_modes import COUNTS, DEFAULT, FULL, NONE, table_modes
from engine.rewriting.kernel.contract import WriteSettings
from engine.rewriting.kernel.reading.lineage import ROW_ID, SEQUENCE_NUMBER
from engine.rewriting.kernel.task import GroupRewrite, read_schema
from tests.integration.iceberg.test_manifest_batches import bodies_of, listed, reader_of
from tests.support.iceberg_tables import RUN_ID, Lake, append_files, edit_metadata, group_of
from tests.support.kernel_tasks import received

MOST = 2**63 - 1
NUMBERS = {ROW_ID: "_row_id", SEQUENCE_NUMBER: "_last_updated_sequence_number"}


def entries(*given: tuple[int, int, int | None]) -> pa.Table:
    """Return entries from their status, rows and stored first row id."""
    names = ("status", "record_count", "first_row_id")
    known = {name: [each[at] for each in given] for at, name in enumerate(names)}
    columns = [pa.array(known[f.name], f.type) if f.name in known else pa.nulls(len(given), f.type) for f in ENTRIES]
    return pa.Table.from_arrays(columns, schema=ENTRIES)


@pytest.mark.parametrize(
    ("first", "given", "expected"),
    [
        pytest.param(100, [(ADDED, 5, None), (ADDED, 7, None), (ADDED, 1, None)], [100, 105, 112], id="in order"),
        pytest.param(0, [(ADDED, 0, None), (EXISTING, 2, None)], [0, 0], id="empty files take no id"),
        pytest.param(
            100, [(EXISTING, 5, 30), (ADDED, 7, None), (EXISTING, 9, 3), (ADDED, 2, None)], [30, 100, 3, 107],
            id="explicit ids stay and count nothing",
        ),
        pytest.param(
            100, [(DELETED, 5, None), (ADDED, 7, None), (DELETED, 4, 8), (ADDED, 1, None)], [None, 100, 8, 107],
            id="deleted ones take none",
        ),
        pytest.param(None, [(EXISTING, 5, None), (EXISTING, 5, 7)], [None, None], id="a manifest without ids"),
        pytest.param(100, [], [], id="no entries"),
        pytest.param(MOST - 5, [(ADDED, 5, None)], [MOST - 5], id="up to the last id"),
    ],
)  # fmt: skip
def test_live_files_inherit_ids_in_the_order_of_entries(
    first: int | None, given: list[tuple[int, int, int | None]], expected: list[int | None]
) -> None:
    found = with_row_ids(entries(*given), first)
    assert found["first_row_id"].to_pylist() == expected
    assert found.schema == ENTRIES


def test_ids_beyond_64_bits_are_no_ids() -> None:
    with pytest.raises(pa.ArrowInvalid, match="overflow"):
        with_row_ids(entries((ADDED, 5, None), (ADDED, MOST - 3, None)), 4)


def test_manifests_that_are_read_together_inherit_each_from_its_own(tmp_path: Path) -> None:
    bodies, codec = bodies_of(tmp_path, ["date"], [6, 3, 4])
    firsts = (1000, None, 0)
    manifests = [with_first_id(each, first) for each, first in zip(listed(tmp_path, bodies), firsts, strict=True)]
    assert [first_row_id_of(each) for each in manifests] == list(firsts)
    found = [table.to_pylist() for table in reader_of(tmp_path, codec).each(manifests)]
    alone = [reader_of(tmp_path, codec).entries(each).to_pylist() for each in manifests]
    assert found == alone
    for first, table in zip(firsts, found, strict=True):
        following = first
        for entry in table:
            takes = following is not None and entry["status"] != DELETED
            assert entry["first_row_id"] == (following if takes else None)
            following = following + entry["record_count"] if takes else following


def with_first_id(manifest: ManifestFile, first: int | None) -> ManifestFile:
    """Return a manifest as a list of version 3 has it; PyIceberg has no name for the field."""
    record = ManifestFile(*(manifest[at] for at in range(15)), first)
    assert (record.manifest_path, record.content) == (manifest.manifest_path, ManifestContent.DATA)
    return record


def third_version(lake: Lake, **changes: Any) -> TableView:
    append_files(lake.create(properties=changes.pop("properties", {})), 3)
    edit_metadata(lake.load(), lambda body: body.update({"format-version": 3, "next-row-id": 100, **changes}))
    return lake.open()._view


def distinct(view: TableView, ids: list[int | None], rows: list[int] | None = None) -> Condition:
    files = view.live_files()
    data = files.data
    for name, values in (("first_row_id", ids), ("record_count", rows or [10] * len(ids))):
        at = data.schema.get_field_index(name)
        data = data.set_column(at, data.schema.field(at), pa.array(values, pa.int64()))
    (found,) = (c for c in conditions_of(view, replace(files, data=data)) if c.name == "row_ids_distinct")
    return found


@pytest.mark.parametrize(
    ("ids", "rows", "following", "fault"),
    [
        ([0, 10, 20], None, 100, None),
        ([20, 90, 0], None, 100, None),
        ([None, None, None], None, 0, None),
        ([0, None, 10], None, 20, None),
        ([0, 0, 10], [10, 0, 5], 100, None),
        ([MOST - 10, 0, 10], None, MOST, None),
        ([0, 9, 20], None, 100, "1 overlap others, 0 reach beyond 100"),
        ([5, 0, 50], [1, 60, 1], 100, "2 overlap others"),
        ([0, 10, 91], None, 100, "0 overlap others, 1 reach beyond 100"),
        ([-1, 10, 30], None, 100, "1 reach beyond 100"),
        ([MOST, 10, 30], None, MOST, f"1 reach beyond {MOST}"),
    ],
)
def test_tables_whose_files_share_ids_are_left_alone(
    lake: Lake, ids: list[int | None], rows: list[int] | None, following: int, fault: str | None
) -> None:
    found = distinct(third_version(lake, **{"next-row-id": following}), ids, rows)
    assert found.holds is (fault is None)
    assert (fault or "row") in found.detail


def planned(lake: Lake, ids: list[int | None]) -> FileGroup:
    group = group_of(lake.open())
    return replace(group, inputs=tuple(replace(f, first_row_id=i) for f, i in zip(group.inputs, ids, strict=True)))


def written(lake: Lake, group: FileGroup) -> tuple[WrittenGroup, Any]:
    """Run the group's task; return what it wrote, and the task."""
    opened = lake.open()
    kernel = opened.engines[Engine.ARROW]
    settings = GroupSettings(WriteSettings(target_file_bytes=2**27))
    sent = received(kernel.task(group, run_id=RUN_ID, attempt=1, settings=settings), kernel.task_storage())
    result = GroupRewrite(sent=sent).run()
    assert result.outcome == "written", result.reason
    return WrittenGroup(0, group.spec_id, group.partition, group.inputs, result.outputs, 0), sent.task  # type: ignore[arg-type]


def files_of(lake: Lake, group: WrittenGroup) -> Any:
    view = lake.open()._view
    (_, all_entries), *_ = inputs = list(view.full_entries(view.manifests(view.head), discard_deleted=True))
    data = [entry.data_file for _, some in inputs for entry in some]
    assert all_entries
    modes = table_modes(view.metadata)
    return data_files(group, data, modes=modes, metadata=view.metadata, codec=view.codecs[0])


def test_outputs_have_both_columns_with_bounds_where_inputs_have_ids(lake: Lake) -> None:
    third_version(lake)
    group, task = written(lake, planned(lake, [40, 0, 70]))
    assert read_schema(task.read.schema).names[-2:] == list(NUMBERS.values())
    assert [(each.first_row_id, each.sequence_number) for each in task.read.files] == [(40, 3), (0, 2), (70, 1)]
    assert task.checks_rows
    (file,) = files_of(lake, group)
    bounds = [{number: each[number] for number in NUMBERS} for each in (file.lower_bounds, file.upper_bounds)]
    encoded = [{ROW_ID: low, SEQUENCE_NUMBER: number} for low, number in ((0, 1), (79, 3))]
    assert bounds == [{n: v.to_bytes(8, "little") for n, v in each.items()} for each in encoded]
    assert {number: file.null_value_counts[number] for number in NUMBERS} == dict.fromkeys(NUMBERS, 0)


def test_outputs_of_inputs_without_ids_are_those_of_version_two(lake: Lake) -> None:
    third_version(lake)
    group, task = written(lake, planned(lake, [None, None, None]))
    assert not set(read_schema(task.read.schema).names) & set(NUMBERS.values())
    assert task.checks_rows
    assert all(each.sequence_number is None for each in task.read.files)
    (file,) = files_of(lake, group)
    assert not file.value_counts.keys() & NUMBERS.keys()


def test_outputs_that_lost_their_ids_are_never_committed(lake: Lake) -> None:
    third_version(lake)
    group, _ = written(lake, planned(lake, [None, None, None]))
    with pytest.raises(Fatal, match="an output has the columns"):
        files_of(lake, replace(group, inputs=planned(lake, [0, 10, 20]).inputs))


def test_a_column_of_the_table_may_have_the_name(lake: Lake) -> None:
    table = lake.create()
    with table.update_schema() as update:
        update.add_column("_row_id", LongType())
    append_files(lake.load(), 2)
    edit_metadata(lake.load(), lambda body: body.update({"format-version": 3, "next-row-id": 100}))
    group, task = written(lake, planned(lake, [0, 10]))
    assert read_schema(task.read.schema).names[-3:] == ["_row_id", f"_row_id_{ROW_ID}", NUMBERS[SEQUENCE_NUMBER]]
    assert files_of(lake, group)[0].null_value_counts[ROW_ID] == 0


@pytest.mark.parametrize(
    ("properties", "modes"),
    [
        ({}, (DEFAULT, DEFAULT)),
        ({"write.metadata.metrics.default": "counts"}, (COUNTS, COUNTS)),
        ({"write.metadata.metrics.max-inferred-column-defaults": "3"}, (NONE, NONE)),
        ({"write.metadata.metrics.max-inferred-column-defaults": "4"}, (DEFAULT, DEFAULT)),
        ({"write.metadata.metrics.default": "none", "write.metadata.metrics.column._row_id": "full"}, (FULL, NONE)),
    ],
)
def test_metrics_modes_of_the_columns_are_those_of_icebergs_writers(
    lake: Lake, properties: dict[str, str], modes: tuple[Any, Any]
) -> None:
    view = third_version(lake, properties=properties)
    assert lineage_modes(view.metadata) == dict(zip(NUMBERS, modes, strict=True))
    assert len(view.metadata.schema().fields) == 4


@pytest.mark.parametrize(
    ("metrics", "fault"),
    [
        ({}, None),
        ({"null_value_counts": {ROW_ID: 0, SEQUENCE_NUMBER: 0}, "upper_bounds": {ROW_ID: 9}}, None),
        ({"null_value_counts": {ROW_ID: 2}}, "2 rows without _row_id"),
        ({"null_value_counts": {SEQUENCE_NUMBER: 1}}, "1 rows without _last_updated_sequence_number"),
        ({"upper_bounds": {ROW_ID: 10}}, "the row id 10, and the table's next one is 10"),
    ],
)
def test_rows_without_an_id_of_theirs_fail_the_verification(metrics: dict[str, Any], fault: str | None) -> None:
    bounds = {n: value.to_bytes(8, "little") for n, value in metrics.pop("upper_bounds", {}).items()}
    assert misses_ids(ColumnMetrics(**metrics, upper_bounds=bounds), following=10) == fault
