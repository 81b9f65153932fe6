"""Discovery on the wire: the tables of a catalog, and what becomes of each."""

from collections import Counter
from typing import Annotated, Final, Self

from pydantic import ConfigDict, Field, StringConstraints, model_validator

from api.schemas.common import LABEL_KEYS, Answer, JsonObject, LabelKey, LabelValue, OwnerTeam, Request
from api.schemas.policies.effects import Deletions
from engine.domain.tables import discoveries as domain
from engine.domain.tables.discoveries import DiscoveryOutcome
from engine.domain.tables.table import MAX_LABELS
from engine.domain.values.strict import Flag, OneLine, Whole
from engine.services.policies.acknowledgements import DeletionPreview

_OF_REGISTERED: Final = ("owner_team", "labels", "paused", "dry_run", "limit")
_ONLY_WITH_REGISTER: JsonObject = {
    "anyOf": [
        {"required": ["register"], "properties": {"register": {"const": True}}},
        {"propertyNames": {"enum": ["pattern", "register"]}},
    ]
}


class DiscoverRequest(Request):
    """Tables to look for, and whether to register them."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"pattern": "sales.*", "register": True, "owner_team": "sales"}],
            "allOf": [_ONLY_WITH_REGISTER],
        }
    )

    pattern: Annotated[OneLine, StringConstraints(min_length=1, max_length=255)] = Field(
        default="*", description="Matched against `namespace.name`: `*` is any characters, `?` is one."
    )
    registers: Flag = Field(default=False, alias="register", description="Register those that match and can be.")
    owner_team: OwnerTeam | None = Field(default=None, description="The team of those that are registered.")
    labels: dict[LabelKey, LabelValue] = Field(
        default={},
        description="Labels of those that are registered.",
        max_length=MAX_LABELS,
        json_schema_extra=LABEL_KEYS,
    )
    paused: Flag = Field(default=False, description="Pause those that are registered, until each is resumed.")
    dry_run: Flag = Field(default=False, description="With `register`: open each table, register none.")
    limit: Whole = Field(
        default=200, ge=1, le=1000, description="Maximum number of tables to register with this request."
    )

    @model_validator(mode="after")
    def _means_something(self) -> Self:
        given = self.model_fields_set & set(_OF_REGISTERED)
        if given and not self.registers:
            message = f"{', '.join(sorted(given))}: only with register: true"
            raise ValueError(message)
        return self

    def to_domain(self, acknowledge: str | None) -> domain.DiscoveryRequest:
        """Return the request of the domain."""
        return domain.DiscoveryRequest(
            pattern=self.pattern,
            registers=self.registers,
            owner_team=self.owner_team,
            labels=self.labels,
            is_dry_run=self.dry_run,
            limit=self.limit,
            paused=self.paused,
            acknowledge=acknowledge,
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
    tables: list[DiscoveredTable]
    deletions: Deletions | None = Field(
        description="Of a dry run: what policies would delete of the tables once they are registered, with the token "
        "to register them with; null: nothing."
    )

    @classmethod
    def from_domain(cls, found: domain.Discovery, deletions: DeletionPreview | None) -> Self:
        """Return the wire form."""
        return cls(
            examined=found.examined,
            truncated=found.is_truncated,
            counts=dict(Counter(table.outcome for table in found.tables)),
            tables=[DiscoveredTable.from_domain(table) for table in found.tables],
            deletions=None if deletions is None else Deletions.from_domain(deletions),
        )
