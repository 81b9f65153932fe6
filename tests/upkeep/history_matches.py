"""Expiry of snapshots, reclamation, deletion of old copies and rewrites of manifests beside Iceberg's procedures."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from pyiceberg.table import Table

from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, Run
from tests.differential.readers import head_by_spark
from tests.support.expired_files import needed, stored
from tests.upkeep.matches import Match
from tests.upkeep.readings import Seen, ids

_METADATA = ".metadata.json"


@dataclass
class HistoryMatch:
    """The same expiries by Packhouse and by `expire_snapshots`: kept snapshots and deleted files."""

    match: Match
    keep_last: int
    hours: float
    operations: list[Operation]
    _removed: list[set[int]] = field(default_factory=list)
    _is_refused: bool = False

    @staticmethod
    def maintenance(keep_last: int, hours: float) -> dict[str, Any]:
        """Return the settings of the operations."""
        minutes = f"{int(hours * 60)}m"
        return {
            "expire_snapshots": {
                "older_than": minutes,
                "keep_last": keep_last,
                "interval": "1h",
                "delete_files": True,
            },
            "reclaim": {"retention": minutes, "interval": "1h"},
            "delete_old_compactions": {"grace": "30m", "interval": "1h"},
        }

    async def play(self, seen: Seen) -> tuple[set[int], set[str]]:
        """Run the operations and compare; return the kept snapshots and the deleted files."""
        for operation in self.operations:
            self._removed.append(await self._ours(operation, seen))
        kept, ours = ids(self.match.table), seen.stored - stored(self.match.table)
        await self.match.run(RunRequest(Operation.REWRITE_MANIFESTS))
        self.match.compare(seen)
        return kept, ours

    async def _ours(self, operation: Operation, seen: Seen) -> set[int]:
        """Run one expiry; return the snapshots that it removed."""
        match, counts = self.match, self.match.counts
        before, was = ids(match.table), stored(match.table)
        run = await match.run(RunRequest(operation))
        table = match.table
        gone = before - ids(table)
        assert run.result.expired_snapshots == len(gone), run.result
        if run.reason == "not_eligible":
            assert table.metadata.format_version > 2, run.detail
            self._is_refused = True
        counts["expiries that deleted files"] += bool(run.result.document.get("deleted_files"))
        counts["files deleted"] += run.result.document.get("deleted_files", 0)
        deleted = seen.stored - stored(table)
        assert not deleted & needed(table)
        if gone:
            assert not any(each["counts"] for each in run.result.document["not_deleted"].values()), run.result
            left = {each for each in (stored(table) & seen.needed) - needed(table) if not each.endswith(_METADATA)}
            assert not left, f"files that only expired snapshots needed are left: {sorted(left)[:5]}"
        if gone and operation is Operation.RECLAIM:
            listed = await match.deleted_files(run)
            again = listed - was
            assert again <= seen.stored, (
                f"files that were never stored count as deleted: {sorted(again - seen.stored)[:5]}"
            )
            counts["files that an earlier operation had deleted already"] += len(again)
            self._check_prediction(run, len(was - stored(table)) + len(again))
        match.compare(seen, asks=False)  # no file of the head changed; asked after the rewrite of manifests
        return gone

    def _check_prediction(self, run: Run, deleted: int) -> None:
        """Compare the predicted files and bytes with the deleted ones; one that is gone already counts as deleted."""
        found = run.result.document["reclaimed"]
        assert found["predicted"] == found["actual"], found
        assert found["actual"]["files"] == deleted, f"{found}: {deleted} files less are stored"
        self.match.counts["predictions of reclamations that held"] += 1

    def theirs(self, seen: Seen, kept: set[int], ours: set[str]) -> None:
        """Let Iceberg's procedures do the same to the bytes that there were, and compare."""
        match = self.match
        if self._is_refused:
            match.counts["tables of version 3 whose snapshots do not expire"] += 1
            return
        table = match.register_copy(seen.table, "theirs")
        for operation, gone in zip(self.operations, self._removed, strict=True):
            if operation is Operation.DELETE_OLD_COMPACTIONS:
                if not gone:
                    continue
                arguments = f"snapshot_ids => ARRAY({', '.join(map(str, sorted(gone)))})"
            else:
                before = datetime.now(UTC) - timedelta(hours=self.hours)
                arguments = f"older_than => TIMESTAMP '{before:%Y-%m-%d %H:%M:%S}', retain_last => {self.keep_last}"
            match.call("expire_snapshots", table, f"{arguments}, clean_expired_metadata => false")
        theirs = seen.stored - stored(table)
        has_retention = any(
            each.max_snapshot_age_ms or each.min_snapshots_to_keep for each in seen.table.refs().values()
        )
        assert ids(table) <= kept, "the procedure keeps more"
        may_keep_more = has_retention or _is_cut(seen.table) or Operation.DELETE_OLD_COMPACTIONS in self.operations
        assert may_keep_more or ids(table) == kept, f"the procedure removes {len(kept - ids(table))} more snapshots"
        more = {each for each in ours - theirs if not each.endswith(_METADATA)}
        match.counts["files of gaps that only Packhouse deletes"] += len(more & seen.removed)
        more -= seen.removed  # the procedure does not read entries of removed files: of a gap it leaves them behind
        assert not more, f"files that the procedure keeps: {sorted(more)[:5]}"
        fewer = {each for each in theirs - ours if not each.endswith((".crc", _METADATA))}
        match.counts["same files as the procedure"] += not fewer
        match.counts["fewer files than the procedure"] += bool(fewer)
        match.call("rewrite_manifests", table, "use_caching => false")
        head, _ = head_by_spark(match.spark, f"lake.{'.'.join(table.name())}")
        match.counts["tables of both"] += head == seen.head


def _is_cut(table: Table) -> bool:
    """Return whether a parent is missing: the procedure counts snapshots up to there only."""
    found = {each.snapshot_id for each in table.snapshots()}
    return any(each.parent_snapshot_id not in {None, *found} for each in table.snapshots())
