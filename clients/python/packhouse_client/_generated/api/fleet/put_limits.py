# Generated from openapi.yaml by clients/generate.py; do not edit.
from collections.abc import Mapping
from typing import Any

from ...models.limits_put import LimitsPut
from ...types import Unset


def _get_kwargs(
    *,
    body: LimitsPut | Mapping[str, Any],
    if_match: str,
) -> dict[str, Any]:
    """Write the fleet's limits.

    Write the limits as a whole. `parallel_runs` holds for new starts, rates in seconds for running
    rewrites too.

    Args:
        if_match: ETag of the version that was read.
        body: Limits of the whole fleet. Absent or null: unlimited.
    """

    headers: dict[str, Any] = {}
    headers["if-match"] = if_match

    _kwargs: dict[str, Any] = {
        "method": "put",
        "url": "/v1/limits",
    }

    if body is not None and not isinstance(body, Unset):
        _kwargs["json"] = dict(body) if isinstance(body, Mapping) else body.to_dict()
    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs
