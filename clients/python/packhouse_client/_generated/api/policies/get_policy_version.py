# Generated from openapi.yaml by clients/generate.py; do not edit.
from typing import Any
from urllib.parse import quote


def _get_kwargs(
    name: str,
    version: int,
) -> dict[str, Any]:
    """Show one version of a policy.

    Show a version and its changes from the version before.

    Args:
        name: Name of the policy.
        version: Number of the version.
    """

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/policies/{name}/versions/{version}".format(
            name=quote(str(name), safe=""),
            version=quote(str(version), safe=""),
        ),
    }

    return _kwargs
