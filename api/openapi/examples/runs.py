"""Values of runs, their file groups and events. Stored documents (plan, policy, result) are shortened."""

from collections.abc import Mapping
from typing import Any, Final

from api.openapi.examples.names import (
    ENDED,
    FILES,
    FILES_OF_PARTITION,
    MIB,
    PLAN_HASH,
    ROWS,
    SNAPSHOT_AFTER,
    SNAPSHOT_BEFORE,
    STARTED,
    SUBMITTED,
)

OUTPUT_BYTES: Final = 63_200_000

_PLAN: Final = {
    "operation": "rewrite",
    "base_snapshot_id": SNAPSHOT_BEFORE,
    "schema_id": 0,
    "groups": 2,
    "skipped_partitions": 0,
    "hash": PLAN_HASH,
}
_RESULT: Final = {
    "operation": "rewrite",
    "rewritten_files": FILES,
    "rewritten_bytes": FILES * MIB,
    "rewritten_rows": ROWS,
    "added_files": 2,
    "added_bytes": OUTPUT_BYTES,
    "added_rows": ROWS,
    "groups_committed": 2,
    "groups_dropped": {},
    "wasted_bytes": 0,
    "snapshot_ids": [SNAPSHOT_AFTER],
    "seconds": 3.0,
}
_QUEUED: Final = {
    "state": "queued",
    "is_terminal": False,
    "created_at": SUBMITTED,
    "updated_at": SUBMITTED,
    "started_at": None,
    "attempt": 0,
    "request": {"operation": "rewrite", "request_id": "req_689b26fbc32dbc7a"},
    "plan": {"operation": "rewrite"},
    "policy": {"values": {}, "origins": {}},
    "result": {"operation": "rewrite"},
}
_AT_WORK: Final = _QUEUED | {
    "state": "rewriting",
    "updated_at": STARTED,
    "started_at": STARTED,
    "attempt": 1,
    "worker": "worker-1",
    "plan": _PLAN,
    "policy": {
        "values": {"rewrite.target_file_bytes": 134217728, "limits.bandwidth": 50000000},
        "origins": {"rewrite.target_file_bytes": "default", "limits.bandwidth": "namespace lake.sales"},
    },
}
_SUCCEEDED: Final = _AT_WORK | {
    "state": "succeeded",
    "is_terminal": True,
    "updated_at": ENDED,
    "finished_at": ENDED,
    "worker": None,
    "reason": "committed",
    "detail": "2 groups committed, 0 dropped",
    "result": _RESULT,
}
_OF_SUMMARY: Final = ("state", "is_terminal", "created_at", "updated_at", "finished_at", "reason", "detail")

OF_MODELS: Final[Mapping[str, Mapping[str, Any]]] = {
    "AttemptTime": {"number": 1, "ended_at": ENDED, "seconds": 3.0, "reason": "committed"},
    "FileGroup": {
        "ordinal": 0,
        "state": "committed",
        "input_files": FILES_OF_PARTITION,
        "input_bytes": FILES_OF_PARTITION * MIB,
        "input_rows": 640_000,
        "predicted_outputs": 1,
        "output_files": 1,
        "output_bytes": 38_900_000,
        "rows_deleted": 0,
        "measured": {
            "rows_read": 640_000,
            "rows_written": 640_000,
            "bytes_read": FILES_OF_PARTITION * MIB,
            "bytes_written": 38_900_000,
            "requests": 82,
            "seconds_working": 2.1,
            "throttled_seconds": 0.0,
        },
        "snapshot_id": SNAPSHOT_AFTER,
        "updated_at": ENDED,
    },
    "HistoryEntry": {
        "state": "succeeded",
        "finished_at": ENDED,
        "snapshot_ids": [SNAPSHOT_AFTER],
        "plan": _PLAN,
        "result": _RESULT,
    },
    "Progress": {
        "groups_finished": 2,
        "bytes_total": FILES * MIB,
        "bytes_finished": FILES * MIB,
        "throttled_seconds": 0.0,
    },
    "Run": _SUCCEEDED,
    "RunAccepted": _QUEUED | {"deduplicated": False},
    "RunDetail": _SUCCEEDED | {"table_pause": None, "catalog_pause": None, "fleet_pause": None},
    "RunEvent": {
        "sequence": 3,
        "at": STARTED,
        "kind": "state_changed",
        "actor": "worker-1",
        "from_state": "planning",
        "to_state": "rewriting",
        "details": {"engine": "arrow", "groups": 2},
    },
    "RunSummary": {name: _SUCCEEDED[name] for name in _OF_SUMMARY},
    "RunTime": {
        "total_seconds": 4.0,
        "queued_seconds": 1.0,
        "working_seconds": 3.0,
        "waiting_seconds": 1.0,
        "waiting": {"worker": 1.0},
        "attempts_total": 1,
    },
}

OF_ANSWERS: Final[Mapping[tuple[str, str], tuple[str, Mapping[str, Any]]]] = {
    ("submit_run", "200"): ("RunAccepted", {"deduplicated": True}),
    ("cancel_run", "202"): (
        "Run",
        _AT_WORK
        | {
            "finished_at": None,
            "reason": None,
            "detail": None,
            "cancel_requested_at": "2026-11-01T09:30:02Z",
            "cancel_requested_by": "key:etl",
        },
    ),
}
"""Answers that differ from the example of their model."""
