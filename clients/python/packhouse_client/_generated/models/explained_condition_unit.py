# Generated from openapi.yaml by clients/generate.py; do not edit.
from enum import StrEnum


class ExplainedConditionUnit(StrEnum):
    BYTES = "bytes"
    COUNT = "count"
    PERCENT = "percent"
    RATIO = "ratio"
    SECONDS = "seconds"

    def __str__(self) -> str:
        return str(self.value)
