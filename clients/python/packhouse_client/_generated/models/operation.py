# Generated from openapi.yaml by clients/generate.py; do not edit.
from enum import StrEnum


class Operation(StrEnum):
    REWRITE = "rewrite"

    def __str__(self) -> str:
        return str(self.value)
