# Generated from openapi.yaml by clients/generate.py; do not edit.
from typing import Any
from urllib.parse import quote


def _get_kwargs(
    table_id: str,
) -> dict[str, Any]:
    """Advise on a table's policy.

    Recommend a policy for the table, from the filters of its queries and its recent commits.

    Args:
        table_id: Id or address of the table. A part of the address that has a dot is written in double
            quotes; an address with a slash is given as an id.
    """

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/tables/{table_id}/advice".format(
            table_id=quote(str(table_id), safe=""),
        ),
    }

    return _kwargs
