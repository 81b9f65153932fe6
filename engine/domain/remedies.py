"""Remedies: the operation of the API that ends a problem or a wait, as data.

The text that a remedy accompanies names the remedy in words, without a URL or a command: each client renders it in its
own terms. `api.schemas.remedies` has the request of each operation, the CLI its command, the console its page.
"""

from collections.abc import Mapping
from dataclasses import dataclass
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
