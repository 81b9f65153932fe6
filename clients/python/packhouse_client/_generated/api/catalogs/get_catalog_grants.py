# Generated from openapi.yaml by clients/generate.py; do not edit.
from typing import Any
from urllib.parse import quote


def _get_kwargs(
    name: str,
) -> dict[str, Any]:
    """Show a catalog's grants.

    Show what teams may do with the catalog's tables: all grants to admins, to others those that they
    hold.

    Args:
        name: Name of the catalog.
    """

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/catalogs/{name}/grants".format(
            name=quote(str(name), safe=""),
        ),
    }

    return _kwargs
