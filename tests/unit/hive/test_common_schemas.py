"""What the files of a Hive partition must have in common to be merged, and what their outputs state."""

import io
import re
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.domain.errors import NotEligible
from engine.formats.hive.files.footers import Footer, Stored, footer_in
from engine.formats.hive.metadata.tables import HiveColumn
from engine.formats.hive.rewrite.schemas import CommonSchema, common_schema
from engine.formats.hive.rewrite.times import names_parquet_mr, time_keys
from engine.rewriting.kernel.reading.projection import FIELD_ID_KEY

VERSION = "org.apache.spark.version"
DATES = pa.schema([("born", pa.date32())])
TIMES = pa.schema([("at", pa.timestamp("us"))])
INT96 = {"use_deprecated_int96_timestamps": True}


def footer(schema: pa.Schema, keys: Mapping[str, str] | None = None, **options: Any) -> Footer:
    """Return the footer of an empty file."""
    stream = io.BytesIO()
    options = {"store_schema": False, "store_decimal_as_integer": True, **options}
    with pq.ParquetWriter(stream, schema, **options) as writer:
        writer.add_key_value_metadata(keys or {})
    data = stream.getvalue()
    return footer_in(data[-8 - int.from_bytes(data[-8:-4], "little") :])


def common(*footers: Footer, columns: Sequence[str] = ()) -> CommonSchema:
    names = columns or sorted({name for each in footers for name in each.schema.names})
    return common_schema([HiveColumn(name, "") for name in names], footers)


@pytest.mark.parametrize(
    "schema",
    [
        TIMES,
        pa.schema([("seen", pa.list_(pa.timestamp("us")))]),
        pa.schema([("span", pa.struct([("a", pa.int32()), ("since", pa.timestamp("us"))]))]),
        pa.schema([("marks", pa.map_(pa.string(), pa.timestamp("us")))]),
        pa.schema([("deep", pa.list_(pa.struct([("m", pa.map_(pa.timestamp("us"), pa.list_(pa.timestamp("us"))))])))]),
    ],
    ids=lambda schema: schema.names[0],
)
def test_int96_timestamps_become_numbered_bytes_at_every_level(schema: pa.Schema) -> None:
    found = common(footer(schema, **INT96))
    leaves = [leaf for field in found.schema for leaf in _leaves(field)]
    bytes_of = {int(leaf.metadata[FIELD_ID_KEY]) for leaf in leaves if leaf.type == pa.binary(12)}
    assert bytes_of == set(found.dialect.int96_ids) != set()
    assert not any(pa.types.is_timestamp(leaf.type) for leaf in leaves)
    assert common(footer(schema)).dialect.int96_ids == ()


def _leaves(field: pa.Field) -> list[pa.Field]:
    of = field.type
    if pa.types.is_struct(of):
        return [leaf for at in range(of.num_fields) for leaf in _leaves(of.field(at))]
    if pa.types.is_map(of):
        return [*_leaves(of.key_field), *_leaves(of.item_field)]
    return _leaves(of.value_field) if pa.types.is_list(of) else [field]


def test_int96_and_nanoseconds_are_different_types() -> None:
    with pytest.raises(NotEligible, match=r"at is timestamp\[ns\], stored as INT96, in one file and timestamp\[ns\]"):
        common(footer(TIMES, **INT96), footer(pa.schema([("at", pa.timestamp("ns"))]), version="2.6"))


def test_required_fields_inside_of_structs_and_lists_become_nullable_where_files_differ() -> None:
    def schema(nullable: bool) -> pa.Schema:
        inner = pa.struct([pa.field("x", pa.int32(), nullable=nullable)])
        return pa.schema([("s", inner), ("l", pa.list_(pa.field("element", inner, nullable=nullable)))])

    mixed = common(footer(schema(True)), footer(schema(False)), columns=["s", "l"])
    assert mixed.schema.field("s").type.field(0).nullable
    assert mixed.schema.field("l").type.value_field.nullable
    alike = common(footer(schema(False)), footer(schema(False)), columns=["s", "l"])
    assert not alike.schema.field("s").type.field(0).nullable


def test_arrows_own_schema_in_a_footer_does_not_count() -> None:
    """Other readers see a number in place of a duration, and text in place of a category."""
    schema = pa.schema([("a", pa.duration("us")), ("b", pa.dictionary(pa.int32(), pa.string()))])
    bare = pa.schema([("a", pa.int64()), ("b", pa.string())])
    found = common(footer(schema, store_schema=True), footer(bare))
    assert [field.type for field in found.schema] == [pa.int64(), pa.string()]


@pytest.mark.parametrize(
    ("one", "other", "reason"),
    [
        (pa.schema([("a", pa.string())]), pa.schema([("a", pa.binary())]), "a is string in one file and binary"),
        (pa.schema([("a", pa.int8())]), pa.schema([("a", pa.int32())]), "a is int8 in one file and int32"),
        (pa.schema([("a", pa.int32())]), pa.schema([("a", pa.uint32())]), "a is int32 in one file and uint32"),
        (pa.schema([("a", pa.int32())]), pa.schema([("A", pa.int32())]), "spell a column"),
        (pa.schema([("a", pa.decimal128(9, 2))]), pa.schema([("a", pa.decimal128(10, 2))]), "decimal128"),
        (TIMES, pa.schema([("at", pa.timestamp("us", tz="UTC"))]), r"at is timestamp\[us\] in one file"),
    ],
)
def test_other_types_or_spellings_are_refused(one: pa.Schema, other: pa.Schema, reason: str) -> None:
    with pytest.raises(NotEligible, match=reason):
        common(footer(one), footer(other), columns=[name.lower() for name in one.names])


@pytest.mark.parametrize(
    ("types", "declared", "expected"),
    [
        ([pa.int32(), pa.int64(), pa.int8()], "bigint", pa.int64()),
        ([pa.int8(), pa.int16()], "int", pa.int32()),
        ([pa.float32(), pa.float64()], "double", pa.float64()),
        ([pa.int32(), pa.int32()], "bigint", pa.int32()),
        ([pa.int64(), pa.int32()], "int", None),
        ([pa.uint32(), pa.int64()], "bigint", None),
        ([pa.int32(), pa.float64()], "double", None),
        ([pa.int32(), pa.int64()], "string", None),
    ],
    ids=str,
)
def test_numbers_of_different_widths_get_the_type_of_the_table(
    types: list[pa.DataType], declared: str, expected: pa.DataType | None
) -> None:
    for order in (types, types[::-1]):
        footers = [footer(pa.schema([("a", of)])) for of in order]
        if expected is None:
            with pytest.raises(NotEligible, match="in one file and"):
                common_schema([HiveColumn("a", declared)], footers)
        else:
            assert common_schema([HiveColumn("a", declared)], footers).schema.field("a").type == expected


def test_a_column_that_the_table_lacks_is_kept_if_all_files_have_it() -> None:
    extra, plain = pa.schema([("X", pa.int64()), ("a", pa.int32())]), pa.schema([("a", pa.int32())])
    assert common(footer(extra), footer(extra), columns=["a"]).schema.names == ["a", "X"]
    for files in ([extra, plain], [plain, extra]):
        with pytest.raises(NotEligible, match="some files have the column 'X', which the table does not have"):
            common(*map(footer, files), columns=["a"])


@pytest.mark.parametrize(("one", "other"), [(True, True), (True, False), (False, False)])
def test_decimals_are_integers_only_if_those_of_all_files_are(one: bool, other: bool) -> None:
    schema = pa.schema([("a", pa.decimal128(18, 2)), ("b", pa.decimal128(19, 2))])
    files = [footer(schema, store_decimal_as_integer=as_integer) for as_integer in (one, other)]
    assert common(*files).dialect.decimals_as_integers is (one and other)


@pytest.mark.parametrize("of", [pa.int8(), pa.int16(), pa.uint8(), pa.uint32(), pa.date32(), pa.binary(), pa.string()])
def test_annotations_that_outputs_state_are_accepted(of: pa.DataType) -> None:
    assert common(footer(pa.schema([("a", of)]))).schema.field("a").type == of


def test_a_logical_type_that_outputs_would_not_state_is_refused() -> None:
    found = footer(pa.schema([("a", pa.binary())]))
    enum = Footer(0, found.schema, [[Stored("BYTE_ARRAY", '{"Type": "Enum"}')]])
    with pytest.raises(NotEligible, match=r'stored as BYTE_ARRAY \{"Type": "Enum"\}; a rewrite would store it'):
        common(enum)


@pytest.mark.parametrize(
    "schema", [DATES, TIMES, pa.schema([("l", pa.list_(pa.date32()))])], ids=["date", "at", "list"]
)
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({VERSION: "3.5.1"}, {}),
        ({VERSION: "2.4.8"}, {VERSION: "3.0.0"}),
        ({VERSION: "3.0.3"}, {VERSION: "3.1.0"}),
        ({VERSION: "3.5.1", "org.apache.spark.legacyDateTime": ""}, {VERSION: "3.5.1"}),
        ({VERSION: "3.5.1", "org.apache.spark.legacyINT96": ""}, {VERSION: "3.5.1"}),
        ({VERSION: "3.5.1", "org.apache.spark.timeZone": "UTC"}, {VERSION: "3.5.1", "org.apache.spark.timeZone": "Z"}),
        ({"writer.time.zone": "UTC"}, {"writer.time.zone": "Asia/Tokyo"}),
        ({"writer.date.proleptic": "true"}, {}),
        ({"writer.zone.conversion.legacy": "true"}, {"writer.zone.conversion.legacy": "false"}),
    ],
    ids=str,
)
def test_footers_that_name_different_calendars_or_zones_are_refused(
    schema: pa.Schema, one: dict[str, str], other: dict[str, str]
) -> None:
    (key,) = {name for name in {**one, **other} if one.get(name) != other.get(name)}
    for files in ([one, one, other], [other, one]):
        with pytest.raises(NotEligible, match=f"{re.escape(key)} is .*INSERT OVERWRITE"):
            time_keys([footer(schema, keys) for keys in files])


def test_outputs_state_the_keys_of_all_files_with_the_newest_version() -> None:
    keys = {VERSION: "3.4.0", "org.apache.spark.legacyDateTime": "", "org.apache.spark.timeZone": "UTC"}
    files = [footer(DATES, {**keys, VERSION: version, "other": version}) for version in ("3.4.0", "4.1.4", "3.5.1")]
    assert time_keys(files) == {**keys, VERSION: "4.1.4"}


def test_footers_of_files_without_dates_and_timestamps_do_not_matter() -> None:
    plain = pa.schema([("a", pa.int64()), ("t", pa.time64("us"))])
    assert time_keys([footer(plain, {VERSION: "2.4.8"}), footer(plain)]) == {}
    assert time_keys([footer(plain), footer(DATES, {VERSION: "2.4.8"})]) == {VERSION: "2.4.8"}
    assert time_keys([]) == {}


@pytest.mark.parametrize(("key", "value"), [("writer.time.zone", "x" * 1001), (VERSION, "4." + "1" * 1000)])
def test_a_value_that_is_too_long_is_refused(key: str, value: str) -> None:
    with pytest.raises(NotEligible, match="has more than 1000 characters"):
        time_keys([footer(DATES, {key: value}), footer(DATES, {key: "4.1.4"})])


@pytest.mark.parametrize("options", [INT96, {}], ids=["INT96", "INT64"])
def test_int96_timestamps_of_parquet_mr_and_of_another_library_are_refused(options: dict[str, Any]) -> None:
    found = footer(TIMES, **options)
    of_mr = Footer(0, found.schema, found.stored, created_by="parquet-mr version 1.10.1 (build x)")
    assert names_parquet_mr([of_mr, of_mr]) is bool(options)
    assert names_parquet_mr([found]) is False
    if options:
        with pytest.raises(NotEligible, match=r"written by 'parquet-mr version 1\.10\.1"):
            names_parquet_mr([found, of_mr])
    else:
        assert names_parquet_mr([found, of_mr]) is False
