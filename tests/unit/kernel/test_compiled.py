"""The compiled pass: rows and statistics as without it, for what every writer writes; anything else is not its own."""

import itertools
import os
import platform
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.rewriting.kernel.contract import GroupResult, WriteSettings
from engine.rewriting.kernel.kernel_task import SentKernelTask
from engine.rewriting.kernel.library import loading
from engine.rewriting.kernel.parquet.footers import Chunk
from engine.rewriting.kernel.parquet.pages import data_page_header
from engine.rewriting.kernel.reading.projection import leaf_ids
from engine.rewriting.kernel.splicing import compiled, copy_plans, row_groups
from engine.rewriting.kernel.splicing.compiled import CompiledPass, StoredChunk
from engine.spark.task_zip import libraries, write_task_zip
from tests.support.broken_library import broken_library
from tests.unit.kernel.building import MIB, field, make_task, outputs_of, rewrite, write
from tests.unit.kernel.spliced import (
    FLAT,
    NESTED,
    OPTIONAL,
    REQUIRED,
    WRITERS,
    bounds_hold,
    differing_readers,
    table,
    write_as,
)
from tests.unit.kernel.test_damaged_inputs import compare

pytestmark = pytest.mark.skipif(
    not libraries() and "CI" not in os.environ and shutil.which("cargo") is None,
    reason="no Rust compiler built the library on this machine; CI refuses to skip this",
)

ROWS = 150
CODECS = ("zstd", "snappy", "gzip", "lz4", "uncompressed")
BIG = 1 << 40


@pytest.fixture(autouse=True)
def nothing_is_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copy_plans, "LEAST_CHUNK_BYTES", BIG)
    monkeypatch.setattr(compiled, "PAGE_ROWS", 64)


@contextmanager
def without_library() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as never:
        never.setattr(CompiledPass, "of", lambda _: None)
        yield


def statistics_of(result: GroupResult) -> list[Any]:
    """Return the statistics of every chunk, and the key-values, of all outputs."""
    found: list[Any] = []
    for output in result.outputs:
        metadata = pq.read_metadata(output.path)
        found.append({key: value for key, value in (metadata.metadata or {}).items() if key != b"ARROW:schema"})
        for group, column in itertools.product(range(metadata.num_row_groups), range(metadata.num_columns)):
            one = metadata.row_group(group).column(column).statistics
            found.append(None if one is None else {**one.to_dict(), "distinct_count": None})
    return found


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("writer", WRITERS)
def test_rows_and_statistics_are_those_of_the_other_path(tmp_path: Path, writer: str, codec: str) -> None:
    others = [name for name in WRITERS if name != "no statistics"]
    for seed, schema in enumerate((FLAT, OPTIONAL)):
        names = [writer, others[(len(writer) + seed) % len(others)], writer]
        parts = [table(10 * seed + i, ROWS, REQUIRED if i == 1 else schema) for i in range(3)]
        inputs = [
            write_as(name, tmp_path / f"{seed}-{i}.parquet", part)
            for i, (name, part) in enumerate(zip(names, parts, strict=True))
        ]
        settings = WriteSettings(target_file_bytes=128 * MIB, codec=codec, codec_level=3 if codec == "zstd" else None)
        merged, other = tmp_path / f"{seed}-merged", tmp_path / f"{seed}-other"
        result = rewrite(make_task(merged, inputs, schema, settings=settings))
        with without_library():
            peer = rewrite(make_task(other, inputs, schema, settings=settings))
        expected = pa.concat_tables([part.cast(schema) for part in parts])
        assert outputs_of(result).equals(expected)
        assert outputs_of(peer).equals(expected)
        assert statistics_of(result) == statistics_of(peer)
        assert (result.merged_columns > 0) == _is_merged(writer, codec)
        assert peer.merged_columns == 0
        assert all(bounds_hold(output.path, expected) for output in result.outputs)
        assert differing_readers(expected, [output.path for output in result.outputs]) == {}


@pytest.mark.parametrize("codec", ["zstd", "snappy"])
@pytest.mark.parametrize(
    "writer",
    [name for name in WRITERS if name not in {"no statistics", "delta", "plain, small row groups"}],
)
def test_leaves_of_nested_columns_are_merged(tmp_path: Path, writer: str, codec: str) -> None:
    """Rows with null structs and lists, empty lists, and pages that end within the entries of a row group."""
    schema = pa.schema([NESTED.field(name) for name in ("point", "list", "map", "deep")])
    parts = [table(i, (ROWS, 1, 400)[i], schema) for i in range(3)]
    inputs = [write_as(writer, tmp_path / f"{i}.parquet", part) for i, part in enumerate(parts)]
    settings = WriteSettings(target_file_bytes=128 * MIB, codec=codec, codec_level=None, page_bytes=300)
    result = rewrite(make_task(tmp_path / "merged", inputs, schema, settings=settings))
    with without_library():
        peer = rewrite(make_task(tmp_path / "other", inputs, schema, settings=settings))
    expected = pa.concat_tables(parts)
    assert (result.merged_columns, peer.merged_columns) == (len(leaf_ids(list(schema))), 0)
    assert outputs_of(result).equals(expected)
    assert statistics_of(result) == statistics_of(peer)
    assert differing_readers(expected, [output.path for output in result.outputs]) == {}


def _is_merged(writer: str, codec: str) -> bool:
    """Return whether a column of such files is merged: their bounds are known, and outputs are compressed."""
    return writer != "no statistics" and codec != "uncompressed"


@pytest.mark.parametrize("writer", [name for name in WRITERS if name != "delta"])
def test_damaged_inputs_are_refused_as_by_the_other_path(
    tmp_path: Path, writer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = [
        write_as(writer, tmp_path / f"{name}.parquet", table(i, 200, FLAT)) for i, name in enumerate(("good", "bad"))
    ]
    monkeypatch.setattr(copy_plans, "LEAST_CHUNK_BYTES", BIG)
    compare(tmp_path, *given, FLAT, monkeypatch)


@pytest.mark.parametrize("bits", range(1, 19))
def test_indices_of_any_width(tmp_path: Path, bits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    nulls = bits % 2 * 0.3
    monkeypatch.setattr(compiled, "PAGE_ROWS", 4096)
    random = np.random.default_rng(bits)
    rows = max(1000, 2 << bits) + 3
    parts = []
    for _ in range(2):
        numbers = random.integers(0, 1 << bits, rows)
        numbers[: 1 << bits] = np.arange(1 << bits)
        numbers *= 0x1E3779B97F4A7C15  # wraps: no codec shortens such values, so that the dictionary stays
        parts.append(pa.table([pa.array(numbers, mask=random.random(rows) < nulls)], schema=_ONE_NUMBER))
    options = {"dictionary_pagesize_limit": 64 * MIB, "write_page_checksum": True}
    inputs = [write(tmp_path / f"{i}.parquet", part, **options) for i, part in enumerate(parts)]
    settings = WriteSettings(target_file_bytes=128 * MIB, dictionary_page_bytes=16 * MIB)
    result = rewrite(make_task(tmp_path, inputs, _ONE_NUMBER, settings=settings))
    assert result.merged_columns == 1
    assert "RLE_DICTIONARY" in _encodings(result)
    expected = pa.concat_tables(parts)
    assert outputs_of(result).equals(expected)
    assert differing_readers(expected, [result.outputs[0].path]) == {}


def _encodings(result: GroupResult) -> tuple[str, ...]:
    """Return the encodings of the only column."""
    found: tuple[str, ...] = pq.read_metadata(result.outputs[0].path).row_group(0).column(0).encodings
    return found


@pytest.mark.parametrize(
    ("rows", "has_dictionary"),
    [
        pytest.param(lambda i, _: np.arange(3000) + 3000 * i, False, id="unique, ascending"),
        pytest.param(lambda i, random: np.sort(random.integers(0, 800, 3000)) + 800 * i, False, id="ascending"),
        pytest.param(lambda _, random: random.integers(0, 1 << 62, 3000), False, id="unique, by chance"),
        pytest.param(lambda _, random: random.integers(0, 10, 3000) * 977, True, id="few"),
        pytest.param(lambda _, random: random.integers(0, 4000, 3000) << 50 | 12345, True, id="some"),
        pytest.param(lambda i, _: [f"{x:040}" for x in range(3000 * i, 3000 * (i + 1))], False, id="unique texts"),
        pytest.param(lambda i, _: [f"{x:0900}" for x in range(3000 * i, 3000 * (i + 1))], False, id="more than a page"),
        pytest.param(lambda *_: ["a", "b"] * 1500, True, id="few texts"),
        pytest.param(lambda *_: [None] * 3000, False, id="nulls"),
    ],
)
def test_a_dictionary_is_written_only_if_it_takes_less(
    tmp_path: Path, rows: Callable[[int, Any], Any], has_dictionary: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the output is never more than a twentieth larger than that of the other path."""
    monkeypatch.setattr(compiled, "PAGE_ROWS", 65536)
    random = np.random.default_rng(1)
    columns = [rows(i, random) for i in range(5)]
    kind = pa.string() if isinstance(columns[0][0], str) else pa.int64()
    schema = pa.schema([field(1, "a", kind)])
    parts = [pa.table([pa.array(one, kind)], schema=schema) for one in columns]
    inputs = [write(tmp_path / f"{i}", part, use_dictionary=True) for i, part in enumerate(parts)]
    result = rewrite(make_task(tmp_path / "merged", inputs, schema))
    with without_library():
        peer = rewrite(make_task(tmp_path / "other", inputs, schema))
    assert (result.merged_columns, "RLE_DICTIONARY" in _encodings(result)) == (1, has_dictionary)
    assert Path(result.outputs[0].path).stat().st_size <= 1.05 * Path(peer.outputs[0].path).stat().st_size
    assert differing_readers(pa.concat_tables(parts), [result.outputs[0].path]) == {}


def test_ascending_numbers_that_fill_the_dictionary_become_values_which_take_less(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As order numbers, which four rows in a row have: 24,000 words of 8 bytes, and a dictionary of half of that."""
    monkeypatch.setattr(compiled, "PAGE_ROWS", 65536)
    parts = [pa.table([np.arange(16_000) // 4 * 3 + 12_000 * i], schema=_ONE_NUMBER) for i in range(6)]
    inputs = [write(tmp_path / f"{i}", part, use_dictionary=True) for i, part in enumerate(parts)]
    settings = WriteSettings(target_file_bytes=128 * MIB, dictionary_page_bytes=96_000)
    result = rewrite(make_task(tmp_path / "merged", inputs, _ONE_NUMBER, settings=settings))
    with without_library():
        peer = rewrite(make_task(tmp_path / "other", inputs, _ONE_NUMBER, settings=settings))
    assert (result.merged_columns, "RLE_DICTIONARY" in _encodings(result)) == (1, False)
    assert Path(result.outputs[0].path).stat().st_size <= Path(peer.outputs[0].path).stat().st_size
    assert differing_readers(pa.concat_tables(parts), [result.outputs[0].path]) == {}


def test_a_page_of_nulls_of_a_column_with_a_dictionary_has_no_index(tmp_path: Path) -> None:
    schema = pa.schema([field(1, "a", pa.string())])
    part = pa.table([["ash", "oak", None, "elm"] * 150 + [None] * 600], schema=schema)
    inputs = [write(tmp_path / f"{i}", part, use_dictionary=True) for i in range(2)]
    result = rewrite(make_task(tmp_path / "merged", inputs, schema))
    assert (result.merged_columns, "RLE_DICTIONARY" in _encodings(result)) == (1, True)
    assert differing_readers(pa.concat_tables([part, part]), [result.outputs[0].path]) == {}


_ONE_NUMBER = pa.schema([field(1, "a", pa.int64())])


@pytest.mark.parametrize(
    ("column", "options"),
    [
        pytest.param(pa.array([True, False] * 500), {}, id="booleans"),
        pytest.param(pa.array(np.arange(1000)), {"column_encoding": "DELTA_BINARY_PACKED"}, id="differences"),
        pytest.param(pa.array(np.arange(1000.0)), {"column_encoding": "BYTE_STREAM_SPLIT"}, id="split bytes"),
        pytest.param(pa.array([f"{i:04}" * 900 for i in range(1000)] * 3), {}, id="a dictionary that is too large"),
        pytest.param(pa.array([1, 2] * 500), {"compression": "brotli"}, id="a codec that it does not know"),
        pytest.param(pa.array([[True], []] * 500), {}, id="lists of booleans"),
    ],
)
def test_what_is_not_its_own_is_left_to_arrow(tmp_path: Path, column: pa.Array, options: dict[str, Any]) -> None:
    kind = pa.list_(field(2, "element", pa.bool_())) if pa.types.is_list(column.type) else column.type
    schema = pa.schema([field(1, "a", kind)])
    rows = pa.Table.from_arrays([column.cast(kind)], schema=schema)
    written = {"use_dictionary": "column_encoding" not in options, "dictionary_pagesize_limit": 16 * MIB, **options}
    inputs = [write(tmp_path / f"{i}.parquet", rows, **written) for i in range(2)]
    result = rewrite(make_task(tmp_path, inputs, schema))
    assert (result.outcome, result.merged_columns) == ("written", 0)
    assert outputs_of(result).equals(pa.concat_tables([rows, rows]))


def test_chance_bytes_are_never_more_than_not_its_own() -> None:
    """Bytes that no file has, with footers that lie: an answer comes, and it has the rows that the footer says."""
    made, random = _pass(), np.random.default_rng(5)
    heads = [bytes.fromhex(one) for one in ("1500152c152c2c1508150015061506", "150415101510 4c 1504 1500 0000", "")]
    for _ in range(20_000):
        data = heads[random.integers(0, 3)] + bytes(random.integers(0, 256, random.integers(1, 200), dtype=np.uint8))
        sizes = [int(each) for each in 2 ** random.integers(0, 40, 2)]
        codec = int(random.integers(-1, 9))
        chunk = Chunk(1, 0, len(data), sizes[0], sizes[1], codec, frozenset(), False, None, False)
        inputs = [StoredChunk(chunk, pa.py_buffer(data), sizes[1], has_levels=bool(random.integers(0, 2)))]
        kind = int(random.integers(0, 9))
        levels = ((1, 0), (2, 0), (3, 1))[random.integers(0, 3)]
        found = made.merge(inputs, physical_type=kind, width=int(random.integers(0, 20)), levels=levels)
        assert found is None or found.chunk.stored_bytes == found.data.size


def test_a_page_that_grows_without_bound_is_not_opened() -> None:
    """A page that says it has a gigabyte and more is left alone when the footer says less, and so are endless runs."""
    made = _pass()
    bomb = pa.Codec("zstd").compress(bytes(64 * MIB), asbytes=True)
    for rows, size in ((8 * MIB, 1000), (1000, 1 << 40), (1, 64 * MIB)):
        chunk = Chunk(2, 0, len(bomb), size, rows, 6, frozenset(), False, None, False)
        page = _plain_page(64 * MIB, bomb, rows)
        inputs = [StoredChunk(chunk, pa.py_buffer(page), rows, has_levels=False)]
        assert made.merge(inputs, physical_type=2, width=0, levels=(0, 0)) is None


_EIGHT_BYTES = "1500 1510 1510 2c 1502 1500 1506 1506"


@pytest.mark.parametrize(
    ("page", "size", "has_levels"),
    [
        pytest.param("1500151c151c 2c 1502150015061506 0000 02000000 0202", None, True, id="a level 2"),
        pytest.param("150015101510 2c 11150015061506 0000", None, False, id="a boolean as a count"),
        pytest.param("150615101510 5c 1502150015021500150015001500 0000", None, False, id="a number as a flag"),
        pytest.param(f"{_EIGHT_BYTES} 1c 06feffffffffffffffff0100 1600 00 0000", None, False, id="a field past all"),
        pytest.param(f"{_EIGHT_BYTES} 0000", -1, False, id="a negative size"),
        pytest.param(f"{_EIGHT_BYTES} 0000", 1 << 70, False, id="a size of more than 64 bits"),
    ],
)
def test_a_page_that_readers_may_read_differently_is_left_to_arrow(
    page: str, size: int | None, has_levels: bool
) -> None:
    data, made = bytes.fromhex(page) + bytes(8), _pass()
    chunk = Chunk(2, 0, len(data), len(data) if size is None else size, 1, 0, frozenset(), False, None, False)
    inputs = [StoredChunk(chunk, pa.py_buffer(data), 1, has_levels=has_levels)]
    assert made.merge(inputs, physical_type=2, width=0, levels=(int(has_levels), 0)) is None


def _plain_page(size: int, stored: bytes, rows: int) -> bytes:
    return data_page_header(values=rows, encoding=0, size=size, stored=len(stored), checksum=crc32(stored)) + stored


def _pass() -> CompiledPass:
    made = CompiledPass.of(WriteSettings(target_file_bytes=1))
    assert made is not None, "the library is not built: scripts/compiled"
    return made


@pytest.mark.parametrize(
    ("library", "limit"),
    [
        pytest.param(None, f"the kernel was sent without a library for linux on {platform.machine()}", id="missing"),
        pytest.param(b"", "the library can't be loaded: ", id="empty"),
        pytest.param(b"\x7fELF" + bytes(100), "the library can't be loaded: ", id="of another machine"),
        pytest.param((9999, 1, 0), "the library has interface 9999, the kernel needs ", id="another interface"),
        pytest.param((None, 0, 1), "the library failed its self-test", id="a wrong answer"),
        pytest.param((None, 1, 2), "a fault inside the library: bits", id="a panic"),
    ],
)
def test_a_task_without_a_library_that_works_takes_the_other_path_and_its_result_says_why(
    tmp_path: Path, library: bytes | tuple[int | None, int, int] | None, limit: str
) -> None:
    """In a process of its own, from the zip that executors get, in which the library is replaced."""
    packed, changed = write_task_zip(tmp_path), tmp_path / "changed.zip"
    with zipfile.ZipFile(packed) as source, zipfile.ZipFile(changed, "w") as target:
        for name in source.namelist():
            if not name.endswith(".so"):
                target.writestr(name, source.read(name))
            elif library is not None:
                target.writestr(name, library if isinstance(library, bytes) else broken_library(tmp_path, *library))
    inputs = [write(tmp_path / f"{i}.parquet", table(i, ROWS, FLAT)) for i in range(2)]
    assert _result_of(packed, make_task(tmp_path / "as it is", inputs, FLAT)).pass_limit == ""
    found = _result_of(changed, make_task(tmp_path / "changed", inputs, FLAT))
    assert (found.outcome, found.merged_columns) == ("written", 0)
    assert found.pass_limit.startswith(limit)
    assert outputs_of(found).equals(pa.concat_tables([table(i, ROWS, FLAT) for i in range(2)]))


def _result_of(package: Path, task: SentKernelTask) -> GroupResult:
    program = (
        f"import sys; sys.path.insert(0, {str(package)!r})\n"
        "from engine.rewriting.entry import run_task\n"
        "import engine; assert '.zip' in engine.__file__\n"
        "print(run_task(sys.stdin.read()))"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, input=task.to_json(), capture_output=True, text=True, check=True, cwd="/")
    return GroupResult.from_json(done.stdout)


def test_a_task_that_is_sent_without_the_pass_does_not_load_it(tmp_path: Path) -> None:
    inputs = [write(tmp_path / f"{i}.parquet", table(i, ROWS, FLAT)) for i in range(2)]
    found = rewrite(replace(make_task(tmp_path, inputs, FLAT), uses_pass=False))
    assert (found.merged_columns, found.pass_limit) == (0, row_groups.FAILED_BEFORE)


def test_the_library_is_built_for_this_machine() -> None:
    assert loading.NAME in [each.name for each in libraries()]
