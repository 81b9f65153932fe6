"""Grants of catalogs on the wire."""

from typing import Annotated, Self

from pydantic import ConfigDict, Field

from api.schemas.access.keys import Team
from api.schemas.common import Answer, JsonObject, Request
from engine.domain.access import grants as domain
from engine.domain.access.callers import Caller
from engine.domain.access.grants import MAX_GRANTS, MAX_PATTERN_CHARACTERS, MAX_PATTERNS, Right, held
from engine.domain.tables import table as tables
from engine.domain.values.strict import OneLine

_EXAMPLE: JsonObject = {"team": "sales", "namespaces": ["sales", "sales.*"], "rights": ["discover", "register"]}
_Pattern = Annotated[OneLine, Field(min_length=1, max_length=MAX_PATTERN_CHARACTERS)]


class GrantWrite(Request):
    """Rights of one team on the tables of some namespaces of a catalog."""

    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE]})

    team: Team = Field(description="The team; `*` is every team.", examples=["sales"])
    namespaces: list[_Pattern] = Field(
        default=["*"],
        description=(
            "Patterns of namespaces with their levels joined by dots: `*` is any characters, `?` is one. `sales` "
            "covers that namespace, `sales.*` those inside it, `*` all."
        ),
        min_length=1,
        max_length=MAX_PATTERNS,
        examples=[["sales", "sales.*"]],
    )
    rights: list[Right] = Field(
        description=(
            "`discover`: list the tables. `register`: register tables for its own teams. `read`: read registered "
            "tables of other teams without changing them."
        ),
        min_length=1,
        max_length=len(Right),
        json_schema_extra={"uniqueItems": True},
    )

    def to_domain(self) -> domain.Grant:
        """Return the grant."""
        return domain.Grant(
            self.team, tuple(dict.fromkeys(self.namespaces)), tuple(right for right in Right if right in self.rights)
        )


class Grant(Answer):
    """Rights of one team on the tables of some namespaces of a catalog."""

    team: str = Field(description="The team; `*` is every team.")
    namespaces: list[str] = Field(description="Patterns of namespaces with their levels joined by dots.")
    rights: list[Right]

    @classmethod
    def from_domain(cls, grant: domain.Grant) -> Self:
        """Return the wire form."""
        return cls(team=grant.team, namespaces=list(grant.namespaces), rights=list(grant.rights))


GrantList = Annotated[
    list[GrantWrite],
    Field(description="Rights of teams on its tables; empty: only admins see the catalog.", max_length=MAX_GRANTS),
]


class GrantsReplace(Request):
    """All grants of a catalog."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"grants": [_EXAMPLE]}]})

    grants: GrantList


class CatalogGrants(Answer):
    """The grants of a catalog."""

    catalog: str
    version: int = Field(description="Version of the catalog; the ETag is this in quotes.")
    grants: list[Grant] = Field(description="Admins see all grants, other callers their own.")

    @classmethod
    def from_domain(cls, catalog: tables.Catalog, caller: Caller) -> Self:
        """Return the wire form of the grants that the caller sees."""
        return cls(catalog=catalog.name, version=catalog.version, grants=grants_shown(catalog, caller))


def grants_shown(catalog: tables.Catalog, caller: Caller) -> list[Grant]:
    """Return the wire form of the grants of a catalog that the caller sees."""
    return [Grant.from_domain(grant) for grant in held(caller, catalog.grants)]
