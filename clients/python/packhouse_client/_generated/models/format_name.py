# Generated from openapi.yaml by clients/generate.py; do not edit.
from enum import StrEnum


class FormatName(StrEnum):
    DELTA = "delta"
    HIVE = "hive"
    ICEBERG = "iceberg"
    PAIMON = "paimon"

    def __str__(self) -> str:
        return str(self.value)
