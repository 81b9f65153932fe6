# Generated from openapi.yaml by clients/generate.py; do not edit.
from typing import Any
from urllib.parse import quote


def _get_kwargs(
    name: str,
) -> dict[str, Any]:
    """Resume a catalog's tables.

    End the pause of a catalog and close its breaker; tables that were paused themselves stay so.

    Args:
        name: Name of the catalog.
    """

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/v1/catalogs/{name}/resume".format(
            name=quote(str(name), safe=""),
        ),
    }

    return _kwargs
