# Generated from openapi.yaml by clients/generate.py; do not edit.
from enum import StrEnum


class RunState(StrEnum):
    CANCELLED = "cancelled"
    COMMITTING = "committing"
    FAILED = "failed"
    PLANNING = "planning"
    QUEUED = "queued"
    REWRITING = "rewriting"
    SKIPPED = "skipped"
    SUCCEEDED = "succeeded"

    def __str__(self) -> str:
        return str(self.value)
