# Generated from openapi.yaml by clients/generate.py; do not edit.
from enum import StrEnum


class Strategy(StrEnum):
    BINPACK = "binpack"
    HILBERT = "hilbert"
    SORT = "sort"
    TIERED = "tiered"
    WINDOW = "window"
    ZORDER = "zorder"

    def __str__(self) -> str:
        return str(self.value)
