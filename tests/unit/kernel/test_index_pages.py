"""Dictionary-coded columns that are written as packed indices: what other readers make of them, and when they are."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.rewriting.kernel.contract import WriteSettings
from engine.rewriting.kernel.parquet import index_pages
from engine.rewriting.kernel.parquet.bit_packing import MOST_WORDS, narrow, packed
from engine.rewriting.kernel.parquet.index_pages import ChunkWriter
from engine.rewriting.kernel.splicing import copy_plans
from engine.rewriting.kernel.splicing.compiled import CompiledPass
from tests.unit.kernel.building import MIB, field, make_task, outputs_of, rewrite, write
from tests.unit.kernel.spliced import bounds_hold, differing_readers

PAGE_ROWS = 1024
ROWS = 3 * PAGE_ROWS + 13
"""Several pages, and a last group of indices that is not full."""


@pytest.fixture(autouse=True)
def made(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Merge nothing, copy chunks of any size, end pages early, and note the bits of each chunk made of indices."""
    monkeypatch.setattr(CompiledPass, "of", lambda _: None)
    monkeypatch.setattr(index_pages, "PAGE_ROWS", PAGE_ROWS)
    monkeypatch.setattr(copy_plans, "LEAST_CHUNK_BYTES", 0)
    bits: list[int] = []
    real = ChunkWriter.write

    def noted(self: ChunkWriter, column: index_pages.Indexed, **options: Any) -> Any:
        bits.append(column.bits)
        return real(self, column, **options)

    monkeypatch.setattr(ChunkWriter, "write", noted)
    return bits


def check(folder: Path, parts: list[pa.Table], **settings: Any) -> list[str]:
    """Rewrite files with dictionaries into one and have it read by everybody; return its columns' encodings."""
    inputs = [
        write(folder / f"{i}.parquet", one, store_decimal_as_integer=True, dictionary_pagesize_limit=16 * MIB)
        for i, one in enumerate(parts)
    ]
    write_settings = WriteSettings(target_file_bytes=128 * MIB, **settings)
    result = rewrite(make_task(folder, inputs, parts[0].schema, settings=write_settings))
    assert (result.outcome, len(result.outputs)) == ("written", 1)
    expected = pa.concat_tables(parts)
    assert outputs_of(result).equals(expected)
    path = result.outputs[0].path
    assert bounds_hold(path, expected)
    assert differing_readers(expected, [path]) == {}
    return list(pq.read_metadata(path).row_group(0).column(0).encodings)


def some(values: np.ndarray[Any, Any], of: pa.DataType, random: np.random.Generator, nulls: float) -> pa.Array:
    return pa.array(values, mask=random.random(len(values)) < nulls).cast(of)


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 4096, 4099])
@pytest.mark.parametrize("bits", range(1, 17))
def test_numbers_are_packed_from_the_lowest_bit(bits: int, count: int) -> None:
    numbers = np.random.default_rng(bits).integers(0, 1 << bits, count).astype(narrow(bits))
    full = np.concatenate((numbers, np.zeros(-count % 8, numbers.dtype))).astype(np.int64)
    singly = (full[:, None] >> np.arange(bits)) & 1
    assert packed(numbers, bits) == np.packbits(singly.astype(np.uint8), bitorder="little").tobytes()


@pytest.mark.parametrize("bits", range(1, 17))
def test_indices_of_any_width(tmp_path: Path, made: list[int], bits: int) -> None:
    random = np.random.default_rng(bits)
    schema = pa.schema(
        [field(1, "a", pa.int64()), field(2, "b", pa.int64(), required=True), field(3, "c", pa.string())]
    )
    parts = []
    rows = max(ROWS, 4 << bits)
    for _ in range(2):
        numbers = random.integers(0, 1 << bits, rows) - 5
        numbers[:2] = -5, (1 << bits) - 6
        texts = pa.array(numbers % 999).cast(pa.string())
        columns = [some(numbers, pa.int64(), random, 0.1), pa.array(numbers), texts]
        parts.append(pa.Table.from_arrays(columns, schema=schema))
    assert "RLE_DICTIONARY" in check(tmp_path, parts)
    assert made == [bits, bits, min(bits, 10)]


@pytest.mark.parametrize("codec", ["zstd", "snappy", "gzip", "brotli", "lz4"])
@pytest.mark.parametrize("nulls", [0.0, 0.5, 1.0])
def test_every_codec(tmp_path: Path, made: list[int], codec: str, nulls: float) -> None:
    random = np.random.default_rng(1)
    schema = pa.schema([field(1, "a", pa.decimal128(12, 2)), field(2, "b", pa.string()), field(3, "c", pa.date32())])
    kinds: list[tuple[np.ndarray[Any, Any], pa.DataType]] = [
        (np.sort(random.integers(-50, 50, ROWS)).astype(np.int32), pa.decimal128(12, 2)),
        (np.array(["", "é", "a" * 300])[random.integers(0, 3, ROWS)], pa.string()),
        (random.integers(-9, 9, ROWS).astype(np.int32), pa.date32()),
    ]
    parts = [pa.Table.from_arrays([some(*kind, random, nulls) for kind in kinds], schema=schema) for _ in range(3)]
    check(tmp_path, parts, codec=codec, codec_level=None)
    assert made == ([] if nulls == 1 else [7, 2, 5])


def test_a_page_without_a_value_and_columns_with_one_word(tmp_path: Path, made: list[int]) -> None:
    schema = pa.schema([field(1, "a", pa.int64()), field(2, "b", pa.string(), required=True)])
    numbers = np.full(ROWS, 7)
    hole = pa.array(numbers, mask=(np.arange(ROWS) >= PAGE_ROWS) & (np.arange(ROWS) < 2 * PAGE_ROWS + 1))
    check(tmp_path, [pa.Table.from_arrays([hole, pa.array(["x"] * ROWS)], schema=schema)] * 2)
    assert made == [1, 1]


def test_long_runs_take_no_room(tmp_path: Path, made: list[int]) -> None:
    schema = pa.schema([field(1, "a", pa.int64())])
    parts = [pa.table([np.repeat(np.arange(70), 1000) + i], schema=schema) for i in range(2)]
    check(tmp_path, parts, codec="snappy", codec_level=None)
    assert made == [7]
    (output,) = (tmp_path / "out").rglob("*.parquet")
    chunk = pq.read_metadata(output).row_group(0).column(0)
    assert chunk.total_uncompressed_size < 137 * 60 + 71 * 8


def test_pages_are_not_larger_than_asked(tmp_path: Path, made: list[int]) -> None:
    random = np.random.default_rng(3)
    schema = pa.schema([field(1, "a", pa.int64())])
    parts = [pa.table([random.integers(0, 1000, 10_000)], schema=schema) for _ in range(2)]
    check(tmp_path, parts, page_bytes=1000)
    assert made == [10]
    (output,) = (tmp_path / "out").rglob("*.parquet")
    pages = pq.read_metadata(output).row_group(0).column(0).total_uncompressed_size // 1000
    assert pages >= 20_000 * 10 // 8 // 1000


@pytest.mark.parametrize(
    "values",
    [
        pytest.param(np.arange(MOST_WORDS + 1).repeat(3), id="too many words"),
        pytest.param(np.array([0, 1 << 40] * 500), id="far apart"),
        pytest.param(np.array([-(2**63), 2**63 - 1] * 500), id="the whole range"),
        pytest.param(np.array([0.0, -0.0, np.nan, 1.5] * 500), id="fractions"),
        pytest.param(np.array([f"{i:04}" * 50 for i in range(300)] * 9), id="texts that take too much"),
    ],
)
def test_what_does_not_fit_is_left_to_arrow(tmp_path: Path, made: list[int], values: np.ndarray[Any, Any]) -> None:
    array = pa.array(values)
    schema = pa.schema([field(1, "a", array.type), field(2, "b", pa.int64())])
    rows = pa.Table.from_arrays([array, pa.array(np.arange(len(values)) % 3)], schema=schema)
    inputs = [write(tmp_path / f"{i}.parquet", rows, dictionary_pagesize_limit=16 * MIB) for i in range(2)]
    settings = WriteSettings(target_file_bytes=128 * MIB, dictionary_page_bytes=50_000)
    result = rewrite(make_task(tmp_path, inputs, schema, settings=settings))
    expected = pa.concat_tables([rows, rows])
    assert [repr(c.to_pylist()) for c in outputs_of(result).columns] == [repr(c.to_pylist()) for c in expected.columns]
    assert made == [2]


def test_outputs_that_are_not_compressed_are_left_to_arrow(tmp_path: Path, made: list[int]) -> None:
    schema = pa.schema([field(1, "a", pa.int64())])
    parts = [pa.table([np.arange(5000) % 9], schema=schema) for _ in range(2)]
    check(tmp_path, parts, codec="uncompressed", codec_level=None)
    assert made == []


def test_a_file_without_dictionary_among_others_leaves_the_column_to_arrow(tmp_path: Path, made: list[int]) -> None:
    schema = pa.schema([field(1, "a", pa.int64())])
    rows = pa.table([np.arange(5000) % 9], schema=schema)
    inputs = [write(tmp_path / f"{i}.parquet", rows, use_dictionary=i != 1) for i in range(3)]
    result = rewrite(make_task(tmp_path, inputs, schema))
    assert outputs_of(result).equals(pa.concat_tables([rows] * 3))
    assert made == []
