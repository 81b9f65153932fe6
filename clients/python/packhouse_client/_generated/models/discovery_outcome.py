# Generated from openapi.yaml by clients/generate.py; do not edit.
from enum import StrEnum


class DiscoveryOutcome(StrEnum):
    ALREADY_REGISTERED = "already_registered"
    NOT_TRIED = "not_tried"
    REFUSED = "refused"
    REGISTERED = "registered"
    REGISTRABLE = "registrable"
    WOULD_REGISTER = "would_register"

    def __str__(self) -> str:
        return str(self.value)
