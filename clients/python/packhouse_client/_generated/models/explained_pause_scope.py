# Generated from openapi.yaml by clients/generate.py; do not edit.
from enum import StrEnum


class ExplainedPauseScope(StrEnum):
    CATALOG = "catalog"
    FLEET = "fleet"
    TABLE = "table"

    def __str__(self) -> str:
        return str(self.value)
