# Generated from openapi.yaml by clients/generate.py; do not edit.
from enum import StrEnum


class KeyTableRulesLookupType0(StrEnum):
    EAGER = "eager"
    LAZY = "lazy"

    def __str__(self) -> str:
        return str(self.value)
