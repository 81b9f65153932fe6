"""Values of tables: their registration, health, plan and advice."""

from collections.abc import Mapping
from typing import Any, Final

from api.openapi.examples.names import FILES, FILES_OF_PARTITION, MIB, REGISTERED, ROWS, SNAPSHOT_BEFORE, TABLE_ID

_OF_PARTITION: Final = {
    "file_count": FILES_OF_PARTITION,
    "small_file_count": FILES_OF_PARTITION,
    "avoidable_file_count": FILES_OF_PARTITION - 1,
    "total_bytes": FILES_OF_PARTITION * MIB,
}

OF_MODELS: Final[Mapping[str, Mapping[str, Any]]] = {
    "Calibration": {"runs": 0, "output_files": 1.0, "output_bytes": 1.0, "metadata_bytes": 1433},
    "ColumnUse": {"column": "customer", "query_share": 0.6},
    "Condition": {
        "name": "format_version",
        "holds": True,
        "detail": "version 2; 1 and 2 can be rewritten",
    },
    "DueState": {
        "is_due": True,
        "because": [
            'Rule \'many small files\' makes 2 partitions due, most of all {"day":"2026-11-01"} with 40 files (40 MiB).'
        ],
    },
    "HealthMeasurement": {"id": 17, "is_latest": True, "benefit_per_cost": 3.9, "small_file_change": 12},
    "LayoutAdvice": {
        "layout": "cluster",
        "cluster_by": ["customer"],
        "because": "60 % of the queries filter by customer",
        "query_count": 120,
        "partition_query_share": 0.8,
        "full_scan_share": 0.05,
    },
    "NeverDue": {"files": 0, "partitions": 0, "too_few_files": 0, "of_files": FILES},
    "PartitionHealth": _OF_PARTITION | {"largest_small_file_share": 0.025},
    "PlannedGroup": {
        "ordinal": 0,
        "input_files": FILES_OF_PARTITION,
        "input_bytes": FILES_OF_PARTITION * MIB,
        "input_rows": 640_000,
        "predicted_outputs": 1,
    },
    "PlannedLater": {"partitions": 0, "files": 0, "bytes": 0},
    "Prediction": {
        "input_files": FILES,
        "input_bytes": FILES * MIB,
        "input_rows": ROWS,
        "output_files": 2,
        "output_bytes": 68_160_306,
        "seconds": 3.73,
    },
    "SizeClass": {"from_bytes": MIB, "below_bytes": 8 * MIB, "file_count": FILES, "total_bytes": FILES * MIB},
    "Table": {
        "id": TABLE_ID,
        "catalog": "lake",
        "uuid": "9f0f9dad-e45b-4955-bade-da9203043f11",
        "location": "s3://lake/warehouse/sales/orders",
        "created_at": REGISTERED,
        "pause": None,
        "freeze": None,
    },
    "TableAdvice": {"expiry_seconds": 432000.0, "expiry_is_assumed": True},
    "TableHealth": {
        "table": {
            "format": "iceberg",
            "format_version": 2,
            "head_snapshot_id": SNAPSHOT_BEFORE,
            "snapshot_count": 65,
            "data_manifest_count": 65,
        },
        "record_count": ROWS,
        "small_file_bytes": 100663296,
        "large_file_bytes": 241591910,
        "small_row_group_bytes": MIB,
        "small_file_share": 1.0,
        "avoidable_bytes": FILES * MIB,
        "files_with_equality_deletes": 0,
        "outside_file_count": 0,
        "old_spec_file_count": 0,
        "old_spec_bytes": 0,
        "deleted_rows": 0,
        "score_parts": {"file_sizes": 41.0, "deletes": 100.0, "large_files": 100.0},
        "order": None,
        "freeze": None,
    },
    "TablePlan": {"enabled": True, "skipped": []},
    "UpkeepPlan": {
        "operation": "expire_snapshots",
        "setting": "maintenance.expire_snapshots",
        "enabled": True,
        "count": 2,
        "summary": "2 snapshots of 65 can expire (older than 5 d, except the 10 newest of each branch)",
        "next_at": "2026-11-02T03:00:00Z",
        "details": {
            "rule": {"older_than_seconds": 432000, "keep_last": 10},
            "expired_total": 2,
            "expired": [{"snapshot_id": SNAPSHOT_BEFORE, "committed_at": "2026-10-25T03:00:00Z"}],
            "kept": {"keep_last": 10, "younger": 53},
            "next_at": "2026-11-02T03:00:00Z",
        },
    },
    "TimeEstimate": {
        "kind": "pack",
        "source": "prior",
        "runs": 0,
        "evidence": "assumed: no run has been measured yet",
        "run_seconds": 1.0,
        "group_seconds": 0.15,
        "file_seconds": 0.005,
        "byte_seconds": 3.3333333333333334e-08,
        "lanes": 2,
        "limit_bytes_per_second": 50_000_000.0,
    },
    "UpkeepAdvice": {
        "write_amplification": 1.4,
        "rewritten_bytes_per_day": 1_430_000_000.0,
        "extra_storage_bytes": 7_150_000_000.0,
        "update_share": 0.0,
        "because": [],
    },
    "Writes": {
        "seconds": 604800.0,
        "ingested_bytes": 7_150_000_000,
        "commits": 6820,
        "update_commits": 0,
        "rewritten_bytes": 10_010_000_000,
    },
}
