# Generated from openapi.yaml by clients/generate.py; do not edit.
from enum import StrEnum


class OrderColumnDirectionType0(StrEnum):
    ASC = "asc"
    DESC = "desc"

    def __str__(self) -> str:
        return str(self.value)
