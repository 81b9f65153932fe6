"""Remedies: the operation of the API that ends a problem or a wait, as data.

The text that a remedy accompanies names the remedy in words, without a URL or a command: each client renders it in its
own terms. `api.schemas.remedies` has the request of each operation, the CLI its command, the console its page.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

RemedyOperation = Literal[
    "create_catalog",
    "create_key",
    "delete_table",
    "discover_tables",
    "get_deletion",
    "list_formats",
    "list_keys",
    "list_policies",
    "list_presets",
    "list_runs",
    "list_spark_endpoints",
    "list_tables",
    "preview_run",
    "replace_catalog_grants",
    "replace_limits",
    "replace_policy",
    "resume_catalog",
    "resume_fleet",
    "resume_table",
    "revoke_key",
    "submit_run",
    "undo_deletion",
    "unfreeze_table",
]
"""Operation ids of openapi.yaml that are remedies."""


@dataclass(frozen=True, slots=True)
class Remedy:
    """An operation, and the values of it that are known: parameters of its path, and fields of its body."""

    operation: RemedyOperation
    parameters: Mapping[str, str]


def remedy(operation: RemedyOperation, /, **parameters: str) -> Remedy:
    """Return a remedy: `remedy("resume_table", table_id=table.id)`."""
    return Remedy(operation, parameters)


Value = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Statement:
    """One fact of an explanation: for programs, and as a sentence for people.

    Attributes:
        code: what it is about; stable.
        text: one or more whole sentences, without line breaks; never parsed.
        values: the figures and names in the text; instants are texts (RFC 3339, UTC).
        remedy: the operation that changes it, if there is one.
    """

    code: str
    text: str
    values: Mapping[str, Value] = field(default_factory=dict)
    remedy: Remedy | None = None
