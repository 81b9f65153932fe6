# Generated from openapi.yaml by clients/generate.py; do not edit.
from enum import StrEnum


class Right(StrEnum):
    DISCOVER = "discover"
    READ = "read"
    REGISTER = "register"

    def __str__(self) -> str:
        return str(self.value)
