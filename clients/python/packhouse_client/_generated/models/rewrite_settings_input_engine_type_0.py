# Generated from openapi.yaml by clients/generate.py; do not edit.
from enum import StrEnum


class RewriteSettingsInputEngineType0(StrEnum):
    ARROW = "arrow"
    AUTO = "auto"
    NATIVE = "native"

    def __str__(self) -> str:
        return str(self.value)
