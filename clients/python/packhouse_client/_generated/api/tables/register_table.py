# Generated from openapi.yaml by clients/generate.py; do not edit.
from collections.abc import Mapping
from typing import Any

from ...models.table_register import TableRegister
from ...types import UNSET, Unset


def _get_kwargs(
    *,
    body: TableRegister | Mapping[str, Any],
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    """Register a table.

    Load the table from its catalog and register it under its own uuid.

    Its first automatic run waits for a grace (15 minutes unless set otherwise), which explain shows as
    `new_table`; a
    policy of its own, a run that is requested and a resume end the grace.

    Args:
        idempotency_key: Makes a retry safe: the same key and body within 24 hours gets the same answer.
        body: A table to register, by its address in a catalog.
    """

    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["idempotency-key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/v1/tables",
    }

    if body is not None and not isinstance(body, Unset):
        _kwargs["json"] = dict(body) if isinstance(body, Mapping) else body.to_dict()
    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs
