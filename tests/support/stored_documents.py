"""Documents of runs as they are stored, a full set for each operation, and damaged ones."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from engine.domain.policies import DeletionRule
from engine.domain.runs.deletes import DeleteFigures, DeletePlan
from engine.domain.runs.deletions import AcknowledgementRequest, Amounts, Announcement, SurgeLimits
from engine.domain.runs.expiry import ExpiryPlan, ExpiryRule
from engine.domain.runs.files import InputFile
from engine.domain.runs.left_out import LeftOut, LeftOutItem
from engine.domain.runs.manifests import ManifestFigures, ManifestPlan
from engine.domain.runs.plans import FileGroup, Plan, Prediction
from engine.domain.runs.removals import FileCount, OrphanRule, RemovalFigures, RemovalPlan
from engine.domain.runs.requests import Cause, RunRequest
from engine.domain.runs.run import Operation
from engine.domain.runs.timelines import RunTimeline
from engine.domain.tables.orders import OrderField, RowOrdering
from engine.domain.tables.predicates import Comparison, Op
from engine.formats.base import Condition, Verification
from engine.services.runs.outcomes import verification_document

Document = dict[str, Any]

_NOW: Final = datetime(2026, 11, 1, 9, 30, tzinfo=UTC)
_DAY: Final = timedelta(days=1)
_CHECK: Final = Condition("rows_are_equal", True, "12 rows before and after")
_PROOF: Final[Document] = {"ok": True, "checks": [asdict(_CHECK)]}
_TIME: Final[Document] = {
    "seconds": 3.0,
    "time": RunTimeline(total_seconds=4.0, working_seconds=3.0, waiting={"worker": 1.0}).document(),
}
_LEFT_OUT: Final = LeftOut.of([LeftOutItem("s3://lake/a.parquet", "unreadable", "no footer")]).document()
_ORDER: Final = RowOrdering("sort", (OrderField("city", 3),))
_OVERLAP: Final[Document] = {"files": 4, "overlap_depth": 3, "files_for_a_lookup": 2.5, "pruned_share": 0.3}
_REMOVAL: Final = RemovalPlan(
    {"data": FileCount(2, 2048)},
    {
        "samples": [{"path": "s3://lake/a.parquet", "kind": "data", "file_bytes": 1024, "snapshot_id": "7"}],
        "unread": {"counts": {"damaged": 1}, "samples": ["s3://lake/m.avro"]},
        "refused": {"counts": {"outside": 1}, "samples": {"outside": ["s3://other/a.parquet"]}},
        "left_out": _LEFT_OUT,
        "still_needed": 3,
    },
).document()
_SEARCH: Final = RemovalPlan(
    {"orphans": FileCount(1, 6)},
    {
        "look": {
            "taken_at": _NOW.isoformat(),
            "inventory_at": _NOW.isoformat(),
            "listed_files": 9,
            "referenced_files": 8,
            "unreferenced": {"files": 1, "bytes": 6},
            "left_for_later": 2,
            "in_quarantine": {"files": 0, "bytes": 0},
            "next_at": _NOW.isoformat(),
        },
        "samples": [],
        "refused": {"counts": {}, "samples": {}},
    },
).document()
_COPIES: Final = RemovalPlan(
    {"data": FileCount(1, 6)},
    {
        "copies": {
            "folders": {"in_grace": 1},
            "late": {
                "copied": 1,
                "copied_bytes": 5,
                "left": {"just_written": 1},
                "overwritten": 0,
                "present": 0,
                "samples": ["s3://lake/late.parquet"],
            },
            "next_at": _NOW.isoformat(),
        },
        "samples": [],
        "refused": {"counts": {}, "samples": {}},
    },
).document()
_REMOVED: Final = RemovalFigures({"data": FileCount(2, 2048)}, {"data": 1}, [("s3://lake/b.parquet", "denied")], 1)
_DELETED: Final[Document] = {
    **_REMOVED.document(),
    "deleted_files_list": "s3://lake/metadata/packhouse-deletions/run_1.parquet",
    "not_deleted": {
        "unread": {"counts": {}, "samples": []},
        "refused": {"counts": {"outside": 1}, "samples": {"outside": ["s3://other/a.parquet"]}},
    },
    "left_out": _LEFT_OUT,
    "acknowledgement": AcknowledgementRequest(
        Amounts(66, 189, 4096),
        ("files",),
        SurgeLimits(Amounts(6, 12, 99), Amounts(78, 400, 9999), 5, 20),
        given={"by": "key:admin", "at": _NOW.isoformat()},
    ).document(),
    "verifications": [_PROOF],
}
_EXPIRED: Final[Document] = {"expired_snapshots": 2, "expired_tags": 1, "kept_snapshots": 5, **_DELETED, **_TIME}
_EXPIRY: Final = ExpiryPlan(
    ExpiryRule(5 * _DAY, 10, deletes_files=True), {7: _NOW}, {"keep_last": 10}, _NOW, 4096, {"old": _NOW}
).document()
_SNAPSHOT: Final[Document] = {
    "snapshot_ids": ["7"],
    "verifications": [{"snapshot_id": "7", "taken_back": False, "groups": [0], **_PROOF}],
    "left_out": _LEFT_OUT,
    **_TIME,
}
_PLAN: Final = Plan(
    base_snapshot_id=2**60 + 1,
    schema_id=0,
    groups=(FileGroup(0, 0, '{"day":"2026-11-01"}', (InputFile("s3://lake/a.parquet", 1024, 12, 1),), 1),),
    skipped=(),
    skipped_total=0,
    prediction=Prediction(1, 1024, 12, 1, 1000, 2.5),
    order=_ORDER,
    unordered_files=1,
)
_VERIFIED: Final = verification_document(Verification(7, True, (_CHECK,), 60, 4, 12, 12, 4096, 2048, 1))
_FIGURES: Final = {"input_files": 60, "input_bytes": 4096, "output_files": 4, "output_bytes": 2048, "seconds": 3.0}

RESULTS: Final[Mapping[Operation, Document]] = {
    Operation.REWRITE: {
        "rewritten_files": 60,
        "rewritten_bytes": 4096,
        "rewritten_rows": 12,
        "added_files": 4,
        "added_bytes": 2048,
        "added_rows": 12,
        "deleted_rows": 0,
        "removed_delete_files": 1,
        "groups_committed": 2,
        "groups_dropped": {"lost: new_deletes": 1},
        "wasted_bytes": 9,
        "races": {"groups_lost": 1, "wasted_bytes": 9, "groups_committed": 2, "conflict_rate": 0.33},
        "snapshot_ids": ["7"],
        "input_bytes_per_second": 1024.5,
        "measured": {"bytes_read": 4096, "bytes_written": 2048, "requests": 8, "throttled_seconds": 0.5},
        "predicted": asdict(_PLAN.prediction),
        "actual": _FIGURES,
        "prediction_error": {"output_files": -0.1, "output_bytes": None, "seconds": 0.2},
        "checked": {"mode": "sample", "groups": 1, "rows": 6, "bytes": 99, "seconds": 0.1, "limits": {"nested": 1}},
        "pass_limits": {"the library failed its self-test": 1},
        "order": {
            **_ORDER.document(),
            "partitions": [{"spec_id": 0, "partition": "{}", "before": _OVERLAP, "after": None}],
            "partitions_total": 1,
        },
        "is_refused": False,
        "left_out": _LEFT_OUT,
        "verifications": [_VERIFIED],
        **_TIME,
    },
    Operation.REWRITE_DELETES: {**DeleteFigures(4, 1, 4096, 1024, 12, 6, 9, 6).document(), **_SNAPSHOT},
    Operation.REWRITE_MANIFESTS: {**ManifestFigures(6, 1, 6144, 1024, 60, 8, 3, 2.0, 1.0).document(), **_SNAPSHOT},
    Operation.EXPIRE_SNAPSHOTS: _EXPIRED,
    Operation.DELETE_OLD_COMPACTIONS: {**_DELETED, **_TIME},
    Operation.RECLAIM: {
        **_EXPIRED,
        "reclaimed": {"predicted": {"files": 2, "bytes": 2048}, "actual": {"files": 2, "bytes": 2048}},
    },
    Operation.REMOVE_ORPHANS: {**_DELETED, **_TIME},
    Operation.PURGE: _EXPIRED,
}

PLANS: Final[Mapping[Operation, Document]] = {
    Operation.REWRITE: dict(_PLAN.summary()),
    Operation.REWRITE_DELETES: DeletePlan(9, 9216, 4, 4096, 1, 2, 2048, {"unreadable": 1}).document(),
    Operation.REWRITE_MANIFESTS: ManifestPlan(8 * 2**20, 8, 8192, 6, 6144, 1).document(),
    Operation.EXPIRE_SNAPSHOTS: {**_EXPIRY, "removal": _REMOVAL},
    Operation.DELETE_OLD_COMPACTIONS: {"rule": {"grace_seconds": 86400}, "removal": _COPIES},
    Operation.RECLAIM: {**_EXPIRY, "removal": _REMOVAL},
    Operation.REMOVE_ORPHANS: {"rule": OrphanRule(3 * _DAY, 7 * _DAY).document(), "removal": _SEARCH},
    Operation.PURGE: {**_EXPIRY, "snapshot_ids": ["7"], "plan_hash": "ab"},
}

_AUTOMATIC: Final[Document] = {
    "cause": Cause("many small files", '{"day":"2026-11-01"}', 24),
    "due_since": _NOW,
    "request_id": "req_1",
}


def _announced(operation: Operation) -> Announcement:
    rule = DeletionRule(f"maintenance.{operation}", {"older_than": 432000, "keep_last": 10, "delete_files": True})
    return Announcement(rule, _NOW, "66 snapshots of 78 can expire", up_to={"files": 189})


REQUESTS: Final[Mapping[Operation, Document]] = {
    operation: RunRequest(operation, announced=_announced(operation), **_AUTOMATIC).document()
    for operation in Operation
    if operation not in {Operation.REWRITE, Operation.REWRITE_DELETES, Operation.REWRITE_MANIFESTS, Operation.PURGE}
} | {
    Operation.REWRITE: RunRequest(
        Operation.REWRITE, Comparison(column="day", op=Op.EQ, value="2026-11-01"), True, True, True, every_file=True
    ).document(),
    Operation.REWRITE_DELETES: RunRequest(Operation.REWRITE_DELETES, **_AUTOMATIC).document(),
    Operation.REWRITE_MANIFESTS: RunRequest(Operation.REWRITE_MANIFESTS, **_AUTOMATIC).document(),
    Operation.PURGE: RunRequest(Operation.PURGE, plan_hash="ab", confirm="lake.shop.orders").document(),
}

POLICY: Final[Document] = {
    "values": {"rewrite.target_file_bytes": 134217728, "rewrite.columns": [{"name": "city"}], "verification": "sample"},
    "origins": {"rewrite.target_file_bytes": "default", "rewrite.columns": "table", "verification": "fleet"},
}

GARBAGE: Final[tuple[Any, ...]] = (
    None, True, -1, 2**70, 1e400, float("nan"), "", "\ud800", "text", [], [None, 5, []], {}, {"": {"\ud800": []}},
)  # fmt: skip
"""Values of wrong types and of extreme sizes; every one of them can stand in a JSON column."""


def damaged(document: Mapping[str, Any]) -> Iterator[Document]:
    """Yield copies of a document, each with one value at any depth replaced by garbage."""
    for name, value in document.items():
        yield from ({**document, name: wrong} for wrong in GARBAGE)
        if isinstance(value, dict):
            yield from ({**document, name: each} for each in damaged(value))
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            yield from ({**document, name: [each, *value]} for each in damaged(value[0]))
