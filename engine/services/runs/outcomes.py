"""Results of a run in numbers, measured from its groups and the table's snapshots, with the predictions."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from engine.domain.runs.drops import UNREADABLE, DropKind, DropReason
from engine.domain.runs.hot_partitions import LostGroup
from engine.domain.runs.left_out import LeftOut, LeftOutItem
from engine.domain.runs.results import LostRaces, RunResult
from engine.domain.runs.run import FileCounts, GroupOutline, GroupState, Run
from engine.domain.runs.timelines import RunTimeline
from engine.formats.base import Verification
from engine.planning.predictions.run_statistics import prediction_error
from engine.queue.budgets import LiveProgress
from engine.services.runs.row_checks import checked_rows, counted_limits

_MEASURED_SUMS = (
    "bytes_read",
    "bytes_written",
    "requests",
    "seconds_reading",
    "seconds_working",
    "seconds_writing",
    "merged_columns",
)


def run_result(
    run: Run,
    stored: Sequence[GroupOutline],
    files: FileCounts,
    *,
    seconds: float,
    timeline: RunTimeline,
    moved: LiveProgress | None,
) -> RunResult:
    """Return the result of an ended run: counts of committed groups, waste, predicted and actual figures.

    `stored` are all its groups, `files` the files that the committed ones read and wrote.
    `seconds` is the wall time of the last attempt, so `input_bytes_per_second` is only given for runs with one;
    `timeline` has all attempts and waits.
    `moved` has the reports of the last attempt's tasks while they ran, including tasks that were stopped half-way.
    """
    committed = [group for group in stored if group.state is GroupState.COMMITTED]
    dropped = [group for group in stored if group.state is GroupState.DROPPED]
    races = races_so_far(run)
    verifications = list(run.result.verifications)
    measured: Counter[str] = Counter()
    for group in stored:
        measured.update({name: group.measured.get(name, 0) for name in (*_MEASURED_SUMS, "throttled_seconds")})
    if moved is not None:
        for name in ("bytes_read", "bytes_written", "throttled_seconds"):
            measured[name] = max(measured[name], getattr(moved, name))
    rewritten_bytes = sum(group.input_bytes for group in committed)
    actual = {
        "input_files": files.input_files,
        "input_bytes": rewritten_bytes,
        "output_files": files.output_files,
        "output_bytes": sum(group.output_bytes for group in committed),
        "seconds": round(seconds, 3),
    }
    document = {
        "rewritten_files": actual["input_files"],
        "rewritten_bytes": rewritten_bytes,
        "rewritten_rows": files.input_rows,
        "added_files": actual["output_files"],
        "added_bytes": actual["output_bytes"],
        "added_rows": files.output_rows,
        "deleted_rows": sum(group.rows_deleted for group in committed),
        "removed_delete_files": sum(each.get("removed_delete_files", 0) for each in verifications if each["ok"]),
        "groups_committed": len(committed),
        "groups_dropped": dict(Counter("unknown" if group.reason is None else str(group.reason) for group in dropped)),
        "races": asdict(races)
        | {"groups_committed": len(committed), "conflict_rate": conflict_rate(races.groups_lost, len(committed))},
        "wasted_bytes": races.wasted_bytes + sum(g.output_bytes for g in dropped if not _is_lost(g)),
        "snapshot_ids": [str(s) for s in sorted({g.snapshot_id for g in committed if g.snapshot_id is not None})],
        "seconds": timeline.working_seconds,
        "time": timeline.document(),
        "input_bytes_per_second": round(rewritten_bytes / seconds, 1) if run.attempt == 1 and seconds > 0 else None,
        "measured": {name: round(value, 3) for name, value in measured.items()},
        "predicted": run.plan.get("prediction"),
        "actual": actual,
        "prediction_error": prediction_error(run.plan.get("prediction"), actual),
        "verifications": verifications,
        "checked": checked_rows(run, committed),
        "pass_limits": counted_limits("pass_limit", (group.measured for group in committed)),
    }
    return RunResult(document)


def left_out_of(stored: Sequence[GroupOutline], skipped: Sequence[LeftOutItem]) -> LeftOut:
    """Return the partitions that a run left out: those whose file groups failed, and those that its plan skipped.

    A partition whose groups failed for the same reason in several attempts counts once.
    """
    failed = {
        (group.place, str(group.reason)): _left_out_item(group.partition, group.reason)
        for group in stored
        if group.state is GroupState.DROPPED and group.reason is not None and group.reason.is_own_fault
    }
    return LeftOut.of([*failed.values(), *skipped])


def _left_out_item(partition: str, reason: DropReason) -> LeftOutItem:
    is_error = reason.kind is DropKind.FAILED or reason.code == UNREADABLE
    return LeftOutItem(partition, reason.code, reason.detail, is_error=is_error)


def _is_lost(group: GroupOutline) -> bool:
    return group.reason is not None and group.reason.kind is DropKind.LOST


def races_so_far(run: Run, lost: Sequence[LostGroup] = ()) -> LostRaces:
    """Return the groups and bytes that a run lost to other writers in all attempts, including `lost`."""
    before = run.result.races
    return LostRaces(before.groups_lost + len(lost), before.wasted_bytes + sum(group.wasted_bytes for group in lost))


def conflict_rate(lost: int, committed: int) -> float | None:
    """Return the share of lost groups in all lost and committed ones; None without any."""
    return lost / (lost + committed) if lost + committed else None


def verification_document(verification: Verification) -> dict[str, Any]:
    """Return a verification as JSON-ready values; snapshot ids are strings because they exceed 2^53."""
    document = asdict(verification)
    return document | {"snapshot_id": str(verification.snapshot_id), "taken_back": verification.was_taken_back}
