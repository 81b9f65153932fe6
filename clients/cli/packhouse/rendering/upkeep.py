"""Render runs and dry runs of operations besides rewriting data files."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console

from packhouse.output import moment, print_fields, seconds, size

Document = Mapping[str, Any]


def plan(console: Console, planned: Document) -> None:
    """Show the plan of a run of an operation besides rewriting."""
    fields = {
        "operation": planned["operation"].replace("_", " "),
        "would do": planned["summary"],
        "set by": planned.get("setting"),
        "more from": moment(planned.get("next_at")),
    }
    if removal := planned["details"].get("removal"):
        fields["would delete"] = _counted(removal["files"], removal["total"]["bytes"])
        fields["left alone"] = _left_alone(removal)
    if look := (removal or {}).get("look"):
        waiting = look["in_quarantine"]
        fields["in quarantine"] = f"{waiting['files']} files ({size(waiting['bytes'])})"
    fields["plan hash"] = planned["details"].get("plan_hash")
    print_fields(console, {name: value for name, value in fields.items() if value is not None})


def figures(result: Document) -> dict[str, Any]:
    """Return the result of a run as fields to print; none for a run without effect."""
    proofs = result.get("verifications")
    verified = {"verified": verified_words(proofs) if proofs else None}
    if "rewritten_manifests" in result:
        counts, spent = result["manifests"], result["manifest_read_seconds"]
        old, new = result["rewritten_manifest_bytes"], result["added_manifest_bytes"]
        return {
            "manifests": f"{counts['before']} → {counts['after']}",
            "replaced": f"{result['rewritten_manifests']} ({size(old)}) by {result['added_manifests']} ({size(new)})",
            "read in": f"{seconds(spent['before'])} → {seconds(spent['after'])}",
            "snapshots": ", ".join(result["snapshot_ids"]),
            **verified,
        }
    if "rewritten_delete_files" in result:
        return _rewritten_deletes(result)
    if "expired_snapshots" in result:
        kept = result.get("kept_snapshots", "others")
        return {"snapshots": f"{result['expired_snapshots']} expired, {kept} kept", **_deleted(result), **verified}
    return {**_deleted(result), **verified} if "deleted" in result else {}


def verified_words(verifications: Sequence[Document]) -> str:
    """Return how many checks of the proofs of a run hold."""
    checks = [check for verification in verifications for check in verification["checks"]]
    return f"{sum(check['holds'] for check in checks)} of {len(checks)} checks hold"


def _rewritten_deletes(result: Document) -> dict[str, Any]:
    """Return the fields of a rewrite of delete files."""
    counts, positions = result["delete_files"], result["deleted_positions"]
    old, new = result["rewritten_delete_bytes"], result["added_delete_bytes"]
    return {
        "delete files": f"{counts['before']} → {counts['after']}",
        "replaced": f"{result['rewritten_delete_files']} ({size(old)}) by {result['added_delete_files']} ({size(new)})",
        "positions": f"{positions['read']} → {positions['kept']}",
        "snapshots": ", ".join(result["snapshot_ids"]),
        "verified": verified_words(result.get("verifications") or ()),
    }


def _deleted(result: Document) -> dict[str, Any]:
    """Return the fields of a result about deleted files; none if the run deleted none."""
    if "deleted" not in result:
        return {}
    fields = {"deleted": _counted(result["deleted"], result["deleted_bytes"])}
    if failures := result["delete_failures"]:
        reasons = "; ".join(each["reason"] for each in result["delete_failure_samples"][:3])
        fields["not deleted"] = f"{failures} refused by the store: {reasons}"
    return {**fields, "left alone": _left_alone(result.get("not_deleted") or {})}


def _counted(files: Document, total_bytes: int) -> str:
    """Return numbers of files by kind in words, with the size of all."""
    named = [f"{count['files']} {kind.replace('_', ' ')}" for kind, count in files.items()]
    return f"{', '.join(named)} ({size(total_bytes)})" if named else "no file"


def _left_alone(found: Document) -> str | None:
    """Return how many files are left alone for which reason; None for none."""
    counts = {**(found.get("refused") or {}).get("counts", {}), **(found.get("unread") or {}).get("counts", {})}
    return ", ".join(f"{count} {reason.replace('_', ' ')}" for reason, count in counts.items()) or None
