"""Acknowledge what a change deletes, as a person does who has read its preview.

Tests of acknowledgements call the services and the API; all other tests that write policies that delete use these.
"""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import httpx

from engine.domain.errors import AcknowledgementRequired, EffectsChanged

T = TypeVar("T")


async def acknowledged(write: Callable[..., Awaitable[T]], *arguments: Any, **options: Any) -> T:
    """Call a service, and again with the token of the preview while it asks for an acknowledgement."""
    while True:
        try:
            return await write(*arguments, **options)
        except (AcknowledgementRequired, EffectsChanged) as refusal:
            options["acknowledge"] = refusal.details["acknowledge"]


def acknowledging(response: httpx.Response) -> str | None:
    """Return the token that a refusal asks to send; None for any other answer.

    More may be deleted than the first preview showed: each second, another snapshot is a second old.
    """
    if response.status_code not in (httpx.codes.PRECONDITION_REQUIRED, httpx.codes.CONFLICT):
        return None
    token = response.json().get("details", {}).get("acknowledge")
    return None if token is None else str(token)
