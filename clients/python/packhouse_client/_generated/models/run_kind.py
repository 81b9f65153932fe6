# Generated from openapi.yaml by clients/generate.py; do not edit.
from enum import StrEnum


class RunKind(StrEnum):
    DECODE = "decode"
    HILBERT = "hilbert"
    NATIVE = "native"
    PACK = "pack"
    SORT = "sort"
    ZORDER = "zorder"

    def __str__(self) -> str:
        return str(self.value)
