# Generated from openapi.yaml by clients/generate.py; do not edit.
from typing import Any
from urllib.parse import quote


def _get_kwargs(
    code: str,
) -> dict[str, Any]:
    """Explain a problem type.

    Explain a problem type in a paragraph.

    Args:
        code: `code` of a problem.
    """

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/problems/{code}".format(
            code=quote(str(code), safe=""),
        ),
    }

    return _kwargs
