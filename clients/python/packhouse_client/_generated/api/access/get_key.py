# Generated from openapi.yaml by clients/generate.py; do not edit.
from typing import Any
from urllib.parse import quote


def _get_kwargs(
    key_id: str,
) -> dict[str, Any]:
    """Show an API key.

    Show a key without its secret.

    Args:
        key_id: Id of the key.
    """

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/keys/{key_id}".format(
            key_id=quote(str(key_id), safe=""),
        ),
    }

    return _kwargs
