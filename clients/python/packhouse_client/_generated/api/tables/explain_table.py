# Generated from openapi.yaml by clients/generate.py; do not edit.
from typing import Any
from urllib.parse import quote


def _get_kwargs(
    table_id: str,
) -> dict[str, Any]:
    """Explain why a table did or did not run.

    Say whether the table is due, what holds it back, when it could run, and what a run would do now.

    Every setting comes with its origin, every rule with each measured condition. Works also while the
    catalog is away,
    and for a table that is gone or was made anew: then with less, and saying so.

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
