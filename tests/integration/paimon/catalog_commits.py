"""Commits of which the worker publishes the snapshot, in JDBC, Hive and REST catalogs."""

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from engine.domain.errors import PackhouseError
from engine.domain.runs.run import Operation
from engine.formats.base import CommitRequest
from tests.support.catalog_story import played
from tests.support.format_subjects import LocalTasks
from tests.support.paimon.commits import ids, sent, values
from tests.support.paimon.lakes import LockingLake, PaimonLake
from tests.support.paimon.rest_lakes import RestLake
from tests.support.paimon.rewrites import RUN, compacted_by_packhouse, opened, rewritten
from tests.support.paimon.row_writers import RowWriter, check_rows, compacted_beside_writers
from tests.support.paimon.worlds import KINDS, TwinLake, served
from tests.support.settings import settings_of
from tests.support.world import open_on

EXPIRED = {
    "rewrite": {"min_input_files": 2, "key_tables": {"sorted_run_trigger": 3}},
    "maintenance": {"expire_snapshots": {"older_than": "1h", "keep_last": 1, "interval": "1h"}},
}
SECRETS = {"token", "dlf.access-key-id", "dlf.access-key-secret", "dlf.security-token"}
LATE = [100, "2026-11-02", 7.5]


def after_preparation(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Do something once, after the core has prepared a commit."""
    real, acts = LocalTasks.run, iter([act])

    def run(self: LocalTasks, request: str) -> str:
        answer = real(self, request)
        next(acts, lambda: None)()
        return answer

    monkeypatch.setattr(LocalTasks, "run", run)


def check_unlocked(lake: PaimonLake) -> None:
    """Check that the lock of the table is free, if the catalog has locks."""
    assert not isinstance(lake, LockingLake) or lake.held_lock() is None


class CatalogCommits:
    """What holds in all; `lake` is a key table of one bucket with three sorted runs."""

    def test_a_key_table_is_compacted_and_proven(self, lake: PaimonLake) -> None:
        rows = values(lake)
        compacted_by_packhouse(lake)
        assert (values(lake), ids(lake)) == (rows, [1, 2, 3, 4])
        assert (lake.folder / "snapshot" / "LATEST").read_text() == "4"
        check_unlocked(lake)
        assert list((lake.folder / "snapshot").glob(".*")) == []
        snapshot = json.loads((lake.folder / "snapshot" / "snapshot-4").read_text())
        assert (snapshot["commitKind"], snapshot["properties"]["packhouse.run-id"]) == ("COMPACT", RUN)
        lake.write([LATE])
        assert (len(values(lake)), ids(lake)) == (len(rows) + 1, [1, 2, 3, 4, 5])

    async def test_a_table_is_discovered_rewritten_and_expired_over_http(
        self, lake: PaimonLake, sqlite_url: str, redis_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Its worker dies between the commit and the proof."""
        rows, more = values(lake), dict[str, str]()
        for name in SECRETS & lake.properties.keys():
            monkeypatch.setenv(variable := f"LAKE_{len(more)}", lake.properties[name])
            more[name] = f"env:{variable}"
        if isinstance(lake, RestLake):
            lake = replace(lake, more=more)
        settings = settings_of(
            tmp_path / "state", database_url=sqlite_url, redis_url=redis_url, lease_seconds=30, watch=False
        )
        async with open_on(TwinLake(KINDS["key"], lake, lake), settings, formats=served) as world:
            runs = await played(world, EXPIRED, [Operation.EXPIRE_SNAPSHOTS])
        assert [(each["state"], each["attempt"] > 1) for each in runs] == [("succeeded", True), ("succeeded", False)]
        assert (values(lake), ids(lake)) == (rows, [4])
        check_unlocked(lake)

    def test_a_writer_that_commits_first_keeps_its_rows(
        self, lake: PaimonLake, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It commits after the core has prepared a snapshot of the same number."""
        table, rows = opened(lake), values(lake)
        groups = rewritten(table, full=True)
        after_preparation(monkeypatch, lambda: lake.write([LATE]))
        outcome = sent(lake, table, groups, tried := [])
        assert (outcome.snapshot_id, outcome.tries, len(tried)) == (5, 2, 1)
        assert (values(lake), ids(lake)) == (sorted([*rows, LATE]), [1, 2, 3, 4, 5])
        assert opened(lake).commits.prove(5, groups).ok

    def test_a_rollback_after_the_preparation_is_a_lost_race(
        self, lake: PaimonLake, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Another snapshot has the number of the one that the commit was prepared on."""
        table = opened(lake)
        groups = rewritten(table, full=True)

        def roll_back() -> None:
            lake.call("roll_back", snapshot=2)
            lake.write([LATE])

        after_preparation(monkeypatch, roll_back)
        outcome = sent(lake, table, groups)
        assert (outcome.snapshot_id, ids(lake)) == (None, [1, 2, 3])
        assert LATE in values(lake)

    def test_a_worker_that_may_not_commit_any_more_sends_nothing_and_releases_the_lock(self, lake: PaimonLake) -> None:
        table = opened(lake)
        groups = rewritten(table, full=True)

        def refuse() -> None:
            assert not isinstance(lake, LockingLake) or not lake.lock()
            raise PackhouseError("the lease is lost")

        with pytest.raises(PackhouseError, match="the lease is lost"):
            table.commits.commit(CommitRequest(RUN, 1, 3, table.schema_id, groups), before_try=refuse)
        check_unlocked(lake)
        assert ids(lake) == [1, 2, 3]

    def test_inputs_that_another_writer_removed_are_dropped(self, lake: PaimonLake) -> None:
        table = opened(lake)
        groups = rewritten(table, full=True)
        lake.compact()
        outcome = sent(lake, table, groups)
        assert (outcome.snapshot_id, list(outcome.dropped)) == (None, [0])
        assert ids(lake) == [1, 2, 3, 4]

    def test_the_same_batch_is_not_committed_twice(self, lake: PaimonLake) -> None:
        """An earlier send whose answer was lost: the inputs are gone."""
        table = opened(lake)
        groups = rewritten(table, full=True)
        assert sent(lake, table, groups).snapshot_id == 4
        assert sent(lake, table, groups).snapshot_id is None
        assert [each.snapshot_id for each in opened(lake).commits.find(RUN)] == [4]

    def test_no_row_is_lost_beside_a_writer(self, lake: PaimonLake) -> None:
        """With the lock of a JDBC or Hive catalog, which is free at the end; without any in a REST catalog."""
        rows = values(lake)
        with RowWriter(lake) as writer:
            made = compacted_beside_writers(lake, turns=4 if "PACKHOUSE_DEEP" in os.environ else 2)
        check_rows(lake, rows, writer, made)
        check_unlocked(lake)
