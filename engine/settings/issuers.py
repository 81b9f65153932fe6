"""Settings of one more identity provider, such as that of a CI system, whose tokens are accepted as well."""

from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from engine.domain.access.callers import Role

IssuerName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,31}$")]


class MoreIssuer(BaseModel):
    """An issuer with its own mapping to roles and teams.

    Anyone may be able to get a token of a public issuer, so values that no map lists have no role and no team.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    issuer: str
    audience: str | None = None
    role_claim: str
    role_map: dict[str, Role] = Field(min_length=1)
    teams_claim: str | None = None
    teams_map: dict[str, str] = {}

    @model_validator(mode="after")
    def _teams_are_listed(self) -> Self:
        if (self.teams_claim is None) != (not self.teams_map):
            raise ValueError("teams_claim and teams_map are given together, or neither")
        return self
