"""Render API documents for the terminal. Every function takes the document unchanged from the API."""

from collections.abc import Mapping, Sequence
from typing import Any

from packhouse_client.errors import Remedy
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from packhouse.arguments.addresses import address_of
from packhouse.output import Markup, moment, print_fields, print_rows, seconds, size, state
from packhouse.remedies import command
from packhouse.rendering import results, upkeep
from packhouse.rendering.policies import values

Document = Mapping[str, Any]
_UNCHANGED = ("default", "derived", "preset")
"""Origins of settings that no policy and no table property sets."""

_MARKS = {True: Markup("[green]holds[/]"), False: Markup("[red]fails[/]")}


def tables(console: Console, items: Sequence[dict[str, Any]]) -> None:
    """List registered tables."""
    rows = [(address_of(t), t["owner_team"], _state(t), moment(t["created_at"]), t["id"]) for t in items]
    print_rows(console, ("table", "team", "state", "=registered", "?id"), rows)


def _state(table: Document) -> str | None:
    marks = {"freeze": "frozen", "pause": "paused"}
    return next((mark for field, mark in marks.items() if table.get(field)), None)


def table(console: Console, found: dict[str, Any]) -> None:
    """Show one registered table."""
    labels = ", ".join(f"{key}={value}" for key, value in found["labels"].items())
    fields = {name: found[name] for name in ("id", "uuid", "location", "owner_team")}
    shown = {"table": address_of(found), **fields, "labels": labels or None, "registered": moment(found["created_at"])}
    if pause := found.get("pause"):
        shown["paused"] = f"{pause['reason']} (by {pause['paused_by']}, {moment(pause['paused_at'])})"
    if freeze := found.get("freeze"):
        shown["frozen"] = f"since {moment(freeze['frozen_at'])}: {freeze['reason']}"
    print_fields(console, shown)


def health(console: Console, measured: Document) -> None:
    """Show the score and its parts, sums, size classes and the worst partitions."""
    parts = ", ".join(f"{name} {value:.0f}" for name, value in measured["score_parts"].items())
    print_fields(
        console,
        {
            "score": f"{measured['score']} of 100 ({parts})",
            "files": f"{measured['file_count']}, {size(measured['average_file_bytes'])} on average, "
            f"{size(measured['total_bytes'])} in all",
            "small files": f"{measured['small_file_count']} below {size(measured['small_file_bytes'])}, "
            f"{measured['avoidable_file_count']} avoidable",
            "row groups": _row_groups(measured),
            "rows": measured["record_count"],
            "deletes": f"{measured['files_with_deletes']} files, at most {measured['deleted_rows']} rows",
            "snapshot": measured["snapshot_id"],
            **_old_specs(measured),
            **_metadata(measured),
            **_order(measured["order"]),
            **_due(measured),
        },
    )
    console.print()
    classes = [c for c in measured["size_classes"] if c["file_count"]]
    print_rows(
        console,
        ("files of", ">count", ">bytes"),
        [(_class_name(c), c["file_count"], size(c["total_bytes"])) for c in classes],
    )
    console.print()
    partitions(console, measured["worst_partitions"], title="partitions that need it most")
    if measured["order"] is not None:
        _overlaps(console, measured["order"])


def partitions(console: Console, items: Sequence[Document], *, title: str = "") -> None:
    """List partitions with their files."""
    rows = [
        (
            p["partition"]["text"],
            p["file_count"],
            p["small_file_count"],
            p["files_with_deletes"],
            size(p["average_file_bytes"]),
            size(p["total_bytes"]),
        )
        for p in items
    ]
    print_rows(console, ("partition", ">files", ">small", ">with deletes", ">average", ">bytes"), rows, title=title)


def _due(answered: Document) -> Document:
    """Return whether rules make the table due and why, and advice if any; empty if an older server omits it."""
    due = answered.get("due")
    if due is None:
        return {}
    advice, because = (" ".join(each["text"] for each in due[name]) for name in ("advice", "because"))
    return {"due": because or "no", **({"advice": advice} if advice else {})}


def _overlaps(console: Console, order: Document) -> None:
    """Show the files that are not in the order of rows, and how far files overlap in it, deepest partitions first."""
    console.print()
    columns = ", ".join(column["name"] for column in order["columns"])
    print_rows(
        console,
        ("partition", ">files", ">not in order", ">overlap depth", ">files for a lookup"),
        [
            (p["partition"]["text"], p["files"], _percent(p), p["overlap_depth"], p["files_for_a_lookup"])
            for p in order["partitions"]
        ],
        title=f"overlap in the order of {columns} ({order['strategy']})",
    )


def _order(order: Document | None) -> Document:
    """Return the files that are not in the order of rows; empty without an order, or if an older server omits them."""
    if order is None or "unordered_share" not in order:
        return {}
    return {"not in order": f"{order['unordered_file_count']} files, {_percent(order)} of all bytes"}


def _percent(shown: Document) -> str:
    """Return the share of bytes that are not in order as text; empty if an older server omits it."""
    share = shown.get("unordered_share")
    return "" if share is None else f"{100 * share:.3g} %"


def _old_specs(measured: Document) -> Document:
    """Return the files under older partition specs; empty if there are none or an older server omits them."""
    count = measured.get("old_spec_file_count")
    return {"old partition specs": f"{count} files, {size(measured['old_spec_bytes'])}"} if count else {}


def _metadata(measured: Document) -> Document:
    """Return the size of the metadata and history; empty if an older server omits it."""
    metadata = measured.get("metadata")
    return {} if metadata is None else upkeep.metadata_fields(metadata)


def _row_groups(measured: Document) -> str:
    small = measured["small_row_group_bytes"]
    if small is None:
        return "not looked at (rewrite.small_row_group_bytes is off)"
    return f"{measured['small_row_group_file_count']} files of many below {size(small)}"


def plan(console: Console, planned: Document) -> None:
    """Show the plan of a run: prediction, groups, and skipped files with reasons."""
    _conditions(console, planned, only_failed=True)
    if not planned["enabled"]:
        console.print("[yellow]the policy has enabled: false: a run would be skipped[/]")
    shown = {**_predicted(planned["prediction"]), "time": _predicted_time(planned)}
    if reordered := planned.get("reordered_files"):
        shown["for the order"] = f"{reordered} files are rewritten only to put their rows into order"
    if moved := planned.get("moved_files"):
        shown["to the current spec"] = f"{moved} files, whose rows may go into more files than predicted"
    print_fields(console, {**shown, "base snapshot": planned["base_snapshot_id"], **_due(planned)})
    if planned["groups"]:
        console.print()
        print_rows(
            console,
            (">group", "partition", ">files", ">bytes", ">rows", ">into"),
            [
                (
                    g["ordinal"],
                    g["partition"]["text"],
                    g["input_files"],
                    size(g["input_bytes"]),
                    g["input_rows"],
                    g["predicted_outputs"],
                )
                for g in planned["groups"]
            ],
        )
    if planned["skipped"]:
        console.print()
        rows = [(s["partition"]["text"], s["files"], size(s["bytes"]), s["reason"]) for s in planned["skipped"]]
        print_rows(console, ("left alone", ">files", ">bytes", "why"), rows)


def shown_settings(settings: Document, *, every: bool) -> Document:
    """Return the settings to show: all of them, or those that a policy or a table's property sets."""
    if every:
        return settings
    return {name: each for name, each in settings.items() if not each["origin"].startswith(_UNCHANGED)}


def count_hidden(console: Console, settings: Document, shown: int) -> None:
    """Show how many settings were left out, if any."""
    if hidden := len(settings) - shown:
        console.print(f"[dim]{hidden} settings have their defaults; --all shows them[/]")


def explanation(console: Console, answer: Document, *, every: bool = False) -> None:
    """Show the sentences first, then the conditions, then settings with their origins."""
    lines = Table.grid(padding=(0, 1))
    names = {answer["table_id"]: answer["table"]}
    commands = [_command(each, names) for each in answer["summary"]]
    for at, each in enumerate(answer["summary"]):
        lines.add_row("•", escape(each["text"]))
        if (shown := commands[at]) is not None and shown not in commands[at + 1 :]:
            lines.add_row("", f"[green]→[/] `{escape(shown)}`")
    console.print(lines)
    console.print()
    _conditions(console, answer, only_failed=False)
    settings = shown_settings(answer["settings"], every=every)
    rows = [(name, values(setting["value"], name), setting["origin"]) for name, setting in settings.items()]
    if rows:
        print_rows(console, ("=setting", "value", "from"), rows)
    count_hidden(console, answer["settings"], len(rows))


def _command(part: Document, names: Mapping[str, str] | None = None) -> str | None:
    """Return the command of the remedy of a part of an answer; None if it has none."""
    remedy = Remedy.of(part.get("remedy"))
    return None if remedy is None else command(remedy, names)


def history(console: Console, items: Sequence[Document]) -> None:
    """List runs that changed a table, with predicted and actual figures."""
    rows = []
    for run in items:
        if (result := results.rewrite(run["result"])) is None:
            continue
        rows.append(
            (
                run["id"],
                state(run["state"]),
                moment(run["finished_at"]),
                f"{result.rewritten_files} → {result.added_files}",
                None if result.predicted is None else result.predicted.output_files,
                size(result.rewritten_bytes),
                seconds(result.seconds),
            )
        )
    columns = ("=run", "=state", "?=finished", ">files", "?>predicted", ">bytes", "?>time")
    print_rows(console, columns, rows)


def runs(console: Console, items: Sequence[Document]) -> None:
    """List runs, newest first."""
    rows = [
        (r["id"], state(r["state"]), moment(r["created_at"]), r.get("table") or r["table_id"], r["detail"])
        for r in items
    ]
    print_rows(console, ("=run", "state", "=submitted", "table", "?detail"), rows)


def run(console: Console, found: Document) -> None:
    """Show one run: its progress, and its result if it has ended."""
    fields: dict[str, Any] = {
        "run": found["id"],
        "table": found.get("table") or found.get("table_id"),
        "state": state(found["state"]),
        "detail": found.get("detail"),
        "remedy": _command(found),
        "attempt": found["attempt"],
        "waits for": found.get("waiting_for"),
        "until": moment(found.get("not_before")),
    }
    fields |= results.fields(found["result"])
    fields["time"] = _spent(found.get("time"))
    print_fields(console, {name: value for name, value in fields.items() if value is not None})


def wait(found: Document) -> str:
    """Return what a waiting run waits for, and that another need not, as a clause; empty for one that does not wait."""
    cause = cause_of_wait(found)
    return f", and {cause}; --allow-duplicate submits another" if cause else ""


def event(found: Document) -> str:
    """Return one line of markup for an entry of a run's log."""
    details, kind = found["details"], found["kind"]
    if found["to_state"]:
        why = "; ".join(filter(None, (details.get("detail"), cause_of_wait(details)))) or found["reason"] or ""
        what = f"{state(found['to_state']).text} [dim]{escape(str(why))}[/]"
    elif kind == "group_written":
        moved = f"{size(details['bytes_read'])} read, {size(details['bytes_written'])} written"
        what = f"group {details['group']} written [dim]{moved}[/]"
    else:
        what = f"{escape(kind.replace('_', ' '))} [dim]{escape((found['reason'] or '').replace('_', ' '))}[/]"
    at = moment(found["at"])
    return f"[dim]{at and at.partition(' ')[2]}[/] {what}"


def advice(console: Console, found: Document) -> None:
    """Show the recommended layout and maintenance of a table, with reasons and the underlying observations."""
    layout, cost, writes = found["layout"], found["upkeep"], found["writes"]
    storage = f"{size(cost['extra_storage_bytes'])} until snapshots expire after {seconds(found['expiry_seconds'])}"
    factor = cost["write_amplification"]
    by_partition, unfiltered = _share(layout["partition_query_share"]), _share(layout["full_scan_share"])
    queries = f"{layout['query_count']}; {by_partition} name all partition columns, {unfiltered} have no filter"
    print_fields(
        console,
        {
            "layout": layout["layout"],
            "cluster by": ", ".join(layout["cluster_by"]) or None,
            "because": layout["because"],
            "queries": queries if layout["query_count"] else "none reported",
            "written": f"{size(writes['ingested_bytes'])} in {writes['commits']} commits in "
            f"{seconds(writes['seconds'])}; {_share(cost['update_share'])} of them delete or replace rows",
            "rewritten": f"{size(writes['rewritten_bytes'])}, {size(cost['rewritten_bytes_per_day'])} a day"
            + ("" if factor is None else f"; {factor:.3g} times what was written"),
            "superseded": storage + (" (the format's default)" if found["expiry_is_assumed"] else ""),
        },
    )
    for reason in cost["because"]:
        console.print(f"• {escape(reason)}")
    if found["policy"] is not None:
        console.print("• write this layout to the table's own policy: the same command with --apply")
    if layout["columns"]:
        console.print()
        rows = [(column["column"], _share(column["query_share"])) for column in layout["columns"]]
        print_rows(console, ("filtered by", ">of queries"), rows)


def _share(part: float | None) -> str:
    return "-" if part is None else f"{part:.0%}"


def _predicted(prediction: Document) -> dict[str, Any]:
    return {
        "files": f"{prediction['input_files']} → about {prediction['output_files']}",
        "bytes": f"{size(prediction['input_bytes'])} → about {size(prediction['output_bytes'])}",
        "rows": prediction["input_rows"],
    }


def _predicted_time(planned: Document) -> str | None:
    """Return the predicted time with its basis; servers of earlier versions send neither before a first run."""
    time, estimate = seconds(planned["prediction"]["seconds"]), planned.get("time_estimate")
    return time if time is None or estimate is None else f"about {time}, {estimate['evidence']}"


def cause_of_wait(found: Document) -> str:
    """Return what a run waits for and until when; empty if it waits for a worker only."""
    if not (cause := found.get("waiting_for")):
        return ""
    until = moment(found.get("not_before"))
    return f"waits for {cause.replace('_', ' ')}" + (f" until {until}" if until else "")


def _spent(time: Document | None) -> str | None:
    """Return a run's time: total, working, and waiting by cause."""
    if not time:
        return None
    waits = [
        f"{seconds(spent)} for {cause.replace('_', ' ')}" for cause, spent in time["waiting"].items() if spent >= 1
    ]
    attempts = time["attempts"] if isinstance(time["attempts"], int) else time["attempts_total"]
    tries = f" in {attempts} attempts" if attempts > 1 else ""
    waiting = f"; waiting {seconds(time['waiting_seconds'])}" + (f" ({', '.join(waits)})" if waits else "")
    return f"{seconds(time['total_seconds'])}: at work {seconds(time['working_seconds'])}{tries}{waiting}"


def _conditions(console: Console, document: Document, *, only_failed: bool) -> None:
    shown = [c for c in document["conditions"] if not (only_failed and c["holds"])]
    if shown:
        rows = [(c["name"], _MARKS[c["holds"]], c["detail"]) for c in shown]
        print_rows(console, ("condition", "", "found"), rows)
        console.print()


def _class_name(size_class: Document) -> str:
    low, high = size(size_class["from_bytes"]), size(size_class["below_bytes"])
    return f"{low} and more" if high is None else f"{low} to {high}"
