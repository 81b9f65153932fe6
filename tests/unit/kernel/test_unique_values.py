"""Dictionaries of unique values: copied as pages of values if they are the values of the first rows, in their order."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.rewriting.kernel.contract import GroupResult, WriteSettings
from engine.rewriting.kernel.kernel_task import BY_NAME
from engine.rewriting.kernel.splicing import copy_plans
from engine.rewriting.kernel.splicing.compiled import CompiledPass
from tests.unit.kernel.building import MIB, field, make_task, outputs_of, rewrite, write
from tests.unit.kernel.spliced import bounds_hold, differing_readers
from tests.unit.kernel.test_damaged_inputs import compare

REQUIRED = pa.schema([field(1, "id", pa.int64(), required=True), field(2, "x", pa.float64(), required=True)])
OPTIONAL = pa.schema([one.with_nullable(True) for one in REQUIRED])
SMALL_PAGES: dict[str, Any] = {"data_page_size": 512, "write_batch_size": 64}
COUNT = 2000


@pytest.fixture(autouse=True)
def copies_small_chunks(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(copy_plans, "LEAST_CHUNK_BYTES", 0)
    return


def rows(seed: int, schema: pa.Schema = OPTIONAL, count: int = COUNT) -> pa.Table:
    random = np.random.default_rng(seed)
    ids = random.permutation(10 * count)[:count]
    return pa.Table.from_arrays([pa.array(ids), pa.array(random.normal(size=count))], schema=schema)


def rewritten(
    folder: Path,
    parts: list[pa.Table],
    *,
    target: pa.Schema = OPTIONAL,
    codec: str = "zstd",
    limits: Mapping[str, int] = MappingProxyType({}),
    **options: Any,
) -> GroupResult:
    """Rewrite files with dictionaries into one, and compare what other readers find in it."""
    compression = "none" if codec == "uncompressed" else codec
    inputs = [
        write(folder / f"{i}.parquet", one, **{"compression": compression, **options}) for i, one in enumerate(parts)
    ]
    for one in inputs:
        assert pq.read_metadata(one.path).row_group(0).column(0).has_dictionary_page
    result = rewrite(
        make_task(folder, inputs, target, settings=WriteSettings(target_file_bytes=128 * MIB, codec=codec, **limits))
    )
    assert (result.outcome, len(result.outputs)) == ("written", 1)
    expected = pa.concat_tables([one.cast(target) for one in parts])
    assert outputs_of(result).equals(expected)
    assert differing_readers(expected, [result.outputs[0].path]) == {}
    assert bounds_hold(result.outputs[0].path, expected)
    return result


def dictionary_bytes(path: str, leaf: int) -> bytes:
    """Return the dictionary page of a file's only row group, without the beginning of it that its header may be."""
    column = pq.read_metadata(path).row_group(0).column(leaf)
    return Path(path).read_bytes()[column.dictionary_page_offset + 40 : column.data_page_offset]


def copied_columns(folder: Path, result: GroupResult) -> list[int]:
    """Return the columns of the output that contain the dictionary pages of all inputs, and have no dictionary."""
    (output,) = result.outputs
    made, paths = Path(output.path).read_bytes(), sorted(map(str, folder.glob("*.parquet")))
    group = pq.read_metadata(output.path).row_group(0)
    return [
        leaf
        for leaf in range(group.num_columns)
        if all(dictionary_bytes(path, leaf) in made for path in paths) and not group.column(leaf).has_dictionary_page
    ]


@pytest.mark.parametrize("codec", ["zstd", "snappy", "gzip", "brotli", "lz4", "uncompressed"])
@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_dictionaries_of_unique_values_are_copied_as_values(tmp_path: Path, codec: str, version: str) -> None:
    result = rewritten(tmp_path, [rows(i) for i in range(3)], codec=codec, data_page_version=version)
    assert copied_columns(tmp_path, result) == [0, 1]


@pytest.mark.parametrize("target", [REQUIRED, OPTIONAL], ids=["required", "optional"])
def test_required_columns_get_the_levels_of_the_output(tmp_path: Path, target: pa.Schema) -> None:
    result = rewritten(tmp_path, [rows(i, REQUIRED) for i in range(3)], target=target)
    assert copied_columns(tmp_path, result) == [0, 1]


@pytest.mark.parametrize("schema", [REQUIRED, OPTIONAL], ids=["required", "optional"])
@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_plain_pages_after_a_dictionary_given_up_are_copied_too(
    tmp_path: Path, schema: pa.Schema, version: str
) -> None:
    parts = [rows(i, schema) for i in range(3)]
    options = {"dictionary_pagesize_limit": 4096, "data_page_version": version, **SMALL_PAGES}
    result = rewritten(tmp_path, parts, **options)
    assert copied_columns(tmp_path, result) == [0, 1]
    found = [pq.read_metadata(str(path)).row_group(0).column(0) for path in tmp_path.glob("*.parquet")]
    assert all("PLAIN" in one.encodings and one.total_uncompressed_size > 8 * COUNT for one in found)


def with_ids(part: pa.Table, ids: list[int | None]) -> pa.Table:
    return part.set_column(0, OPTIONAL.field(0), pa.array(ids, pa.int64()))


def test_nulls_are_copied_after_the_indices_only(tmp_path: Path) -> None:
    parts = [rows(i) for i in range(2)]
    ids = [[*one.column("id").to_pylist()[:-3], None, 7, None] for one in parts]
    late = [with_ids(one, own) for one, own in zip(parts, ids, strict=True)]
    early = [with_ids(one, [None, *own[1:]]) for one, own in zip(parts, ids, strict=True)]
    options = {"dictionary_pagesize_limit": 4096, **SMALL_PAGES}
    for name, given_parts, expected in (("late", late, [0, 1]), ("early", early, [1])):
        folder = tmp_path / name
        assert copied_columns(folder, rewritten(folder, given_parts, **options)) == expected


@pytest.mark.parametrize("count", [1, 7, 8, 504, 505, 1009, 2017, 70_001])
def test_any_number_of_values(tmp_path: Path, count: int) -> None:
    """Arrow packs 504 indices at a time; a single one that remains is a run of its own."""
    result = rewritten(tmp_path, [rows(i, count=count) for i in range(2)])
    group = pq.read_metadata(result.outputs[0].path).row_group(0)
    assert not group.column(0).has_dictionary_page


def test_columns_that_are_found_by_name(tmp_path: Path) -> None:
    parts = [rows(i) for i in range(3)]
    bare = pa.schema([one.remove_metadata() for one in OPTIONAL])
    inputs = [write(tmp_path / f"{i}.parquet", one.cast(bare)) for i, one in enumerate(parts)]
    result = rewrite(make_task(tmp_path, inputs, OPTIONAL, match_by=BY_NAME))
    assert copied_columns(tmp_path, result) == [0, 1]
    assert outputs_of(result).equals(pa.concat_tables(parts))


def repeated(values: list[int]) -> pa.Array:
    return pa.array([*values[:-1], values[0]], pa.int64())


def other_order(values: list[int]) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(range(len(values)))[::-1], pa.array(values, pa.int64()))


def unused_word(values: list[int]) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(range(len(values))), pa.array([*values, 10**6], pa.int64()))


def skipped_word(values: list[int]) -> pa.Array:
    indices = [*range(8), *range(9, len(values) + 1)]
    return pa.DictionaryArray.from_arrays(pa.array(indices), pa.array([*values, 10**6], pa.int64()))


@pytest.mark.parametrize("form", [repeated, other_order, unused_word, skipped_word])
def test_other_dictionaries_are_encoded_again(tmp_path: Path, form: Any) -> None:
    """Texts, since Arrow writes dictionary arrays of texts with all words, also unused ones."""
    target = pa.schema([field(1, "id", pa.string()), OPTIONAL.field(1)])
    parts = []
    for seed in range(2):
        made = form(rows(seed).column("id").to_pylist())
        if pa.types.is_dictionary(made.type):
            ids: pa.Array = pa.DictionaryArray.from_arrays(made.indices, made.dictionary.cast(pa.string()))
        else:
            ids = made.cast(pa.string())
        parts.append(pa.table([ids, rows(seed).column("x")], names=["id", "x"]))
    bare = [write(tmp_path / f"{i}.parquet", one, store_schema=True) for i, one in enumerate(parts)]
    result = rewrite(make_task(tmp_path, bare, target, match_by=BY_NAME))
    assert copied_columns(tmp_path, result) == [1]
    expected = pa.concat_tables([one.cast(pa.schema([one.remove_metadata() for one in target])) for one in parts])
    assert outputs_of(result).cast(expected.schema).equals(expected)


TEXTS = pa.schema([field(1, "text", pa.string())])


def texts(first: int) -> pa.Table:
    return pa.Table.from_arrays([pa.array([f"a text with number {first + i}" for i in range(COUNT)])], schema=TEXTS)


@pytest.mark.parametrize(
    ("step", "dictionary_page_bytes", "has_dictionary"),
    [(COUNT, MIB // 10, False), (COUNT // 2, MIB // 10, True), (0, MIB // 10, True), (COUNT, 2 * MIB, True)],
    ids=["unique in all files", "half of them in the next file", "the same in all", "a dictionary of all fits"],
)
def test_texts_that_files_share_keep_a_dictionary(
    tmp_path: Path, step: int, dictionary_page_bytes: int, has_dictionary: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each file has every text once, so its own dictionary does not show whether one of all files saves bytes.

    Without the compiled pass, which writes unique texts as values.
    """
    monkeypatch.setattr(CompiledPass, "of", lambda _: None)
    parts = [texts(step * i) for i in range(9)]
    limits = {"dictionary_page_bytes": dictionary_page_bytes}
    result = rewritten(tmp_path, parts, target=TEXTS, limits=limits)
    assert pq.read_metadata(result.outputs[0].path).row_group(0).column(0).has_dictionary_page is has_dictionary
    assert copied_columns(tmp_path, result) == ([] if has_dictionary else [0])


@given(
    seed=st.integers(0, 1000),
    limit=st.sampled_from([512, 4096, 10**6]),
    span=st.sampled_from([10**3, 10**5, 10**9]),
    parts=st.lists(st.tuples(st.integers(1, 1500), st.sampled_from([REQUIRED, OPTIONAL])), min_size=1, max_size=4),
    version=st.sampled_from(["1.0", "2.0"]),
)
def test_values_with_and_without_repetitions(
    seed: int, limit: int, span: int, parts: list[tuple[int, pa.Schema]], version: str
) -> None:
    random = np.random.default_rng(seed)
    tables = [
        pa.Table.from_arrays([pa.array(random.integers(0, span, n)), pa.array(random.normal(size=n))], schema=schema)
        for n, schema in parts
    ]
    with TemporaryDirectory() as folder:
        options = {"dictionary_pagesize_limit": limit, "data_page_version": version, **SMALL_PAGES}
        rewritten(Path(folder), tables, **options)


@pytest.mark.parametrize("schema", [REQUIRED, OPTIONAL], ids=["required", "optional"])
@pytest.mark.parametrize("checksums", [False, True])
def test_damaged_dictionaries_and_indices(
    tmp_path: Path, schema: pa.Schema, checksums: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    good, bad = (
        write(
            tmp_path / f"{name}.parquet",
            rows(seed, schema, 300),
            write_page_checksum=checksums,
            dictionary_pagesize_limit=1600,
            **SMALL_PAGES,
        )
        for seed, name in enumerate(("good", "bad"))
    )
    compare(tmp_path, good, bad, OPTIONAL, monkeypatch)
