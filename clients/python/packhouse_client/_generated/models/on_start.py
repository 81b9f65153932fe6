# Generated from openapi.yaml by clients/generate.py; do not edit.
from enum import StrEnum


class OnStart(StrEnum):
    DRAIN = "drain"
    FINISH = "finish"
    INTERRUPT = "interrupt"

    def __str__(self) -> str:
        return str(self.value)
