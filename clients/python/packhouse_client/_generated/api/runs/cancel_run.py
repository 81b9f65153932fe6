# Generated from openapi.yaml by clients/generate.py; do not edit.
from typing import Any
from urllib.parse import quote


def _get_kwargs(
    run_id: str,
) -> dict[str, Any]:
    """Cancel a run.

    Cancel a waiting run, or ask the worker to stop. Committed groups stay. Asking twice is one request.

    Args:
        run_id: Id of the run.
    """

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/v1/runs/{run_id}/cancel".format(
            run_id=quote(str(run_id), safe=""),
        ),
    }

    return _kwargs
