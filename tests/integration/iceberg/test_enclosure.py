"""Bounds of outputs enclose those of the inputs and their own footers, also where manifests of others are wrong."""

import math
import struct
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.conversions import to_bytes
from pyiceberg.io.pyarrow import schema_to_pyarrow
from pyiceberg.manifest import DataFile, ManifestFile, PartitionFieldSummary
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import (
    BinaryType,
    DoubleType,
    FixedType,
    FloatType,
    IcebergType,
    LongType,
    NestedField,
    StringType,
    UUIDType,
)

from engine.formats.iceberg.commits import producer
from engine.formats.iceberg.manifests.summaries import not_enclosed
from engine.formats.iceberg.metadata.partitions import PartitionCodec
from engine.formats.iceberg.statistics.column_metrics import ColumnMetrics, column_metrics
from engine.formats.iceberg.statistics.enclosure import enclose, unenclosed
from engine.formats.iceberg.statistics.float_knowledge import FloatKnowledge
from engine.formats.iceberg.statistics.metrics_modes import DEFAULT
from tests.support.iceberg_tables import Lake, groups_by_partition, nothing, request_of, write_group


def of_type(of: IcebergType) -> Schema:
    return Schema(NestedField(1, "c", of))


def input_of(lower: bytes | None, upper: bytes | None, *, nulls: int = 0) -> DataFile:
    return DataFile.from_args(
        record_count=4,
        value_counts={1: 4},
        null_value_counts={1: nulls},
        lower_bounds={} if lower is None else {1: lower},
        upper_bounds={} if upper is None else {1: upper},
    )


class Group:
    """Outputs of some values in a column of a type, one file for each list."""

    def __init__(self, folder: Path, of: IcebergType, *outputs: Sequence[Any]) -> None:
        self.schema = of_type(of)
        self.footers = []
        for values in outputs:
            path = folder / f"{uuid.uuid4()}.parquet"
            pq.write_table(pa.table({"c": values}, schema=schema_to_pyarrow(self.schema)), path)
            self.footers.append(pq.read_metadata(path))
        self.modes = {1: DEFAULT}
        self.outputs = [
            column_metrics(footer, schema=self.schema, modes=self.modes, floats=FloatKnowledge())
            for footer in self.footers
        ]

    def enclosed(self, *inputs: DataFile, same_rows: bool = True) -> list[tuple[bytes | None, bytes | None]]:
        enclose(self.outputs, self.footers, inputs, schema=self.schema, modes=self.modes, same_rows=same_rows)
        assert not self.reasons(*inputs, same_rows=same_rows)
        return [(each.lower_bounds.get(1), each.upper_bounds.get(1)) for each in self.outputs]

    def reasons(self, *inputs: DataFile, same_rows: bool = True) -> list[str]:
        found = unenclosed(self.outputs, self.footers, inputs, schema=self.schema, same_rows=same_rows)
        return [reason for _, reason in found]


def long(value: int) -> bytes:
    return value.to_bytes(8, "little", signed=True)


def test_outputs_that_enclose_stay_as_they_are(tmp_path: Path):
    assert Group(tmp_path, LongType(), [1, 9]).enclosed(input_of(long(1), long(9))) == [(long(1), long(9))]


def test_outputs_of_text_are_widened_to_inputs_that_claim_more(tmp_path: Path):
    group = Group(tmp_path, StringType(), ["c", "e"], ["f", "h"])
    assert group.enclosed(input_of(b"a", b"e"), input_of(b"b", b"i")) == [(b"a", b"e"), (b"f", b"i")]


def test_f40_outputs_lose_a_side_that_inputs_claim_more_of(tmp_path: Path):
    """F40: a bound that no row has would be the answer to MIN or MAX."""
    group = Group(tmp_path, LongType(), [3, 5], [6, 8])
    assert group.enclosed(input_of(long(1), long(5)), input_of(long(2), long(9))) == [(None, long(5)), (long(6), None)]


def test_bounds_from_before_a_promotion_are_understood(tmp_path: Path):
    def narrow(lower: int, upper: int) -> DataFile:
        return input_of(struct.pack("<i", lower), struct.pack("<i", upper))

    assert Group(tmp_path, LongType(), [3, 7]).enclosed(narrow(3, 7)) == [(long(3), long(7))]
    assert Group(tmp_path, LongType(), [3, 7]).enclosed(narrow(-2, 7)) == [(None, long(7))]
    group = Group(tmp_path, DoubleType(), [3.0])
    assert group.enclosed(input_of(struct.pack("<f", -0.5), struct.pack("<f", 3.0))) == [(None, struct.pack("<d", 3.0))]


def test_outputs_may_be_narrower_where_rows_were_deleted(tmp_path: Path):
    group = Group(tmp_path, LongType(), [3, 5])
    assert group.enclosed(input_of(long(1), long(9)), same_rows=False) == [(long(3), long(5))]


@pytest.mark.parametrize(
    ("lower", "upper"),
    [(b"\x01", b""), (b"", b"x" * 9), (b"\x00" * 3, b"\x00" * 7)],
    ids=["short", "long", "odd"],
)
def test_bounds_that_are_no_values_of_the_type_change_nothing(tmp_path: Path, lower: bytes, upper: bytes):
    assert Group(tmp_path, LongType(), [3, 5]).enclosed(input_of(lower, upper)) == [(long(3), long(5))]


def test_nan_and_crossed_bounds_of_inputs_never_narrow_an_output(tmp_path: Path):
    nan, one, two = (struct.pack("<d", each) for each in (math.nan, 1.0, 2.0))
    assert Group(tmp_path, DoubleType(), [1.0, 2.0]).enclosed(input_of(nan, nan)) == [(one, two)]
    assert Group(tmp_path, DoubleType(), [1.0, 2.0]).enclosed(input_of(two, one)) == [(one, two)]


@pytest.mark.parametrize(
    ("of", "value", "lower", "upper"),
    [
        (StringType(), "abcdefgh", b"abcd", b"abce"),
        (StringType(), "\U0001f600\U0010ffff\U0010ffff", "\U0001f600\U0010ffff".encode(), "\U0001f601".encode()),
        (BinaryType(), b"ab\xff\xff\xff", b"ab\xff\xff", b"ac"),
        (FixedType(4), b"\x80\xff\xff\xff", b"\x80\xff", b"\x81"),
    ],
    ids=["text", "non-BMP", "binary", "fixed"],
)
def test_cut_bounds_of_inputs_do_not_cut_those_of_outputs(
    tmp_path: Path, of: IcebergType, value: Any, lower: bytes, upper: bytes
):
    whole = value.encode() if isinstance(value, str) else value
    assert Group(tmp_path, of, [value]).enclosed(input_of(lower, upper)) == [(whole, whole)]


def test_texts_that_have_no_statistics_in_parquet_get_the_bounds_of_the_inputs(tmp_path: Path):
    """Arrow keeps none of more than 4 kB."""
    group, inputs = Group(tmp_path, StringType(), ["a" * 5000, "b"]), [input_of(b"a" * 16, b"b")]
    assert group.outputs[0].lower_bounds == {}
    assert group.enclosed(*inputs, input_of(None, None, nulls=4)) == [(b"a" * 16, b"b")]


def test_bounds_are_not_taken_over_from_inputs_that_do_not_all_have_them(tmp_path: Path):
    group = Group(tmp_path, StringType(), ["a" * 5000, "b"])
    assert group.enclosed(input_of(b"a" * 16, b"b"), input_of(None, None)) == [(None, None)]
    group = Group(tmp_path, StringType(), [None, None])
    assert group.enclosed(input_of(b"a", b"b")) == [(None, None)]


def test_uuids_that_can_not_be_widened_lose_their_bounds(tmp_path: Path):
    low, high = (uuid.UUID(f"{digit}1111111-1111-4111-8111-111111111111").bytes for digit in "1f")
    assert Group(tmp_path, UUIDType(), [low]).enclosed(input_of(low, high)) == [(None, None)]


WRONG: list[tuple[IcebergType, list[Any], Any, Any]] = [
    (DoubleType(), [-1.5, 0.0], -1.5, -0.0),
    (DoubleType(), [0.0, 1.5], 0.0, 1.5),
    (DoubleType(), [1.0, 2.0], math.nextafter(1.0, 2.0), 2.0),
    (LongType(), [1, 9], 1, 8),
    (StringType(), ["a", "\U0001f600"], "a", "\uffff"),
    (BinaryType(), [b"\x00", b"\x80"], b"\x00", b"\x7f"),
]


@pytest.mark.parametrize(("of", "values", "lower", "upper"), WRONG, ids=[f"{row[0]} {row[3]!r}" for row in WRONG])
def test_a_bound_inside_the_statistics_of_its_footer_is_found_and_dropped(
    tmp_path: Path, of: Any, values: list[Any], lower: Any, upper: Any
):
    group = Group(tmp_path, of, values)
    wrong = (to_bytes(of, lower), to_bytes(of, upper))
    group.outputs[0].set_bounds(1, wrong)
    assert len(group.reasons(input_of(*wrong))) == 1
    assert group.enclosed(input_of(*wrong)) == [(None, None)]


def test_a_bound_inside_those_of_the_inputs_is_found_without_footers(tmp_path: Path):
    group = Group(tmp_path, DoubleType(), [-1.0, 0.0])
    group.outputs[0].set_bounds(1, (to_bytes(DoubleType(), -1.0), to_bytes(DoubleType(), -0.0)))
    inputs = [input_of(to_bytes(DoubleType(), -1.0), to_bytes(DoubleType(), 0.0))]
    found = list(unenclosed(group.outputs, [None], inputs, schema=group.schema, same_rows=True))
    assert [field_id for field_id, _ in found] == [1]
    assert isinstance(group.outputs[0], ColumnMetrics)


def table_by_price(lake: Lake, of: FloatType | DoubleType, prices: Sequence[float]) -> None:
    """Create a table with two files for each price, which it is partitioned by."""
    schema = Schema(NestedField(1, "id", LongType()), NestedField(2, "price", of))
    table = lake.create(schema=schema, spec=PartitionSpec(PartitionField(2, 1000, IdentityTransform(), "price")))
    for price in (*prices, *prices):
        table.append(pa.table({"id": [1], "price": pa.array([price], schema_to_pyarrow(schema).field("price").type)}))


@pytest.mark.parametrize("zeros", [(-0.0, 0.0), (0.0, -0.0), (0.0, -1.0), (-0.0, 1.0)], ids=str)
@pytest.mark.parametrize("of", [FloatType(), DoubleType()], ids=str)
def test_partition_summaries_of_manifests_enclose_both_zeros(
    lake: Lake, of: FloatType | DoubleType, zeros: tuple[float, float]
) -> None:
    table_by_price(lake, of, zeros)
    opened = lake.open()
    groups = [write_group(opened, group) for group in groups_by_partition(opened)]
    assert len(groups) == 2
    opened.commits.commit(request_of(opened, *groups), before_try=nothing)
    head = lake.load().current_snapshot()
    assert head is not None
    ours = [each for each in head.manifests(lake.load().io) if each.added_snapshot_id == head.snapshot_id]
    assert len(ours) == 2
    for manifest in ours:
        (summary,) = manifest.partitions or ()
        assert (summary.lower_bound, summary.upper_bound) == (
            to_bytes(of, min(*zeros) or -0.0),
            to_bytes(of, max(*zeros) or 0.0),
        )


def test_a_manifest_that_hides_a_partition_fails_the_verification(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(producer, "widen_zeros", lambda *_: None)
    table_by_price(lake, DoubleType(), [-0.0, 0.0, -1.5])
    opened = lake.open()
    groups = [write_group(opened, group) for group in groups_by_partition(opened)]
    snapshot_id = opened.commits.commit(request_of(opened, *groups), before_try=nothing).snapshot_id
    assert snapshot_id is not None
    failed = [check for check in opened.commits.prove(snapshot_id, groups).checks if not check.holds]
    assert [check.name for check in failed] == ["manifests_enclose_partitions"]
    assert '{"price":0.0}' in failed[0].detail


ALIKE, SIGNED, SECOND = uuid.UUID(int=5), uuid.UUID(int=(1 << 127) + 5), uuid.UUID(int=(1 << 63) + 5)


@pytest.mark.parametrize(
    ("of", "values", "bounds", "hidden"),
    [
        (UUIDType(), [ALIKE, uuid.UUID(int=9)], (ALIKE, uuid.UUID(int=9)), 0),
        (UUIDType(), [ALIKE, SIGNED], (ALIKE, SIGNED), 2),  # as PyIceberg orders them
        (UUIDType(), [ALIKE, SIGNED], (SIGNED, ALIKE), 2),  # as Java does
        (UUIDType(), [ALIKE, SECOND], (ALIKE, SECOND), 2),
        (UUIDType(), [SIGNED], (SIGNED, SIGNED), 0),
        (DoubleType(), [0.0, -1.0], (-1.0, -0.0), 1),
        (DoubleType(), [-0.0, 1.0], (0.0, 1.0), 1),
        (DoubleType(), [0.0, -0.0], (-0.0, 0.0), 0),
        (DoubleType(), [math.nan, 1.0], (1.0, 1.0), 0),
        (LongType(), [-1, 300], (-1, 255), 1),
        (StringType(), ["\uff5e", "\U0001f600"], ("\uff5e", "\U0001f600"), 0),
        (LongType(), [None, 1], (1, 1), 1),
        (LongType(), [1], (None, None), 1),
    ],
)
def test_partitions_that_no_reader_or_only_some_would_find_are_named(
    of: IcebergType, values: Sequence[Any], bounds: tuple[Any, Any], hidden: int
) -> None:
    codec = PartitionCodec(spec=PartitionSpec(PartitionField(1, 1000, IdentityTransform(), "p")), schema=of_type(of))
    lower, upper = (None if each is None else to_bytes(of, each) for each in bounds)
    manifest = ManifestFile.from_args(partitions=[PartitionFieldSummary(False, None, lower, upper)])
    texts = [codec.encode([value]) for value in (*values, values[0])]
    entries = pa.table({"status": pa.array([1] * len(texts), pa.int8()), "partition": texts})
    assert len(not_enclosed(manifest, entries, codec)) == hidden
    gone = entries.set_column(0, "status", pa.array([2] * len(texts), pa.int8()))
    assert not_enclosed(manifest, gone, codec) == []
    assert not not_enclosed(ManifestFile.from_args(partitions=None), entries, codec)
