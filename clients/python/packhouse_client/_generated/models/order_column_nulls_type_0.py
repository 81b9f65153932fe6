# Generated from openapi.yaml by clients/generate.py; do not edit.
from enum import StrEnum


class OrderColumnNullsType0(StrEnum):
    FIRST = "first"
    LAST = "last"

    def __str__(self) -> str:
        return str(self.value)
