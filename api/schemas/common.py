"""What all wire models share."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

JsonObject = dict[str, Any]


class Request(BaseModel):
    """A body that callers send: unknown fields are an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Answer(BaseModel):
    """A body that callers get: fields with defaults are always there."""

    model_config = ConfigDict(frozen=True, json_schema_serialization_defaults_required=True)


PageToken = Annotated[str | None, Field(description="Send as `page_token` for the next page; null on the last.")]
Instant = Annotated[datetime, Field(examples=["2026-11-01T09:30:00Z"])]


def text_ids(document: Mapping[str, Any], *names: str) -> JsonObject:
    """Return a document with the named snapshot ids as strings."""
    return {name: str(value) if name in names and isinstance(value, int) else value for name, value in document.items()}
