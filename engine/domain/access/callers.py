"""Who calls: passed through all layers, so that every record says who asked for it, and what the caller may see.

Roles contain one another: viewer < operator < owner < admin. Teams narrow what a caller sees and changes: a table of
another team does not exist for it. A caller of every team (`teams` is None) also sees tables that no team owns.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from engine.domain.errors import Forbidden
from engine.domain.ids import KeyId


class Role(StrEnum):
    """What a caller may do."""

    VIEWER = "viewer"
    OPERATOR = "operator"
    OWNER = "owner"
    ADMIN = "admin"

    def includes(self, other: "Role") -> bool:
        """Return True when this role may do all that the other may; a role of a newer version may nothing."""
        return _STRENGTH.get(self, -1) >= _STRENGTH[other]


_STRENGTH: Final = {role: strength for strength, role in enumerate(Role)}


@dataclass(frozen=True, slots=True)
class Caller:
    """The authenticated caller of one request; `subject` is what records show, `teams` None means every team.

    `key_id` is the API key that it came with, None for tokens of an identity provider and for the system; from
    `expires_at` on the credential is refused.
    """

    subject: str
    role: Role
    teams: frozenset[str] | None = None
    request_id: str | None = None
    key_id: KeyId | None = None
    expires_at: datetime | None = None

    def sees(self, owner_team: str | None) -> bool:
        """Return True when objects of this team (None: of no team) exist for the caller."""
        return self.role is Role.ADMIN or self.teams is None or owner_team in self.teams

    @property
    def visible_teams(self) -> frozenset[str] | None:
        """The teams whose objects lists may show; None for all and for those of no team."""
        return None if self.role is Role.ADMIN else self.teams


def require_role(caller: Caller, wanted: Role) -> None:
    """Raise `Forbidden` unless the caller's role includes the wanted one."""
    if not caller.role.includes(wanted):
        raise Forbidden(f"this needs the role {wanted.value!r}; {caller.subject} has the role {caller.role.value!r}")


def require_team(caller: Caller, owner_team: str | None) -> None:
    """Raise `Forbidden` unless the caller may give a table to this team (None: to none)."""
    if caller.sees(owner_team):
        return
    own = ", ".join(sorted(caller.teams or ())) or "none"
    wanted = "a table without an owner team" if owner_team is None else f"a table of the team {owner_team!r}"
    raise Forbidden(f"{caller.subject} may not have {wanted}; its teams are: {own}")


def require_every_team(caller: Caller, what: str) -> None:
    """Raise `Forbidden` unless the caller is one of every team, which `what` (a noun phrase) is shown to."""
    if caller.visible_teams is not None:
        own = ", ".join(sorted(caller.visible_teams)) or "none"
        raise Forbidden(f"{what}: only for keys of every team (made without `teams`); {caller.subject} has: {own}")


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A stored key: only the SHA-256 of the secret is kept.

    Two live keys may share a name while one replaces the other.
    """

    id: KeyId
    name: str
    slot: int
    role: Role
    secret_sha256: str
    created_at: datetime
    created_by: str
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    last_used_at: datetime | None = None
    teams: tuple[str, ...] | None = None

    def is_live(self, at: datetime) -> bool:
        """Return True when the key authenticates at this instant."""
        return self.revoked_at is None and (self.expires_at is None or at < self.expires_at)

    def described(self) -> dict[str, Any]:
        """Return what the audit log tells of the key."""
        return {
            "name": self.name,
            "slot": self.slot,
            "role": self.role,
            "teams": self.teams,
            "expires_at": self.expires_at,
        }

    @property
    def subject(self) -> str:
        """What records show of whoever holds the key."""
        return f"key:{self.name}"


SYSTEM: Final = Caller(subject="system", role=Role.ADMIN)

COORDINATOR: Final = Caller(subject="coordinator", role=Role.ADMIN)
"""Who asks for runs that begin by themselves."""
