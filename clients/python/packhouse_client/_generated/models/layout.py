# Generated from openapi.yaml by clients/generate.py; do not edit.
from enum import StrEnum


class Layout(StrEnum):
    BINPACK = "binpack"
    CLUSTER = "cluster"
    UNKNOWN = "unknown"

    def __str__(self) -> str:
        return str(self.value)
