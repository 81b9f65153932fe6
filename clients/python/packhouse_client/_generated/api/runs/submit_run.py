# Generated from openapi.yaml by clients/generate.py; do not edit.
from collections.abc import Mapping
from typing import Any

from ...models.run_submit import RunSubmit
from ...types import UNSET, Unset


def _get_kwargs(
    *,
    body: RunSubmit | Mapping[str, Any],
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    """Submit a run.

    Accept a run durably and answer at once; follow it under Location. A double click is one run.

    Args:
        idempotency_key: Makes a retry safe: the same key and body within 24 hours gets the same answer.
        body: A run to start.
    """

    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["idempotency-key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/v1/runs",
    }

    if body is not None and not isinstance(body, Unset):
        _kwargs["json"] = dict(body) if isinstance(body, Mapping) else body.to_dict()
    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs
