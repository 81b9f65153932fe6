# Generated from openapi.yaml by clients/generate.py; do not edit.
from typing import Any
from urllib.parse import quote


def _get_kwargs(
    table_id: str,
) -> dict[str, Any]:
    """Delete a registration.

    Forget a table and its policy; its runs stay. The table itself is not touched.

    Args:
        table_id: Id or address of the table. A part of the address that has a dot is written in double
            quotes; an address with a slash is given as an id.
    """

    _kwargs: dict[str, Any] = {
        "method": "delete",
        "url": "/v1/tables/{table_id}".format(
            table_id=quote(str(table_id), safe=""),
        ),
    }

    return _kwargs
