"""Partitions in words: the same text in prose, in tables of the command line and in `text` of the API."""

import json
from collections.abc import Mapping
from typing import Any, Final

WHOLE_TABLE: Final = "whole table"
"""Text of the partition of a table without partitions."""


def partition_values(partition: str) -> Mapping[str, Any] | None:
    """Return the value of each field of a partition in canonical JSON; None for any other text."""
    try:
        values = json.loads(partition)
    except (ValueError, RecursionError):  # a text of an earlier version's record, which is shown as it is
        return None
    return values if isinstance(values, dict) else None


def partition_text(partition: str) -> str:
    """Return a partition in canonical JSON as text: `day=2026-11-01, region=eu`; any other text unchanged."""
    values = partition_values(partition)
    if values is None:
        return partition
    words = (f"{name}={'null' if value is None else value}" for name, value in values.items())
    return ", ".join(words) or WHOLE_TABLE
