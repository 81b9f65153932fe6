"""Deletion vectors: decoded as another implementation encodes them; every damage is found before it has an effect."""

import random
import struct
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.rewriting.kernel.contract import TaskInput, TaskVector
from engine.rewriting.kernel.errors import InputFault
from engine.rewriting.kernel.reading.deletion_vectors import DamagedVector, positions_in
from tests.support.deletion_vectors import blob_of, framed
from tests.unit.kernel.building import left_behind, make_task, rewrite, with_deletes, write_deletes
from tests.unit.kernel.test_deletes import SCHEMA, ids_left, input_of

FAR = 2**33 + 5
KINDS = {
    "none": [],
    "first": [0],
    "array": range(0, 8000, 2),
    "bitmap": range(0, 60000, 3),
    "run": range(10, 50000),
    "whole page": range(65536),
    "many pages": [page * 65536 + at for page in range(9) for at in (0, 5, 65535)],
    "mixed": [*range(0, 9000, 2), *range(70000, 140000), *range(200000, 260000, 3), FAR],
    "far keys": [1, 2**32 - 1, 2**32, FAR, 2**40],
}


def decoded(blob: bytes, rows: int, file_rows: int = 2**41) -> list[int]:
    return positions_in(blob, rows=rows, file_rows=file_rows).tolist()


@pytest.mark.parametrize("runs", [False, True])
@pytest.mark.parametrize("positions", KINDS.values(), ids=KINDS)
def test_each_kind_of_container_is_decoded(positions: list[int], runs: bool) -> None:
    assert decoded(blob_of(positions, runs=runs), len(positions)) == list(positions)


@given(
    st.lists(
        st.one_of(
            st.integers(0, 2**40).map(lambda at: range(at, at + 1)),
            st.tuples(st.integers(0, 2**18), st.integers(1, 70000), st.integers(1, 40)).map(
                lambda one: range(one[0], one[0] + one[1], one[2])
            ),
        ),
        max_size=6,
    ),
    st.booleans(),
)
def test_random_vectors_are_decoded_as_they_were_encoded(parts: list[range], runs: bool) -> None:
    positions = sorted({at for part in parts for at in part})
    assert decoded(blob_of(positions, runs=runs), len(positions)) == positions


@pytest.mark.parametrize("positions", KINDS.values(), ids=KINDS)
def test_any_changed_byte_is_found(positions: list[int]) -> None:
    blob = blob_of(positions)
    random_ = random.Random(len(blob))
    for at in random_.sample(range(len(blob)), min(len(blob), 300)):
        changed = bytearray(blob)
        changed[at] ^= 1 << random_.randrange(8)
        with pytest.raises(DamagedVector):
            decoded(bytes(changed), len(positions))
        with pytest.raises(DamagedVector):
            decoded(blob[:at], len(positions))


@pytest.mark.parametrize("positions", KINDS.values(), ids=KINDS)
def test_bitmaps_changed_under_a_right_checksum_give_positions_in_order_or_an_error(positions: list[int]) -> None:
    """A hostile writer computes the checksum too: nothing but rows of the file in ascending order is ever returned."""
    vector = blob_of(positions)[8:-4]
    random_ = random.Random(len(vector))
    for _ in range(300):
        changed = bytearray(vector)
        for at in random_.sample(range(len(vector)), min(len(vector), random_.choice([1, 1, 4]))):
            changed[at] = random_.choice([0, 1, 255, random_.randrange(256)])
        try:
            found = decoded(framed(bytes(changed)), len(positions))
        except DamagedVector:
            continue
        assert len(found) == len(positions)
        assert found == sorted(set(found))
        assert all(0 <= at < 2**41 for at in found)


def bitmap(*, key: int = 0, count: int = 1, body: bytes = struct.pack("<II2H", 12346, 0, 0, 0)) -> bytes:
    return struct.pack("<QI", count, key) + body


WRONG: dict[str, tuple[bytes, int, int, str]] = {
    "cardinality": (blob_of([1, 2]), 3, 10, "it deletes 2 rows, 3 by the metadata"),
    "more rows than stated": (blob_of([1, 2]), 1, 10, "a bitmap has 2 rows, 1 are left by the metadata"),
    "more rows than the file": (blob_of([1, 2]), 2, 1, "2 rows by the metadata, its data file has 1"),
    "negative": (blob_of([]), -1, 10, "it deletes -1 rows"),
    "past the end": (blob_of([1, 10]), 2, 10, "position 10, its data file has 10"),
    "far key": (blob_of([2**32]), 1, 2**32, "its key 1 is of positions from 4294967296"),
    "short": (b"\0" * 19, 0, 10, "19 bytes are fewer than the 20"),
    "length": (b"\0" * 20, 0, 10, "its length field is 0, 12"),
    "magic": (struct.pack(">I", 12) + b"\0" * 16, 0, 10, "its magic number is 00000000"),
    "checksum": (blob_of([1])[:-1] + b"!", 1, 10, "CRC-32"),
    "not a Roaring bitmap": (framed(bitmap(body=struct.pack("<I", 7))), 0, 10, "begins with 7"),
    "key order": (framed(struct.pack("<Q", 2) + blob_of([2**32])[16:-4] * 2), 2, 2**40, "the key 1 follows the key 1"),
    "containers": (framed(bitmap(body=struct.pack("<II", 12346, 65537))), 0, 10, "has 65537 containers"),
    "count of bitmaps": (framed(struct.pack("<Q", 2**64 - 1)), 0, 10, "bitmaps end at byte 8"),
    "trailing bytes": (framed(blob_of([1])[8:-4] + b"\0"), 1, 10, "1 bytes follow its last bitmap"),
    "offsets": (
        framed(bitmap(body=struct.pack("<II2HIH", 12346, 1, 0, 0, 99, 3))),
        1,
        10,
        "has offset 99, it is at 16",
    ),
    "array order": (
        framed(bitmap(body=struct.pack("<II2HI2H", 12346, 1, 0, 1, 16, 3, 3))),
        2,
        10,
        "positions of a container are not in ascending order",
    ),
    "container order": (
        framed(bitmap(body=struct.pack("<II4H2I2H", 12346, 2, 5, 0, 5, 0, 24, 26, 1, 1))),
        2,
        2**20,
        "containers of a bitmap are not in ascending order",
    ),
    "bits": (
        framed(bitmap(body=struct.pack("<II2HI", 12346, 1, 0, 4999, 16) + b"\1" * 8192)),
        5000,
        10**5,
        "a container has 8192 rows, 5000 by its header",
    ),
    "overlapping runs": (
        framed(bitmap(body=struct.pack("<IB2HH4H", 12347, 1, 0, 3, 2, 4, 1, 5, 1))),
        4,
        100,
        "runs of a container overlap",
    ),
    "run past the page": (
        framed(bitmap(body=struct.pack("<IB2HH2H", 12347, 1, 0, 1, 1, 65535, 1))),
        2,
        10**6,
        "or end after it",
    ),
    "rows of runs": (framed(bitmap(body=struct.pack("<IB2HH2H", 12347, 1, 0, 8, 1, 0, 1))), 9, 99, "has 2 rows, 9 by"),
}


@pytest.mark.parametrize(("blob", "rows", "file_rows", "text"), WRONG.values(), ids=WRONG)
def test_an_error_names_what_is_wrong(blob: bytes, rows: int, file_rows: int, text: str) -> None:
    with pytest.raises(DamagedVector) as error:
        decoded(blob, rows, file_rows)
    assert text in str(error.value)


def test_memory_is_not_taken_for_rows_that_are_not_expected() -> None:
    """Runs of 65,536 containers in half a megabyte stand for 4 billion rows."""
    size = 65536
    described = b"".join(struct.pack("<2H", at, 65535) for at in range(size))
    head = struct.pack("<I", 12347 | (size - 1) << 16) + b"\xff" * (size // 8) + described
    first = len(head) + 4 * size
    offsets = b"".join(struct.pack("<I", first + 6 * at) for at in range(size))
    bomb = framed(bitmap(body=head + offsets + struct.pack("<3H", 1, 0, 65535) * size))
    tracemalloc.start()
    with pytest.raises(DamagedVector, match="4294967296 rows, 10 are left"):
        decoded(bomb, 10, 2**40)
    assert tracemalloc.get_traced_memory()[1] < 8 * 2**20
    tracemalloc.stop()


def puffin(path: Path, *blobs: bytes, gap: bytes = b"") -> list[tuple[int, int]]:
    """Write blobs into one file without a footer, which no reader of vectors needs; return where they are."""
    body, places = b"PFA1", []
    for blob in blobs:
        places.append((len(body), len(blob)))
        body += blob + gap
    path.write_bytes(body)
    return places


def with_vectors(path: Path, inputs: list[TaskInput], deleted: list[list[int]], **options: Any) -> list[TaskInput]:
    places = puffin(path, *map(blob_of, deleted), **options)
    size = path.stat().st_size
    return [
        replace(one, vector=TaskVector(str(path), size, *place, len(rows)))
        for one, place, rows in zip(inputs, places, deleted, strict=True)
    ]


@pytest.mark.parametrize(("gap", "requests"), [(b"", 3), (b"\0" * (2**20 + 1), 4)])
def test_neighbours_in_one_file_are_read_together_and_nothing_else(tmp_path: Path, gap: bytes, requests: int) -> None:
    inputs = [input_of(tmp_path, name, 100 * at, 10) for at, name in enumerate("ab")]
    given_ = with_vectors(tmp_path / "d.puffin", inputs, [[0, 9], [1]], gap=gap)
    task = make_task(tmp_path, given_, SCHEMA)
    result = rewrite(task)
    assert (result.rows_read, result.rows_deleted, result.rows_written) == (20, 3, 17)
    assert result.requests == requests
    assert result.bytes_read < sum(one.file_bytes for one in inputs) + 200


def test_only_the_input_of_a_vector_loses_rows(tmp_path: Path) -> None:
    inputs = [input_of(tmp_path, name, 100 * at, 3) for at, name in enumerate("ab")]
    vectors = with_vectors(tmp_path / "d.puffin", inputs, [[0], [1]])
    assert ids_left(tmp_path, vectors[0], inputs[1]) == [1, 2, 100, 101, 102]


def test_position_delete_files_of_an_input_with_a_vector_are_not_read(tmp_path: Path) -> None:
    inputs = [input_of(tmp_path, name, 100 * at, 3) for at, name in enumerate("ab")]
    deletes = write_deletes(tmp_path / "d.parquet", [(one.path, 2) for one in inputs])
    one = with_deletes(with_vectors(tmp_path / "d.puffin", inputs[:1], [[0]])[0], deletes)
    assert ids_left(tmp_path, one, with_deletes(inputs[1], deletes)) == [1, 2, 100, 101]


FAULTS: dict[str, tuple[dict[str, Any], str]] = {
    "rows": ({"rows": 2}, "it deletes 1 rows, 2 by the metadata"),
    "place": ({"offset": 3}, "its length field is"),
    "before the file": ({"offset": -1}, "bytes from -1 on, the file has"),
    "past the file": ({"length": 10**6}, "1000000 bytes from 4 on, the file has"),
    "size of the file": ({"file_bytes": 10**6}, "but the manifest has 1000000"),
    "no file": ({"path": "/nowhere/d.puffin"}, "/nowhere/d.puffin"),
}


@pytest.mark.parametrize(("change", "text"), FAULTS.values(), ids=FAULTS)
def test_a_vector_unlike_the_metadata_fails_the_group_and_names_the_files(
    tmp_path: Path, change: dict[str, Any], text: str
) -> None:
    (one,) = with_vectors(tmp_path / "d.puffin", [input_of(tmp_path, "a", 0, 3)], [[1]])
    assert one.vector is not None
    wrong = replace(one, vector=replace(one.vector, **change))
    task = make_task(tmp_path, [wrong], SCHEMA)
    with pytest.raises(InputFault) as error:
        rewrite(task)
    assert text in str(error.value)
    assert wrong.vector is not None
    assert wrong.vector.path in str(error.value)
    assert not (tmp_path / "out").exists() or left_behind(tmp_path) == []


REFUSED: dict[str, dict[str, Any]] = {
    "too many rows": {"rows": 2**27 + 1},
    "too many bytes": {"length": 2**28 + 1, "file_bytes": 2**30},
}


@pytest.mark.parametrize("change", REFUSED.values(), ids=REFUSED)
def test_vectors_above_the_limits_are_refused_before_anything_is_read(tmp_path: Path, change: dict[str, Any]) -> None:
    (one,) = with_vectors(tmp_path / "d.puffin", [input_of(tmp_path, "a", 0, 3)], [[1]])
    assert one.vector is not None
    result = rewrite(make_task(tmp_path, [replace(one, vector=replace(one.vector, **change))], SCHEMA))
    assert (result.reason or "").startswith("unsupported_delete_file: ")
    assert result.requests == 0


def test_a_vector_outside_of_the_allowed_folders_is_refused(tmp_path: Path) -> None:
    first, second = (input_of(tmp_path / "data", name, 0, 3) for name in "ab")
    first = with_deletes(first, write_deletes(tmp_path / "data" / "d.parquet", [(first.path, 1)]))
    inputs = [first, *with_vectors(tmp_path / "d.puffin", [second], [[1]])]
    task = make_task(tmp_path, inputs, SCHEMA, allowed_folders=(str(tmp_path / "data"), str(tmp_path / "out")))
    result = rewrite(task)
    assert (result.reason or "").startswith("outside_files: ")
    assert result.requests == 0
