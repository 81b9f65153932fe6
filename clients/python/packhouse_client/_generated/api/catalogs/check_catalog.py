# Generated from openapi.yaml by clients/generate.py; do not edit.
from typing import Any
from urllib.parse import quote


def _get_kwargs(
    name: str,
) -> dict[str, Any]:
    """Try a catalog's connection.

    Try the connection step by step. A broken connection is an answer, not an error.

    Args:
        name: Name of the catalog.
    """

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/v1/catalogs/{name}/check".format(
            name=quote(str(name), safe=""),
        ),
    }

    return _kwargs
