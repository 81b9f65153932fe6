"""Commits of which the worker publishes the snapshot, in JDBC and in REST catalogs."""

import os

from tests.support.paimon.commits import ids, sent, values
from tests.support.paimon.jdbc_lakes import JdbcLake
from tests.support.paimon.lakes import PaimonLake
from tests.support.paimon.rewrites import RUN, opened, rewritten
from tests.support.paimon.row_writers import RowWriter, check_rows, compacted_beside_writers


class CatalogCommits:
    """What holds in both; `lake` is a key table of one bucket with three sorted runs."""

    def test_inputs_that_another_writer_removed_are_dropped(self, lake: PaimonLake) -> None:
        table = opened(lake)
        groups = rewritten(table, full=True)
        lake.call("compact", full=True, options={"write-only": "false"})
        outcome = sent(lake, table, groups)
        assert (outcome.snapshot_id, list(outcome.dropped)) == (None, [0])
        assert ids(lake) == [1, 2, 3, 4]

    def test_the_same_batch_is_not_committed_twice(self, lake: PaimonLake) -> None:
        """An earlier send whose answer was lost: the inputs are gone."""
        table = opened(lake)
        groups = rewritten(table, full=True)
        assert sent(lake, table, groups).snapshot_id == 4
        assert sent(lake, table, groups).snapshot_id is None
        assert [each.snapshot_id for each in opened(lake).find_commits(RUN)] == [4]

    def test_no_row_is_lost_beside_a_writer(self, lake: PaimonLake) -> None:
        """With the lock of a JDBC catalog, which is free at the end; without any in a REST catalog."""
        rows, made = values(lake), 0
        with RowWriter(lake) as writer:
            for turn in range(4 if "PACKHOUSE_DEEP" in os.environ else 2):
                made += compacted_beside_writers(lake, f"run_{turn}")
        check_rows(lake, rows, writer, made)
        if isinstance(lake, JdbcLake):
            assert lake.lock_row() is None
