# Generated from openapi.yaml by clients/generate.py; do not edit.
from typing import Any
from urllib.parse import quote


def _get_kwargs(
    table_id: str,
) -> dict[str, Any]:
    """Ask whether writers should slow down.

    Show whether writers of a table should slow down, by the newest signal that has not expired.

    Args:
        table_id: Id or address of the table. A part of the address that has a dot is written in double
            quotes; an address with a slash is given as an id.
    """

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/tables/{table_id}/backpressure".format(
            table_id=quote(str(table_id), safe=""),
        ),
    }

    return _kwargs
