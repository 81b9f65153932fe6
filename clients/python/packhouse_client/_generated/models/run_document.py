# Generated from openapi.yaml by clients/generate.py; do not edit.
from enum import StrEnum


class RunDocument(StrEnum):
    PLAN = "plan"
    POLICY = "policy"
    REQUEST = "request"
    RESULT = "result"

    def __str__(self) -> str:
        return str(self.value)
