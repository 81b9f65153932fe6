"""Values of keys, the caller, the audit log and the state of the process."""

from collections.abc import Mapping
from typing import Any, Final

from api.openapi.examples.names import REGISTERED, STARTED, SUBMITTED, TABLE_ID

_KEY: Final = {
    "name": "etl",
    "slot": 1,
    "created_at": REGISTERED,
    "expires_at": "2027-11-01T00:00:00Z",
    "revoked_at": None,
    "last_used_at": SUBMITTED,
}

OF_MODELS: Final[Mapping[str, Mapping[str, Any]]] = {
    "AuditEntry": {
        "at": SUBMITTED,
        "request_id": "req_689b26fbc32dbc7a",
        "before": None,
        "after": {"table_id": TABLE_ID, "operation": "rewrite", "priority": "normal"},
        "is_sealed": True,
        "sequence": 4711,
    },
    "AuditList": {"anchor": None},
    "ChainHead": {"sealed_at": STARTED},
    "Key": _KEY,
    "KeyCreated": _KEY | {"last_used_at": None},
    "Readiness": {
        "status": "ready",
        "dependencies": [
            {"name": "database", "ok": True, "required": True, "detail": "answers", "seconds": 0.0018},
            {
                "name": "redis",
                "ok": True,
                "required": False,
                "detail": "0 runs waiting, 0 dead letters",
                "seconds": 0.0007,
            },
            {"name": "spark", "ok": True, "required": False, "detail": "Spark 4.1.4", "seconds": 0.0125},
        ],
    },
}
