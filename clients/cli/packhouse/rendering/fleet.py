"""Render what concerns all tables: the state of the system, sums, and the tables ranked."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from packhouse_client.errors import Remedy
from rich.console import Console
from rich.markup import escape

from packhouse.output import Markup, moment, print_fields, print_rows, seconds, size, state
from packhouse.remedies import command

Document = Mapping[str, Any]
_COLOURS = {"ok": "green", "failing": "yellow", "away": "red"}


def system(console: Console, found: Document) -> None:
    """Show the components, what to do about those that are not in order, and how many outages are left out."""
    rows = [
        (
            " ".join(filter(None, (each["kind"], each["name"]))),
            Markup(f"[{_COLOURS.get(each['state'], 'default')}]{escape(each['state'])}[/]"),
            moment(each["since"]),
            each["waiting_runs"] or None,
            "  ".join(_sentences(each)),
        )
        for each in found["components"]
    ]
    build = found.get("build") or {}  # older servers do not say it
    if build:
        commit = f", commit {build['revision'][:12]}" if build["revision"] else ""
        console.print(f"Packhouse {escape(build['version'])}{escape(commit)}, at {moment(found['measured_at'])}")
    print_rows(console, ("component", "state", "=since", ">waiting runs", "what it means"), rows)
    if found["omitted_count"]:
        console.print(f"{found['omitted_count']} more outages are not shown", highlight=False)


def _sentences(component: Document) -> Iterator[str]:
    yield component["text"]
    if component["detail"] and component["state"] != "ok":
        yield f"Last error: {component['detail']}."
    if component["next_probe_at"]:
        yield f"Asked again at {moment(component['next_probe_at'])}."
    if (remedy := Remedy.of(component["remedy"])) is not None:
        yield f"Try: {command(remedy)}"


def figures(console: Console, found: Document) -> None:
    """Show sums over all tables, the last 24 hours, and the backlog."""
    files, races, backlog, budget = found["small_files"], found["races"], found["backlog"], found["budget"]
    share = budget["used_share"]
    print_fields(
        console,
        {
            "tables": f"{found['tables']}, {found['measured_tables']} measured, {found['paused_tables']} paused",
            "files": f"{found['file_count']}, {size(found['total_bytes'])}",
            "small files": f"{found['small_file_count']}; in 24 h {files['made']} made, {files['removed']} removed",
            "backlog": f"{backlog['avoidable_files']} files can be saved: "
            + (f"about {seconds(backlog['eta_seconds'])}; " if backlog["eta_seconds"] else "")
            + backlog["detail"],
            "history": f"up to {size(found['history_bytes'])} of files that only old snapshots need",
            "live runs": _counts(found["live_runs"]) or "none",
            "ended in 24 h": _counts(found["ended_runs"]) or "none",
            "file groups in 24 h": f"{races['groups_committed']} committed, {races['groups_lost']} lost to other "
            f"writers; {size(found['wasted_bytes'])} written without effect",
            "rewritten in 24 h": size(budget["rewritten_bytes"])
            if share is None
            else f"{size(budget['rewritten_bytes'])}, {share:.0%} of what the fleet's bandwidth allows",
            "rates now": _rates(found["rates"]),
            "paused": f"{found['pause']['reason']} (by {found['pause']['paused_by']})" if found["pause"] else "no",
        },
    )


def _counts(by_state: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in by_state.items())


def _rates(found: Sequence[Document] | None) -> str:
    if found is None:
        return "unknown while Redis does not answer"
    return "; ".join(
        f"{each['catalog'] or 'all'}: {size(each['bytes_per_second'])}/s"
        + (f" of {size(each['bytes_per_second_limit'])}/s" if each["bytes_per_second_limit"] else "")
        for each in found
    )


def tables(console: Console, items: Sequence[Document]) -> None:
    """List tables with their last look, newest measurement and newest run."""
    rows = [
        (
            t["table"],
            t["hold"] or t["verdict"],
            t["due_since"] and moment(t["due_since"]),
            t["next_look_at"] and moment(t["next_look_at"]),
            t["last_run"] and state(t["last_run"]["state"]),
            t["score"],
            t["small_file_count"],
            t["avoidable_file_count"],
            size(t.get("history_bytes")),
            t["owner_team"],
        )
        for t in items
    ]
    figures = (">score", "?>small", ">to save", "?>history")
    print_rows(console, ("table", "verdict", "?=due since", "=next look", "?last run", *figures, "?team"), rows)
