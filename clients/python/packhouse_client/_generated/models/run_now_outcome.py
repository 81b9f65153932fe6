# Generated from openapi.yaml by clients/generate.py; do not edit.
from enum import StrEnum


class RunNowOutcome(StrEnum):
    DISABLED = "disabled"
    NOTHING_TO_DO = "nothing_to_do"
    REFUSED = "refused"
    REWRITE = "rewrite"
    UNKNOWN = "unknown"

    def __str__(self) -> str:
        return str(self.value)
