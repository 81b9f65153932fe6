# Generated from openapi.yaml by clients/generate.py; do not edit.
from collections.abc import Mapping
from typing import Any

from ...models.policy_create import PolicyCreate
from ...types import UNSET, Unset


def _get_kwargs(
    *,
    body: PolicyCreate | Mapping[str, Any],
    dry_run: bool | Unset = False,
    message: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    """Create a policy for more than one table.

    Store a policy for a scope, which stays. Each scope has at most one policy, but a pattern may have
    several.

    Owners write policies of the scope `team` for their own teams; all other scopes need the role admin.

    Args:
        dry_run: Write nothing and return the effect of the change; no precondition is needed.
        message: Reason for the change, one line: kept with the version and in the audit log. A write that
            changes nothing keeps none.
        idempotency_key: Makes a retry safe: the same key and body within 24 hours gets the same answer.
        body: A policy to create for more than one table.
    """

    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["idempotency-key"] = idempotency_key

    params: dict[str, Any] = {}
    params["dry_run"] = dry_run
    params["message"] = message

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/v1/policies",
        "params": params,
    }

    if body is not None and not isinstance(body, Unset):
        _kwargs["json"] = dict(body) if isinstance(body, Mapping) else body.to_dict()
    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs
