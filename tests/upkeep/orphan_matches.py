"""Removal of orphans beside Iceberg's `remove_orphan_files`: files of several kinds and ages, and two searches."""

from collections.abc import Set as AbstractSet
from datetime import UTC, datetime, timedelta
from typing import Any

from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, RunState
from tests.support.expired_files import needed, stored
from tests.upkeep.histories import local
from tests.upkeep.matches import Match
from tests.upkeep.orphans import LONG_AGO, add, grow_old, pass_quarantine, plant, set_age
from tests.upkeep.readings import Seen

QUARANTINE = timedelta(hours=1)
_REQUEST = RunRequest(Operation.REMOVE_ORPHANS)
_METADATA = (".metadata.json", "/version-hint.text")
"""Files that the procedure deletes and Packhouse leaves to the table's own settings."""


class OrphanMatch:
    """Two searches a quarantine apart, and the procedure with the same age on a copy."""

    def __init__(self, match: Match, days: int) -> None:
        self._match, self._older_than = match, timedelta(days=days)

    @staticmethod
    def maintenance(days: int) -> dict[str, Any]:
        """Return the settings of the operation."""
        quarantine = f"{int(QUARANTINE.total_seconds())}s"
        return {"remove_orphans": {"older_than": f"{days}d", "quarantine": quarantine, "interval": "1h"}}

    async def play(self, seen: Seen) -> None:
        """Put orphans into the table's location, let both search, and compare."""
        match, folder = self._match, self._match.folder
        grow_old(folder)
        planted = plant(folder, self._older_than, match.random)
        was = stored(match.table)
        first = await match.run(_REQUEST)
        assert (first.state, first.reason) == (RunState.SKIPPED, "nothing_to_do"), first.detail
        assert stored(match.table) == was, "one look deleted files"
        pass_quarantine(folder, QUARANTINE)
        late, changed = add(folder), self._change(planted.goes)
        copy, was = match.copy_aside("orphans"), stored(match.table)
        table = match.table
        run = await match.run(_REQUEST)
        ours, live = was - stored(table), needed(table)
        assert run.state is RunState.SUCCEEDED, run.detail
        assert run.result.document["deleted_files"] == len(ours), run.result
        assert not ours & live, f"live files were deleted: {sorted(ours & live)[:5]}"
        assert planted.goes - {changed} <= ours, f"orphans are left: {sorted(planted.goes - ours)[:5]}"
        kept = planted.stays | planted.protected | {late, changed}
        assert not ours & kept, f"files that must stay were deleted: {sorted(ours & kept)[:5]}"
        match.compare(seen, asks=False)
        match.counts["orphans deleted"] += len(ours)
        match.counts["orphans that no test put there"] += len(ours - planted.goes)
        match.put_back(copy)
        self._theirs(was, ours, planted.protected | {late, changed})

    def _change(self, goes: Any) -> str:
        """Change one of the files that were found, so that its quarantine begins again; return its path."""
        changed: str = self._match.random.choice(sorted(goes))
        path = local(changed)
        path.write_bytes(path.read_bytes() + b"more")
        set_age(path, LONG_AGO)
        return changed

    def _theirs(self, was: set[str], ours: set[str], left_alone: AbstractSet[str]) -> None:
        match = self._match
        before = datetime.now(UTC) - self._older_than
        copy = match.register_copy(match.table, "theirs_orphans")
        match.call("remove_orphan_files", copy, f"older_than => TIMESTAMP '{before:%Y-%m-%d %H:%M:%S}'")
        theirs = was - stored(copy)
        more, fewer = ours - theirs, theirs - ours - left_alone
        assert not more, f"files that the procedure keeps: {sorted(more)[:5]}"
        fewer = {each for each in fewer if not each.endswith((*_METADATA, ".crc"))}
        assert not fewer, f"files that only the procedure deletes: {sorted(fewer)[:5]}"
        match.counts["searches that found the same as the procedure"] += 1
