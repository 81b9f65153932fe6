# Generated from openapi.yaml by clients/generate.py; do not edit.
from enum import StrEnum


class ApiSchemasTablesPauseMode(StrEnum):
    DRAIN = "drain"
    STOP = "stop"

    def __str__(self) -> str:
        return str(self.value)
