# Generated from openapi.yaml by clients/generate.py; do not edit.
from collections.abc import Mapping
from typing import Any

from ...models.signal_send import SignalSend
from ...types import UNSET, Unset


def _get_kwargs(
    *,
    body: SignalSend | Mapping[str, Any],
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    """Send a signal about a table or the fleet.

    Store a commit, query latency, back-pressure or the filters of queries, of one table or of the
    fleet.

    Args:
        idempotency_key: Makes a retry safe: the same key and body within 24 hours gets the same answer.
        body: A signal from another system about a table or the fleet. Its kind decides the effect; see
            `signal`.
    """

    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["idempotency-key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/v1/signals",
    }

    if body is not None and not isinstance(body, Unset):
        _kwargs["json"] = dict(body) if isinstance(body, Mapping) else body.to_dict()
    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs
