"""JDBC catalogs of tables in S3: with the lock, commits of Packhouse and of writers exclude each other."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import pytest

from engine.formats.base import CommitOutcome
from engine.formats.paimon.task.publishing import ConditionalCommit
from tests.support.paimon.commits import ids, sent, values
from tests.support.paimon.core import PaimonCore
from tests.support.paimon.jdbc_lakes import CatalogHome, sqlite_home
from tests.support.paimon.rewrites import committed, opened, rewritten
from tests.support.paimon.row_writers import RowWriter, check_rows, compacted_beside_writers
from tests.support.paimon.s3_lakes import WRITER, S3Lake, start_child
from tests.support.s3_server import Asked, S3Server

pytestmark = pytest.mark.usefixtures("core_child")


@dataclass(frozen=True)
class S3JdbcLake(S3Lake):
    """A table in S3 of a JDBC catalog; its writers take the lock, as by default in object stores."""

    home: CatalogHome = field(default_factory=lambda: CatalogHome("", {}))

    @property
    def properties(self) -> dict[str, str]:
        return {**super().properties, "type": "jdbc", "uri": self.home.uri}

    def create(self, *, partition_keys: Sequence[str] = (), primary_keys: Sequence[str] = (), **options: str) -> Self:
        given = {"metastore": "jdbc", "lock-check-max-sleep": "200 ms", **self.home.jdbc, **self.access()}
        self.core.call("use_store", warehouse=self.root, options=given)
        return self.make(partition_keys=partition_keys, primary_keys=primary_keys, **options)


@pytest.fixture
def lake(paimon_core: PaimonCore, s3: S3Server, tmp_path: Path) -> S3JdbcLake:
    start_child()
    lake = S3JdbcLake(paimon_core, s3, home=sqlite_home(tmp_path))
    lake.create(primary_keys=["id"], bucket="1", write_only="true")
    for turn in range(3):
        lake.write([[number, "2026-11-01", turn + 0.5] for number in range(20)])
    return lake


def test_commits_take_the_lock_and_do_not_settle(lake: S3JdbcLake, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(_: ConditionalCommit) -> None:
        raise AssertionError("the lock makes it unnecessary")

    monkeypatch.setattr(ConditionalCommit, "settle", never)
    rows, held = values(lake), list[bool]()

    def look(asked: Asked) -> None:
        if asked.method == "PUT" and asked.key.endswith("/snapshot/snapshot-4"):
            held.append(bool(lake.home.execute("SELECT * FROM paimon_distributed_locks")))

    lake.server.on_request = look
    table = opened(lake)
    proof = committed(lake, table, rewritten(table, full=True))
    assert proof.ok, proof.checks
    assert held == [True]
    assert (values(lake), ids(lake)) == (rows, [1, 2, 3, 4])
    assert lake.home.execute("SELECT * FROM paimon_distributed_locks") == []
    compacting = opened(lake)
    lake.write([[5, "2026-11-01", 9.5]])
    assert committed(lake, compacting, rewritten(opened(lake), full=True, run_id="run_2"), run_id="run_2").ok
    assert ids(lake) == [1, 2, 3, 4, 5, 6]


def test_a_writer_can_not_replace_a_snapshot_any_more(lake: S3JdbcLake) -> None:
    """Between its look and its copy, where it replaces one in a filesystem warehouse, it has the lock."""
    table, rows = opened(lake), values(lake)
    groups, results = rewritten(table, full=True), list[CommitOutcome]()
    thread = threading.Thread(target=lambda: results.append(sent(lake, table, groups)))

    def compete(asked: Asked) -> None:
        if asked.method == "PUT" and asked.access_key == WRITER and asked.key.endswith("/snapshot/snapshot-4"):
            lake.server.on_request = lambda _: None
            thread.start()
            thread.join(1)

    lake.server.on_request = compete
    lake.write([[100, "2026-11-02", 7.5]])
    thread.join()
    assert [(each.snapshot_id, each.tries > 0) for each in results] == [(5, True)]
    assert (values(lake), ids(lake)) == (sorted([*rows, [100, "2026-11-02", 7.5]]), [1, 2, 3, 4, 5])
    assert opened(lake).commits.prove(5, groups).ok


@pytest.mark.deep
def test_an_answer_that_is_lost_is_found(lake: S3JdbcLake) -> None:
    table, rows = opened(lake), values(lake)
    groups = rewritten(table, full=True)
    lake.server.lost.add("warehouse/lake.db/events/snapshot/snapshot-4")
    assert sent(lake, table, groups).snapshot_id == 4
    assert (values(lake), lake.server.lost) == (rows, set())


@pytest.mark.deep
def test_no_row_is_lost_beside_a_writer_with_the_lock(lake: S3JdbcLake) -> None:
    rows = values(lake)
    with RowWriter(lake) as writer:
        made = compacted_beside_writers(lake, turns=2)
    check_rows(lake, rows, writer, made)
    assert lake.home.execute("SELECT * FROM paimon_distributed_locks") == []
