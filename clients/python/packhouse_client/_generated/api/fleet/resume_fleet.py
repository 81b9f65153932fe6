# Generated from openapi.yaml by clients/generate.py; do not edit.
from typing import Any


def _get_kwargs() -> dict[str, Any]:
    """Resume the fleet.

    End the pause of the fleet; tables that were paused themselves stay so.

    """

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/v1/fleet/resume",
    }

    return _kwargs
