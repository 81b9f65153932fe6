"""Commits of a run that its record does not know, because the database was restored from an earlier backup.

After a restore a run may have done more than its record has. Its groups since the backup are unknown, so that neither
their proof nor the rest of its plan is: the run ends with the snapshots that the table has, and is not repeated.
"""

from collections.abc import Collection, Sequence
from typing import Final

from engine.domain.runs.leases import RESTORE_STEP
from engine.domain.runs.run import GroupOutline, GroupState, RunState
from engine.formats.base import OpenTable
from engine.services.catalogs.table_access import TableAccess
from engine.services.runs.attempts import Attempt
from engine.services.runs.ending import Ended

RECORD_RESTORED: Final = "record_restored"
"""Reason of a run that ends because it was committed after the backup."""

_MOST_SHOWN: Final = 5


def is_after_restore(attempt: Attempt) -> bool:
    """Return whether the database was restored from a backup while this run was live."""
    return attempt.number > RESTORE_STEP


async def snapshots_beyond_record(
    formats: TableAccess, attempt: Attempt, table: OpenTable, groups: Collection[GroupOutline]
) -> Sequence[int]:
    """Return the run's snapshots that are not in its record, oldest first; none if the record explains all of them.

    It explains a snapshot that has nothing but written groups, as it has their files: these can be proven. `groups`:
    those of the run.
    """
    written = {group.ordinal for group in groups if group.state is GroupState.WRITTEN}
    proven = {str(each.get("snapshot_id")) for each in attempt.run.result.verifications}
    found = await formats.read_for_run(table.ref, table.commits.find, attempt.run.id)
    unknown = [batch for batch in found if str(batch.snapshot_id) not in proven]
    is_explained = all(batch.groups and written.issuperset(batch.groups) for batch in unknown)
    return () if is_explained else [batch.snapshot_id for batch in unknown]


def ended_beyond_record(attempt: Attempt, snapshots: Sequence[int]) -> Ended:
    """Return the end of a run that has these snapshots beyond its record."""
    known = [str(each.get("snapshot_id")) for each in attempt.run.result.verifications]
    found = [str(each) for each in snapshots]
    shown = ", ".join(found[:_MOST_SHOWN]) + (" and others" if len(found) > _MOST_SHOWN else "")
    detail = (
        f"this run committed snapshots after the backup from which the database was restored ({shown}): it is not "
        "repeated; submit another run if a part of the table is left"
    )
    figures = {"snapshot_ids": [*dict.fromkeys([*known, *found])]}
    return Ended(RunState.SUCCEEDED, RECORD_RESTORED, detail, figures=figures)
