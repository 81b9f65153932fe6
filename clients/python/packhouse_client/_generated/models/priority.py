# Generated from openapi.yaml by clients/generate.py; do not edit.
from enum import StrEnum


class Priority(StrEnum):
    HIGH = "high"
    LOW = "low"
    NORMAL = "normal"

    def __str__(self) -> str:
        return str(self.value)
