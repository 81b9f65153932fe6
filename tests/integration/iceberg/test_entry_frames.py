"""Both readers of manifests give the same table, whatever a manifest holds; a damaged one is never half read."""

import copy
import io
import itertools
from collections.abc import Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any, Literal
from uuid import UUID

import fastavro
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.manifest import (
    DataFile,
    DataFileContent,
    FileFormat,
    ManifestEntry,
    ManifestEntryStatus,
    write_manifest,
)
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import BucketTransform, DayTransform, IdentityTransform
from pyiceberg.typedef import Record
from pyiceberg.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    IcebergType,
    LongType,
    NestedField,
    StringType,
    TimestampType,
    UUIDType,
)

from engine.formats.iceberg.manifests import decoding as manifests
from engine.formats.iceberg.manifests import entry_frames
from engine.formats.iceberg.manifests.version_3 import DeleteManifestWriterV3
from engine.formats.iceberg.metadata.partitions import PartitionCodec
from engine.formats.iceberg.metadata.row_ids import WITH_ROW_IDS
from engine.formats.intake.avro.blocks import readable
from tests.support.foreign_avro import foreign

FLAT = PartitionSpec()
OFFSETS: list[list[int] | None] = [None, [], [4], [4, 2**39, 2**40 - 1], [4, 2**41]]
"""Split offsets of files of about 1 TiB, in turn; the last are past the end, as damage leaves them."""
ORDER_IDS: list[int | None] = [None, 0, 1, 2**31 - 1, -(2**31)]
"""Ids of sort orders, in turn; the last is none that a table can have."""
NAMES = itertools.count()

TYPES: dict[str, tuple[IcebergType, Any, st.SearchStrategy[Any], bool]] = {
    "string": (StringType(), IdentityTransform(), st.text(st.characters(exclude_categories=["Cs"]), max_size=5), True),
    "long": (LongType(), IdentityTransform(), st.integers(-(2**63), 2**63 - 1), True),
    "boolean": (BooleanType(), IdentityTransform(), st.booleans(), True),
    "date": (DateType(), IdentityTransform(), st.integers(-700_000, 2_900_000), True),
    "day": (TimestampType(), DayTransform(), st.integers(-700_000, 2_900_000), True),
    "bucket": (StringType(), BucketTransform(16), st.integers(0, 15), True),
    "double": (DoubleType(), IdentityTransform(), st.floats(), False),
    "decimal": (DecimalType(9, 2), IdentityTransform(), st.decimals("-99", "99", places=2).map(Decimal), False),
    "uuid": (UUIDType(), IdentityTransform(), st.uuids().map(UUID.__str__).map(UUID), False),
    "binary": (BinaryType(), IdentityTransform(), st.binary(max_size=4), False),
}
"""By name: the column's type, the transform, values of the partition, and whether the fast reader takes it."""


def spec_of(names: Sequence[str]) -> tuple[PartitionSpec, Schema]:
    fields = [NestedField(number, name, TYPES[name][0]) for number, name in enumerate(names, 1)]
    parts = [PartitionField(n, 999 + n, TYPES[name][1], f"{name}_part") for n, name in enumerate(names, 1)]
    return PartitionSpec(*parts), Schema(*fields)


def manifest(
    folder: Path,
    partitions: Sequence[Sequence[Any]],
    spec: PartitionSpec,
    schema: Schema,
    *,
    version: Literal[1, 2] = 2,
    codec: Literal["null", "deflate", "zstd"] = "deflate",
) -> bytes:
    path = folder / f"{next(NAMES)}.avro"
    with write_manifest(version, spec, schema, PyArrowFileIO().new_output(str(path)), 7, codec) as writer:
        for number, values in enumerate(partitions):
            file = DataFile.from_args(
                content=DataFileContent.DATA,
                file_path=f"s3://lake/täble/{number}.parquet",
                file_format=[FileFormat.PARQUET, FileFormat.ORC][number % 2],
                partition=Record(*values),
                record_count=number,
                file_size_in_bytes=2**40 + number,
                lower_bounds={1: b"\x00\xff"},
                split_offsets=OFFSETS[number % len(OFFSETS)],
                key_metadata=b"key" if number % 3 == 2 else None,
                sort_order_id=ORDER_IDS[number % len(ORDER_IDS)],
            )
            file.spec_id = spec.spec_id
            known = {"snapshot_id": number + 1, "sequence_number": 5, "file_sequence_number": 4}
            status = list(ManifestEntryStatus)[number % 3]
            if number % 4 == 1:  # a new file, which inherits
                status, known = ManifestEntryStatus.ADDED, {"snapshot_id": 7} if version == 1 else {}
            writer.add_entry(ManifestEntry.from_args(status=status, data_file=file, **known))
    return readable(path.read_bytes())


def both(
    body: bytes, codec: PartitionCodec, monkeypatch: pytest.MonkeyPatch, *, with_targets: bool = False
) -> tuple[pa.Table, pa.Table]:
    """What is read, and what entry by entry would be."""
    found = manifests.read_entries(body, codec=codec, with_targets=with_targets)
    with monkeypatch.context() as patched:
        patched.setattr(manifests, "columns_of", lambda *_args, **_options: None)
        return found, manifests.read_entries(body, codec=codec, with_targets=with_targets)


def is_taken(
    body: bytes, codec: PartitionCodec, monkeypatch: pytest.MonkeyPatch, *, with_targets: bool = False
) -> bool:
    answers: list[bool] = []

    def asked(*arguments: Any, **options: Any) -> Any:
        answer = entry_frames.columns_of(*arguments, **options)
        answers.append(answer is not None)
        return answer

    with monkeypatch.context() as patched:
        patched.setattr(manifests, "columns_of", asked)
        manifests.read_entries(body, codec=codec, with_targets=with_targets)
    return answers == [True]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_both_readers_give_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: st.DataObject):
    names = data.draw(st.lists(st.sampled_from(sorted(TYPES)), max_size=3, unique=True))
    values = st.tuples(*(st.one_of(st.none(), TYPES[name][2]) for name in names))
    rows = data.draw(st.lists(values, min_size=1, max_size=30))
    spec, schema = spec_of(names)
    version: Literal[1, 2] = data.draw(st.sampled_from([1, 2]))
    compression: Literal["null", "deflate", "zstd"] = data.draw(st.sampled_from(["null", "deflate", "zstd"]))
    body = manifest(tmp_path, rows, spec, schema, version=version, codec=compression)
    codec = PartitionCodec(spec=spec, schema=schema)
    found, expected = both(body, codec, monkeypatch)
    assert found.schema.equals(expected.schema)
    assert found.to_pylist() == expected.to_pylist()
    assert found.num_rows == len(rows)
    if version == 2:  # what PyIceberg says of version 1 in the header, the fast reader does not take
        assert is_taken(body, codec, monkeypatch) == all(TYPES[name][3] for name in names)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), chance=st.randoms(use_true_random=False))
def test_fields_that_are_not_known_and_other_encodings_of_the_same_change_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: st.DataObject, chance: Random
) -> None:
    names = data.draw(st.lists(st.sampled_from(["string", "long", "boolean", "bucket"]), max_size=2, unique=True))
    rows = data.draw(st.lists(st.tuples(*(TYPES[name][2] for name in names)), min_size=1, max_size=12))
    spec, schema = spec_of(names)
    body = manifest(tmp_path, rows, spec, schema)
    codec = PartitionCodec(spec=spec, schema=schema)
    other = foreign(body, chance)
    found, expected = both(other, codec, monkeypatch)
    assert found.to_pylist() == expected.to_pylist() == both(body, codec, monkeypatch)[0].to_pylist()
    assert is_taken(other, codec, monkeypatch)


DELETES: dict[str, dict[str, Any]] = {
    "vector": {"file_format": FileFormat.PUFFIN, "referenced_data_file": "s3://a", "content_offset": 4},
    "named": {"referenced_data_file": "s3://b"},
    "equality": {"content": DataFileContent.EQUALITY_DELETES, "equality_ids": [1], "referenced_data_file": "s3://c"},
    "bounds": {"lower_bounds": {2147483546: b"s3://d"}, "upper_bounds": {2147483546: b"s3://d"}},
    "empty": {"referenced_data_file": "", "lower_bounds": {2147483546: b"s"}, "upper_bounds": {2147483546: b"t"}},
}
TARGETS = {"vector": "s3://a", "named": "s3://b", "bounds": "s3://d"}


@pytest.mark.parametrize(
    ("kinds", "taken"),
    [
        (["vector", "vector"], True),
        (["vector", "named", "equality"], True),
        (["equality"], True),
        (["vector", "bounds"], False),
        (["empty", "named"], False),
    ],
)
def test_deletes_that_name_their_data_files_are_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kinds: list[str], taken: bool
):
    path, (spec, schema) = tmp_path / "m.avro", spec_of(["string"])
    with DeleteManifestWriterV3(spec, schema, PyArrowFileIO().new_output(str(path)), 7, "deflate") as writer:
        for number, kind in enumerate(kinds):
            given = {"content": DataFileContent.POSITION_DELETES, "file_format": FileFormat.PARQUET, **DELETES[kind]}
            place = {"partition": Record(f"p{number % 2}"), "record_count": 1, "file_size_in_bytes": 9}
            size = {"content_size_in_bytes": 5 + number} if kind == "vector" else {}
            file = DataFile.from_args(WITH_ROW_IDS, file_path=f"s3://{number}", **given, **place, **size)
            writer.add(ManifestEntry.from_args(status=ManifestEntryStatus.ADDED, snapshot_id=7, data_file=file))
    body, codec = readable(path.read_bytes()), PartitionCodec(spec=spec, schema=schema)
    found, expected = both(body, codec, monkeypatch, with_targets=True)
    assert found.schema.equals(expected.schema)
    assert found.to_pylist() == expected.to_pylist()
    assert found["target"].to_pylist() == [TARGETS.get(kind) for kind in kinds]
    assert is_taken(body, codec, monkeypatch, with_targets=True) == taken


def test_both_zeros_are_partitions_of_their_own(tmp_path: Path) -> None:
    spec, schema = spec_of(["double"])
    body = manifest(tmp_path, [(-0.0,), (0.0,), (None,), (-0.0,)], spec, schema)
    entries = manifests.read_entries(body, codec=PartitionCodec(spec=spec, schema=schema), with_targets=False)
    values = ["-0.0", "0.0", "null", "-0.0"]
    assert entries["partition"].to_pylist() == [f'{{"double_part":{value}}}' for value in values]


def test_manifests_of_unpartitioned_tables_are_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    body = manifest(tmp_path, [()] * 3, FLAT, Schema())
    codec = PartitionCodec(spec=FLAT, schema=Schema())
    assert is_taken(body, codec, monkeypatch)
    found, expected = both(body, codec, monkeypatch)
    assert found.to_pylist() == expected.to_pylist()


def test_row_groups_are_as_many_as_the_split_offsets_unless_these_are_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    body = manifest(tmp_path, [()] * 2 * len(OFFSETS), FLAT, Schema())
    for found in both(body, PartitionCodec(spec=FLAT, schema=Schema()), monkeypatch):
        assert found["row_groups"].to_pylist() == [0, 0, 1, 3, 0] * 2


def test_a_manifest_in_which_no_file_has_split_offsets_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    body = manifest(tmp_path, [()] * 2, FLAT, Schema())  # none, and an empty list
    for found in both(body, PartitionCodec(spec=FLAT, schema=Schema()), monkeypatch):
        assert found["row_groups"].to_pylist() == [0, 0]


def test_an_empty_manifest_has_no_entries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    spec, schema = spec_of(["string"])
    body = manifest(tmp_path, [("a",)], spec, schema)
    header = body[: body.rindex(body[-16:], 0, -16) + 16]  # up to the first sync marker, which ends the header
    found, expected = both(header, PartitionCodec(spec=spec, schema=schema), monkeypatch)
    assert found.num_rows == expected.num_rows == 0


@pytest.mark.parametrize("cut", [1, 17, 40, 200])
def test_a_manifest_that_was_cut_off_is_refused_by_both(tmp_path: Path, cut: int):
    spec, schema = spec_of(["string", "long"])
    body = manifest(tmp_path, [("a", 1), ("b", 2)] * 50, spec, schema)
    with pytest.raises(Exception, match=r".+"):
        manifests.read_entries(body[:-cut], codec=PartitionCodec(spec=spec, schema=schema), with_targets=False)


def test_days_are_the_same_as_python_knows_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    spec, schema = spec_of(["day"])
    day = (date(2026, 1, 2) - datetime(1970, 1, 1, tzinfo=UTC).date()).days
    body = manifest(tmp_path, [(day,)], spec, schema)
    found, _ = both(body, PartitionCodec(spec=spec, schema=schema), monkeypatch)
    assert found["partition"].to_pylist() == ['{"day_part":"2026-01-02"}']


@pytest.mark.parametrize("kind", ["string", "boolean", "double", "long", {"type": "array", "items": "int"}])
def test_a_sort_order_of_another_type_is_none_and_damages_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: Any
) -> None:
    body = manifest(tmp_path, [()] * 5, FLAT, Schema(NestedField(1, "id", LongType())))
    reader: Any = fastavro.reader(io.BytesIO(body))
    written, entries = copy.deepcopy(reader.writer_schema), list(reader)
    (file,) = [each for each in written["fields"] if each["name"] == "data_file"]
    (order,) = [each for each in file["type"]["fields"] if each["field-id"] == 140]
    order["type"], order["default"] = ["null", kind], None
    values = {"string": "1", "boolean": True, "double": 1.0, "long": 2**40}
    for entry in entries:
        entry["data_file"]["sort_order_id"] = values.get(str(kind), [1])
    out = io.BytesIO()
    fastavro.writer(out, written, entries, metadata=reader.metadata | {"avro.codec": "null"})
    codec = PartitionCodec(spec=FLAT, schema=Schema(NestedField(1, "id", LongType())))
    for found in both(readable(out.getvalue()), codec, monkeypatch):
        assert found["sort_order_id"].to_pylist() == [None] * 5
        assert found["record_count"].to_pylist() == [0, 1, 2, 3, 4]
