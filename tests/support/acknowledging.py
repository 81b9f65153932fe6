"""Acknowledge what a change deletes, as a person does who has read its preview.

Tests of acknowledgements call the services and the API; all other tests that write policies that delete use these.
"""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import httpx

from engine.domain.errors import AcknowledgementRequired

T = TypeVar("T")


async def acknowledged(write: Callable[..., Awaitable[T]], *arguments: Any, **options: Any) -> T:
    """Call a service, and again with the token of the preview if it asks for an acknowledgement."""
    try:
        return await write(*arguments, **options)
    except AcknowledgementRequired as refusal:
        return await write(*arguments, **options, acknowledge=refusal.details["acknowledge"])


def acknowledging(response: httpx.Response) -> str | None:
    """Return the token that a refusal asks to send; None for any other answer."""
    if response.status_code != httpx.codes.PRECONDITION_REQUIRED:
        return None
    token = response.json().get("details", {}).get("acknowledge")
    return None if token is None else str(token)
