"""Statements of explanations, as a person reads them."""

from collections.abc import Mapping
from typing import Any


def texts_of(explanation: Mapping[str, Any]) -> list[str]:
    """Return the sentences of an explanation's summary."""
    return [each["text"] for each in explanation["summary"]]
