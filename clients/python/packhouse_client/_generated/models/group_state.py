# Generated from openapi.yaml by clients/generate.py; do not edit.
from enum import StrEnum


class GroupState(StrEnum):
    COMMITTED = "committed"
    DROPPED = "dropped"
    PLANNED = "planned"
    RUNNING = "running"
    WRITTEN = "written"

    def __str__(self) -> str:
        return str(self.value)
