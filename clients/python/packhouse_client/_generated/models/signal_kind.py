# Generated from openapi.yaml by clients/generate.py; do not edit.
from enum import StrEnum


class SignalKind(StrEnum):
    BACKPRESSURE = "backpressure"
    COMMIT = "commit"
    FILTERS = "filters"
    QUERY_LATENCY = "query_latency"

    def __str__(self) -> str:
        return str(self.value)
