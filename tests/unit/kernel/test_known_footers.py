"""Footers that the library reads: the facts are those of `InputFooter` and Arrow, of mutants too, or it leaves them."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.rewriting.kernel.library.known_footers import MOST_SCHEMAS, KnownFooter, KnownFooters
from engine.rewriting.kernel.library.loading import load
from engine.rewriting.kernel.parquet.encodings import dictionary_leaves
from engine.rewriting.kernel.parquet.footers import MAGIC, InputFooter, framed
from engine.rewriting.kernel.reading.parquet_input import KnownSchemas
from tests.unit.kernel.building import field
from tests.unit.kernel.spliced import WRITERS, table, write_as
from tests.unit.kernel.test_compiled import pytestmark  # noqa: F401 - skipped without a library

EXAMPLES = int(os.environ.get("PACKHOUSE_FUZZ_EXAMPLES", "300"))


def footer_of(path: Path) -> bytes:
    data = path.read_bytes()
    length = int.from_bytes(data[-8:-4], "little")
    return data[-8 - length : -8]


def made(writer: str, path: Path, rows: int = 150, seed: int = 0) -> bytes:
    write_as(writer, path, table(seed, rows))
    return footer_of(path)


def learned(*footers: bytes) -> KnownFooters:
    known, schemas = KnownFooters(load()[0]), KnownSchemas()
    for data in footers:
        footer, metadata = InputFooter(data, schemas.recall), metadata_of(data)
        known.learn(data, footer, schemas.forms(footer, metadata))
    return known


def metadata_of(data: bytes) -> Any:
    return pq.read_metadata(pa.BufferReader(MAGIC + framed(data)))


def facts(footer: InputFooter | KnownFooter, columns: int) -> Iterator[Any]:
    yield footer.rows
    yield footer.is_encrypted
    for group in range(footer.row_groups):
        for leaf in range(columns):
            chunk = footer.chunk(group, leaf)
            assert chunk is not None
            kept = {key: value for key, value in (chunk.statistics or {}).items() if key in {3, 5, 6, 7, 8}}
            yield (
                chunk.statistics is None,
                kept,
                *(getattr(chunk, name) for name in chunk._fields if name != "statistics"),
            )


def check(found: KnownFooter, data: bytes) -> None:
    metadata, expected = metadata_of(data), InputFooter(data)
    columns = [metadata.schema.column(leaf) for leaf in range(metadata.num_columns)]
    forms = [(one.physical_type, one.max_definition_level, one.max_repetition_level) for one in columns]
    groups = [metadata.row_group(at) for at in range(metadata.num_row_groups)]
    assert list(facts(found, len(columns))) == list(facts(expected, len(columns)))
    assert all(expected.is_complete(at, forms) for at in range(len(groups)))
    assert found.groups == [(each.num_rows, each.total_byte_size) for each in groups]
    assert found.dictionary_leaves == dictionary_leaves(metadata)
    assert metadata.num_rows == found.rows


@pytest.mark.parametrize("writer", WRITERS)
def test_facts_of_a_footer_are_those_of_the_other_path(tmp_path: Path, writer: str) -> None:
    first, *others = (made(writer, tmp_path / f"{i}", 150 * i, i) for i in range(1, 5))
    found = learned(first).read([pa.py_buffer(each) for each in others])
    for each, data in zip(found, others, strict=True):
        assert each is not None
        check(each, data)
    [empty] = learned(first).read([pa.py_buffer(made(writer, tmp_path / "empty", 0))])
    assert empty is not None
    assert empty.dictionary_leaves == dictionary_leaves(metadata_of(footer_of(tmp_path / "empty")))


@pytest.mark.parametrize("writer", WRITERS)
def test_a_mutant_has_the_facts_of_the_other_path_or_is_left_to_it(tmp_path: Path, writer: str) -> None:
    first, sound = made(writer, tmp_path / "first"), made(writer, tmp_path / "sound", 90, 7)
    known, random, read = learned(first), np.random.default_rng(len(sound)), 0
    for _ in range(EXAMPLES):
        data = bytearray(sound)
        for _ in range(int(random.integers(1, 4))):
            at = int(random.integers(0, len(data)))
            match int(random.integers(0, 4)):
                case 0:
                    data[at] ^= 1 << int(random.integers(0, 8))
                case 1:
                    data[at] = int(random.integers(0, 256))
                case 2:
                    del data[at : at + int(random.integers(1, 9))]
                case _:
                    data[at:at] = bytes(random.integers(0, 256, int(random.integers(1, 9)), dtype=np.uint8))
        [found] = known.read([pa.py_buffer(bytes(data))])
        if found is not None:
            read += 1
            check(found, bytes(data))
    assert read > 0, "every mutant was left to the other path"


def test_a_footer_of_another_schema_or_with_other_key_values_is_left_to_the_other_path(tmp_path: Path) -> None:
    first = made("plain", tmp_path / "first")
    rows, known = table(1, 10), learned(first)
    pq.write_table(rows.replace_schema_metadata({"a": "b"}), tmp_path / "values", store_schema=False)
    pq.write_table(rows.drop_columns(["deep"]), tmp_path / "fewer", store_schema=False)
    pq.write_table(
        rows.set_column(1, field(99, "int", pa.int32()), rows.column(1)), tmp_path / "id", store_schema=False
    )
    others = [footer_of(tmp_path / name) for name in ("values", "fewer", "id")]
    assert known.read([pa.py_buffer(each) for each in (*others, b"")]) == [None] * 4
    assert all(learned(*others, first).read([pa.py_buffer(each) for each in (*others, first)]))


def test_few_schemas_are_known_at_a_time(tmp_path: Path) -> None:
    footers = []
    for i in range(MOST_SCHEMAS + 1):
        pq.write_table(pa.table([[1]], schema=pa.schema([field(i, "a", pa.int64())])), tmp_path / f"{i}")
        footers.append(footer_of(tmp_path / f"{i}"))
    found = learned(*footers).read([pa.py_buffer(each) for each in footers])
    assert [each is None for each in found] == [True] + [False] * MOST_SCHEMAS
