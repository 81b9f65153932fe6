"""CloudEvents 1.0 on the wire, and the numbers of those that were taken."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, WithJsonSchema

from api.schemas.common import Answer
from engine.domain.tables import cloud_events as domain
from engine.domain.tables.cloud_events import COMMIT_TYPE, LONGEST_TEXT, MOST_EVENTS, EventOutcome
from engine.domain.values.strict import OneLine

_TABLE_ID: Final = "tbl_01jd2m6v8n4q0x7y3k5r9t1wbz"
_EXAMPLES: Final[list[Any]] = [
    {
        "specversion": "1.0",
        "id": "6c540ad4-0671-9974-6511-756fbd7771c3",
        "source": "aws.s3",
        "type": "Object Created",
        "data": {"bucket": {"name": "lake"}, "object": {"key": "shop.db/orders/day=2026-11-01/part-0.parquet"}},
    },
    {
        "specversion": "1.0",
        "id": "load-2026-11-01",
        "source": "/loader",
        "type": COMMIT_TYPE,
        "data": {"table_id": _TABLE_ID, "added_files": 12},
    },
]
_Attribute = Annotated[OneLine, Field(min_length=1, max_length=LONGEST_TEXT)]


class CloudEvent(BaseModel):
    """An event of another system. Other attributes of the specification, and extensions, are not read."""

    model_config = ConfigDict(extra="ignore", frozen=True, json_schema_extra={"examples": _EXAMPLES})

    specversion: Literal["1.0"] = Field(description="Version of the specification.")
    id: _Attribute = Field(description="Identifies the event together with `source`: a repeated one counts once.")
    source: _Attribute = Field(description="The system that it comes from.")
    type: _Attribute = Field(description="Events of other types than those of the operation's description are refused.")
    subject: str | None = Field(default=None, max_length=LONGEST_TEXT, description="The blob, in events of Azure.")
    data: Annotated[Any, WithJsonSchema({"description": "An object that names a table, or an object of a store."})] = (
        None
    )

    def to_domain(self) -> domain.CloudEvent:
        """Return the event."""
        return domain.CloudEvent(self.id, self.source, self.type, self.subject, self.data)


def _form(body: object) -> str:
    return "batch" if isinstance(body, list) else "one"


OneOrBatch = Annotated[
    Annotated[CloudEvent, Tag("one")] | Annotated[list[CloudEvent], Field(max_length=MOST_EVENTS), Tag("batch")],
    Discriminator(_form),
]
"""A body: it is judged as one event unless it is a list, so that an error is told once and at its field."""


class EventsTaken(Answer):
    """The number of sent events by what became of them."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"taken": 98, "duplicate": 1, "unknown_table": 1, "refused": 0}]}
    )

    taken: int = Field(description="They are part of a stored signal of their table, at which the coordinator looks.")
    duplicate: int = Field(description="They were received within the last hour, or are twice in the request.")
    unknown_table: int = Field(
        description="They are about no registered table, or about one that the caller may not change."
    )
    refused: int = Field(description="Their type has no meaning here, or their data is not that of their type.")

    @classmethod
    def from_domain(cls, counts: Mapping[EventOutcome, int]) -> Self:
        """Return the wire form."""
        return cls(**{outcome.value: count for outcome, count in counts.items()})
