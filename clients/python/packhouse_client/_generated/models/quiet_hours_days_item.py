# Generated from openapi.yaml by clients/generate.py; do not edit.
from enum import StrEnum


class QuietHoursDaysItem(StrEnum):
    FRI = "fri"
    MON = "mon"
    SAT = "sat"
    SUN = "sun"
    THU = "thu"
    TUE = "tue"
    WED = "wed"

    def __str__(self) -> str:
        return str(self.value)
