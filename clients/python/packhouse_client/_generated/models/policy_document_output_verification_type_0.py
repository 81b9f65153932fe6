# Generated from openapi.yaml by clients/generate.py; do not edit.
from enum import StrEnum


class PolicyDocumentOutputVerificationType0(StrEnum):
    CONTENT = "content"
    METADATA = "metadata"
    SAMPLE = "sample"

    def __str__(self) -> str:
        return str(self.value)
