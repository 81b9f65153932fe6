# Generated from openapi.yaml by clients/generate.py; do not edit.
from typing import Any


def _get_kwargs() -> dict[str, Any]:
    """Show the caller.

    Show the name, role and teams of the key or token that the request was sent with.

    """

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/whoami",
    }

    return _kwargs
