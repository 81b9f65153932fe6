# Generated from openapi.yaml by clients/generate.py; do not edit.
from enum import StrEnum


class WaitingFor(StrEnum):
    BLACKOUT = "blackout"
    BUDGET = "budget"
    CATALOG = "catalog"
    CATALOG_FAILS = "catalog_fails"
    CONFLICT_BACKOFF = "conflict_backoff"
    LATENCY_BACKOFF = "latency_backoff"
    PAUSED = "paused"
    QUIET_HOURS = "quiet_hours"
    RETRY = "retry"
    SPARK = "spark"
    STORAGE = "storage"

    def __str__(self) -> str:
        return str(self.value)
