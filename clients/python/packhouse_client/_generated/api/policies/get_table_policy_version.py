# Generated from openapi.yaml by clients/generate.py; do not edit.
from typing import Any
from urllib.parse import quote


def _get_kwargs(
    table_id: str,
    version: int,
) -> dict[str, Any]:
    """Show one version of a table's own policy.

    Show a version and its changes from the version before.

    Args:
        table_id: Id or address of the table. A part of the address that has a dot is written in double
            quotes; an address with a slash is given as an id.
        version: Number of the version.
    """

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/tables/{table_id}/policy/versions/{version}".format(
            table_id=quote(str(table_id), safe=""),
            version=quote(str(version), safe=""),
        ),
    }

    return _kwargs
