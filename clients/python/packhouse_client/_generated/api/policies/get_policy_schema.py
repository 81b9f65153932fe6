# Generated from openapi.yaml by clients/generate.py; do not edit.
from typing import Any


def _get_kwargs() -> dict[str, Any]:
    """Show the JSON Schema of a policy.

    Show the schema of a policy document (draft 2020-12), for editors to complete from and to check
    with.

    """

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/policy-schema",
    }

    return _kwargs
