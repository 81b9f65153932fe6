"""Base classes of all wire models."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Generic, Self, TypeVar, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, WithJsonSchema, model_validator

from api.listing.pagination import Page
from engine.domain.values.partitions import partition_text, partition_values
from engine.domain.values.strict import UNSEEN, OneLine, one_line

JsonObject = dict[str, Any]
OwnerTeam = Annotated[OneLine, StringConstraints(min_length=1, max_length=128)]
LabelKey = Annotated[str, AfterValidator(one_line), StringConstraints(min_length=1, max_length=255, pattern=r"^[^:]+$")]
"""Without a colon: lists are filtered by `key:value`."""
LABEL_KEYS: JsonObject = {"propertyNames": {"minLength": 1, "maxLength": 255, "pattern": f"^[^:{UNSEEN}]+$"}}
LabelValue = Annotated[OneLine, StringConstraints(max_length=255)]


Text = Annotated[str, StringConstraints(min_length=0), WithJsonSchema({"type": "string"})]
"""A text of the record. The bound, which is not described, refuses lone surrogates, which no answer can have."""


class Request(BaseModel):
    """A body that callers send: unknown fields are an error. Answers that repeat it have the same schema."""

    model_config = ConfigDict(extra="forbid", frozen=True, json_schema_mode_override="validation")


class Answer(BaseModel):
    """A body that callers get: fields with defaults are always there."""

    model_config = ConfigDict(frozen=True, json_schema_serialization_defaults_required=True)


class Partition(Answer):
    """One partition of a table."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"values": {"day": "2026-11-01"}, "text": "day=2026-11-01"}]}
    )

    values: dict[Text, bool | int | float | Text | None] = Field(
        description="Value of each partition field, by name; empty for a table without partitions. Dates, times and "
        "decimals are texts; so are the results of the transforms `hour` (`2026-11-01 16:00`), `day`, `month` "
        "(`2026-11`) and `year`, in UTC."
    )
    text: Text = Field(description="The same for people.")

    @model_validator(mode="before")
    @classmethod
    def _of_record(cls, stored: Any) -> Any:
        """Return the fields of a partition that is given as canonical JSON, as the record and the formats have it."""
        if not isinstance(stored, str):
            return stored
        return {"values": partition_values(stored) or {}, "text": partition_text(stored)}

    @classmethod
    def of(cls, stored: str) -> Self:
        """Return a partition by its canonical JSON."""
        return cls.model_validate(stored)


PageToken = Annotated[str | None, Field(description="Send as `page_token` for the next page; null on the last.")]
Instant = datetime
"""Written as RFC 3339 in UTC."""
Item = TypeVar("Item", bound=Answer)
Source = TypeVar("Source")


class Listed(Answer, Generic[Item, Source]):
    """A page of `Item`, each made of a `Source` by its `from_domain`."""

    items: list[Item]
    next_page_token: PageToken

    @classmethod
    def of(cls, page: Page[Source]) -> Self:
        """Return the wire form of a page."""
        (model,) = get_args(cls.model_fields["items"].annotation)
        return cls(items=[model.from_domain(item) for item in page.items], next_page_token=page.next_page_token)


def text_ids(document: Mapping[str, Any], *names: str) -> JsonObject:
    """Return a document with the named snapshot ids as strings."""
    return {name: str(value) if name in names and isinstance(value, int) else value for name, value in document.items()}
