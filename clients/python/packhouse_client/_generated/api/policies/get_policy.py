# Generated from openapi.yaml by clients/generate.py; do not edit.
from typing import Any
from urllib.parse import quote


def _get_kwargs(
    name: str,
) -> dict[str, Any]:
    """Show a policy.

    Show a policy; its ETag is needed to replace or delete it.

    Args:
        name: Name of the policy.
    """

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/policies/{name}".format(
            name=quote(str(name), safe=""),
        ),
    }

    return _kwargs
