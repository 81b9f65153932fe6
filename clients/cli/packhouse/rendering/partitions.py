"""The decision on each partition and its newest compaction task, as separate tables; and where to write its files."""

from collections.abc import Collection, Sequence
from typing import Any

from rich.console import Console

from packhouse.output import moment, print_fields, print_rows, size, state
from packhouse.rendering import answers

Document = dict[str, Any]


def show(console: Console, items: Sequence[Document], decided: Document, include: Collection[str] | None) -> None:
    """Show the requested parts of partitions, one table each; without any, their files."""
    if not include:
        answers.partitions(console, items)
        return
    if "decision" in include:
        _decisions(console, items, decided)
    if "task" in include:
        _tasks(console, items)


def write_locations(console: Console, found: Document) -> None:
    """Show the name of a file and the folders of a partition to write it to, in order."""
    fields = ("partition", "file_name", "is_written", "state", "run_id", "compaction_id")
    shown = {name.replace("_", " "): found[name] for name in fields} | {"partition": found["partition"]["text"]}
    print_fields(console, shown | {"valid until": moment(found["valid_until"])})
    console.print()
    rows = [(each["role"], "yes" if each["has_file"] else "no", each["location"]) for each in found["locations"]]
    print_rows(console, ("role", "has file", "location"), rows)


def _decisions(console: Console, items: Sequence[Document], decided: Document) -> None:
    """Show the verdict of the coordinator's last look, and the decision on each partition with its reason."""
    watch = decided.get("watch") or {}
    held = f" ({watch['detail'] or watch['code']})" if watch.get("code") else ""
    fields = {
        "decided": moment(decided.get("decided_at")),
        "last look": f"{watch['verdict']}{held}, {moment(watch['looked_at']) or 'not yet'}" if watch else None,
        "next look": moment(watch.get("next_look_at")),
    }
    print_fields(console, fields)
    console.print()
    rows = [
        (each["partition"]["text"], each["file_count"], size(each["total_bytes"]), *_decision(each)) for each in items
    ]
    columns = ("partition", ">files", ">bytes", "due", "decision", ">into")
    print_rows(console, columns, rows, title="decisions of the coordinator")
    console.print()


def _tasks(console: Console, items: Sequence[Document]) -> None:
    """Show the newest compaction task of each partition: its run, state, times, files and bytes."""
    rows = [(each["partition"]["text"], *_task(each["task"])) for each in items]
    columns = (
        "partition",
        "=state",
        "=started",
        "?ended",
        ">files",
        "?>bytes",
        "outputs",
        ">smaller",
        "reason",
        "?run",
    )
    print_rows(console, columns, rows, title="newest compaction tasks")


def _decision(item: Document) -> tuple[str | None, str | None, int | None]:
    """Return the rules that make a partition due, what is decided, and the number of files that a run would write."""
    found = item["decision"]
    if found["reason"] is None:
        decided = f"rewrite {found['input_files']} files ({size(found['input_bytes'])})"
    else:
        cools = found["reason"] == "cooling_down" and found["cools_until"]
        until = f" until {moment(found['cools_until'])}" if cools else ""
        decided = f"{found['detail']}{until}"
    return ", ".join(found["rules"]) or None, decided, found["predicted_outputs"]


def _task(task: Document | None) -> tuple[Any, ...]:
    if task is None:
        return ("none on record", *[None] * 8)
    reduction = task["size_reduction"]
    return (
        state(task["state"]),
        moment(task["started_at"]),
        moment(task["ended_at"]),
        task["input_files"],
        size(task["input_bytes"]),
        _outputs(task),
        None if reduction is None else f"{reduction:.0%}",
        task["reason"],
        task["run_id"],
    )


def _outputs(task: Document) -> str:
    """Return the committed outputs of the predicted ones, and how many are in progress and dropped if any are."""
    in_progress = task["running_outputs"] + task["written_outputs"]
    others = [f"{count} {name}" for count, name in ((in_progress, "in progress"), (task["dropped_outputs"], "dropped"))]
    found = [each for each in others if not each.startswith("0 ")]
    return ", ".join([f"{task['committed_outputs']} of {task['predicted_outputs']}", *found])
