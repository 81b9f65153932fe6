# Generated from openapi.yaml by clients/generate.py; do not edit.
from enum import StrEnum


class Verdict(StrEnum):
    DISABLED = "disabled"
    HELD = "held"
    NEW = "new"
    NOT_DUE = "not_due"
    SUBMITTED = "submitted"
    UNREACHABLE = "unreachable"

    def __str__(self) -> str:
        return str(self.value)
