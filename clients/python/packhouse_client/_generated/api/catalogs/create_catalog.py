# Generated from openapi.yaml by clients/generate.py; do not edit.
from collections.abc import Mapping
from typing import Any

from ...models.catalog_create import CatalogCreate
from ...types import UNSET, Unset


def _get_kwargs(
    *,
    body: CatalogCreate | Mapping[str, Any],
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    """Create a catalog.

    Store a connection. It is not tried: check it next. Secrets are given as references, never in clear.

    Args:
        idempotency_key: Makes a retry safe: the same key and body within 24 hours gets the same answer.
        body: A catalog to create.
    """

    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["idempotency-key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/v1/catalogs",
    }

    if body is not None and not isinstance(body, Unset):
        _kwargs["json"] = dict(body) if isinstance(body, Mapping) else body.to_dict()
    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs
