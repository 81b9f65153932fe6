"""The authenticated caller of a request, passed through all layers for access checks and for the audit log.

Each role includes the lower ones: viewer < planner < operator < owner < admin. A planner asks for dry runs of runs and
writes nothing, as a job that checks a pull request does. Teams limit what a caller sees and changes: tables of other
teams are reported as not found. A caller of every team (`teams` is None) also sees tables without a team.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from engine.domain.errors import Forbidden
from engine.domain.ids import KeyId


class Role(StrEnum):
    """Role of a caller: each has the rights of those before it."""

    VIEWER = "viewer"
    PLANNER = "planner"
    OPERATOR = "operator"
    OWNER = "owner"
    ADMIN = "admin"

    def includes(self, other: "Role") -> bool:
        """Return whether this role has all permissions of the other; roles of newer versions have none."""
        return _STRENGTH.get(self, -1) >= _STRENGTH[other]


_STRENGTH: Final = {role: strength for strength, role in enumerate(Role)}


@dataclass(frozen=True, slots=True)
class Caller:
    """The authenticated caller of one request; records show its `subject`, and `teams` None means every team.

    `key_id` is the API key of the request, None for tokens of an identity provider and for the system. The credential
    is refused from `expires_at` on.
    """

    subject: str
    role: Role
    teams: frozenset[str] | None = None
    request_id: str | None = None
    key_id: KeyId | None = None
    expires_at: datetime | None = None

    def sees(self, owner_team: str | None) -> bool:
        """Return whether the caller may see objects of this team (None: objects without a team)."""
        return self.role is Role.ADMIN or self.teams is None or owner_team in self.teams

    @property
    def visible_teams(self) -> frozenset[str] | None:
        """The teams whose objects lists may show; None for all objects, including those without a team."""
        return None if self.role is Role.ADMIN else self.teams


def require_role(caller: Caller, wanted: Role) -> None:
    """Raise `Forbidden` unless the caller's role includes the wanted one."""
    if not caller.role.includes(wanted):
        raise Forbidden(f"this needs the role {wanted.value!r}; {caller.subject} has the role {caller.role.value!r}")


def require_team(caller: Caller, owner_team: str | None) -> None:
    """Raise `Forbidden` unless the caller may assign a table to this team (None: to no team)."""
    if caller.sees(owner_team):
        return
    own = ", ".join(sorted(caller.teams or ())) or "none"
    wanted = "a table without an owner team" if owner_team is None else f"a table of the team {owner_team!r}"
    raise Forbidden(f"{caller.subject} may not have {wanted}; its teams are: {own}")


def require_every_team(caller: Caller, what: str) -> None:
    """Raise `Forbidden` unless the caller belongs to every team; `what` is the requested data, as a noun phrase."""
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
        """Return whether the key authenticates at this instant."""
        return self.revoked_at is None and (self.expires_at is None or at < self.expires_at)

    def described(self) -> dict[str, Any]:
        """Return the fields of the key that the audit log records."""
        return {
            "name": self.name,
            "slot": self.slot,
            "role": self.role,
            "teams": self.teams,
            "expires_at": self.expires_at,
        }

    @property
    def subject(self) -> str:
        """The subject of callers that use the key, as records show it."""
        return f"key:{self.name}"


SYSTEM: Final = Caller(subject="system", role=Role.ADMIN)

COORDINATOR: Final = Caller(subject="coordinator", role=Role.ADMIN)
"""The caller that submits automatic runs."""
