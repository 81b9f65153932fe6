"""Behaviour of the Metastore, of Spark and of pyarrow that tests of Hive tables rest on."""

import re
import subprocess
from copy import deepcopy
from typing import Any

import pytest
from hive_metastore.ttypes import (
    EnvironmentContext,
    LockComponent,
    LockLevel,
    LockRequest,
    LockState,
    LockType,
    MetaException,
    Partition,
    UnlockRequest,
)
from thrift.transport.TTransport import TTransportException

from tests.support.eventually import eventually
from tests.support.hive.lakes import KEYS, NULL, HiveLake, HiveTable, files_in, path_of
from tests.support.hive.metastore import Metastore
from tests.support.hive.second_readers import HiveSpark, duckdb_rows

DAY = ["2026-11-01"]
MARK = "packhouse.mark"


@pytest.fixture
def table(hive_lake: HiveLake) -> HiveTable:
    """A table with one partition and one row."""
    table = hive_lake.create_table()
    table.append(DAY, _rows(1))
    return table


def test_a_metastore_listens_on_loopback_only(metastore: Metastore) -> None:
    shown = subprocess.run(["ss", "-Htlnp"], check=True, capture_output=True, text=True).stdout
    hosts = {line.split()[3] for line in shown.splitlines() if f"pid={metastore.pid}," in line}

    assert {re.sub(r"^\[::ffff:(.*)\]", r"\1", host) for host in hosts} == {f"127.0.0.1:{metastore.port}"}


def test_three_readers_agree_on_nested_partitions_nulls_and_late_columns(
    hive_lake: HiveLake, hive_spark: HiveSpark
) -> None:
    table = hive_lake.create_table(keys=KEYS)
    table.append(["2026-11-01", "a b/c%", "7"], _rows(1))
    table.append([NULL, NULL, NULL], _rows(2))
    table.add_columns(("note", "string"))
    table.append(["2026-11-01", "a b/c%", "7"], [{"id": 3, "value": 0.5, "note": "late"}])

    rows = _sorted(table.rows())

    assert [row["note"] for row in rows] == [None, None, "late"]
    assert [row["region"] for row in rows] == ["a b/c%", None, "a b/c%"]
    assert _sorted(duckdb_rows(table)) == rows
    assert _sorted(hive_spark.rows("SELECT * FROM lake.events")) == rows


def test_a_table_of_spark_is_read_through_the_metastore(hive_lake: HiveLake, hive_spark: HiveSpark) -> None:
    hive_spark.rows("CREATE TABLE lake.made USING parquet PARTITIONED BY (day) AS SELECT 1L id, 2.0D `Value`, 'x' day")

    table = hive_lake.table("made")

    assert table.rows() == duckdb_rows(table) == [{"id": 1, "value": 2.0, "day": "x"}]
    assert table.read().parameters["spark.sql.sources.provider"] == "parquet"


def test_a_location_that_changes_is_seen_by_spark_at_once(table: HiveTable, hive_spark: HiveSpark) -> None:
    assert _ids(hive_spark.rows("SELECT * FROM lake.events")) == [1]
    other = table.folder.parent / "other"
    table.write_file(other, _rows(2, 3))

    table.set_location(DAY, other)

    assert _ids(hive_spark.rows("SELECT * FROM lake.events")) == [2, 3]
    hive_spark.rows("INSERT INTO lake.events PARTITION (day = DATE'2026-11-01') VALUES (4, 0.0)")
    assert len(files_in(other)) == 2


def test_an_insert_of_spark_leaves_no_trace_in_the_parameters_of_a_partition(
    table: HiveTable, hive_spark: HiveSpark
) -> None:
    before = _partition(table)
    hive_spark.rows("INSERT INTO lake.events PARTITION (day = DATE'2026-11-01') VALUES (2, 0.0)")
    hive_spark.rows("INSERT INTO lake.events PARTITION (day = DATE'2026-11-02') VALUES (3, 0.0)")
    hive_spark.rows("INSERT OVERWRITE TABLE lake.events PARTITION (day = DATE'2026-11-01') VALUES (4, 0.0)")

    assert _partition(table) == before
    assert _ids(table.rows()) == [3, 4]
    assert _partition(table, ["2026-11-02"]).parameters.keys() == {"transient_lastDdlTime", "numFiles", "totalSize"}


def test_spark_lists_a_location_again_after_a_refresh(table: HiveTable, hive_spark: HiveSpark) -> None:
    assert _ids(hive_spark.rows("SELECT * FROM lake.events")) == [1]
    table.append(DAY, _rows(2))

    assert _ids(hive_spark.rows("SELECT * FROM lake.events")) == [1]
    hive_spark.rows("REFRESH TABLE lake.events")
    assert _ids(hive_spark.rows("SELECT * FROM lake.events")) == [1, 2]


def test_a_drop_of_a_managed_partition_deletes_its_present_location_only(
    hive_lake: HiveLake, hive_spark: HiveSpark
) -> None:
    hive_spark.rows("CREATE TABLE lake.owned (id BIGINT) PARTITIONED BY (day DATE) STORED AS PARQUET")
    hive_spark.rows("INSERT INTO lake.owned PARTITION (day = DATE'2026-11-01') VALUES (1)")
    table = hive_lake.table("owned")
    before, after = path_of(_partition(table).sd.location), hive_lake.root / "after"
    table.write_file(after, [{"id": 1}])
    table.set_location(DAY, after)

    hive_spark.rows("ALTER TABLE lake.owned DROP PARTITION (day = DATE'2026-11-01')")

    assert len(files_in(before)) == 1
    assert not after.exists()


def test_changes_of_other_engines(table: HiveTable) -> None:
    table.append(DAY, _rows(2))
    assert _ids(table.rows()) == [1, 2]

    table.overwrite(DAY, _rows(3))
    assert _ids(table.rows()) == [3]

    table.drop_partition(DAY)
    assert table.rows() == []
    assert len(files_in(table.default_location(DAY))) == 1


def test_an_expected_parameter_guards_tables_and_is_ignored_for_partitions(table: HiveTable) -> None:
    expects = EnvironmentContext({"expected_parameter_key": MARK, "expected_parameter_value": "1"})
    with table.metastore.client() as client:
        changed = client.get_table("lake", "events")
        changed.parameters[MARK] = "2"
        with pytest.raises(MetaException, match="has been modified"):
            client.alter_table_with_environment_context("lake", "events", changed, expects)

        partition = client.get_partition("lake", "events", DAY)
        partition.parameters[MARK] = "2"
        client.alter_partition_with_environment_context("lake", "events", partition, expects)

    assert MARK not in table.read().parameters
    assert _partition(table).parameters[MARK] == "2"


def test_the_last_of_two_changes_of_a_partition_wins_in_silence(table: HiveTable) -> None:
    first, second = _partition(table), _partition(table)
    first.parameters[MARK] = "first"
    second.sd.location += "-second"

    with table.metastore.client() as client:
        client.alter_partition("lake", "events", first)
        client.alter_partition("lake", "events", second)

    kept = _partition(table)
    assert kept.sd.location == second.sd.location
    assert MARK not in kept.parameters


def test_a_lock_excludes_locks_and_no_change(table: HiveTable) -> None:
    wanted = LockComponent(LockType.EXCLUSIVE, LockLevel.PARTITION, "lake", "events", "day=2026-11-01")
    request = LockRequest([wanted], user="tests", hostname="tests")
    changed = _partition(table)
    changed.parameters[MARK] = "1"
    with table.metastore.client() as holder, table.metastore.client() as other:
        held = holder.lock(request)
        waiting = other.lock(deepcopy(request))
        other.alter_partition("lake", "events", changed)
        for each in (held, waiting):
            other.unlock(UnlockRequest(each.lockid))

    assert (held.state, waiting.state) == (LockState.ACQUIRED, LockState.WAITING)
    assert _partition(table).parameters[MARK] == "1"


def test_a_call_whose_answer_is_lost_has_happened(table: HiveTable) -> None:
    changed = _partition(table)
    changed.sd.location += "-other"
    with table.metastore.switched() as (behind, switch), behind.client() as client:
        switch.lost = "alter_partition"
        with pytest.raises(TTransportException):
            client.alter_partition("lake", "events", changed)

    assert switch.faults == 1
    assert path_of(_partition(table).sd.location).name == "day=2026-11-01-other"


def test_a_call_that_is_cut_has_not_happened(table: HiveTable) -> None:
    with table.metastore.switched() as (behind, switch), behind.client() as client:
        switch.cut = "drop_partition"
        with pytest.raises(TTransportException):
            client.drop_partition("lake", "events", DAY, False)

    assert switch.faults == 1
    assert table.partition(DAY) is not None


def test_a_call_that_stalls_happens_after_its_client_gave_up(table: HiveTable) -> None:
    with table.metastore.switched() as (behind, switch):
        switch.stall()
        with behind.client(timeout_ms=200) as client, pytest.raises(TTransportException, match="timeout"):
            client.drop_partition("lake", "events", DAY, False)
        assert table.partition(DAY) is not None

        switch.resume()
        eventually(lambda: table.partition(DAY) is None)


def test_a_partition_that_is_added_again_has_another_time_of_creation(table: HiveTable) -> None:
    with table.metastore.client() as client:
        kept = client.get_partition("lake", "events", DAY)
        kept.createTime = 1
        client.alter_partition("lake", "events", kept)
        altered = client.get_partition("lake", "events", DAY)
        client.drop_partition("lake", "events", DAY, False)
        client.add_partition(altered)

    assert altered.createTime == 1
    assert _partition(table).createTime > 1


def _rows(*ids: int) -> list[dict[str, Any]]:
    return [{"id": each, "value": each / 2} for each in ids]


def _ids(rows: list[dict[str, Any]]) -> list[int]:
    return [row["id"] for row in _sorted(rows)]


def _sorted(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: row["id"])


def _partition(table: HiveTable, values: list[str] = DAY) -> Partition:
    found = table.partition(values)
    assert found is not None
    return found
