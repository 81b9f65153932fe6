"""Tables of a Metastore as opened by Packhouse: their files, partitions and times, and entries that are refused."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hive_metastore.ThriftHiveMetastore import Client
from hive_metastore.ttypes import Partition

from engine.domain.errors import InvalidInput, NotFound, TableUnreadable
from engine.domain.tables.predicates import Comparison, Op
from engine.domain.tables.table import OutsideFiles, TableRef
from engine.domain.values.partitions import TimeUnit
from engine.formats.base import Engine, FileScope
from engine.formats.base.catalogs import OWN_LOCATION
from engine.formats.hive import HiveFormat, HiveTable
from engine.formats.hive.catalog import metastore
from engine.planning.measures.digest import PartitionTime
from engine.planning.plans.predicates import select_partitions
from tests.support.hive.lakes import KEYS, NULL, HiveLake, files_in, path_of, uri_of
from tests.support.hive.lakes import HiveTable as Stored
from tests.support.hive.second_readers import HiveSpark, duckdb_rows

DAY = "2026-11-01"


def test_digest_spark_and_duckdb_have_the_same_files(hive_lake: HiveLake, hive_spark: HiveSpark) -> None:
    """Values with special characters, nulls, moved partitions, and files that no engine reads."""
    table = hive_lake.create_table(keys=KEYS)
    for number, region in enumerate(("a b", "50%", "x=y", "a/b", "Zürich", "日本", "it's", NULL)):
        table.append([DAY, region, "7"], _rows(number))
    table.append([NULL, NULL, NULL], _rows(20))
    table.write_file(table.folder / "moved" / "here", _rows(21))
    table.add_partition(["2026-11-02", "b", "1"], table.folder / "moved" / "here")
    table.write_file(table.folder / "_compacted" / "id=1", _rows(22))
    table.add_partition(["2026-11-03", "b", "1"], table.folder / "_compacted" / "id=1")
    table.write_file(table.folder / "day=2026-12-01" / "region=unregistered" / "hour=1", _rows(99))
    _add_unread(table, table.default_location([DAY, "a b", "7"]))

    ids = _ids(_open(table))

    assert ids == [*range(8), 20, 21, 22]
    assert sorted(row["id"] for row in duckdb_rows(table)) == ids
    assert sorted(row["id"] for row in hive_spark.rows("SELECT id FROM lake.events")) == ids


def test_partitions_of_wide_tables_are_read_in_smaller_pages(
    hive_lake: HiveLake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each partition of an answer repeats all columns: one of 1,000 partitions would be too large."""
    table = hive_lake.create_table(keys=KEYS)
    for number in range(5):
        table.append([DAY, "a", str(number)], _rows(number))
    sizes, real = list[int](), Client.get_partitions_by_names

    def get(self: Client, database: str, name: str, names: list[str]) -> Any:
        sizes.append(len(names))
        return real(self, database, name, names)

    monkeypatch.setattr(Client, "get_partitions_by_names", get)
    for most, pages in {1: [1] * 5, 5: [2, 2, 1], 100_000: [5]}.items():
        monkeypatch.setattr(metastore, "_COLUMNS_AT_ONCE", most)
        sizes.clear()
        assert _ids(_open(table)) == [0, 1, 2, 3, 4]
        assert sizes == pages


def test_a_table_without_partition_keys_is_one_partition(hive_lake: HiveLake, hive_spark: HiveSpark) -> None:
    table = hive_lake.create_table(keys=())
    for number in range(3):
        table.write_file(table.folder, _rows(number))
    _add_unread(table, table.folder)

    opened = _open(table)

    assert _ids(opened) == [0, 1, 2]
    assert opened.digest()["partition"].unique().to_pylist() == ["{}"]
    assert sorted(row["id"] for row in hive_spark.rows("SELECT id FROM lake.events")) == [0, 1, 2]


def test_tables_of_spark_are_listed_unless_their_files_are_not_parquet(
    hive_lake: HiveLake, hive_spark: HiveSpark
) -> None:
    for sql in (
        "CREATE TABLE lake.upper (Id BIGINT, Value DOUBLE, Day STRING) USING parquet PARTITIONED BY (Day)",
        "INSERT INTO lake.upper VALUES (1, 1.5, '2026-11-01'), (2, 2.5, 'x y%')",
        "CREATE TABLE lake.stored (id BIGINT) STORED AS parquet",
        "INSERT INTO lake.stored VALUES (3)",
        "CREATE TABLE lake.orcs (id BIGINT) USING orc",
        "CREATE TABLE lake.stored_as_orc (id BIGINT) STORED AS orc",
        "CREATE TABLE lake.comma (id BIGINT) USING csv",
        "CREATE VIEW lake.seen AS SELECT 1 AS id",
        "CREATE TABLE lake.sparks (id BIGINT, At TIMESTAMP_NTZ, v STRUCT<at: TIMESTAMP_NTZ>) USING parquet",
    ):
        hive_spark.rows(sql)

    connection = HiveFormat(pause=0).connect("lake", _properties(hive_lake))

    assert [name for database, name in connection.list_tables(100).identifiers if database == "lake"] == [
        "stored",
        "upper",
    ]
    upper = connection.open_table(_ref("upper"))
    assert upper.column_names() == ["id", "value", "day"]
    assert sorted(upper.digest()["partition"].to_pylist()) == ['{"day":"2026-11-01"}', '{"day":"x y%"}']
    assert upper.describe()["provider"] == "parquet"
    assert _ids(connection.open_table(_ref("stored"))) == [3]
    sparks = r"only Spark reads it: Hive has no such types as its columns \(at timestamp_ntz\)"
    reasons = {"orcs": "of orc", "stored_as_orc": "not Parquet", "comma": "of csv", "seen": "a view", "sparks": sparks}
    for name, reason in reasons.items():
        with pytest.raises(TableUnreadable, match=reason):
            connection.open_table(_ref(name))


def test_tables_of_other_formats_are_not_listed_and_refused_with_the_reason(hive_lake: HiveLake) -> None:
    others: dict[str, tuple[dict[str, str], str]] = {
        "ice": ({"table_type": "ICEBERG"}, "table of iceberg: register it in a catalog of that format"),
        "delta": ({"spark.sql.sources.provider": "delta"}, "table of delta"),
    }
    connection = HiveFormat(pause=0).connect("lake", _properties(hive_lake))
    for name, (parameters, reason) in others.items():
        _alter(hive_lake.create_table(name), lambda entry, more=parameters: entry.parameters.update(more))
        assert ("lake", name) not in connection.list_tables(100).identifiers
        with pytest.raises(TableUnreadable, match=reason):
            connection.open_table(_ref(name))


def test_partitions_elsewhere_are_listed_only_where_the_catalog_allows_it(hive_lake: HiveLake) -> None:
    table = hive_lake.create_table()
    table.append([DAY], _rows(1))
    for number, place in enumerate(("allowed/day", "allowed-not", "foreign"), start=2):
        table.write_file(hive_lake.root / place, _rows(number))
        table.add_partition([f"2026-11-0{number}"], hive_lake.root / place)
    allowed = FileScope(allowed=(str(hive_lake.root / "allowed"),), outside_files=OutsideFiles.ALLOWED_LOCATIONS)

    strict, open_ = _open(table), _open(table, allowed)

    assert (_ids(strict), strict.describe()["partitions_outside"]) == ([1], 3)
    assert (_ids(open_), open_.describe()["partitions_outside"]) == ([1, 2], 2)
    assert "3 of 4 partitions are left out: outside of the table's location" in _details(strict)
    table.drop_partition([DAY])
    assert _unmet(_open(table)) >= {"locations_allowed"}


def test_a_location_may_be_spelled_in_several_ways(hive_lake: HiveLake) -> None:
    table = hive_lake.create_table()
    table.append([DAY], _rows(1))
    folder = table.default_location([DAY])
    for location in (
        f"file:{folder}",
        f"file://{folder}",
        f"file:{folder}/",
        f"{folder}",
        f"file:{table.folder}//day={DAY}",
    ):
        _move(table, location)
        assert _ids(_open(table)) == [1], location


def test_two_partitions_in_one_folder_are_reported(hive_lake: HiveLake) -> None:
    """Also if their locations are spelled differently, and if one is inside the other."""
    table = hive_lake.create_table()
    table.append([DAY], _rows(1))
    table.append(["2026-11-02"], _rows(2))
    assert "separate_locations" not in _unmet(_open(table))
    for spelling in ("file:{}", "file://{}", "file:{}/below"):
        _move(table, spelling.format(table.default_location(["2026-11-02"])))
        assert "separate_locations" in _unmet(_open(table)), spelling


def test_files_in_folders_below_a_partition_are_reported(hive_lake: HiveLake) -> None:
    table = hive_lake.create_table()
    table.append([DAY], _rows(1))
    table.write_file(table.default_location([DAY]) / "below", _rows(2))

    assert "flat_partitions" in _unmet(_open(table))


def test_every_change_of_files_partitions_and_columns_changes_the_pointer(hive_lake: HiveLake) -> None:
    table = hive_lake.create_table()
    table.append([DAY], _rows(1))
    seen = [_open(table).pointer]
    for change in (
        lambda: table.append([DAY], _rows(2)),
        lambda: table.append(["2026-11-02"], _rows(3)),
        lambda: table.add_columns(("note", "string")),
        files_in(table.default_location([DAY]))[0].unlink,
        lambda: table.drop_partition([DAY]),
    ):
        change()
        seen.append(_open(table).pointer)

    assert len(set(seen)) == len(seen)
    assert _open(table).pointer == seen[-1]


def test_a_location_that_readers_resolve_elsewhere_is_outside(hive_lake: HiveLake) -> None:
    table = hive_lake.create_table()
    table.append([DAY], _rows(1))
    table.write_file(hive_lake.root / "foreign", _rows(2))
    for location in ("file:{}/../foreign", "file:{}/%2e%2e/foreign", "file:{}/a\nb"):
        _move(table, location.format(table.folder))
        opened = _open(table)
        assert (_ids(opened), opened.describe()["partitions_outside"]) == ([], 1), location


def test_a_table_in_a_refused_location_is_not_opened(hive_lake: HiveLake) -> None:
    def refuse(location: str) -> None:
        raise InvalidInput(f"refused: {location}")

    hive_lake.create_table()
    connection = HiveFormat(pause=0, check_location=refuse).connect("lake", _properties(hive_lake))

    with pytest.raises(InvalidInput, match="refused"):
        connection.open_table(_ref("events"))


def test_a_missing_folder_has_no_files(hive_lake: HiveLake) -> None:
    table = hive_lake.create_table()
    table.add_partition([DAY], table.default_location([DAY]))

    opened = _open(table)

    assert (opened.digest().num_rows, opened.head_snapshot_id, opened.snapshots(5)) == (0, None, [])


@pytest.mark.parametrize(
    ("kind", "texts", "condition", "chosen"),
    [
        ("int", ["1", "9", "-5", NULL], ("lt", 2), [0, 2]),
        ("int", ["2147483647", "nonsense", "01"], ("ge", 1), [0, 2]),
        ("int(3)", ["1", "9"], ("lt", 2), [0]),  # of a Metastore that does not check types
        ("bigint", ["9223372036854775807", "-9223372036854775808"], ("lt", 0), [1]),
        ("date", ["2026-11-01", "2026-02-29", "0001-01-01"], ("le", "2026-11-01"), [0, 2]),
        ("string", ["b", "a", NULL, "ä"], ("gt", "a"), [0, 3]),
        ("boolean", ["true", "FALSE", NULL], ("eq", False), [1]),
        ("decimal(9,2)", ["10.00", "9.50", "-1"], ("lt", "10"), [1, 2]),
        ("string", ["a", NULL], ("is_null", None), [1]),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_predicates_on_keys(
    hive_lake: HiveLake, kind: str, texts: list[str], condition: tuple[str, Any], chosen: list[int]
) -> None:
    """A text that is no value of its key's type counts as null, as engines read it."""
    table = hive_lake.create_table(keys=[("key", kind)])
    for number, text in enumerate(texts):
        table.write_file(table.folder / str(number), _rows(number))
        _add_unchecked(table, [text], uri_of(table.folder / str(number)))
    opened = _open(table)
    predicate = Comparison(column="key", op=Op(condition[0]), value=condition[1])

    selected = select_partitions(opened.digest(), predicate, opened.partition_specs())

    assert sorted(int(path.split("/")[-2]) for path in selected["path"].to_pylist()) == chosen


@pytest.mark.parametrize(
    ("kind", "texts", "expected"),
    [
        ("date", [DAY, NULL], {0: PartitionTime("key", TimeUnit.DAY)}),
        ("string", [DAY, "2026-11-02", NULL], {0: PartitionTime("key", TimeUnit.DAY)}),
        ("string", [DAY, "2026-13-01"], {}),
        ("string", [DAY, "other"], {}),
        ("int", ["20261101"], {}),
    ],
)
def test_times_of_partitions(hive_lake: HiveLake, kind: str, texts: list[str], expected: Any) -> None:
    table = hive_lake.create_table(keys=[("key", kind)])
    for number, text in enumerate(texts):
        _add_unchecked(table, [text], uri_of(table.folder / str(number)))

    assert _open(table).figures().times == expected


def test_the_time_of_the_newest_file_is_that_of_the_table(hive_lake: HiveLake) -> None:
    table = hive_lake.create_table()
    file = table.append([DAY], _rows(1))
    opened = _open(table)

    (snapshot,) = opened.snapshots(5)

    assert snapshot.committed_at_ms == file.stat().st_mtime_ns // 1_000_000
    assert opened.figures().known_since_ms == snapshot.committed_at_ms
    assert datetime.fromtimestamp(snapshot.committed_at_ms / 1000, UTC).year >= 2026


def test_the_answer_to_a_look_stands_while_its_pause_lasts(hive_lake: HiveLake) -> None:
    table = hive_lake.create_table()
    table.append([DAY], _rows(1))
    patient, eager = (HiveFormat(pause=pause).connect("lake", _properties(hive_lake)) for pause in (1e9, 0))
    before = patient.pointers([_ref("events")])
    table.append([DAY], _rows(2))

    assert patient.pointers([_ref("events")]) == before
    assert eager.pointers([_ref("events")]) != before


def test_a_look_lists_the_folders_of_the_newest_view(hive_lake: HiveLake) -> None:
    """Otherwise a table with partitions elsewhere would count as changed at every look."""
    table = hive_lake.create_table()
    table.append([DAY], _rows(1))
    table.write_file(hive_lake.root / "allowed", _rows(2))
    table.add_partition(["2026-11-02"], hive_lake.root / "allowed")
    allowed = FileScope(allowed=(str(hive_lake.root / "allowed"),), outside_files=OutsideFiles.ALLOWED_LOCATIONS)
    connection = HiveFormat(pause=0).connect("lake", _properties(hive_lake))

    opened = connection.open_table(_ref("events"), allowed)

    assert connection.pointers([_ref("events")]) == {_ref("events"): opened.pointer}


def test_tables_that_are_not_there_are_not_found(hive_lake: HiveLake) -> None:
    connection = HiveFormat(pause=0).connect("lake", _properties(hive_lake))
    for ref in (_ref("absent"), TableRef("lake", ("absent",), "events"), TableRef("lake", ("a", "b"), "c")):
        with pytest.raises(NotFound, match="no such table"):
            connection.open_table(ref)
    assert connection.pointers([_ref("absent")]) == {}


def _add_unread(table: Stored, folder: Path) -> None:
    """Add files that are no data to a folder: hidden ones, ones in hidden folders, and an empty one."""
    for hidden in ("_temporary/0/task_1", ".hive-staging_1", "_delta_log"):
        table.write_file(folder / hidden, _rows(90))
    file = table.write_file(folder, _rows(91))
    file.rename(folder / "._part.parquet.crc")
    for number, name in enumerate(("_SUCCESS", ".part-1.parquet", "_metadata", "_common_metadata", "a._COPYING_")):
        table.write_file(folder, _rows(92 + number)).rename(folder / name)
    (folder / "part-empty").touch()


def _rows(number: int) -> list[dict[str, Any]]:
    return [{"id": number, "value": 0.5}]


def _properties(lake: HiveLake) -> dict[str, str]:
    return {"type": "metastore", "uri": lake.metastore.uri}


def _ref(name: str) -> TableRef:
    return TableRef("lake", ("lake",), name)


def _open(table: Stored, scope: FileScope = OWN_LOCATION) -> HiveTable:
    properties = {"type": "metastore", "uri": table.metastore.uri}
    return HiveFormat(pause=0).connect("lake", properties).open_table(_ref(table.name), scope)


def _ids(table: HiveTable) -> list[int]:
    """Return the ids in the files of a digest, sorted."""
    paths = [path_of(each.replace("file://", "file:")) for each in table.digest()["path"].to_pylist()]
    return sorted(number for path in paths for number in pq.ParquetFile(path).read(["id"])["id"].to_pylist())


def _unmet(table: HiveTable) -> set[str]:
    return {each.name for each in table.engines[Engine.ARROW].conditions() if not each.holds}


def _details(table: HiveTable) -> set[str]:
    return {each.detail for each in table.engines[Engine.ARROW].conditions()}


def _alter(table: Stored, change: Callable[[Any], Any]) -> None:
    with table.metastore.client() as client:
        entry = client.get_table(table.database, table.name)
        change(entry)
        client.alter_table(table.database, table.name, entry)


def _move(table: Stored, location: str) -> None:
    """Change the location of the first day to a text that is not checked."""
    with table.metastore.client() as client:
        changed = client.get_partition(table.database, table.name, [DAY])
        changed.sd.location = location
        client.alter_partition(table.database, table.name, changed)


def _add_unchecked(table: Stored, values: list[str], location: str) -> None:
    """Register a partition in a location that is not checked."""
    with table.metastore.client() as client:
        descriptor = client.get_table(table.database, table.name).sd
        descriptor.location = location
        client.add_partition(Partition(values, table.database, table.name, sd=descriptor, parameters={}))
