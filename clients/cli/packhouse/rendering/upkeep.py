"""Render runs and dry runs of operations besides rewriting data files."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape

from packhouse.output import moment, print_fields, print_rows, seconds, size

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
    if deletions := planned.get("deletions"):
        console.print(f"acknowledge it with --acknowledge {escape(deletions['acknowledge'])}", soft_wrap=True)


def overview(console: Console, found: Document, *, table: str) -> None:
    """Show the size of a table's metadata, then each operation; an operation that is off with its effect if it were on.

    `table`: the table as the user named it, for the command that switches an operation on.
    """
    print_fields(console, metadata_fields(found["metadata"]))
    console.print()
    rows = [
        (each["operation"].replace("_", " "), _when(each), each["detail"], _last(each["last_run"]))
        for each in found["operations"]
    ]
    print_rows(console, ("=operation", "=runs", "a run now", "?last run"), rows)
    if not found["enabled"]:
        console.print("[yellow]the policy has enabled: false: no run starts automatically[/]")
    if (example := _worth_switching_on(found["operations"])) is not None:
        setting = escape(f"{example['setting']}={json.dumps(example['assumed'])}")
        command = f"packhouse policy set {escape(table)} --set '{setting}'"
        console.print(f"[dim]switch one on, for example: {command}[/]", soft_wrap=True)


def _worth_switching_on(operations: Sequence[Document]) -> Document | None:
    """Return an operation that is off: one that would do something now, otherwise expiry.

    What a search for orphans would find is not known before it.
    """
    off = [each for each in operations if not each["is_on"] and each["blocked"] is None]
    with_effect = (each for each in off if each["count"] and each["operation"] != "remove_orphans")
    return next(with_effect, next((each for each in off if each["operation"] == "expire_snapshots"), None))


def metadata_fields(metadata: Document) -> dict[str, Any]:
    """Return the size of a table's metadata and history as fields to print."""
    count, since = metadata["snapshot_count"], moment(metadata["oldest_snapshot_at"])
    old = metadata["history_bytes"]
    history = f"; at most {size(old)} of data files that only old ones need" if old else ""
    return {
        "snapshots": f"{count}{f' since {since}' if since else ''}{history}",
        "manifests": f"{metadata['manifest_count']}, {size(metadata['average_manifest_bytes'])} on average",
        "delete files": metadata["delete_file_count"],
        "metadata": size(metadata["metadata_bytes"]),
    }


def _when(operation: Document) -> str:
    """Return when an operation runs, in a few words."""
    if operation["blocked"] is not None:
        return "not possible"
    if not operation["is_on"]:
        return "off"
    if operation["due"]:
        return "due"
    return "not due" if operation["due_at"] is None else f"due {moment(operation['due_at'])}"


def _last(run: Document | None) -> str | None:
    return None if run is None else f"{run['state']} {moment(run['finished_at'] or run['created_at'])}"


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
    others = (("changed_files", "changed since the search"), ("gone_files", "gone already"))
    if told := [f"{result[name]} {words}" for name, words in others if result.get(name)]:
        fields["not counted"] = ", ".join(told)
    return {**fields, "left alone": _left_alone(result.get("not_deleted") or {})}


def _counted(files: Document, total_bytes: int) -> str:
    """Return numbers of files by kind in words, with the size of all."""
    named = [f"{count['files']} {kind.replace('_', ' ')}" for kind, count in files.items()]
    return f"{', '.join(named)} ({size(total_bytes)})" if named else "no file"


def _left_alone(found: Document) -> str | None:
    """Return how many files are left alone for which reason; None for none."""
    counts = {**(found.get("refused") or {}).get("counts", {}), **(found.get("unread") or {}).get("counts", {})}
    return ", ".join(f"{count} {reason.replace('_', ' ')}" for reason, count in counts.items()) or None
