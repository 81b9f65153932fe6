# Generated from openapi.yaml by clients/generate.py; do not edit.
from typing import Any
from urllib.parse import quote


def _get_kwargs(
    name: str,
) -> dict[str, Any]:
    """Show a preset.

    Show a preset.

    Args:
        name: Name of the preset.
    """

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/presets/{name}".format(
            name=quote(str(name), safe=""),
        ),
    }

    return _kwargs
