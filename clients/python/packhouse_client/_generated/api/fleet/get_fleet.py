# Generated from openapi.yaml by clients/generate.py; do not edit.
from typing import Any


def _get_kwargs() -> dict[str, Any]:
    """Show sums and rates over all tables.

    Show totals over the tables that the caller sees, the activity of the last 24 hours, and the
    backlog.

    """

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/fleet",
    }

    return _kwargs
