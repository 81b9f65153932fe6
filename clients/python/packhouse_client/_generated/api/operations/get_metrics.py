# Generated from openapi.yaml by clients/generate.py; do not edit.
from typing import Any


def _get_kwargs() -> dict[str, Any]:
    """Show figures for Prometheus.

    Show requests, runs, queue and dependencies in the Prometheus text format.

    Series that name catalogs and teams need a key or token of every team; without a credential they are
    left out.

    """

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/metrics",
    }

    return _kwargs
