# Generated from openapi.yaml by clients/generate.py; do not edit.
from enum import StrEnum


class ExplainedRuleKind(StrEnum):
    FULL = "full"
    TRIGGER = "trigger"

    def __str__(self) -> str:
        return str(self.value)
