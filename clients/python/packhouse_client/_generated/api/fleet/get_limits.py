# Generated from openapi.yaml by clients/generate.py; do not edit.
from typing import Any


def _get_kwargs() -> dict[str, Any]:
    """Show the fleet's limits.

    Show what holds for all tables together; the ETag is needed to replace it.

    """

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/limits",
    }

    return _kwargs
