"""Discovery on the wire: the tables of a catalog, and what becomes of each."""

from collections import Counter
from typing import Annotated, Any, Self

from pydantic import ConfigDict, Field, StringConstraints

from api.schemas.common import LABEL_KEYS, Answer, LabelKey, LabelValue, OwnerTeam, Request
from api.schemas.policies.effects import Deletions
from engine.domain.tables import discoveries as domain
from engine.domain.tables.discoveries import DiscoveryOutcome
from engine.domain.tables.table import MAX_LABELS
from engine.domain.values.strict import Flag, OneLine, Whole
from engine.services.policies.acknowledgements import DeletionPreview

_Pattern = Annotated[
    Annotated[OneLine, StringConstraints(min_length=1, max_length=255)],
    Field(description="Matched against `namespace.name`: `*` is any characters, `?` is one."),
]


class DiscoverRequest(Request):
    """Tables to look for."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"pattern": "sales.*"}]})

    pattern: _Pattern = "*"


class RegistrationRequest(Request):
    """Tables to register, and what they get."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"pattern": "sales.*", "owner_team": "sales"}]})

    pattern: _Pattern = "*"
    owner_team: OwnerTeam | None = Field(default=None, description="The team that owns them.")
    labels: dict[LabelKey, LabelValue] = Field(
        default={}, description="Their labels.", max_length=MAX_LABELS, json_schema_extra=LABEL_KEYS
    )
    paused: Flag = Field(default=False, description="Pause them, until each is resumed.")
    limit: Whole = Field(
        default=200, ge=1, le=1000, description="Maximum number of tables to register with this request."
    )

    def to_domain(self) -> domain.RegistrationRequest:
        """Return the request of the domain."""
        return domain.RegistrationRequest(
            pattern=self.pattern,
            owner_team=self.owner_team,
            labels=self.labels,
            limit=self.limit,
            paused=self.paused,
        )


class DiscoveredTable(Answer):
    """A table of the catalog that matches."""

    namespace: list[str]
    name: str
    outcome: DiscoveryOutcome
    table_id: str | None = Field(description="Of a registered table that the caller may read.")
    detail: str | None = Field(description="Reason why it was refused or not tried.")

    @classmethod
    def from_domain(cls, table: domain.DiscoveredTable) -> Self:
        """Return the wire form."""
        return cls(
            namespace=list(table.ref.namespace),
            name=table.ref.name,
            outcome=table.outcome,
            table_id=table.table_id,
            detail=table.detail,
        )


class Discovery(Answer):
    """The tables of a catalog that match, in order of their addresses."""

    examined: int = Field(
        description="Tables of the catalog that were looked at, at most 10000; below admin those that it may discover."
    )
    truncated: bool = Field(description="True when the catalog has more.")
    counts: dict[DiscoveryOutcome, int] = Field(description="Tables that match, by outcome.")
    tables: list[DiscoveredTable] = Field(description="Tables that match the pattern.")

    @classmethod
    def from_domain(cls, found: domain.Discovery) -> Self:
        """Return the wire form."""
        return cls(**_fields(found))


class RegistrationPreview(Discovery):
    """What a registration of the tables that match would do. Nothing was registered."""

    deletions: Deletions | None = Field(
        description="What policies would delete of the tables once they are registered, with the token to register "
        "them with; null: nothing."
    )

    @classmethod
    def of(cls, found: domain.Discovery, deletions: DeletionPreview | None) -> Self:
        """Return the wire form."""
        return cls(**_fields(found), deletions=None if deletions is None else Deletions.from_domain(deletions))


def _fields(found: domain.Discovery) -> dict[str, Any]:
    return {
        "examined": found.examined,
        "truncated": found.is_truncated,
        "counts": dict(Counter(table.outcome for table in found.tables)),
        "tables": [DiscoveredTable.from_domain(table) for table in found.tables],
    }
