# Generated from openapi.yaml by clients/generate.py; do not edit.
from enum import StrEnum


class ExplainedConditionOperator(StrEnum):
    ABOVE = "above"
    AT_LEAST = "at_least"
    AT_MOST = "at_most"
    BELOW = "below"

    def __str__(self) -> str:
        return str(self.value)
