"""Conditions of the kernel and the properties that a table states, on real tables."""

import json
import re
from typing import Any

import pytest
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table.update import SetSnapshotRefUpdate
from pyiceberg.transforms import BucketTransform
from pyiceberg.types import ListType, NestedField, StructType, TimestampType

from engine.domain.errors import NotEligible, TableUnreadable
from engine.domain.tables.orders import RequestedOrder, WantedColumn
from engine.formats.base import Engine
from engine.formats.iceberg import IcebergTable
from engine.formats.iceberg.metadata.table_properties import read_properties
from engine.rewriting.kernel.contract import WriteSettings
from tests.support.iceberg_tables import (
    BY_CITY,
    SCHEMA,
    Lake,
    append_files,
    commit_deletes,
    delete_file,
    edit_metadata,
    group_of,
    live_paths,
    task_of,
)

ALL = {
    "format_version",
    "main_branch",
    "known_types",
    "default_location_provider",
    "known_features",
    "parquet_only",
    "deletion_vectors_valid",
    "no_equality_deletes",
    "not_encrypted",
    "files_unique",
    "row_ids_distinct",
    "partition_columns_known",
}


def failed(opened: IcebergTable) -> dict[str, str]:
    return {each.name: each.detail for each in opened.engines[Engine.ARROW].conditions() if not each.holds}


@pytest.mark.parametrize("version", ["1", "2"])
def test_an_ordinary_table_meets_every_condition(lake: Lake, version: str):
    append_files(lake.create(properties={"format-version": version}), 2)
    conditions = lake.open().engines[Engine.ARROW].conditions()
    assert {each.name for each in conditions} == ALL
    assert all(each.holds and each.detail for each in conditions)


def test_a_table_without_commits_is_eligible_and_empty(lake: Lake):
    lake.create()
    opened = lake.open()
    assert not failed(opened)
    details = {condition.name: condition.detail for condition in opened.engines[Engine.ARROW].conditions()}
    assert details["main_branch"] == "the table is empty: no snapshot was committed to main yet"


def test_tables_of_version_three_are_rewritten(lake: Lake):
    append_files(lake.create(), 2)
    edit_metadata(lake.load(), lambda body: body.update({"format-version": 3, "next-row-id": 0}))
    assert failed(lake.open()) == {}


def test_strange_types_are_found_at_any_depth(lake: Lake):
    inner = StructType(NestedField(3, "at", TimestampType()))
    lake.create(schema=Schema(NestedField(1, "list", ListType(2, inner))))

    def to_variant(body: dict[str, Any]) -> None:
        body["schemas"][0]["fields"][0]["type"]["element"]["fields"][0]["type"] = "variant"

    edit_metadata(lake.load(), to_variant)
    conditions = {each.name: each for each in lake.open().engines[Engine.NATIVE].conditions()}
    assert conditions["native_known_types"].detail.startswith("list.element.at variant: the procedure fails on files")
    assert "known_types" not in failed(lake.open())


UNKNOWN: dict[str, Any] = {"id": 9, "name": "u", "required": False, "type": "unknown"}


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ([UNKNOWN], None),
        ([{"id": 9, "name": "n", "required": False, "type": "timestamptz_ns"}], None),
        ([{**UNKNOWN, "type": {"type": "struct", "fields": [{**UNKNOWN, "id": 10}]}}], "u has values of unknown type"),
        (
            [{**UNKNOWN, "type": {"type": "list", "element-id": 10, "element": "unknown", "element-required": False}}],
            "u has values of unknown type only",
        ),
        ([{**UNKNOWN, "type": "int", "initial-default": 2**40}], "the default of u is 1099511627776, which is not a"),
        ([{**UNKNOWN, "type": "decimal(3, 2)", "initial-default": "1234.5"}], "which is not a value of type decimal"),
        ([{**UNKNOWN, "type": "date", "initial-default": "2026-01-01"}], None),
        ([{**UNKNOWN, "type": "timestamp_ns", "write-default": "2026-01-01T00:00:00.000000001"}], None),
        (
            [{**UNKNOWN, "type": "timestamptz_ns", "initial-default": "2026-01-01T00:00:00.000000001+00:00"}],
            "u timestamptz_ns with a default value: the kernel rewrites no columns of this type",
        ),
        (
            [{**UNKNOWN, "type": {"type": "struct", "fields": [{**UNKNOWN, "type": "int"}]}, "initial-default": {}}],
            "u struct with a default value: the kernel rewrites no columns of this type",
        ),
    ],
)
def test_columns_that_files_can_lack_are_followed_or_refused_by_name(
    lake: Lake, fields: list[dict[str, Any]], told: str | None
):
    append_files(lake.create(), 1)

    def extended(body: dict[str, Any]) -> None:
        body |= {"format-version": 3, "next-row-id": 0}
        body["schemas"][0]["fields"] += fields

    edit_metadata(lake.load(), extended)
    found = failed(lake.open())
    assert found.keys() - {"format_version"} == ({"known_types"} if told else set())
    assert (told or "") in found.get("known_types", "")


@pytest.mark.parametrize("of", ["variant", "geometry", "geometry(EPSG:4326)", "geography(OGC:CRS84, spherical)"])
def test_a_table_with_a_type_that_pyiceberg_can_t_parse_is_read_and_no_rows_go_by_it(lake: Lake, of: str):
    append_files(lake.create(), 2)
    name = lake.load().schema().fields[2].name

    def to_newer(body: dict[str, Any]) -> None:
        body |= {"format-version": 3, "next-row-id": 0}
        body["schemas"][0]["fields"][2] |= {"type": of, "initial-default": {}}

    edit_metadata(lake.load(), to_newer)
    opened = lake.open()
    assert "known_types" not in failed(opened)
    assert opened.describe()["columns"][2]["type"] == of
    assert opened.engines[Engine.ARROW].digest().num_rows == 2
    with pytest.raises(NotEligible, match=f"'{name}' is a {re.escape(of)}, which has no order"):
        opened.resolve_order(RequestedOrder("zorder", (WantedColumn("id"), WantedColumn(name))))
    task = task_of(opened, group_of(opened)).task
    assert task.read.verbatim == {"3": of}
    assert json.loads(task.write.dialect.key_values["iceberg.schema"])["fields"][2]["type"] == of


def test_partitions_of_such_a_type_refuse_the_table(lake: Lake):
    append_files(lake.create(spec=PartitionSpec(PartitionField(3, 1000, BucketTransform(4), "at_bucket"))), 1)

    def to_newer(body: dict[str, Any]) -> None:
        body |= {"format-version": 3, "next-row-id": 0}
        body["schemas"][0]["fields"][2] |= {"type": "variant"}

    edit_metadata(lake.load(), to_newer)
    assert failed(lake.open())["known_types"] == (
        "partition field at_bucket of a variant: rows can't be divided by values of this type"
    )


def test_a_document_of_version_two_with_types_of_version_three_is_not_written(lake: Lake):
    """PyIceberg would write `binary` instead of the type."""
    append_files(lake.create(), 1)
    edit_metadata(lake.load(), lambda body: body["schemas"][0]["fields"][2].update(type="variant"))
    assert "types or defaults of format version 3" in failed(lake.open())["known_features"]


def test_an_unknown_type_is_not_called_damage(lake: Lake):
    table = lake.create()
    edit_metadata(table, lambda body: body["schemas"][0]["fields"][2].update(type="blob"))
    with pytest.raises(TableUnreadable) as caught:
        lake.open()
    assert "this version reads no tables with columns of this type" in caught.value.message
    assert "repair" not in caught.value.message


def test_live_equality_deletes_refuse_the_table_and_are_counted(lake: Lake):
    """F21: no task of the kernel ever holds equality deletes in memory."""
    append_files(lake.create(), 2)
    commit_deletes(lake.load(), delete_file(lake.load(), [("", 3)], equality_id=1))
    assert failed(lake.open()) == {"no_equality_deletes": "1 live equality-delete files, which may touch 2 data files"}


def test_position_deletes_refuse_nothing(lake: Lake):
    append_files(lake.create(), 2)
    commit_deletes(lake.load(), delete_file(lake.load(), [(live_paths(lake.load())[0], 0)]))
    assert failed(lake.open()) == {}


@pytest.mark.parametrize(
    ("name", "value", "condition"),
    [
        ("write.location-provider.impl", "com.example.Mine", "default_location_provider"),
        ("write.py-location-provider.impl", "os.path", "default_location_provider"),
        ("write.parquet.bloom-filter-enabled.column.id", "true", "known_features"),
        ("write.format.default", "orc", "parquet_only"),
        ("encryption.key-id", "k1", "not_encrypted"),
        ("write.metadata.previous-versions-max", "many", "known_features"),
        ("write.object-storage.partitioned-paths", "maybe", "known_features"),
    ],
)
def test_properties_that_the_kernel_does_not_serve_refuse_the_table(lake: Lake, name: str, value: str, condition: str):
    append_files(lake.create(), 1)
    edit_metadata(lake.load(), lambda body: body["properties"].update({name: value}))
    assert set(failed(lake.open())) == {condition}


def test_code_named_by_a_table_property_is_never_loaded(lake: Lake):
    append_files(lake.create(), 1)
    edit_metadata(lake.load(), lambda body: body["properties"].update({"py-io-impl": "no.such.module.Thing"}))
    assert lake.open().digest().num_rows == 1


def test_a_file_that_is_live_twice_refuses_the_table(lake: Lake):
    append_files(lake.create(), 1)
    path = live_paths(lake.load())[0]
    lake.load().add_files([path], check_duplicate_files=False)
    assert failed(lake.open()) == {"files_unique": "1 of 2 live entries name a file again"}


def test_other_branches_are_shown(lake: Lake):
    append_files(lake.create(), 1)
    table = lake.load()
    head = table.current_snapshot().snapshot_id
    branch = SetSnapshotRefUpdate(
        ref_name="audit", type="branch", snapshot_id=head, max_ref_age_ms=None, max_snapshot_age_ms=None,
        min_snapshots_to_keep=None,
    )  # fmt: skip
    table.catalog.commit_table(table, (), (branch,))
    details = {each.name: each.detail for each in lake.open().engines[Engine.ARROW].conditions()}
    assert details["main_branch"] == f"main is at snapshot {head}; untouched: audit"


def test_dropped_partition_columns_do_not_refuse_the_table(lake: Lake):
    table = lake.create(spec=BY_CITY)
    append_files(table, 1)
    with table.update_spec() as update:
        update.remove_field("city")
    with lake.load().update_schema(allow_incompatible_changes=True) as update:
        update.delete_column("city")
    assert failed(lake.open()) == {}


@pytest.mark.parametrize(
    ("properties", "policy"),
    [
        ({}, {}),
        ({"write.target-file-size-bytes": "268435456"}, {"rewrite.target_file_bytes": 268435456}),
        ({"write.parquet.compression-codec": "zstd"}, {"rewrite.compression": "zstd:3"}),
        (
            {"write.parquet.compression-codec": "ZSTD", "write.parquet.compression-level": "9"},
            {"rewrite.compression": "zstd:9"},
        ),
        ({"write.parquet.compression-level": "5"}, {"rewrite.compression": "zstd:5"}),
        ({"write.parquet.compression-codec": "gzip"}, {"rewrite.compression": "gzip"}),
        ({"write.parquet.compression-codec": "none"}, {"rewrite.compression": "uncompressed"}),
        (
            {"write.parquet.compression-codec": "snappy", "write.parquet.compression-level": "9"},
            {"rewrite.compression": "snappy"},
        ),
    ],
)
def test_table_properties_become_policy_fields(lake: Lake, properties: dict[str, str], policy: dict[str, object]):
    lake.create(properties=properties)
    assert lake.open().policy_properties() == policy
    assert lake.open().describe()["ignored_properties"] == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("write.target-file-size-bytes", "12"),
        ("write.target-file-size-bytes", "lots"),
        ("write.parquet.compression-codec", "brotli"),
        ("write.parquet.compression-level", "99"),
        ("write.parquet.page-size-bytes", "-1"),
    ],
)
def test_properties_that_make_no_sense_are_ignored_and_shown(lake: Lake, name: str, value: str):
    lake.create(properties={name: value})
    opened = lake.open()
    assert opened.policy_properties() == {}
    (ignored,) = opened.describe()["ignored_properties"]
    assert (ignored["name"], ignored["value"]) == (name, value)
    assert ignored["reason"]


def test_sizes_of_the_table_win_over_the_given_ones():
    reading = read_properties({"write.parquet.row-group-size-bytes": "1000", "write.parquet.dict-size-bytes": "10"})
    assert reading.applied_to(WriteSettings(target_file_bytes=1)) == WriteSettings(
        target_file_bytes=1, row_group_bytes=1000, dictionary_page_bytes=10
    )


def test_a_description_is_ready_for_json(lake: Lake):
    append_files(lake.create(schema=SCHEMA), 2)
    described = lake.open().describe()
    assert (described["format"], described["format_version"], described["snapshot_count"]) == ("iceberg", 2, 2)
    assert (described["data_manifest_count"], described["delete_manifest_count"]) == (2, 0)
    assert described["columns"][0] == {"id": 1, "name": "id", "type": "long", "required": True}
