"""Render deletions: when each starts, what it deletes, and what an undo has done."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from rich.console import Console

from packhouse.output import amounts, moment, print_fields, state
from packhouse.rendering import results

Document = Mapping[str, Any]

COLUMNS: Final = ("=deletion", "state", "?waits for", "table", "operation", "=starts", "=ended", "deletes")


def row(found: Document) -> tuple[Any, ...]:
    """Return the cells of `COLUMNS`; the start is that of a deletion which has not started."""
    return (
        found["id"],
        state(found["state"]),
        found["waiting_for"],
        found["table"] or found["table_id"],
        found["operation"],
        moment(found["starts_at"]) if found["state"] == "pending" else None,
        moment(found["ended_at"]),
        _what(found),
    )


def deletion(console: Console, found: Document) -> None:
    """Show one deletion."""
    asked, is_pending = found.get("acknowledgement"), found["state"] == "pending"
    fields = {
        "deletion": found["id"],
        "table": found["table"] or found["table_id"],
        "operation": found["operation"].replace("_", " "),
        "state": state(found["state"]),
        "waits for": found["waiting_for"],
        "starts": moment(found["starts_at"]) if is_pending else None,
        "undo until": moment(found["undo_until"]),
        "announced": f"{moment(found['announced_at'])}: {found['summary']}",
        "would delete": None if asked is None else amounts(asked["amounts"]),
        "more than": None if asked is None else _limit(asked),
        "allowed by": found["setting"],
        "submitted by": found["requested_by"],
        "acknowledged": None if asked is None or not asked["acknowledged_by"] else _given(asked),
        "ended": moment(found["ended_at"]),
        "undone by": found["ended_by"],
        **results.fields(found["result"]),
    }
    print_fields(console, {name: value for name, value in fields.items() if value is not None})


def undone(found: Document) -> Iterator[str]:
    """Yield what an undo has done, as sentences."""
    deleted = results.deleted_words(found["result"])
    if found["state"] != "undone":
        yield "it stops; what it has deleted by then can't be brought back"
    elif deleted:
        yield f"stopped after it had deleted {deleted}, which can't be brought back"
    else:
        yield "undone: nothing was deleted"
    if found["requested_by"] == "coordinator" and found["setting"]:
        name = found["table"] or found["table_id"]
        yield f"so that it is not announced again, {found['setting']} is now off in the policy of {name}"


def _what(found: Document) -> str:
    """Return what it deleted, once it has ended; before that, what was announced."""
    ended = found["ended_at"] is not None
    return (results.deleted_words(found["result"]) or "nothing") if ended else str(found["summary"])


def _limit(asked: Document) -> str:
    if asked["median"] is None:
        return f"was acknowledged: up to {amounts(asked['up_to'])}"
    usual = amounts(asked["median"]) or "nothing"
    share = f"{asked['share_percent']:g} % of the table"
    return f"{asked['factor']:g} times the median of the last deletions ({usual}) and {share}"


def _given(asked: Document) -> str:
    return f"by {asked['acknowledged_by']}, {moment(asked['acknowledged_at'])}"
