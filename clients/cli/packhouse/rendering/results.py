"""Read and render the plans and results of runs, by operation."""

from __future__ import annotations  # the models are imported when a result is shown, not for every command

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from packhouse_client import models as sdk

from packhouse.output import amounts, seconds, size

if TYPE_CHECKING:
    from packhouse_client.bases import Model


def fields(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return a result as fields to print; none for a run without effect."""
    match found := _parsed(result):
        case sdk.RewriteResult():
            return _of_rewrite(found) if found.rewritten_files else {}
        case sdk.RewriteManifestsResult():
            return _of_manifests(found)
        case sdk.RewriteDeletesResult():
            return _of_deletes(found)
        case sdk.RemoveOrphansResult():
            return {**_of_files(found), "verified": _verified(found.verifications)}
        case sdk.ExpireSnapshotsResult() | sdk.DeleteOldCompactionsResult() | sdk.ReclaimResult() | sdk.PurgeResult():
            return _of_history(found)
        case _:
            return {}


def plan(document: Mapping[str, Any]) -> Model:
    """Return a plan as the model of its operation, such as `RewritePlan`."""
    return _parsed(document, "Plan")


def rewrite(result: Mapping[str, Any]) -> sdk.RewriteResult | None:
    """Return the result of a rewrite; None for another operation."""
    found = _parsed(result)
    return found if isinstance(found, sdk.RewriteResult) else None


def deleted_words(result: Mapping[str, Any]) -> str:
    """Return the snapshots and files that a run has deleted, with their size; empty without any."""
    snapshots, files, size_of_files = (
        getattr(_parsed(result), name, None) for name in ("expired_snapshots", "deleted_files", "deleted_bytes")
    )
    return amounts({"snapshots": snapshots, "files": files, "bytes": size_of_files if files else None})


def counted(files: Mapping[str, sdk.FileCount], total_bytes: int | None) -> str:
    """Return numbers of files by kind in words, with the size of all."""
    named = [f"{count.files} {kind.replace('_', ' ')}" for kind, count in files.items()]
    return f"{', '.join(named)} ({size(total_bytes)})" if named else "no file"


def left_alone(refused: sdk.FilesLeftAlone | None, unread: sdk.UnreadFiles | None) -> str | None:
    """Return how many files are left alone for which reason; None for none."""
    parts = [each.counts or {} for each in (refused, unread) if each is not None]
    counts = [f"{count} {reason.replace('_', ' ')}" for part in parts for reason, count in part.items()]
    return ", ".join(counts) or None


def _parsed(document: Mapping[str, Any], kind: str = "Result") -> Model:
    """Return a document as the model of its operation and kind, such as `RewriteResult`."""
    operation = "".join(word.capitalize() for word in str(document.get("operation", "")).split("_"))
    model: type[Model] = getattr(sdk, f"{operation}{kind}", sdk.UnknownDocument)
    return model.parse_answer(document)


def _of_rewrite(found: sdk.RewriteResult) -> dict[str, Any]:
    return {
        "files": f"{found.rewritten_files} → {found.added_files}",
        "bytes": f"{size(found.rewritten_bytes)} → {size(found.added_bytes)}",
        "rows": f"{found.rewritten_rows} → {found.added_rows}, {found.deleted_rows} deleted",
        "delete files": f"{found.removed_delete_files} dropped" if found.removed_delete_files else None,
        "snapshots": _listed(found.snapshot_ids),
        "verified": _verified(found.verifications),
    }


def _of_manifests(found: sdk.RewriteManifestsResult) -> dict[str, Any]:
    counts, spent = found.manifests, found.manifest_read_seconds
    if counts is None or spent is None:
        return {}
    old, new = size(found.rewritten_manifest_bytes), size(found.added_manifest_bytes)
    return {
        "manifests": f"{counts.before} → {counts.after}",
        "replaced": f"{found.rewritten_manifests} ({old}) by {found.added_manifests} ({new})",
        "read in": f"{seconds(spent.before)} → {seconds(spent.after)}",
        "snapshots": _listed(found.snapshot_ids),
        "verified": _verified(found.verifications),
    }


def _of_deletes(found: sdk.RewriteDeletesResult) -> dict[str, Any]:
    counts, positions = found.delete_files, found.deleted_positions
    if counts is None or positions is None:
        return {}
    old, new = size(found.rewritten_delete_bytes), size(found.added_delete_bytes)
    return {
        "delete files": f"{counts.before} → {counts.after}",
        "replaced": f"{found.rewritten_delete_files} ({old}) by {found.added_delete_files} ({new})",
        "positions": f"{positions.read} → {positions.kept}",
        "snapshots": _listed(found.snapshot_ids),
        "verified": _verified(found.verifications),
    }


def _of_history(
    found: sdk.ExpireSnapshotsResult | sdk.DeleteOldCompactionsResult | sdk.ReclaimResult | sdk.PurgeResult,
) -> dict[str, Any]:
    kept = "others" if found.kept_snapshots is None else found.kept_snapshots
    expired = (
        {} if found.expired_snapshots is None else {"snapshots": f"{found.expired_snapshots} expired, {kept} kept"}
    )
    return {**expired, **_of_files(found), "verified": _verified(found.verifications)}


def _of_files(
    found: sdk.ExpireSnapshotsResult
    | sdk.DeleteOldCompactionsResult
    | sdk.ReclaimResult
    | sdk.PurgeResult
    | sdk.RemoveOrphansResult,
) -> dict[str, Any]:
    """Return the fields about deleted files; none if the run deleted none."""
    if found.deleted_files is None:
        return {}
    shown: dict[str, Any] = {"deleted": counted(found.deleted or {}, found.deleted_bytes)}
    if found.delete_failures:
        reasons = "; ".join(each.reason for each in (found.delete_failure_samples or [])[:3])
        shown["not deleted"] = f"{found.delete_failures} refused by the store: {reasons}"
    others = ((found.changed_files, "changed since the search"), (found.gone_files, "gone already"))
    if told := [f"{count} {words}" for count, words in others if count]:
        shown["not counted"] = ", ".join(told)
    left = found.not_deleted
    return {**shown, "left alone": None if left is None else left_alone(left.refused, left.unread)}


def _listed(ids: Sequence[str] | None) -> str:
    return ", ".join(ids or ())


def _verified(proofs: Sequence[sdk.Proof] | None) -> str | None:
    """Return how many checks of the proofs of a run hold; None without proofs."""
    checks = [check for proof in proofs or () for check in proof.checks or ()]
    return f"{sum(check.holds for check in checks)} of {len(checks)} checks hold" if proofs else None
