# Generated from openapi.yaml by clients/generate.py; do not edit.
from typing import Any
from urllib.parse import quote


def _get_kwargs(
    run_id: str,
) -> dict[str, Any]:
    """Show a run.

    Show a run: state, progress, use of its time, and figures measured so far.

    Args:
        run_id: Id of the run.
    """

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/runs/{run_id}".format(
            run_id=quote(str(run_id), safe=""),
        ),
    }

    return _kwargs
