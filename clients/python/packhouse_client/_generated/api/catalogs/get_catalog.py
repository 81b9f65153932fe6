# Generated from openapi.yaml by clients/generate.py; do not edit.
from typing import Any
from urllib.parse import quote


def _get_kwargs(
    name: str,
) -> dict[str, Any]:
    """Show a catalog.

    Show a catalog; its ETag is needed to replace or delete it. Properties are shown to admins only.

    Args:
        name: Name of the catalog.
    """

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/catalogs/{name}".format(
            name=quote(str(name), safe=""),
        ),
    }

    return _kwargs
