"""Deletions on the command line: their start, what an undo did, what a preview shows."""

import re
from typing import Any

from packhouse import problems
from packhouse.rendering import answers, deletions
from packhouse_client import models as sdk
from packhouse_client.testing.documents import filled


def _deletion(**given: Any) -> dict[str, Any]:
    found: dict[str, Any] = {
        "id": "run_1",
        "state": "pending",
        "waiting_for": "grace",
        "table": "lake.shop.orders",
        "result": {},
    }
    found |= {"summary": "31 snapshots of 36 can expire", "starts_at": "2026-11-28T12:00:00Z", "ended_at": None}
    found |= {"setting": "maintenance.expire_snapshots", "requested_by": "coordinator"}
    return dict(filled(sdk.Deletion, found | given))


def test_f44_an_undo_tells_that_nothing_was_deleted_and_that_the_setting_is_off() -> None:
    """F44: the command printed fields of the answer; that it had changed the policy of the table was in none."""
    ended = {"ended_at": "2026-11-28T11:00:00Z", "waiting_for": None}
    assert list(deletions.undone(_deletion(state="undone", **ended))) == [
        "undone: nothing was deleted",
        "so that it is not announced again, maintenance.expire_snapshots is now off in the policy of lake.shop.orders",
    ]
    deleted = {"expired_snapshots": 31, "deleted_files": 4, "deleted_bytes": 2048}
    stopped = _deletion(state="undone", requested_by="key:ann", result=deleted, **ended)
    assert list(deletions.undone(stopped)) == [
        "stopped after it had deleted 31 snapshots, 4 files, 2 KiB, which can't be brought back"
    ]
    (_, _, _, _, _, starts, at, what) = deletions.row(stopped)
    assert (starts, what) == (None, "31 snapshots, 4 files, 2 KiB")
    assert at is not None


def test_f44_a_run_that_waits_for_its_grace_says_so_where_it_is_watched() -> None:
    """F44: `packhouse run --grace 0s --watch` printed `queued` for an announced deletion, and nothing more."""
    details = {"waiting_for": "grace", "not_before": "2026-11-28T12:00:00Z"}
    queued = {
        "at": "2026-11-28T11:00:00Z",
        "kind": "submitted",
        "to_state": "queued",
        "reason": None,
        "details": details,
    }
    assert "waits for grace until 2026-11-28" in answers.event(queued)
    assert answers.wait({"waiting_for": None}) == ""
    assert answers.wait(details).endswith("; --allow-duplicate submits another")


def test_f44_a_preview_has_sizes_as_people_read_them_and_explains_an_effect_of_nothing() -> None:
    """F44: a rule that deletes nothing yet had to be acknowledged as `0 snapshots, 0 files, 0 bytes`."""
    amounts = {"snapshots": 31, "files": 84, "bytes": 353_050, "complete": True}
    table = {"address": "lake.shop.orders", "settings": ["maintenance.expire_snapshots"]}
    until = "2026-11-28T05:48:04.404000Z"
    lines = problems.deletion_lines(
        {"table_count": 1, **amounts, "by_table": [table | amounts | {"removed_until": until}]}
    )
    assert re.search(
        r"31 snapshots, 84 files, 345 KiB; no history up to 2026-11-\d\d \d\d:\d8:04 \S+ is left$", list(lines)[1]
    )
    nothing = {"snapshots": 0, "files": 0, "bytes": 0, "complete": True, "table_count": 1, "by_table": []}
    assert list(problems.deletion_lines(nothing)) == ["deletes of 1 table: nothing now, and more as history gets older"]
    part = nothing | {"snapshots": 1, "files": None, "bytes": None, "complete": False}
    assert list(problems.deletion_lines(part)) == ["deletes of 1 table: 1 snapshot and an unknown amount"]
