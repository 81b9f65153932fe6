# Generated from openapi.yaml by clients/generate.py; do not edit.
from enum import StrEnum


class Op(StrEnum):
    EQ = "eq"
    GE = "ge"
    GT = "gt"
    IN = "in"
    IS_NOT_NULL = "is_not_null"
    IS_NULL = "is_null"
    LE = "le"
    LT = "lt"
    NE = "ne"
    NOT_IN = "not_in"

    def __str__(self) -> str:
        return str(self.value)
