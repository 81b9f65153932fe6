"""Commits of Packhouse in the snapshots of a Paimon table, recognized by their properties, and lost groups."""

from collections.abc import Mapping, Sequence
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from engine.domain.runs.drops import Loss
from engine.domain.runs.plans import FileGroup
from engine.formats.base import CommittedBatch, WrittenGroup
from engine.formats.paimon.metadata.snapshots import Snapshot
from engine.formats.paimon.view import TableView
from engine.rewriting.kernel.storage.stores.addresses import file_name

RUN_ID: Final = "packhouse.run-id"
ATTEMPT: Final = "packhouse.attempt"
GROUPS: Final = "packhouse.groups"
"""Properties of a snapshot: the run, its attempt, and the ordinals of the committed groups, joined by commas."""

USER: Final = "packhouse-"
_RUN: Final = "run_"  # every id of a run
_MOST_GROUPS: Final = 1_000_000
_DIGITS: Final = 18


def is_commit_of(snapshot: Snapshot, groups: Sequence[WrittenGroup]) -> bool:
    """Return whether a snapshot is by the run that wrote these groups; after a rollback another one can have its id."""
    run_id = snapshot.properties.get(RUN_ID)
    names = [file_name(each.path) for group in groups for each in group.outputs]
    written = [name for name in names if name.startswith(_RUN)]  # others only moved to another level
    return is_own(snapshot) and all(name.startswith(f"{run_id}-") for name in written[:1])


def is_own(snapshot: Snapshot) -> bool:
    """Return whether Packhouse committed a snapshot; Paimon's `compact_manifest` copies the properties of another."""
    run_id = snapshot.properties.get(RUN_ID)
    return run_id is not None and snapshot.commit_user.startswith(f"{USER}{run_id}-")


def has_base(view: TableView, snapshot_id: int) -> bool:
    """Return whether the table's history reaches a snapshot: it was not rolled back past it."""
    return view.head is not None and snapshot_id <= view.head.id


def lost_groups(view: TableView, base_snapshot_id: int, groups: Sequence[FileGroup]) -> Mapping[int, Loss]:
    """Return the groups that can no longer be committed in this view, by ordinal."""
    if not has_base(view, base_snapshot_id):
        return dict.fromkeys((group.ordinal for group in groups), Loss.TABLE_CHANGED)
    return gone_groups(view, groups)


def gone_groups(view: TableView, groups: Sequence[FileGroup] | Sequence[WrittenGroup]) -> Mapping[int, Loss]:
    """Return the groups with an input that is no longer live, by ordinal."""
    names = [file_name(file.path) for group in groups for file in group.inputs]
    owners = [group.ordinal for group in groups for _ in group.inputs]
    is_live = pc.is_in(pa.array(names, pa.string()), value_set=view.live.files["name"].combine_chunks())
    lost = pa.array(owners, pa.int64()).filter(pc.invert(is_live)).unique().to_pylist()
    return dict.fromkeys(lost, Loss.SOURCE_GONE)


def find_commits(snapshots: Sequence[Snapshot], run_id: str) -> Sequence[CommittedBatch]:
    """Return the snapshots of a run among these, in their order."""
    return [
        CommittedBatch(each.id, _numbers(each.properties.get(GROUPS, "")), _number(each.properties.get(ATTEMPT, "")))
        for each in snapshots
        if each.properties.get(RUN_ID) == run_id and is_own(each)
    ]


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(_number(each) for each in text.split(",", _MOST_GROUPS) if each)


def _number(text: str) -> int:
    """Return a whole number that another program may have written, -1 if it is none."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _DIGITS else -1
