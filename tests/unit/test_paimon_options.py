"""The options of Paimon tables that are known, as data."""

from collections import Counter

import pytest

from engine.formats.paimon.metadata.known_options import KNOWN, OPTIONS, Activity, problems_of
from engine.formats.paimon.metadata.options import options_of
from engine.formats.paimon.metadata.partition_fields import spec_fields
from engine.formats.paimon.metadata.partitions import PartitionCodec
from engine.formats.paimon.metadata.policy_fields import ignored_options, policy_fields
from engine.formats.paimon.metadata.schemas import Column, TableSchema
from engine.formats.paimon.metadata.types import parse_type

LOCATION = "s3://lake/warehouse/lake.db/events"


def test_f45_an_option_of_paimon_is_listed_once_for_an_operation() -> None:
    """F45: a row that forbids something names the remedy."""
    counts = Counter((each.parameter.name.lower(), work) for each in OPTIONS for work in each.concerns or Activity)
    assert [name for name, count in counts.items() if count > 1] == []
    for each in OPTIONS:
        assert bool(each.concerns) is bool(each.parameter.remedy) is (each.parameter.accepted is not None), each


@pytest.mark.parametrize("work", Activity)
def test_f45_an_unknown_option_of_paimon_forbids_every_operation(work: Activity) -> None:
    """F45: unless an admin names it; an option with a known meaning keeps it."""
    given = {"row-filter.enabled": "true", "dq.rule": "x", "type": "object-table", "bucket": "4"}
    named, kind = problems_of(work, given, location=LOCATION, meaningless=["dq.*", "type"])
    assert named.startswith("row-filter.enabled is not a known option: if no reader goes by it, name it in the catalog")
    assert kind.startswith("type is 'object-table' (the kind of the table")


@pytest.mark.parametrize(
    ("name", "value", "forbidden"),
    [
        ("scan.ignore-lost-files", "TRUE", {Activity.CORE}),
        ("scan.tag-name", "t", {Activity.KERNEL, Activity.CORE}),
        ("file-index.bloom-filter.columns", "id", {Activity.KERNEL}),
        ("file-index.read.enabled", "false", set()),
        ("parquet.encryption.column.keys", "k:a", {Activity.KERNEL, Activity.CORE}),
        ("fields.a.b.anything", "sum", set(Activity)),
        ("metadata.iceberg.storage", "table-location", {Activity.EXPIRY, Activity.TAGS}),
        (
            "metadata.iceberg.storage",
            "rest-catalog",
            {Activity.EXPIRY, Activity.TAGS, Activity.KERNEL, Activity.CORE},
        ),
        ("path", "s3a://lake/warehouse/lake.db/events/", set()),
        ("path", "s3://lake/elsewhere", set(Activity)),
        ("path", "gs://lake/warehouse/lake.db/events", set(Activity)),
    ],
)
def test_f45_an_option_of_paimon_forbids_only_what_it_concerns(name: str, value: str, forbidden: set[Activity]) -> None:
    """F45: each operation has a list of its own."""
    assert {work for work in Activity if problems_of(work, {name: value}, location=LOCATION)} == forbidden


@pytest.mark.parametrize(
    ("written", "size"),
    [
        *(("256 mb", 2**28), ("64MB", 2**26), ("1g", 2**30), ("134217728", 2**27), (" 65536 kibibytes ", 2**26)),
        *((None, None), ("much", None), ("1.5 gb", None), ("-1", None), ("1 b", None), ("9" * 15 + "t", None)),
    ],
)
def test_the_size_of_a_table_s_files_is_a_policy_field(written: str | None, size: int | None) -> None:
    given = {} if written is None else {"target-file-size": written}
    schema = TableSchema(0, (), (), (), given, 0, 0)
    assert policy_fields(options_of(schema), given) == ({} if size is None else {"rewrite.target_file_bytes": size})
    is_ignored = written is not None and size is None
    assert [(each.name, each.value) for each in ignored_options(given)] == [("target-file-size", written)] * is_ignored
    assert all(each.reason for each in ignored_options(given))


def test_f45_every_operation_knows_the_same_options() -> None:
    """F45: an option that one operation lists is not unknown to another."""
    names = [{each.name for each in KNOWN[work].rows} for work in Activity]
    assert all(each == names[0] for each in names)


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("2026-11-01 16:00", "2026-11-01T16:00:00"),
        ("2026-11-01T16:00:00.5", "2026-11-01T16:00:00.500000"),
        ("2026-11-01T16:00Z", None),
        ("yesterday", None),
    ],
)
def test_predicates_of_partitions_by_timestamps_are_iso_8601(given: str, found: str | None) -> None:
    column = Column(0, "at", parse_type("TIMESTAMP(6)"))
    schema = TableSchema(0, (column,), ("at",), (), {}, 0, 0)
    (field,) = spec_fields(PartitionCodec.of(schema, options_of(schema))).fields
    if found is None:
        with pytest.raises(ValueError, match="is not a timestamp without a time zone, such as '2026-11-01T16:00:00'"):
            field.convert(given)
    else:
        assert field.convert(given) == found
