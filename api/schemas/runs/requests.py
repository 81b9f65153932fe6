"""Requests and policies that are stored with runs, on the wire: what was requested, and under which settings."""

from typing import Annotated, Any, Final, Literal, cast

from pydantic import AliasChoices, ConfigDict, Field, PlainSerializer, WithJsonSchema
from pydantic_core import PydanticSerializationError, to_json
from typing_extensions import TypeAliasType, TypedDict

from api.schemas.common import Instant, JsonObject, Partition, Text
from api.schemas.runs.predicates import Partitions
from api.schemas.runs.stored import StoredDocument, by_operation
from engine.domain.runs import run as domain
from engine.domain.runs.run import Operation
from engine.domain.tables.predicates import document

SettingValue = Annotated[Any, WithJsonSchema({"description": "A value of the type of the setting."})]
_REQUEST_ID: Final = "req_689b26fbc32dbc7a"
_OF_REWRITE: JsonObject = {"operation": "rewrite", "request_id": _REQUEST_ID}


class RequestCause(StoredDocument):
    """Why an automatic run was submitted."""

    rule: Text | None = Field(default=None, description="Rule or setting that made it due.", examples=["settled"])
    partition: Partition | None = Field(default=None, description="The first due partition; null: the whole table.")
    due_partitions: int | None = Field(default=None, description="Number of due partitions.", examples=[24])


class DeletionBounds(TypedDict, total=False):
    """Bounds of a deletion as announced; absent: its setting has no such bound."""

    older_than: Annotated[float, Field(description="Least age in seconds.", examples=[432000])]
    keep_last: Annotated[int, Field(description="Newest snapshots of each branch that stay.", examples=[10])]
    delete_files: Annotated[bool, Field(description="Whether files are deleted as well.")]
    grace: Annotated[float, Field(description="Seconds for which a replaced copy stays unused.")]
    quarantine: Annotated[float, Field(description="Least seconds between the two searches for orphans.")]
    inventory: Annotated[Text, Field(description="Inventory of the store that is read instead of listing.")]
    retention: Annotated[float, Field(description="Age in seconds from which history is removed.")]


class AnnouncedRule(StoredDocument):
    """The setting that allows a deletion, with its bounds."""

    setting: Text | None = Field(
        default=None, description="Dotted name of the setting.", examples=["maintenance.expire_snapshots"]
    )
    bounds: DeletionBounds = Field(default=DeletionBounds(), description="Its bounds.")


class AnnouncedDeletion(StoredDocument):
    """Announcement of a run that deletes files or history."""

    rule: AnnouncedRule | None = Field(default=None, description="What it may delete; null for a purge.")
    starts_at: Instant | None = Field(
        default=None, description="Nothing is deleted before; null: it had no grace.", examples=["2026-11-28T14:00:00Z"]
    )
    summary: Text = Field(
        default="",
        description="What it would have deleted when it was announced, in words.",
        examples=["66 snapshots of 78 can expire (older than 5 d, except the 10 newest of each branch)"],
    )
    is_held: bool | None = Field(
        default=None, description="Whether the run itself waits until then; false: it does its other work at once."
    )
    up_to: dict[Text, int] = Field(
        default={},
        description="The most that it may delete without a further acknowledgement, by amount; empty: no bound.",
        examples=[{"snapshots": 66}],
    )


class RequestFields(StoredDocument):
    """Fields of the requests of all operations."""

    request_id: Text | None = Field(
        default=None,
        description="`X-Request-Id` of the HTTP request that submitted it; null: another process did.",
        examples=[_REQUEST_ID],
    )
    traceparent: Text | None = Field(
        default=None,
        description="W3C trace context of the request that submitted it; the trace of each attempt links to it.",
        examples=["00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"],
    )
    cause: RequestCause | None = Field(
        default=None, description="Why it was submitted automatically; null: it was not."
    )
    due_since: Instant | None = Field(
        default=None, description="When the table became due; null: not known, or not automatic."
    )


class RewriteRequest(RequestFields):
    """Request of a rewrite of data files."""

    model_config = ConfigDict(json_schema_extra={"examples": [_OF_REWRITE]})

    operation: Literal[Operation.REWRITE] = Field(description="Operation of the run.")
    partitions: (
        Annotated[
            Partitions,
            PlainSerializer(lambda predicate: document(predicate)),  # noqa: PLW0108 - a type would take the place of the schema
        ]
        | None
    ) = Field(default=None, description="Partitions to rewrite; null: all.")
    force_full: bool = Field(default=False, description="Whether files of the right size are candidates as well.")
    every_file: bool = Field(default=False, description="Whether files that would come out unchanged are as well.")
    include_cooling: bool = Field(
        default=False,
        validation_alias=AliasChoices("include_cooling", "force"),  # the name in records of before
        description="Whether it takes partitions that cool down after lost races.",
    )
    only_due: bool = Field(default=False, description="Whether it takes only partitions that are due when it plans.")


class RewriteDeletesRequest(RequestFields):
    """Request of a rewrite of delete files."""

    operation: Literal[Operation.REWRITE_DELETES] = Field(description="Operation of the run.")


class RewriteManifestsRequest(RequestFields):
    """Request of a rewrite of manifests."""

    operation: Literal[Operation.REWRITE_MANIFESTS] = Field(description="Operation of the run.")


class DeletingRequest(RequestFields):
    """Fields of the requests of operations that delete files or history."""

    announced: AnnouncedDeletion | None = Field(default=None, description="Its announcement; null: it has none.")


class ExpireSnapshotsRequest(DeletingRequest):
    """Request of an expiry of snapshots."""

    operation: Literal[Operation.EXPIRE_SNAPSHOTS] = Field(description="Operation of the run.")


class DeleteOldCompactionsRequest(DeletingRequest):
    """Request of a deletion of old compactions."""

    operation: Literal[Operation.DELETE_OLD_COMPACTIONS] = Field(description="Operation of the run.")


class ReclaimRequest(DeletingRequest):
    """Request of a reclamation of storage."""

    operation: Literal[Operation.RECLAIM] = Field(description="Operation of the run.")


class RemoveOrphansRequest(DeletingRequest):
    """Request of a removal of orphans."""

    operation: Literal[Operation.REMOVE_ORPHANS] = Field(description="Operation of the run.")


class PurgeRequest(DeletingRequest):
    """Request of a purge of a table's history."""

    operation: Literal[Operation.PURGE] = Field(description="Operation of the run.")
    plan_hash: Text | None = Field(default=None, description="Hash of its dry run.", examples=["c1f8a9d4" * 8])
    confirm: Text | None = Field(
        default=None, description="Address of the table, as typed by a person.", examples=["lake.sales.orders"]
    )


StoredRequest = TypeAliasType(
    "StoredRequest",
    Annotated[
        RewriteRequest
        | RewriteDeletesRequest
        | RewriteManifestsRequest
        | ExpireSnapshotsRequest
        | DeleteOldCompactionsRequest
        | ReclaimRequest
        | RemoveOrphansRequest
        | PurgeRequest,
        Field(discriminator="operation", description="The request of a run, by its operation."),
        PlainSerializer(lambda request: request),  # by its own model: that of a union serialises twice
    ],
)

_REQUESTS: Final = by_operation(StoredRequest)


def request_of(run: domain.Run) -> StoredRequest:
    """Return the stored request of a run."""
    return cast("StoredRequest", _REQUESTS[run.operation].read(run.request, operation=run.operation))


class RunPolicy(StoredDocument):
    """The effective policy that a run was planned under; the same for every operation. Empty before planning."""

    values: dict[Text, SettingValue] = Field(
        default={},
        description="Values of the settings by dotted name, in internal units: bytes, seconds, counts, words.",
        examples=[{"rewrite.target_file_bytes": 134217728}],
    )
    origins: dict[Text, Text] = Field(
        default={},
        description="Where each value came from, by dotted name.",
        examples=[{"rewrite.target_file_bytes": "namespace lake.sales"}],
    )


def policy_of(run: domain.Run) -> RunPolicy:
    """Return the stored policy of a run."""
    try:
        to_json(run.policy)
    except (PydanticSerializationError, ValueError):  # a text that no answer can have, in a value of any type
        return RunPolicy()
    match run.policy:
        case {"values": dict() as values, "origins": dict() as origins} if set(map(type, origins.values())) <= {str}:
            return RunPolicy.model_construct(values=values, origins=origins)  # a list of runs has thousands of both
        case _:
            return RunPolicy.read(run.policy)
