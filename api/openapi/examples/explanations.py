"""Values of the explanation of a table: due, held back by nothing, before its first run."""

from collections.abc import Mapping
from typing import Any, Final

from api.openapi.examples.names import FILES, FILES_OF_PARTITION, MEASURED, MIB, SUBMITTED

_STARTS: Final = "A run starts automatically about 2026-11-01 09:30 UTC."


def said(code: str, text: str, **values: str | float | None) -> Mapping[str, Any]:
    """Return a statement without a remedy."""
    return {"code": code, "text": text, "values": values, "remedy": None}


OF_MODELS: Final[Mapping[str, Mapping[str, Any]]] = {
    "Cost": {
        "files": FILES,
        "bytes_read": FILES * MIB,
        "bytes_written": 68_160_306,
        "requests": 143,
        "seconds": 3.73,
        "ends_at": "2026-11-01T09:29:03.730Z",
    },
    "ExplainedBudgets": {"bytes_per_second": 50_000_000.0, "parallel_groups": 2},
    "ExplainedCondition": {
        "unit": "count",
        "operator": "at_least",
        "wanted": 20.0,
        "measured": 40.0,
        "is_lower_bound": False,
        "holds": True,
        "is_negated": False,
    },
    "ExplainedConflicts": {
        "days": 7,
        "count": 0,
        "lost_groups": 0,
        "committed_groups": 0,
        "hot_partitions_total": 0,
        "cooling_partitions_total": 0,
        "hot_partitions": [],
        "other_compactors": [],
    },
    "ExplainedParallelRuns": {"fleet": {"limit": 4, "at_work": 2}, "catalog": {"limit": 2, "at_work": 1}},
    "ExplainedPartition": {"file_count": FILES_OF_PARTITION, "total_bytes": FILES_OF_PARTITION * MIB},
    "ExplainedRule": {"kind": "trigger", "due": True, "due_partitions_total": 2, "held_back": {}},
    "ExplainedSchedule": {"min_interval_seconds": 600, "cron": "off", "time_zone": "UTC"},
    "ExplainedSeal": {"is_on": False, "sealed_partitions": 2, "unsealed_partitions": 0},
    "ExplainedWatch": {
        "next_look_at": SUBMITTED,
        "looked_at": "2026-11-01T09:28:00Z",
        "changed_at": "2026-11-01T09:28:00Z",
        "verdict": "not_due",
        "code": None,
    },
    "ExplainedWindows": {"inside": False, "kind": None, "on_start": None},
    "Explanation": {
        "explained_at": MEASURED,
        "summary": [
            said("due", "lake.sales.orders is due for a rewrite, and nothing holds it back."),
            said("starts", _STARTS),
            said("now", "A run now would rewrite 65 files (65 MiB) in 2 groups into about 2 in about 4 s."),
        ],
        "due": True,
        "would_start_by_itself": True,
        "starts": said("due", _STARTS),
        "starts_at": SUBMITTED,
        "pauses": [],
        "live_run": None,
        "last_run": None,
        "last_runs": [],
        "signals": [],
        "settings": {
            "rewrite.target_file_bytes": {"value": 134217728, "origin": "default"},
            "limits.bandwidth": {"value": 50000000, "origin": "namespace lake.sales"},
        },
    },
    "ExplainedUpkeep": {
        "operation": "expire_snapshots",
        "setting": "maintenance.expire_snapshots",
        "due": False,
        "due_at": "2026-11-02T03:00:00Z",
        "detail": "0 snapshots of 65 can expire (older than 5 d, except the 10 newest of each branch)",
        "blocked": None,
        "held_by": [],
    },
    "NextEligible": {"at": MEASURED, "because": None, "held_by": []},
    "Rates": {"bytes_per_second": 50000000.0, "requests_per_second": None},
    "RunNow": {
        "outcome": "rewrite",
        "prediction_errors": {},
        "skipped_reasons": {},
    },
}
