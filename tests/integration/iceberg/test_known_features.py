"""Features of tables by an allow-list: operations are refused, by name, on a table with one that is not known."""

import json
import re
import zipfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest

from engine.domain.errors import CommitConflict, InvalidInput, NotEligible, TableUnreadable
from engine.domain.runs.expiry import Expiry, ExpiryRule
from engine.domain.tables.table import TableRef
from engine.embedded.jars import CACHE_FOLDER, ICEBERG_RUNTIME, fetch
from engine.formats.base import Engine
from engine.formats.iceberg import IcebergFormat, IcebergTable
from engine.formats.iceberg.features.fields import FIELDS
from engine.formats.iceberg.features.properties import NAMESPACES, PROPERTIES
from engine.formats.intake.parameters import MEANINGLESS, Parameters
from tests.support.iceberg_tables import (
    Lake,
    append_files,
    edit_metadata,
    group_of,
    ids_of,
    nothing,
    request_of,
    write_group,
)
from tests.support.java_classes import string_constants
from tests.support.rest_catalog import RestCatalogServer

EXPIRY: Final = Expiry(ExpiryRule(keep_last=1, older_than=timedelta(0)), datetime(2030, 1, 1, tzinfo=UTC))
REMEDY: Final = f"if no reader goes by it, name it in the catalog's property {MEANINGLESS} (an admin's)"
KERNEL, PROCEDURE, UPKEEP = "known_features", "native_known_features", "upkeep"
GENERATED: Final = "the metadata is generated from a table of another format, whose readers would miss a commit"

OTHER_CONSTANTS: Final = {
    *("struct", "list", "map", "nulls-first", "nulls-last", "operation", "overwrite", "main"),
    *("snapshot-id", "timestamp-ms", "metadata-file"),
}
"""Constants of the parsers that are values, keys of summaries, or fields of logs."""

Change = Callable[[dict[str, Any]], None]


def forbidden(opened: IcebergTable) -> dict[str, str]:
    """Return what is refused: for both engines and for each operation of upkeep, with the reason."""
    conditions = [*opened.engines[Engine.ARROW].conditions(), *opened.engines[Engine.NATIVE].conditions()]
    found = {each.name: each.detail for each in conditions if not each.holds and "known_features" in each.name}
    calls: tuple[Callable[[], object], ...] = (
        lambda: opened.expiry.plan(EXPIRY),
        lambda: opened.expired_removal.preview([], []),
        opened.orphan_removal.check,
        opened.manifest_rewrite.plan,
        opened.delete_rewrite.plan,
    )
    told = [str(reason) for each in calls if (reason := _refusal(each)) is not None]
    assert len(set(told)) <= 1
    assert len(told) in (0, len(calls))
    return found | ({UPKEEP: told[0]} if told else {})


def _refusal(call: Callable[[], object]) -> str | None:
    try:
        call()
    except NotEligible as error:
        return error.message
    return None


@pytest.fixture(scope="module")
def runtime() -> Iterator[zipfile.ZipFile]:
    with zipfile.ZipFile(fetch(ICEBERG_RUNTIME, CACHE_FOLDER)) as jar:
        yield jar


def constants_of(jar: zipfile.ZipFile, name: str) -> set[str]:
    return set(string_constants(jar.read(f"org/apache/iceberg/{name}.class")))


def _top(name: str, value: Any) -> Change:
    return lambda body: body.update({name: value})


def _property(name: str, value: str = "x") -> Change:
    return lambda body: body["properties"].update({name: value})


def _column(**given: Any) -> Change:
    return lambda body: body["schemas"][0]["fields"][1].update(given)


@pytest.mark.parametrize(
    ("change", "told", "refused"),
    [
        (_top("row-filters", [{"id": 1}]), "metadata: row-filters is not a known field", {KERNEL, PROCEDURE, UPKEEP}),
        (
            lambda body: body["snapshots"][0].update({"overlay": "s3://x"}),
            "metadata: snapshots.overlay is not a known field of the metadata: " + REMEDY,
            {KERNEL, PROCEDURE, UPKEEP},
        ),
        (
            _column(**{"masked-by": "sha2"}),
            "metadata: schemas.masked-by is not a known field",
            {KERNEL, PROCEDURE, UPKEEP},
        ),
        (_column(**{"initial-default": "Aachen"}), "", set()),
        (_column(**{"write-default": "Aachen"}), "", set()),
        (
            _top("encryption-keys", [{"key-id": "1", "encrypted-key-metadata": "eA=="}]),
            "metadata: encryption-keys is 'a list of 1' (files are encrypted, and PyIceberg does not keep the keys)",
            {KERNEL, PROCEDURE, UPKEEP},
        ),
        (
            _property("write.row-level-security"),
            f"write.row-level-security is not a known table property: {REMEDY}",
            {KERNEL, UPKEEP},
        ),
        (_property("WRITE.Parquet.bloom-filter-enabled.column.id", "True"), "WRITE.Parquet", {KERNEL}),
        (_property("delta-version", "4"), f"delta-version is '4' ({GENERATED}): register", {KERNEL, PROCEDURE, UPKEEP}),
        (_property("XTABLE_METADATA", "{}"), f"XTABLE_METADATA is '{{}}' ({GENERATED})", {KERNEL, PROCEDURE, UPKEEP}),
        (_property("owner_team", "sales"), "", set()),
        (_property("write.spark.fanout.enabled", "true"), "", set()),
    ],
)
def test_f45_operations_on_a_table_with_an_unknown_feature_are_refused(
    lake: Lake, change: Change, told: str, refused: set[str]
) -> None:
    """F45, F36: each refusal names the feature and the remedy; Iceberg's procedure knows Iceberg's properties."""
    append_files(lake.create(), 2)
    edit_metadata(lake.load(), change)
    found = forbidden(lake.open())
    assert found.keys() == refused
    assert all(each.startswith(told) for each in found.values())


def test_f45_an_admin_names_features_without_a_meaning(lake: Lake) -> None:
    append_files(lake.create(), 2)
    edit_metadata(lake.load(), _top("dq-score", 1))
    edit_metadata(lake.load(), _property("write.dq.rule"))
    properties = {"type": "sql", **lake.catalog.properties, MEANINGLESS: "write.dq.*, DQ-score"}
    connection = IcebergFormat().connect("lake", properties)
    assert forbidden(connection.open_table(TableRef("lake", ("sales",), "orders"))) == {}
    assert {UPKEEP, KERNEL} < forbidden(lake.open()).keys()
    connection.close()


def test_f45_a_field_of_a_rest_catalog_s_answer_counts_as_well(lake: Lake) -> None:
    """F45: PyIceberg's model of the answer lacks the field."""
    append_files(lake.create(), 2)
    table = lake.load()
    body = {"metadata-location": table.metadata_location, "metadata": json.loads(table.metadata.model_dump_json())}
    body["metadata"]["row-filters"] = [1]
    with RestCatalogServer(catalog=lake.catalog).running() as server:
        server.answers["sales", "orders"] = json.dumps(body).encode()
        connection = IcebergFormat().connect("rest", {"type": "rest", "uri": server.uri})
        found = forbidden(connection.open_table(TableRef("rest", ("sales",), "orders")))
        connection.close()
    assert found.keys() == {KERNEL, PROCEDURE, UPKEEP}
    assert all(each.startswith("metadata: row-filters is not a known field") for each in found.values())


def test_f45_a_rewrite_is_not_committed_once_the_table_has_an_unknown_feature(lake: Lake) -> None:
    """F45: with the commit, PyIceberg would write the metadata without the field."""
    append_files(lake.create(), 3)
    opened = lake.open()
    written = write_group(opened, group_of(opened))
    edit_metadata(lake.load(), _top("row-filters", [1]))
    before = lake.load().metadata_location
    with pytest.raises(CommitConflict, match="the table changed since the plan: metadata: row-filters is not a known"):
        opened.commits.commit(request_of(opened, written), before_try=nothing)
    assert lake.load().metadata_location == before
    assert ids_of(lake.load()) == list(range(30))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (_top("format-version", 4), "format version is 4; 1, 2 and 3 are read; .*upgrade Packhouse"),
        (_column(type="point3d"), "point3d"),
    ],
)
def test_f45_what_pyiceberg_can_t_read_is_named(lake: Lake, change: Change, told: str) -> None:
    """F45: a table of another format version, or with an unknown type, is not opened."""
    append_files(lake.create(), 1)
    edit_metadata(lake.load(), change)
    with pytest.raises(TableUnreadable, match=told):
        lake.open()


def test_f45_an_unknown_transform_is_named(lake: Lake) -> None:
    """F45: PyIceberg writes `unknown` in place of its name, so that nothing is committed."""
    append_files(lake.create(), 1)
    field = {"source-id": 1, "field-id": 1000, "name": "part", "transform": "geohash[6]"}
    edit_metadata(lake.load(), lambda body: body["partition-specs"].append({"spec-id": 1, "fields": [field]}))
    found = forbidden(lake.open())
    assert found.keys() == {KERNEL, PROCEDURE, UPKEEP}
    assert "partition field part has the transform 'geohash[6]'" in found[UPKEEP]


def test_f45_fields_of_several_columns_are_named(lake: Lake) -> None:
    """F45: PyIceberg can't parse a field of a partition spec or sort order that has several columns."""
    append_files(lake.create(), 1)
    several = {"source-ids": [1, 2], "transform": "bucket[4]"}

    def change(body: dict[str, Any]) -> None:
        body["partition-specs"].append({"spec-id": 1, "fields": [several | {"field-id": 1000, "name": "p"}]})
        order = several | {"direction": "asc", "null-order": "nulls-first"}
        body["sort-orders"].append({"order-id": 1, "fields": [order]})

    edit_metadata(lake.load(), change)
    found = forbidden(lake.open())
    assert found.keys() == {KERNEL, PROCEDURE, UPKEEP}
    for each in ("partition field p", "sort order 1"):
        assert f"{each} has the transform 'several columns in bucket[4]'" in found[UPKEEP]
    assert "partition-specs.source-ids" in found[UPKEEP]


def test_f16_a_catalog_must_show_every_snapshot() -> None:
    """F16: with this mode, a server leaves out the snapshots without a branch or tag: their files look like orphans."""
    with pytest.raises(InvalidInput) as refused:
        IcebergFormat().validate({"type": "rest", "uri": "http://c", "snapshot-loading-mode": "refs"})
    (problem,) = refused.value.problems
    assert problem.pointer == "/properties/snapshot-loading-mode"


def test_f45_every_property_of_iceberg_s_own_class_is_listed(runtime: zipfile.ZipFile) -> None:
    """F45: what a new version of Iceberg adds is found here, before a table has it."""
    names = {each for each in constants_of(runtime, "TableProperties") if each.startswith(NAMESPACES)}
    assert len(names) > 100
    listed = Parameters([each.parameter for each in PROPERTIES])
    assert [each for each in names if listed.find(f"{each}x" if each.endswith(".") else each) is None] == []


@pytest.mark.parametrize(
    ("parser", "section"),
    [
        ("TableMetadata", ""),
        ("Snapshot", "snapshots."),
        ("Schema", "schemas."),
        ("PartitionSpec", "partition-specs."),
        ("SortOrder", "sort-orders."),
        ("SnapshotRef", "refs."),
        ("StatisticsFile", "statistics."),
        ("PartitionStatisticsFile", "partition-statistics."),
        ("EncryptedKey", "encryption-keys."),
    ],
)
def test_f45_every_field_of_iceberg_s_own_parsers_is_listed(
    runtime: zipfile.ZipFile, parser: str, section: str
) -> None:
    """F45: the names of fields are among the constants of a parser."""
    names = {each for each in constants_of(runtime, f"{parser}Parser") if re.fullmatch(r"[a-z]+(-[a-z]+)*", each)}
    listed = {each.parameter.name for each in FIELDS}
    assert len(names & {each.removeprefix(section) for each in listed}) > 2
    assert {each for each in names if f"{section}{each}" not in listed} <= OTHER_CONSTANTS
