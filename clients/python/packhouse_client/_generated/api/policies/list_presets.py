# Generated from openapi.yaml by clients/generate.py; do not edit.
from typing import Any


def _get_kwargs() -> dict[str, Any]:
    """List presets.

    List the named bases of policies, each with where its figures come from.

    """

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/presets",
    }

    return _kwargs
