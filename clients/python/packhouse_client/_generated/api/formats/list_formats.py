# Generated from openapi.yaml by clients/generate.py; do not edit.
from typing import Any


def _get_kwargs() -> dict[str, Any]:
    """Show the operations that each table format supports.

    Show format by operation, strategy and engine, with the reason for each no.

    """

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/formats",
    }

    return _kwargs
