# Generated from openapi.yaml by clients/generate.py; do not edit.
from enum import StrEnum


class ReadinessStatus(StrEnum):
    DEGRADED = "degraded"
    READY = "ready"
    UNAVAILABLE = "unavailable"

    def __str__(self) -> str:
        return str(self.value)
