# Generated from openapi.yaml by clients/generate.py; do not edit.
from enum import StrEnum


class PolicyDocumentInputVerificationType0(StrEnum):
    CONTENT = "content"
    METADATA = "metadata"
    SAMPLE = "sample"

    def __str__(self) -> str:
        return str(self.value)
