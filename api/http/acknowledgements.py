"""The parameter `acknowledge` of requests after which more is deleted, and the problems of such requests."""

from typing import Annotated, Final

from fastapi import Query
from pydantic import StringConstraints

from engine.domain.values.strict import OneLine

DELETING: Final = ("acknowledgement_required", "effects_changed")
"""Codes of the problems of a request that deletes, or deletes more than before."""
_MAX_TOKEN: Final = 1000

Acknowledge = Annotated[
    Annotated[OneLine, StringConstraints(min_length=1, max_length=_MAX_TOKEN)] | None,
    Query(
        description="Token of the preview of what the request deletes: `details.acknowledge` of the refusal 428, or "
        "`deletions.acknowledge` of a dry run. Only a request after which more is deleted than before needs it. A "
        "pipeline sends a bound that a person has reviewed: `up_to:bytes=50GB,files=10000`.",
        examples=["WyI1ZjBjIix7fV0.aRbXyg.0f3K"],
    ),
]
