# Generated from openapi.yaml by clients/generate.py; do not edit.
from typing import Any
from urllib.parse import quote


def _get_kwargs(
    table_id: str,
) -> dict[str, Any]:
    """Explain why a table did or did not run.

    Explain whether the table is due, what holds it back, when a run could start, and what it would do
    now.

    Every setting comes with its origin, every rule with each measured condition. The answer is shorter,
    with
    the reason, while the catalog does not answer or after the table was dropped or created again.

    Args:
        table_id: Id or address of the table. A part of the address that has a dot is written in double
            quotes; an address with a slash is given as an id.
    """

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/tables/{table_id}/explain".format(
            table_id=quote(str(table_id), safe=""),
        ),
    }

    return _kwargs
