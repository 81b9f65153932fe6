# Generated from openapi.yaml by clients/generate.py; do not edit.
from enum import StrEnum


class PolicyDocumentInputPresetType0(StrEnum):
    ARTEMIS = "artemis"
    BALANCED = "balanced"
    MAXCOMPUTE_TIERED = "maxcompute-tiered"
    PAIMON_UNIVERSAL = "paimon-universal"
    UPSOLVER = "upsolver"

    def __str__(self) -> str:
        return str(self.value)
