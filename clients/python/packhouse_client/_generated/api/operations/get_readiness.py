# Generated from openapi.yaml by clients/generate.py; do not edit.
from typing import Any


def _get_kwargs() -> dict[str, Any]:
    """Show the state of each dependency.

    Ask database, Redis and Spark. Without Redis or Spark requests are served and runs wait: degraded.

    """

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/readyz",
    }

    return _kwargs
