# Generated from openapi.yaml by clients/generate.py; do not edit.
from enum import StrEnum


class WindowKind(StrEnum):
    BLACKOUT = "blackout"
    QUIET_HOURS = "quiet_hours"

    def __str__(self) -> str:
        return str(self.value)
