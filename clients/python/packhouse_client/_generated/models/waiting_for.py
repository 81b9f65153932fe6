# Generated from openapi.yaml by clients/generate.py; do not edit.
from enum import StrEnum


class WaitingFor(StrEnum):
    BUDGET = "budget"
    CONFLICT_BACKOFF = "conflict_backoff"
    RETRY = "retry"

    def __str__(self) -> str:
        return str(self.value)
