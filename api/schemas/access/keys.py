"""API keys and the caller on the wire. A secret is in one answer only: that of its making."""

from typing import Annotated, Self

from pydantic import ConfigDict, Field

from api.schemas.common import Answer, Instant, JsonObject, Listed, Request
from engine.domain.access.callers import ApiKey, Caller, Role
from engine.domain.values.strict import Instant as WrittenInstant
from engine.domain.values.strict import OneLine
from engine.services.access.keys import KeyRequest

Team = Annotated[OneLine, Field(min_length=1, max_length=200)]
_LATER = "2027-11-01T00:00:00Z"
_TEAMS = Field(
    default=None,
    description="Teams whose tables the caller sees and may change; null for every team.",
    examples=[["sales"]],
)


_EXAMPLE: JsonObject = {"name": "etl", "role": "operator", "teams": ["sales"], "expires_at": _LATER}
_ADMINS_HAVE_NO_TEAMS: JsonObject = {
    "anyOf": [
        {"properties": {"role": {"enum": [role.value for role in Role if role is not Role.ADMIN]}}},
        {"properties": {"teams": {"not": {"type": "array", "items": {}}}}},
    ]
}


class KeyCreate(Request):
    """A key to make."""

    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE], "allOf": [_ADMINS_HAVE_NO_TEAMS]})

    name: str = Field(
        description="Name of its holder; two live keys may share a name while one replaces the other.",
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$",
        examples=["etl"],
    )
    role: Role = Field(description="Role of the key; each role includes the rights of the ones before it.")
    teams: Annotated[list[Team], Field(min_length=1, max_length=100)] | None = _TEAMS
    expires_at: WrittenInstant | None = Field(
        default=None, description="From then on it is refused; null for never.", examples=[_LATER]
    )

    def to_domain(self) -> KeyRequest:
        """Return the specification of the key."""
        teams = None if self.teams is None else tuple(sorted(set(self.teams)))
        return KeyRequest(self.name, self.role, teams, self.expires_at)


class Key(Answer):
    """An API key, without its secret."""

    id: str = Field(examples=["key_01jd2m6v8n4q0x7y3k5r9t1wbz"])
    name: str
    slot: int = Field(description="1 or 2: which of the two live keys of its name.")
    role: Role
    teams: list[str] | None = _TEAMS
    created_at: Instant
    created_by: str
    expires_at: Instant | None = None
    revoked_at: Instant | None = None
    last_used_at: Instant | None = Field(default=None, description="To the minute.")

    @classmethod
    def from_domain(cls, key: ApiKey) -> Self:
        """Return the wire form."""
        return cls(
            id=key.id,
            name=key.name,
            slot=key.slot,
            role=key.role,
            teams=None if key.teams is None else list(key.teams),
            created_at=key.created_at,
            created_by=key.created_by,
            expires_at=key.expires_at,
            revoked_at=key.revoked_at,
            last_used_at=key.last_used_at,
        )


class KeyCreated(Key):
    """A new key with its secret, which is shown this once."""

    secret: str = Field(
        description="Send it as `Authorization: Bearer …`; it can't be shown again.", examples=["pkh_9f3c…"]
    )

    @classmethod
    def of(cls, key: ApiKey, secret: str) -> Self:
        """Return the wire form."""
        return cls(**Key.from_domain(key).model_dump(), secret=secret)


class KeyList(Listed[Key, ApiKey]):
    """Keys, newest first; revoked and expired ones too."""


class Whoami(Answer):
    """The caller of this request."""

    subject: str = Field(
        description="Name of the caller in records: `key:` and a name, or `oidc:` and a subject.", examples=["key:etl"]
    )
    role: Role
    teams: list[str] | None = _TEAMS

    @classmethod
    def from_domain(cls, caller: Caller) -> Self:
        """Return the wire form."""
        teams = caller.visible_teams
        return cls(subject=caller.subject, role=caller.role, teams=None if teams is None else sorted(teams))
