"""Column chunks copied byte for byte beside those encoded again: what is copied, and where row groups end."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.rewriting.kernel.contract import TaskInput, WriteSettings
from engine.rewriting.kernel.errors import InputFault
from engine.rewriting.kernel.splicing import copy_plans
from tests.unit.kernel.building import MIB, field, left_behind, make_task, outputs_of, rewrite, write, write_deletes

SCHEMA = pa.schema(
    [field(1, "id", pa.int64(), required=True), field(2, "name", pa.string()), field(3, "x", pa.float64())]
)
PLAIN: dict[str, Any] = {"use_dictionary": False, "write_page_checksum": True}


@pytest.fixture(autouse=True)
def copies_small_chunks(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(copy_plans, "LEAST_CHUNK_BYTES", 0)
    return


def rows(seed: int, count: int = 1000) -> pa.Table:
    random = np.random.default_rng(seed)
    names = [None if i % 7 == 0 else f"name {i}" for i in random.integers(0, 10**6, count)]
    x = pa.array(random.normal(size=count), mask=random.random(count) < 0.2)
    return pa.Table.from_arrays([pa.array(random.integers(0, 2**62, count)), pa.array(names), x], schema=SCHEMA)


def chunk_bytes(path: str, leaf: int) -> bytes:
    """Return the stored bytes of a column, all row groups one after another."""
    metadata, data = pq.read_metadata(path), Path(path).read_bytes()
    found = b""
    for i in range(metadata.num_row_groups):
        column = metadata.row_group(i).column(leaf)
        start = column.dictionary_page_offset or column.data_page_offset
        found += data[start : start + column.total_compressed_size]
    return found


def copied_leaves(task_inputs: list[TaskInput], output: str) -> list[int]:
    """Return the leaves whose chunks in the output are the inputs' chunks."""
    leaves = range(pq.read_metadata(output).num_columns)
    return [i for i in leaves if chunk_bytes(output, i) == b"".join(chunk_bytes(one.path, i) for one in task_inputs)]


def test_plain_columns_are_copied_byte_for_byte_into_one_row_group(tmp_path: Path) -> None:
    inputs = [write(tmp_path / f"{i}.parquet", rows(i), **PLAIN) for i in range(4)]
    (output,) = rewrite(make_task(tmp_path, inputs, SCHEMA)).outputs
    assert copied_leaves(inputs, output.path) == [0, 1, 2]
    metadata = pq.read_metadata(output.path)
    assert (metadata.num_row_groups, metadata.created_by) == (1, "packhouse version 1.0.0")
    assert pq.read_table(output.path).equals(pa.concat_tables([rows(i) for i in range(4)]))


def test_dictionary_columns_are_encoded_beside_copied_ones(tmp_path: Path) -> None:
    inputs = [write(tmp_path / f"{i}.parquet", rows(0), **PLAIN | {"use_dictionary": ["name"]}) for i in range(4)]
    (output,) = rewrite(make_task(tmp_path, inputs, SCHEMA)).outputs
    assert copied_leaves(inputs, output.path) == [0, 2]
    assert pq.read_metadata(output.path).row_group(0).column(1).has_dictionary_page
    assert pq.read_table(output.path).equals(pa.concat_tables([rows(0)] * 4))


@pytest.mark.parametrize("first", [True, False])
def test_one_dictionary_among_plain_chunks_bars_the_column(tmp_path: Path, first: bool) -> None:
    inputs = [
        write(
            tmp_path / f"{i}.parquet", rows(i), **PLAIN | {"use_dictionary": ["name"] if (i == 0) is first else False}
        )
        for i in range(3)
    ]
    (output,) = rewrite(make_task(tmp_path, inputs, SCHEMA)).outputs
    assert copied_leaves(inputs, output.path) == [0, 2]


def test_footers_say_what_encoding_again_would_have_said(tmp_path: Path) -> None:
    plain = [write(tmp_path / f"{i}.parquet", rows(i), **PLAIN) for i in range(4)]
    unlike = [write(tmp_path / f"{i}.gzip", rows(i), **PLAIN | {"compression": "gzip"}) for i in range(4)]
    (spliced,) = rewrite(make_task(tmp_path / "a", plain, SCHEMA, key_values={"k": "v"})).outputs
    (encoded,) = rewrite(make_task(tmp_path / "b", unlike, SCHEMA, key_values={"k": "v"})).outputs
    ours, theirs = pq.read_metadata(spliced.path), pq.read_metadata(encoded.path)
    counted = {b"packhouse.nan-counts": b'{"3":0}'}  # of what is encoded; copied pages are not decoded for it
    assert (ours.metadata | counted, ours.num_rows) == (theirs.metadata, theirs.num_rows)
    schemas = [each.schema.to_arrow_schema().remove_metadata() for each in (ours, theirs)]
    assert schemas[0].equals(schemas[1], check_metadata=True)
    for leaf in range(3):
        mine, other = ours.row_group(0).column(leaf), theirs.row_group(0).column(leaf)
        told = [(each.null_count, each.min, each.max) for each in (mine.statistics, other.statistics)]
        assert told[0] == told[1]  # of copied floats nobody knows whether they are exact: NaN was not looked for
        assert (mine.physical_type, mine.compression, mine.num_values, mine.path_in_schema) == (
            other.physical_type,
            other.compression,
            other.num_values,
            other.path_in_schema,
        )


def test_another_codec_nullability_or_type_is_encoded_again(tmp_path: Path) -> None:
    loose = pa.schema([SCHEMA.field(0).with_nullable(True), SCHEMA.field(1), SCHEMA.field(2).with_type(pa.float32())])
    inputs = [
        write(tmp_path / "0.parquet", rows(0), **PLAIN),
        write(tmp_path / "1.parquet", rows(1).cast(loose), **PLAIN),
        write(
            tmp_path / "2.parquet", rows(2), **PLAIN | {"compression": {"id": "zstd", "name": "snappy", "x": "zstd"}}
        ),
    ]
    result = rewrite(make_task(tmp_path, inputs, SCHEMA))
    assert copied_leaves(inputs, result.outputs[0].path) == []
    assert outputs_of(result).num_rows == 3000
    assert outputs_of(result).slice(0, 1000).equals(rows(0))


def test_a_required_column_fits_an_optional_one_whether_its_values_are_copied_or_encoded(tmp_path: Path) -> None:
    loose = pa.schema([one.with_nullable(True) for one in SCHEMA])
    strict = pa.schema([one.with_nullable(False) for one in SCHEMA])
    sound = rows(1).drop_null().cast(strict)
    inputs = [
        write(tmp_path / f"{i}.parquet", table, **PLAIN | {"use_dictionary": ["name"] if i == 1 else False})
        for i, table in enumerate([sound, sound, rows(2).cast(loose), sound])
    ]
    result = rewrite(make_task(tmp_path, inputs, loose))
    assert copied_leaves(inputs, result.outputs[0].path) == []
    assert outputs_of(result).equals(pa.concat_tables([one.cast(loose) for one in (sound, sound, rows(2), sound)]))
    statistics = pq.read_metadata(result.outputs[0].path).row_group(0).column(2).statistics
    assert statistics.null_count == outputs_of(result).column("x").null_count
    assert statistics.has_min_max


def test_a_renamed_column_is_copied_and_an_added_one_is_null(tmp_path: Path) -> None:
    target = pa.schema([field(2, "label", pa.string()), field(9, "new", pa.int32()), SCHEMA.field(0)])
    inputs = [write(tmp_path / f"{i}.parquet", rows(i), **PLAIN) for i in range(2)]
    (output,) = rewrite(make_task(tmp_path, inputs, target)).outputs
    table, whole = pq.read_table(output.path), pa.concat_tables([rows(0), rows(1)])
    assert chunk_bytes(output.path, 0) == b"".join(chunk_bytes(one.path, 1) for one in inputs)
    assert table.column("label").equals(whole.column("name"))
    assert table.column("id").equals(whole.column("id"))
    assert table.column("new").null_count == 2000


def test_a_page_whose_checksum_does_not_hold_fails_the_group_by_its_file(tmp_path: Path) -> None:
    inputs = [write(tmp_path / f"{i}.parquet", rows(i), **PLAIN) for i in range(3)]
    spoil(inputs[1], at=pq.read_metadata(inputs[1].path).row_group(0).column(2).data_page_offset + 500)
    with pytest.raises(InputFault, match=r"1\.parquet: row group 0: the checksum"):
        rewrite(make_task(tmp_path, inputs, SCHEMA))
    assert left_behind(tmp_path) == []


def test_a_page_without_checksum_that_arrow_cannot_decode_fails_the_group(tmp_path: Path) -> None:
    inputs = [write(tmp_path / f"{i}.parquet", rows(i), use_dictionary=False) for i in range(3)]
    spoil(inputs[1], at=pq.read_metadata(inputs[1].path).row_group(0).column(1).data_page_offset + 500)
    with pytest.raises(InputFault, match=r"1\.parquet: row group 0"):
        rewrite(make_task(tmp_path, inputs, SCHEMA))
    assert left_behind(tmp_path) == []


def spoil(one: TaskInput, *, at: int) -> None:
    data = bytearray(Path(one.path).read_bytes())
    data[at : at + 8] = bytes(8)
    Path(one.path).write_bytes(data)


def test_row_groups_end_where_an_input_ends_near_the_wanted_row(tmp_path: Path) -> None:
    inputs = [write(tmp_path / f"{i}.parquet", rows(i, 1000 + i % 3), **PLAIN) for i in range(30)]
    total = sum(one.file_bytes for one in inputs)
    task = make_task(tmp_path, inputs, SCHEMA, file_count=3, settings=WriteSettings(target_file_bytes=total // 3))
    outputs = rewrite(task).outputs
    assert [output.record_count for output in outputs] == [10_009, 10_010, 10_011]
    for number, output in enumerate(outputs):
        assert copied_leaves(inputs[10 * number : 10 * number + 10], output.path) == [0, 1, 2]


def test_inputs_that_do_not_fit_the_cut_are_split_within(tmp_path: Path) -> None:
    tables = [rows(i, 10_000) for i in range(5)]
    inputs = [write(tmp_path / f"{i}.parquet", table, **PLAIN) for i, table in enumerate(tables)]
    total = sum(one.file_bytes for one in inputs)
    task = make_task(tmp_path, inputs, SCHEMA, file_count=3, settings=WriteSettings(target_file_bytes=total // 3))
    result = rewrite(task)
    counts = [output.record_count for output in result.outputs]
    assert max(counts) - min(counts) <= 1
    assert outputs_of(result).equals(pa.concat_tables(tables))


def test_a_large_input_is_spliced_row_group_by_row_group(tmp_path: Path) -> None:
    table = rows(1, 600_000)
    one = write(tmp_path / "a.parquet", table, row_group_size=20_000, **PLAIN)
    assert one.file_bytes > 8 * MIB
    result = rewrite(make_task(tmp_path, [one], SCHEMA))
    assert pq.read_metadata(result.outputs[0].path).num_row_groups == 1
    assert copied_leaves([one], result.outputs[0].path) == [0, 1, 2]
    assert outputs_of(result).equals(table)


def test_an_input_whose_statistics_do_not_join_is_encoded_and_gets_bounds(tmp_path: Path) -> None:
    inputs = [write(tmp_path / f"{i}.parquet", rows(i), **PLAIN | {"write_statistics": i != 1}) for i in range(3)]
    (output,) = rewrite(make_task(tmp_path, inputs, SCHEMA)).outputs
    group = pq.read_metadata(output.path).row_group(0)
    assert copied_leaves(inputs, output.path) == []
    assert all(group.column(i).statistics.has_min_max for i in range(3))


def test_deletes_keep_a_group_off_splicing(tmp_path: Path) -> None:
    one = write(tmp_path / "a.parquet", rows(1), **PLAIN)
    deletes = write_deletes(tmp_path / "d.parquet", [(one.path, 5)])
    result = rewrite(make_task(tmp_path, [replace(one, delete_paths=(deletes,))], SCHEMA))
    assert "parquet-cpp" in pq.read_metadata(result.outputs[0].path).created_by
    assert result.rows_written == 999


def test_every_page_copied_has_the_checksum_of_its_bytes(tmp_path: Path) -> None:
    inputs = [write(tmp_path / f"{i}.parquet", rows(i), **PLAIN) for i in range(3)]
    (output,) = rewrite(make_task(tmp_path, inputs, SCHEMA)).outputs
    table = pq.read_table(output.path, page_checksum_verification=True)
    assert table.num_rows == 3000
