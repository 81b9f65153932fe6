"""Spliced files read the same by readers that share no code: all types, inputs of mixed writers."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.rewriting.kernel.contract import TaskInput, WriteSettings
from engine.rewriting.kernel.splicing import copy_plans
from engine.rewriting.kernel.splicing.copy_plans import CopyPlanner
from engine.rewriting.kernel.splicing.plans import Bare, Copied, Piece, Plan
from tests.unit.kernel.building import make_task, outputs_of, rewrite
from tests.unit.kernel.spliced import (
    FLAT,
    LOOSE,
    NESTED,
    OPTIONAL,
    REQUIRED,
    WRITERS,
    bounds_hold,
    differing_readers,
    table,
    write_as,
)

Counted = dict[str, int]


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counted:
    """Copy chunks of any size, and count what became of columns."""
    monkeypatch.setattr(copy_plans, "LEAST_CHUNK_BYTES", 0)
    counts = {"copied": 0, "bare": 0, "decoded": 0}
    real = CopyPlanner.plan

    def plan(self: CopyPlanner, pieces: list[Piece]) -> list[Plan]:
        made = real(self, pieces)
        for one in made:
            counts["copied" if isinstance(one, Copied) else "bare" if isinstance(one, Bare) else "decoded"] += 1
        return made

    monkeypatch.setattr(CopyPlanner, "plan", plan)
    return counts


def check(
    folder: Path,
    writers: list[str],
    tables: list[pa.Table],
    schema: pa.Schema,
    *,
    target_bytes: int = 2**27,
    codec: str = "zstd",
) -> None:
    inputs = [
        write_as(writer, folder / f"{i}.parquet", one)
        for i, (writer, one) in enumerate(zip(writers, tables, strict=True))
    ]
    planned = max(1, sum(one.file_bytes for one in inputs) // target_bytes)
    task = make_task(
        folder, inputs, schema, file_count=planned, settings=WriteSettings(target_file_bytes=target_bytes, codec=codec)
    )
    result = rewrite(task)
    assert (result.outcome, result.reason) == ("written", None)
    expected = pa.concat_tables([one.cast(schema) for one in tables])
    assert outputs_of(result).equals(expected)
    assert differing_readers(expected, [output.path for output in result.outputs]) == {}
    if len(result.outputs) == 1:
        assert bounds_hold(result.outputs[0].path, expected)


@pytest.mark.parametrize("writer", WRITERS)
def test_every_type_of_every_writer(tmp_path: Path, counted: Counted, writer: str) -> None:
    check(tmp_path, [writer] * 3, [table(i, 300) for i in range(3)], NESTED)
    expected = {
        "plain": "copied",
        "plain, no checksums": "copied",
        "plain, small pages": "copied",
        "plain, small row groups": "copied",
        "page index": "copied",
        "delta": "copied",
        "dictionary for words": "copied",
        "dictionaries": "bare",
    }
    if writer in expected:
        assert counted[expected[writer]] > 0


def test_every_flat_column_of_plain_files_is_copied(tmp_path: Path, counted: Counted) -> None:
    check(tmp_path, ["plain"] * 3, [table(i, 300, FLAT) for i in range(3)], FLAT)
    assert counted == {"copied": len(FLAT), "bare": 0, "decoded": 0}


@pytest.mark.parametrize(
    "writer", ["plain", "plain, no checksums", "plain, small pages", "version 2 pages", "not compressed"]
)
def test_pages_of_required_columns_get_levels(tmp_path: Path, counted: Counted, writer: str) -> None:
    """Spark writes required columns wherever what it writes has no nulls; pages of theirs have no levels."""
    codec = "uncompressed" if writer == "not compressed" else "zstd"
    required, optional = [table(i, 300, REQUIRED) for i in (0, 1)], [table(i, 300, OPTIONAL) for i in (2, 3)]
    tables = [required[0], optional[0], required[1], optional[1]]
    check(tmp_path, [writer] * 4, tables, OPTIONAL, codec=codec)
    others = 1 if writer == "version 2 pages" else 0  # whose booleans are not plain
    assert counted == {"copied": len(FLAT) - others, "bare": others, "decoded": 0}


@pytest.mark.parametrize("kinds", [(REQUIRED, REQUIRED), (REQUIRED, OPTIONAL)], ids=["alone", "mixed"])
def test_what_got_levels_is_copied_again(tmp_path: Path, counted: Counted, kinds: tuple[pa.Schema, ...]) -> None:
    tables = [table(i, 300, schema) for i, schema in enumerate(kinds)]
    inputs = [write_as("plain, small pages", tmp_path / f"{i}.parquet", one) for i, one in enumerate(tables)]
    once = rewrite(make_task(tmp_path, inputs, OPTIONAL)).outputs[0]
    again = rewrite(make_task(tmp_path / "again", [TaskInput(once.path, once.file_bytes, once.record_count)], OPTIONAL))
    assert counted == {"copied": 2 * len(FLAT), "bare": 0, "decoded": 0}
    assert outputs_of(again).equals(pa.concat_tables([one.cast(OPTIONAL) for one in tables]))
    found = [pq.read_metadata(one.path).row_group(0).to_dict()["columns"] for one in (once, again.outputs[0])]
    sizes = [[column["total_compressed_size"] for column in columns] for columns in found]
    assert sizes[0] == sizes[1]


def test_files_of_another_engine_are_copied(tmp_path: Path, counted: Counted) -> None:
    check(tmp_path, ["duckdb"] * 3, [table(i, 300, LOOSE) for i in range(3)], LOOSE)
    assert counted["copied"] > 10


@given(
    writers=st.lists(st.sampled_from([*WRITERS, "duckdb"]), min_size=1, max_size=6),
    seed=st.integers(0, 1000),
    counts=st.lists(st.sampled_from([0, 1, 7, 200, 500]), min_size=6, max_size=6),
    parts=st.sampled_from([1, 1, 3]),
)
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_mixed_writers(counted: Counted, writers: list[str], seed: int, counts: list[int], parts: int) -> None:
    tables = [table(seed + i, count, LOOSE) for i, count in enumerate(counts[: len(writers)])]
    if not sum(one.num_rows for one in tables):
        return
    with TemporaryDirectory() as folder:
        total = sum(one.nbytes for one in tables)
        target = 2**27 if parts == 1 else max(4096, total // parts)
        check(Path(folder), writers, tables, LOOSE, target_bytes=target)


@given(writers=st.lists(st.sampled_from(list(WRITERS)), min_size=2, max_size=5), seed=st.integers(0, 1000))
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_mixed_writers_of_nested_rows(counted: Counted, writers: list[str], seed: int) -> None:
    with TemporaryDirectory() as folder:
        check(Path(folder), writers, [table(seed + i, 50 + 60 * i) for i in range(len(writers))], NESTED)


@pytest.mark.parametrize("first", ["plain", "dictionaries"])
def test_chunks_with_and_without_dictionary_never_share_a_copied_column(
    tmp_path: Path, counted: Counted, first: str
) -> None:
    """Plain pages before dictionary pages are read wrongly by some readers, without an error."""
    order = [first, "dictionaries", "plain", "dictionaries given up half-way"]
    inputs = [write_as(writer, tmp_path / f"{i}.parquet", table(i, 400)) for i, writer in enumerate(order)]
    (output,) = rewrite(make_task(tmp_path, inputs, NESTED)).outputs
    assert counted["copied"] == 2  # booleans have no dictionaries, and those of unique values are copied as values
    group = pq.read_metadata(output.path).row_group(0)
    columns = [group.column(leaf) for leaf in range(group.num_columns)]
    assert all(one.has_dictionary_page or "RLE_DICTIONARY" not in one.encodings for one in columns)
