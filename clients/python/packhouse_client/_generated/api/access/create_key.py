# Generated from openapi.yaml by clients/generate.py; do not edit.
from collections.abc import Mapping
from typing import Any

from ...models.key_create import KeyCreate
from ...types import Unset


def _get_kwargs(
    *,
    body: KeyCreate | Mapping[str, Any],
) -> dict[str, Any]:
    """Make an API key.

    Make a key and show its secret, this once. After a lost answer: list the keys, revoke that one, make
    another.

    Args:
        body: A key to make.
    """

    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/v1/keys",
    }

    if body is not None and not isinstance(body, Unset):
        _kwargs["json"] = dict(body) if isinstance(body, Mapping) else body.to_dict()
    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs
