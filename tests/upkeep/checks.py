"""Conditions that hold after upkeep while other writers acted."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from engine.domain.runs.run import Run, RunState
from engine.formats.iceberg.catalog.paths import normalised
from engine.formats.removal.file_lists import FileList
from tests.support.expired_files import needed
from tests.support.world import World
from tests.upkeep.histories import local
from tests.upkeep.orphans import Planted
from tests.upkeep.writers import Rows, missing, rows_of_snapshots


def check_upkeep(world: World, run: Run, known: Rows, rows: Sequence[object]) -> None:
    """Compare the table, its files and the run's result.

    Args:
        world: the installation with its table.
        run: an upkeep run at its end.
        known: rows of snapshots as they were read before and between.
        rows: of the current snapshot after the last write.
    """
    assert run.is_terminal, run
    assert run.reason != "invariant_broken", run.detail
    assert world.lake.rows() == rows, "rows were lost, doubled or changed"
    assert not (gone := missing(world)), f"needed files were deleted: {sorted(gone)[:5]}"
    table = world.lake.table
    for snapshot_id, found in rows_of_snapshots(table).items():
        assert found == known.get(snapshot_id, found), f"the rows of snapshot {snapshot_id} changed"
    path = run.result.document.get("deleted_files_list")
    if path:
        listed = FileList.read(Path("/" + path.removeprefix("file:").lstrip("/")).read_bytes())
        gone = {normalised(each) for batch in listed.batches() for each in batch["path"].to_pylist()}
        gone = {each for each in gone if not Path("/" + each.removeprefix("file:").lstrip("/")).exists()}
        assert not gone & needed(table), "a deleted file is needed"
    if str(table.metadata.table_uuid) == (run.intent.table_uuid or str(table.metadata.table_uuid)):
        _check_result(world, run, known)


def check_left_alone(planted: Planted) -> None:
    """Check that the files which a search for orphans must not delete are there."""
    every = planted.stays | planted.protected
    assert not (gone := every - existing(every)), f"files of other programs were deleted: {sorted(gone)[:5]}"


def existing(paths: Iterable[str]) -> set[str]:
    """Return those of the local paths that exist."""
    return {each for each in paths if local(each).exists()}


def _check_result(world: World, run: Run, known: Rows) -> None:
    snapshots = {each.snapshot_id: each for each in world.lake.table.snapshots()}
    own = {
        str(snapshot_id)
        for snapshot_id, each in snapshots.items()
        if each.summary is not None and each.summary.additional_properties.get("packhouse.run-id") == run.id
    }
    told = {*run.result.snapshot_ids, *(str(each.get("snapshot_id")) for each in run.result.verifications)}
    assert own <= told, f"the run does not name its snapshots {own - told}"
    assert run.result.expired_snapshots <= len(known.keys() - snapshots.keys()), "more expired than are gone"
    if run.state is RunState.SKIPPED:
        assert not own
        assert not run.result.expired_snapshots
