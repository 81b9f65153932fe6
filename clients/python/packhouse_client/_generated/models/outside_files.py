# Generated from openapi.yaml by clients/generate.py; do not edit.
from enum import StrEnum


class OutsideFiles(StrEnum):
    ALLOWED_LOCATIONS = "allowed_locations"
    REFUSE = "refuse"

    def __str__(self) -> str:
        return str(self.value)
