# Generated from openapi.yaml by clients/generate.py; do not edit.
from typing import Any
from urllib.parse import quote


def _get_kwargs(
    table_id: str,
) -> dict[str, Any]:
    """Resume a table.

    End the pause of a table: its waiting runs continue and keep the file groups that were committed.

    Its rest after runs without effect and the cool-down of its partitions end as well.

    Args:
        table_id: Id or address of the table. A part of the address that has a dot is written in double
            quotes; an address with a slash is given as an id.
    """

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/v1/tables/{table_id}/resume".format(
            table_id=quote(str(table_id), safe=""),
        ),
    }

    return _kwargs
