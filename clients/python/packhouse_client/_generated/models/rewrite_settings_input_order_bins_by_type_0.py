# Generated from openapi.yaml by clients/generate.py; do not edit.
from enum import StrEnum


class RewriteSettingsInputOrderBinsByType0(StrEnum):
    ARRIVAL = "arrival"
    FILL = "fill"
    LOCALITY = "locality"

    def __str__(self) -> str:
        return str(self.value)
