"""Values of fields whose name has the same value in every example; and the figures that several examples share."""

from collections.abc import Mapping
from typing import Any, Final

TABLE_ID: Final = "tbl_01jd2m6v8n4q0x7y3k5r9t1wbz"
RUN_ID: Final = "run_01jd2m6v8n4q0x7y3k5r9t1wbz"
SNAPSHOT_BEFORE: Final = "3051729675574597004"
SNAPSHOT_AFTER: Final = "5781947118336215154"
PLAN_HASH: Final = "c1f8a9d4" * 8

REGISTERED: Final = "2026-10-01T08:00:00Z"
MEASURED: Final = "2026-11-01T09:29:00Z"
SUBMITTED: Final = "2026-11-01T09:30:00Z"
STARTED: Final = "2026-11-01T09:30:01Z"
ENDED: Final = "2026-11-01T09:30:04Z"

PARTITION: Final = {"values": {"day": "2026-11-01"}, "text": "day=2026-11-01"}
MIB: Final = 2**20
FILES: Final = 65
"""40 files of `PARTITION` and 25 of the day before, of 1 MiB each."""
FILES_OF_PARTITION: Final = 40
ROWS: Final = 1_040_000

BY_NAME: Final[Mapping[str, Any]] = {
    "acted_on": True,
    "advice": [],
    "attempt": 1,
    "avoidable_file_count": FILES - 2,
    "average_file_bytes": MIB,
    "base_snapshot_id": SNAPSHOT_BEFORE,
    "created_by": "key:admin",
    "deferred_groups": 0,
    "detail": None,
    "eligible": True,
    "failures": 0,
    "file_count": FILES,
    "files_with_deletes": 0,
    "groups_total": 2,
    "history_bytes": 12 * 10**9,
    "id": RUN_ID,
    "interval_seconds": 60,
    "labels": {"tier": "gold"},
    "large_file_count": 0,
    "measured_at": MEASURED,
    "moved_files": 0,
    "name": "orders",
    "namespace": ["sales"],
    "operation": "rewrite",
    "owner_team": "sales",
    "partition": PARTITION,
    "partition_count": 2,
    "plan_hash": PLAN_HASH,
    "priority": "normal",
    "reordered_files": 0,
    "requested_by": "key:etl",
    "role": "operator",
    "schema_id": 0,
    "score": 41,
    "sent_by": "key:etl",
    "shrunk_partitions": 0,
    "skipped_total": 0,
    "small_file_count": FILES,
    "small_row_group_file_count": 0,
    "snapshot_id": SNAPSHOT_BEFORE,
    "spec_id": 0,
    "started_at": STARTED,
    "table_id": TABLE_ID,
    "total_bytes": FILES * MIB,
    "unordered_files": None,
    "updated_at": "2026-10-15T12:00:00Z",
    "updated_by": "key:admin",
    "version": 3,
    "wasted_bytes": 0,
}
"""By field name."""
