"""One group in, equal rows out: the shape of outputs, their footers and figures."""

import base64
import gc
import io
from contextlib import nullcontext
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.rewriting.kernel.contract import TaskInput, WriteSettings
from engine.rewriting.kernel.errors import InputFault, OutputFault
from engine.rewriting.kernel.writing import layout
from tests.unit.kernel.building import MIB, field, ids_of, left_behind, make_task, outputs_of, rewrite, write

SCHEMA = pa.schema([field(1, "id", pa.int64(), required=True), field(2, "name", pa.string())])


def rows(start: int, count: int) -> pa.Table:
    ids = pa.array(range(start, start + count), pa.int64())
    names = pa.array([None if i % 7 == 0 else f"name {i % 5}" for i in range(start, start + count)])
    return pa.Table.from_arrays([ids, names], schema=SCHEMA)


def noise(count: int, seed: int) -> pa.Table:
    """Return rows that don't compress: about 8 bytes each."""
    ids = pa.array(np.random.default_rng(seed).integers(0, 2**62, count))
    return pa.Table.from_arrays([ids, pa.nulls(count, pa.string())], schema=SCHEMA)


def test_rows_keep_their_order_across_inputs(tmp_path: Path) -> None:
    inputs = [write(tmp_path / f"{i}.parquet", rows(i * 100, 100), row_group_size=33) for i in range(5)]
    result = rewrite(make_task(tmp_path, inputs, SCHEMA))
    assert outputs_of(result).equals(rows(0, 500))


def test_the_result_counts_what_happened(tmp_path: Path) -> None:
    inputs = [write(tmp_path / f"{i}.parquet", rows(0, 100)) for i in range(3)]
    result = rewrite(make_task(tmp_path, inputs, SCHEMA))
    assert (result.group, result.outcome, result.reason) == (3, "written", None)
    assert (result.rows_read, result.rows_deleted, result.rows_written) == (300, 0, 300)
    assert result.bytes_read == sum(one.file_bytes for one in inputs)
    assert result.bytes_written == sum(output.file_bytes for output in result.outputs)


def test_a_small_input_costs_one_request(tmp_path: Path) -> None:
    inputs = [write(tmp_path / f"{i}.parquet", rows(0, 100)) for i in range(3)]
    assert rewrite(make_task(tmp_path, inputs, SCHEMA)).requests == 3


def test_a_large_input_costs_one_request_for_its_footer_and_one_for_each_row_group(tmp_path: Path) -> None:
    one = write(tmp_path / "a.parquet", noise(2_000_000, 1), row_group_size=1_000_000, use_dictionary=False)
    assert one.file_bytes > 8 * MIB
    result = rewrite(make_task(tmp_path, [one], SCHEMA))
    assert result.requests == 3
    assert outputs_of(result).column("id").equals(noise(2_000_000, 1).column("id"))


def test_the_footer_sent_back_is_the_one_in_the_file(tmp_path: Path) -> None:
    result = rewrite(make_task(tmp_path, [write(tmp_path / "a.parquet", rows(0, 100))], SCHEMA))
    (output,) = result.outputs
    footer = base64.b64decode(output.footer)
    assert Path(output.path).read_bytes().endswith(footer)
    assert pq.read_metadata(io.BytesIO(footer)).equals(pq.read_metadata(output.path))


def test_sizes_are_exact_and_names_are_as_told(tmp_path: Path) -> None:
    result = rewrite(make_task(tmp_path, [write(tmp_path / "a.parquet", rows(0, 100))], SCHEMA))
    assert [Path(o.path) for o in result.outputs] == [tmp_path / "out" / "run-3-1-0.parquet"]
    assert result.outputs[0].file_bytes == Path(result.outputs[0].path).stat().st_size


def test_outputs_carry_field_ids_and_the_given_metadata_and_no_arrow_schema(tmp_path: Path) -> None:
    one = write(tmp_path / "a.parquet", rows(0, 10))
    result = rewrite(make_task(tmp_path, [one], SCHEMA, key_values={"iceberg.schema": "{}"}))
    metadata = pq.read_metadata(result.outputs[0].path)
    assert metadata.metadata == {b"iceberg.schema": b"{}"}
    assert ids_of(pq.read_schema(result.outputs[0].path)) == {"id": "1", "name": "2"}


def test_nullability_and_types_are_the_targets(tmp_path: Path) -> None:
    loose = pa.schema([one.with_nullable(True) for one in SCHEMA])
    result = rewrite(make_task(tmp_path, [write(tmp_path / "a.parquet", rows(0, 10).cast(loose))], SCHEMA))
    schema = pq.read_schema(result.outputs[0].path)
    assert [(one.type, one.nullable) for one in schema] == [(pa.int64(), False), (pa.string(), True)]


@pytest.mark.parametrize("codec", ["zstd", "gzip", "snappy", "lz4", "uncompressed"])
def test_the_codec_is_the_one_asked_for(tmp_path: Path, codec: str) -> None:
    settings = WriteSettings(target_file_bytes=MIB, codec=codec, codec_level=3)
    result = rewrite(make_task(tmp_path, [write(tmp_path / "a.parquet", rows(0, 1000))], SCHEMA, settings=settings))
    stored = pq.read_metadata(result.outputs[0].path).row_group(0).column(0).compression
    assert stored.lower() == codec
    assert outputs_of(result).equals(rows(0, 1000))


def test_only_columns_with_a_dictionary_in_the_source_get_one(tmp_path: Path) -> None:
    inputs = [write(tmp_path / f"{i}.parquet", rows(0, 1000), use_dictionary=["name"]) for i in range(2)]
    group = pq.read_metadata(rewrite(make_task(tmp_path, inputs, SCHEMA)).outputs[0].path).row_group(0)
    assert [group.column(i).has_dictionary_page for i in range(2)] == [False, True]


def test_inputs_with_and_without_dictionaries_mix(tmp_path: Path) -> None:
    inputs = [
        write(tmp_path / f"{i}.parquet", rows(i * 50, 50), use_dictionary=use)
        for i, use in enumerate([True, False, ["name"], False, True])
    ]
    assert outputs_of(rewrite(make_task(tmp_path, inputs, SCHEMA))).equals(rows(0, 250))


def test_a_joined_dictionary_that_outgrows_its_page_becomes_plain(tmp_path: Path) -> None:
    parts = [pa.table({"id": range(i, i + 4000), "name": [f"{i + j:060d}" for j in range(4000)]}) for i in (0, 4000)]
    tables = [part.cast(SCHEMA) for part in parts]
    inputs = [write(tmp_path / f"{i}.parquet", table, use_dictionary=["name"]) for i, table in enumerate(tables)]
    settings = WriteSettings(target_file_bytes=MIB, dictionary_page_bytes=64 * 1024)
    result = rewrite(make_task(tmp_path, inputs, SCHEMA, settings=settings))
    assert outputs_of(result).equals(pa.concat_tables(tables))


def test_small_row_groups_are_joined(tmp_path: Path) -> None:
    one = write(tmp_path / "a.parquet", rows(0, 1000), row_group_size=10)
    result = rewrite(make_task(tmp_path, [one], SCHEMA))
    assert pq.read_metadata(result.outputs[0].path).num_row_groups == 1


def test_a_group_larger_than_the_target_is_split_evenly(tmp_path: Path) -> None:
    inputs = [write(tmp_path / f"{i}.parquet", noise(130_000, i), use_dictionary=False) for i in range(4)]
    task = make_task(tmp_path, inputs, SCHEMA, settings=WriteSettings(target_file_bytes=MIB), file_count=4)
    counts = [output.record_count for output in rewrite(task).outputs]
    assert sum(counts) == 520_000
    assert len(counts) == 4
    assert max(counts) - min(counts) < 8


def test_inputs_that_shrink_when_joined_make_fewer_outputs_than_planned(tmp_path: Path) -> None:
    table = pa.Table.from_arrays([pa.array([7] * 200, pa.int64()), pa.array(["x"] * 200)], schema=SCHEMA)
    inputs = [write(tmp_path / f"{i}.parquet", table) for i in range(400)]
    total = sum(one.file_bytes for one in inputs)
    task = make_task(
        tmp_path,
        inputs,
        SCHEMA,
        settings=WriteSettings(target_file_bytes=total // 20, row_group_bytes=4096),
        file_count=20,
    )
    assert len(rewrite(task).outputs) < 20


def test_row_groups_hold_at_least_the_least_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "MIN_ROW_GROUP_BYTES", 256 * 1024)
    inputs = [write(tmp_path / f"{i}.parquet", noise(50_000, i), use_dictionary=False) for i in range(4)]
    settings = WriteSettings(target_file_bytes=16 * MIB, row_group_bytes=64 * 1024)
    metadata = pq.read_metadata(rewrite(make_task(tmp_path, inputs, SCHEMA, settings=settings)).outputs[0].path)
    sizes = [metadata.row_group(i).column(0).total_compressed_size for i in range(metadata.num_row_groups)]
    assert len(sizes) > 2
    assert min(sizes) >= 250 * 1024


@pytest.mark.parametrize("fails", [False, True])
def test_the_collector_of_cycles_is_as_it_was_after_a_task(tmp_path: Path, fails: bool) -> None:
    good = write(tmp_path / "a.parquet", rows(0, 10))
    inputs = [good, TaskInput(str(tmp_path / "missing.parquet"), 10, 1)] if fails else [good]
    with pytest.raises(InputFault) if fails else nullcontext():
        rewrite(make_task(tmp_path, inputs, SCHEMA))
    assert gc.isenabled()


def test_an_empty_input_adds_nothing(tmp_path: Path) -> None:
    inputs = [write(tmp_path / f"{i}.parquet", rows(0, count)) for i, count in enumerate([0, 5, 0])]
    assert outputs_of(rewrite(make_task(tmp_path, inputs, SCHEMA))).equals(rows(0, 5))


def test_a_second_attempt_never_writes_over_a_file(tmp_path: Path) -> None:
    task = make_task(tmp_path, [write(tmp_path / "a.parquet", rows(0, 10))], SCHEMA)
    first = Path(rewrite(task).outputs[0].path).read_bytes()
    with pytest.raises(OutputFault, match=r"run-3-1-0\.parquet: exists already"):
        rewrite(task)
    assert [path.read_bytes() for path in left_behind(tmp_path)] == [first]


def test_another_reader_reads_the_same(tmp_path: Path) -> None:
    inputs = [write(tmp_path / f"{i}.parquet", rows(i * 100, 100)) for i in range(3)]
    (output,) = rewrite(make_task(tmp_path, inputs, SCHEMA)).outputs
    read = duckdb.connect().execute("SELECT id, name FROM read_parquet(?) ORDER BY id", [output.path]).fetchall()
    assert read == [tuple(row.values()) for row in rows(0, 300).to_pylist()]


@pytest.mark.parametrize("spelling", ["file:{}", "file://{}", "{}"])
def test_local_paths_come_in_three_spellings(tmp_path: Path, spelling: str) -> None:
    one = write(tmp_path / "a b%20c" / "a.parquet", rows(0, 10))
    listed = TaskInput(spelling.format(one.path), one.file_bytes, one.record_count)
    result = rewrite(make_task(tmp_path, [listed], SCHEMA, folder=spelling.format(tmp_path / "out")))
    assert result.outputs[0].path == spelling.format(tmp_path / "out" / "run-3-1-0.parquet")
    assert left_behind(tmp_path) == [tmp_path / "out" / "run-3-1-0.parquet"]
