# Generated from openapi.yaml by clients/generate.py; do not edit.
from enum import StrEnum


class EstimateSource(StrEnum):
    FLEET = "fleet"
    KIND = "kind"
    PRIOR = "prior"
    TABLE = "table"

    def __str__(self) -> str:
        return str(self.value)
