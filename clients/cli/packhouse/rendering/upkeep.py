"""Render runs and dry runs of operations besides rewriting data files."""

from __future__ import annotations  # the models are imported when a plan is shown, not for every command

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape

from packhouse.output import moment, print_fields, print_rows, size
from packhouse.rendering import results

if TYPE_CHECKING:
    from packhouse_client.models import RemovalPlan

Document = Mapping[str, Any]


def plan(console: Console, planned: Document) -> None:
    """Show the plan of a run of an operation besides rewriting."""
    fields = {
        "operation": planned["operation"].replace("_", " "),
        "would do": planned["summary"],
        "set by": planned.get("setting"),
        "more from": moment(planned.get("next_at")),
    }
    details = results.plan(planned["details"])
    removal: RemovalPlan | None = getattr(details, "removal", None)
    if removal is not None:
        fields["would delete"] = results.counted(removal.files or {}, removal.total.bytes if removal.total else None)
        fields["left alone"] = results.left_alone(removal.refused, removal.unread)
        if removal.look is not None and (waiting := removal.look.in_quarantine) is not None:
            fields["in quarantine"] = f"{waiting.files} files ({size(waiting.bytes)})"
    fields["plan hash"] = getattr(details, "plan_hash", None)
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
    history = f"; at most {size(old)} of files that only old ones need" if old else ""
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
