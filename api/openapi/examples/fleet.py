"""Values of the fleet, its limits and pauses, and of signals."""

from collections.abc import Mapping
from typing import Any, Final

from api.openapi.examples.names import ENDED, MEASURED, MIB, REGISTERED, SUBMITTED

_MEGABYTE: Final = 10**6

_PERIOD: Final = {"since": MEASURED, "until": "2026-11-02T09:29:00Z"}
_WINDOW: Final = {
    "kind": "quiet_hours",
    "starts_at": "2026-11-01T08:00:00Z",
    "ends_at": "2026-11-01T16:00:00Z",
    "on_start": "drain",
}
_WEBHOOK: Final = {
    "name": "on-call",
    "url": "https://hooks.example.com/packhouse",
    "enabled": True,
    "disabled_reason": None,
    "failures": 0,
    "previous_secret_until": None,
    "version": 1,
    "created_at": REGISTERED,
}

OF_MODELS: Final[Mapping[str, Mapping[str, Any]]] = {
    "Backlog": {
        "avoidable_files": 290_000,
        "eta_seconds": 2_088_000.0,
        "detail": "12000 more small files removed than made in the last 24 hours",
    },
    "BacklogSample": {
        "sampled_at": MEASURED,
        "measured_tables": 1187,
        "file_count": 812_000,
        "small_file_count": 310_000,
        "avoidable_file_count": 290_000,
        "total_bytes": 96_400 * 10**9,
        "history_bytes": 12_000 * 10**9,
    },
    "Repetition": {"events": 12, "since": MEASURED, "continue_from": None},
    "Webhook": _WEBHOOK,
    "WebhookWithSecret": _WEBHOOK,
    "WebhookTest": {"ok": True, "status": 200, "problem": None},
    "WebhookDelivery": {
        "type": "run.failed",
        "at": ENDED,
        "state": "pending",
        "attempts": 1,
        "next_at": "2026-11-01T09:40:05Z",
        "attempted_at": ENDED,
        "status": 503,
        "problem": None,
    },
    "BudgetUse": {"rewritten_bytes": 3_456 * 10**9, "moved_bytes_limit": 34_560 * 10**9, "used_share": 0.2},
    "CommitSeen": {"added_files": 12, "added_bytes": 12 * MIB},
    "Fleet": {
        "tables": 1200,
        "paused_tables": 3,
        "measured_tables": 1187,
        "file_count": 812_000,
        "small_file_count": 310_000,
        "total_bytes": 96_400 * 10**9,
        "live_runs": {"queued": 4, "rewriting": 2},
        "ended_runs": {"succeeded": 118, "failed": 1},
        "wasted_bytes": 2_400_000_000,
        "pause": None,
        "breakers": [],
    },
    "SystemComponent": {
        "kind": "spark",
        "name": "",
        "state": "away",
        "text": "Spark does not answer. 12 runs wait for it, and continue once it answers.",
        "detail": "connection refused",
        "since": "2026-11-01T09:00:00Z",
        "next_probe_at": "2026-11-01T09:04:15Z",
        "waiting_runs": 12,
        "remedy": None,
    },
    "System": {"status": "degraded", "measured_at": MEASURED, "omitted_count": 0},
    "FleetHistory": {"step": "1h", "known_since": "2026-10-15T12:00:00Z"},
    "FleetInterval": {
        "starts_at": "2026-11-01T09:00:00Z",
        "ends_at": "2026-11-01T10:00:00Z",
        "small_files_made": 4000,
        "small_files_removed": 4500,
        "ended_runs": {"succeeded": 5},
        "rewritten_files": 4400,
        "rewritten_bytes": 144 * 10**9,
        "wasted_bytes": 100_000_000,
        "groups_committed": 98,
        "groups_lost": 2,
        "conflict_rate": 0.02,
    },
    "FleetTable": {
        "is_paused": False,
        "is_frozen": False,
        "verdict": "submitted",
        "hold": None,
        "looked_at": SUBMITTED,
        "next_look_at": "2026-11-01T09:31:00Z",
        "benefit_per_cost": 3.9,
    },
    "FleetWindow": _WINDOW | {"table_count": 412},
    "FleetWindows": _PERIOD | {"table_count": 1200, "window_table_count": 412, "omitted_count": 0},
    "LastRun": {"state": "succeeded", "reason": "committed", "created_at": SUBMITTED, "finished_at": ENDED},
    "Limits": {
        "parallel_runs": 4,
        "parallel_groups": 8,
        "bandwidth": 400 * _MEGABYTE,
        "requests": None,
        "catalogs": {"lake": {"parallel_runs": 2, "bandwidth": 100 * _MEGABYTE, "requests": None}},
    },
    "LiveRate": {
        "catalog": None,
        "runs": 2,
        "bytes_per_second": 96.5 * _MEGABYTE,
        "bytes_per_second_limit": 400 * _MEGABYTE,
        "requests_per_second_limit": None,
    },
    "Pause": {"paused_at": SUBMITTED, "mode": "drain"},
    "Races": {"groups_committed": 2_940, "groups_lost": 60, "conflict_rate": 0.02},
    "Signal": {"id": 311, "kind": "commit", "at": MEASURED},
    "SmallFileFlow": {"made": 96_000, "removed": 108_000, "made_per_hour": 4000.0, "removed_per_hour": 4500.0},
    "TableWindow": _WINDOW,
    "TableWindows": _PERIOD,
    "TableBackpressure": {
        "slow_down": False,
        "reason": "no signal of kind backpressure says that writers should slow down",
        "signal": None,
        "sorted_runs": None,
    },
}
