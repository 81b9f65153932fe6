"""Commits of Packhouse to tables of format version 3, between commits of Spark: row ids stay, and none is given twice.

Iceberg's own runtime reads and writes on both sides of each commit, through a SQL catalog and the REST server of the
Iceberg project.
"""

import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from engine.domain.runs.expiry import Expiry, ExpiryRule
from engine.domain.tables.table import TableRef
from engine.formats.base import Engine
from engine.formats.iceberg import IcebergFormat, IcebergTable
from engine.formats.iceberg.removal.expired_files import IcebergExpired
from engine.formats.removal.bulk_deletes import BulkDelete
from engine.formats.removal.file_lists import FileKind
from engine.formats.removal.scopes import Scope
from engine.spark.sessions import SparkSessions
from tests.support.expired_files import RunFiles
from tests.support.iceberg_tables import RUN_ID, edit_metadata, intercept_commits, nothing, request_of
from tests.support.peer import attach, confs_of
from tests.support.version_3 import listed_ids, row_ids, touch, written_group
from tests.support.world import make_lake

TABLE = "lake.lake.lineage"
LINEAGE = "SELECT id, day, _row_id, _last_updated_sequence_number FROM {table} ORDER BY id"
V3 = "'format-version'='3', 'write.delete.mode'='merge-on-read', 'write.update.mode'='merge-on-read'"


@dataclass(frozen=True)
class Site:
    """A table that Spark and Packhouse share."""

    spark: SparkSession
    open: Callable[[], IcebergTable]

    def sql(self, statement: str) -> list[Any]:
        return self.spark.sql(statement.format(table=TABLE)).collect()

    def append(self, first: int, rows: int = 10) -> None:
        day = "concat('2026-11-0', 1 + id % 2)"
        self.sql(f"INSERT INTO {{table}} SELECT id, {day} FROM range({first}, {first + rows}, 1, 1)")

    def lineage(self) -> list[Any]:
        return self.sql(LINEAGE)


@pytest.fixture(params=["sql", "rest"])
def site(request: pytest.FixtureRequest, spark_sessions: SparkSessions, tmp_path: Path) -> Iterator[Site]:
    lake = make_lake(tmp_path, days=0)
    properties, confs = dict(lake.properties), confs_of(lake)
    if request.param == "rest":
        properties = {"type": "rest", "uri": request.getfixturevalue("iceberg_rest_url")}
        at = "spark.sql.catalog.lake"
        confs = {at: "org.apache.iceberg.spark.SparkCatalog", f"{at}.type": "rest", f"{at}.uri": properties["uri"]}
        confs[f"{at}.cache-enabled"] = "false"
    session = spark_sessions.get(str(uuid.uuid4()))
    attach(session, confs | {"spark.sql.session.timeZone": "UTC", "spark.sql.shuffle.partitions": "2"})
    session.sql("CREATE NAMESPACE IF NOT EXISTS lake.lake").collect()
    connection = IcebergFormat().connect("lake", properties)
    made = Site(session, lambda: connection.open_table(TableRef("lake", ("lake",), "lineage")))
    yield made
    made.sql("DROP TABLE IF EXISTS {table} PURGE")
    connection.close()


def ids_are_distinct(rows: list[Any]) -> bool:
    found = [row["_row_id"] for row in rows]
    return None not in found and len(set(found)) == len(found)


def test_row_ids_stay_across_a_snapshot_and_later_rows_get_others(site: Site) -> None:
    site.sql(f"CREATE TABLE {{table}} (id BIGINT, day STRING) USING iceberg PARTITIONED BY (day) TBLPROPERTIES ({V3})")
    for number in range(3):
        site.append(number * 10)
    site.sql("DELETE FROM {table} WHERE id % 7 = 3")
    site.sql("UPDATE {table} SET id = id + 1000 WHERE id = 5")
    before = site.lineage()
    touch(site.open())
    assert site.lineage() == before
    site.append(100)
    site.sql("DELETE FROM {table} WHERE id = 101")
    after = site.lineage()
    assert [row for row in after if row["id"] < 100 or row["id"] > 999] == before
    assert ids_are_distinct(after)


def test_a_rewrite_keeps_the_ids_of_all_rows(site: Site) -> None:
    """Those of rewritten rows are stored in the outputs, those of files that stay in their entries."""
    site.sql(f"CREATE TABLE {{table}} (id BIGINT, day STRING) USING iceberg TBLPROPERTIES ({V3})")
    for number in range(4):
        site.append(number * 10)
    site.sql("CALL lake.system.rewrite_manifests('lake.lake.lineage')")
    before, opened = site.lineage(), site.open()
    ids = row_ids(opened)
    chosen = sorted(ids, key=lambda path: ids[path] or 0)[:2]
    written = written_group(opened, chosen)
    outcome = opened.commits.commit(request_of(opened, written), before_try=nothing)
    assert outcome.snapshot_id is not None
    assert opened.commits.prove(outcome.snapshot_id, [written]).ok
    kept = {path: first for path, first in ids.items() if path not in chosen}
    assert kept.items() <= row_ids(site.open()).items()
    site.append(40)
    after = site.lineage()
    assert [row["id"] for row in after] == list(range(50))
    assert after[:40] == before
    assert ids_are_distinct(after)


def test_row_ids_that_a_branch_takes_before_the_commit_arrives_are_not_given_again(site: Site) -> None:
    """Trap 6: main is unchanged, so only the stale ids make the catalog refuse; the next try takes later ones."""
    site.sql(f"CREATE TABLE {{table}} (id BIGINT, day STRING) USING iceberg TBLPROPERTIES ({V3})")
    site.append(0)
    site.append(10)
    site.sql("ALTER TABLE {table} CREATE BRANCH work")
    opened = site.open()
    written = written_group(opened, list(row_ids(opened)), ordinal=1)  # the REST server keeps files of other tests
    sent: list[int] = []

    def answer(send: Callable[[], Any]) -> Any:
        sent.append(1)
        if len(sent) == 1:
            site.sql("INSERT INTO {table}.branch_work SELECT id, 'x' FROM range(500, 510)")
        return send()

    intercept_commits(opened, answer)
    outcome = opened.commits.commit(request_of(opened, written), before_try=nothing)
    assert (outcome.tries, len(site.sql("SELECT * FROM {table}.snapshots"))) == (2, 4)
    site.append(20)
    main, branch = site.lineage(), site.sql(LINEAGE.format(table=f"{TABLE}.branch_work"))
    assert [row["id"] for row in main] == list(range(30))
    assert ids_are_distinct(main)
    assert ids_are_distinct([*main, *(row for row in branch if row["id"] >= 500)])


def test_expiry_keeps_ids_and_a_puffin_file_while_a_deletion_vector_in_it_is_live(site: Site) -> None:
    """Trap 1: two deletion vectors share a file; the data file of one of them goes, and its snapshots expire."""
    site.sql(f"CREATE TABLE {{table}} (id BIGINT, day STRING) USING iceberg TBLPROPERTIES ({V3})")
    site.append(0)
    site.append(10)
    site.sql("DELETE FROM {table} WHERE id IN (3, 13)")
    assert len(site.sql("SELECT DISTINCT file_path FROM {table}.delete_files")) == 1
    assert len(site.sql("SELECT * FROM {table}.delete_files")) == 2
    site.sql("ALTER TABLE {table} SET TBLPROPERTIES ('write.delete.mode'='copy-on-write')")
    site.sql("DELETE FROM {table} WHERE id < 5")
    before = site.lineage()
    assert expired_with_files(site, keep_last=1)[FileKind.DATA] == 1
    assert site.lineage() == before
    assert len(site.sql("SELECT * FROM {table}.delete_files")) == 1
    site.sql("DELETE FROM {table} WHERE id > 0 AND id < 20")
    site.append(20)
    after = site.lineage()
    assert ids_are_distinct([*before, *after])
    gone = expired_with_files(site, keep_last=1)
    assert (gone[FileKind.DATA], gone[FileKind.DELETION_VECTORS]) == (2, 1)
    assert site.lineage() == after


def expired_with_files(site: Site, *, keep_last: int) -> dict[str, int]:
    """Expire snapshots and delete the files that only they needed; return their number by kind."""
    opened = site.open()
    expiry = Expiry(ExpiryRule(timedelta(0), keep_last), datetime.now(UTC) + timedelta(hours=1))
    files = RunFiles(IcebergExpired(load=opened._fresh, run_id=RUN_ID, scope=Scope.of(opened.location)))
    chosen = list(opened.expiry.plan(expiry).expired)
    files.announce(opened._fresh(), chosen)
    conditions = opened.expiry.expire(chosen, expiry, before_try=nothing)
    assert conditions
    assert all(each.holds for each in conditions)
    files.find()
    storage = opened.engines[Engine.ARROW].task_storage()
    tally = files.delete(BulkDelete(storage, before_batch=lambda _: None))
    assert all(each.holds for each in files.prove())
    files.close()
    return {kind: counted.files for kind, counted in tally.deleted.items()}


def merge_manifests(site: Site) -> None:
    """Rewrite the manifests by Packhouse, and prove it."""
    opened = site.open()
    done = opened.manifest_rewrite.commit(RUN_ID, 1, before_try=nothing)
    assert done.snapshot_id is not None
    proof = opened.manifest_rewrite.prove(done.snapshot_id)
    assert all(each.holds for each in proof.checks), proof.checks


def test_merged_manifests_give_every_row_the_id_that_it_had(site: Site) -> None:
    """Trap 7: entries are ordered by partition, so ids that depend on their order would change."""
    site.sql(f"CREATE TABLE {{table}} (id BIGINT, day STRING) USING iceberg PARTITIONED BY (day) TBLPROPERTIES ({V3})")
    for number in range(4):
        site.append(number * 10)
    site.sql("DELETE FROM {table} WHERE id % 7 = 3")
    site.sql("UPDATE {table} SET id = id + 1000 WHERE id % 9 = 4")
    before, deletes = site.lineage(), site.sql("SELECT * FROM {table}.delete_files ORDER BY referenced_data_file")
    following = site.open()._view.metadata.next_row_id
    merge_manifests(site)
    assert site.lineage() == before
    assert site.sql("SELECT * FROM {table}.delete_files ORDER BY referenced_data_file") == deletes
    assert [row["content"] for row in site.sql("SELECT content FROM {table}.manifests ORDER BY 1")] == [0, 1]
    head = site.open()._view.head
    assert head is not None
    assert (head.added_rows, head.first_row_id, site.open()._view.metadata.next_row_id) == (0, following, following)
    site.append(100)
    site.sql("DELETE FROM {table} WHERE id = 101")
    after = site.lineage()
    assert [row for row in after if row["id"] < 100 or row["id"] > 999] == before
    assert ids_are_distinct(after)
    merge_manifests(site)
    assert site.lineage() == after
    site.sql("CALL lake.system.rewrite_manifests('lake.lake.lineage')")
    assert site.lineage() == after


@pytest.mark.parametrize("has_ids", [True, False])
def test_manifests_of_an_upgraded_table_are_merged(site: Site, has_ids: bool) -> None:
    """Their entries have no field for row ids; without a commit since the upgrade, their rows get ids by ours."""
    site.sql("CREATE TABLE {table} (id BIGINT, day STRING) USING iceberg PARTITIONED BY (day)")
    for number in range(3):
        site.append(number * 10)
    site.sql("ALTER TABLE {table} SET TBLPROPERTIES ('format-version'='3')")
    if has_ids:
        site.append(30)
    before = site.lineage()
    assert ids_are_distinct(before) == has_ids
    merge_manifests(site)
    after = site.lineage()
    assert ids_are_distinct(after)
    assert after == before or not has_ids
    assert len(after) == len(before)
    site.append(40)
    last = site.lineage()
    assert last[: len(after)] == after
    assert ids_are_distinct(last)


@pytest.mark.deep
def test_upkeep_under_an_unknown_transform_changes_nothing_that_spark_reads(
    spark_sessions: SparkSessions, tmp_path: Path
) -> None:
    """Spark (Iceberg 1.12) refuses to read such a table: it reads it before, and after the transform is known again."""
    lake = make_lake(tmp_path, days=0)
    session = spark_sessions.get(str(uuid.uuid4()))
    attach(session, confs_of(lake) | {"spark.sql.session.timeZone": "UTC", "spark.sql.shuffle.partitions": "2"})

    def state(transform: str) -> None:
        table = lake.catalog.load_table(("lake", "lineage"))
        edit_metadata(table, lambda body: body["partition-specs"][0]["fields"][0].update(transform=transform))

    with closing(IcebergFormat().connect("lake", dict(lake.properties))) as connection:
        site = Site(session, lambda: connection.open_table(TableRef("lake", ("lake",), "lineage")))
        columns = "(id BIGINT, day STRING) USING iceberg PARTITIONED BY (day)"
        site.sql(f"CREATE TABLE {{table}} {columns} TBLPROPERTIES ({V3})")
        for number in range(6):
            if number == 3:
                site.sql("ALTER TABLE {table} DROP PARTITION FIELD day")
            site.append(number * 10)
            if number == 0:
                site.sql("DELETE FROM {table} WHERE id % 7 = 3")
        before, manifests = site.lineage(), len(listed_ids(site.open()))
        state("geohash[6]")
        merge_manifests(site)
        assert len(listed_ids(site.open())) == manifests - 2, "those of the other spec are merged"
        expired_with_files(site, keep_last=1)
        state("identity")
        assert (len(site.sql("SELECT * FROM {table}.snapshots")), site.lineage()) == (1, before)
        assert len(site.sql("SELECT * FROM {table} WHERE day = '2026-11-01'")) == sum(
            row["day"] == "2026-11-01" for row in before
        )
