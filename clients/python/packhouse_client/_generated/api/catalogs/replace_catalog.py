# Generated from openapi.yaml by clients/generate.py; do not edit.
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from ...models.catalog_replace import CatalogReplace
from ...types import Unset


def _get_kwargs(
    name: str,
    *,
    body: CatalogReplace | Mapping[str, Any],
    if_match: str,
) -> dict[str, Any]:
    """Replace a catalog's properties and allowed locations.

    Replace properties and allowed locations as a whole; grants stay. Needs If-Match.

    Args:
        name: Name of the catalog.
        if_match: ETag of the version that was read.
        body: New properties, allowed locations and `outside_files` of a catalog, as a whole.

            Its name, format and grants stay.
    """

    headers: dict[str, Any] = {}
    headers["if-match"] = if_match

    _kwargs: dict[str, Any] = {
        "method": "put",
        "url": "/v1/catalogs/{name}".format(
            name=quote(str(name), safe=""),
        ),
    }

    if body is not None and not isinstance(body, Unset):
        _kwargs["json"] = dict(body) if isinstance(body, Mapping) else body.to_dict()
    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs
