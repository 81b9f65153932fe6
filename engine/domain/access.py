"""Who calls: passed through all layers, so that every record says who asked for it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from engine.domain.ids import KeyId


class Role(StrEnum):
    """What a caller may do. Only `admin` keys exist so far."""

    ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class Caller:
    """The authenticated caller of one request; `subject` is what records show."""

    subject: str
    role: Role


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A stored key: only the SHA-256 of the secret is kept."""

    id: KeyId
    name: str
    role: Role
    secret_sha256: str
    created_at: datetime
    last_used_at: datetime | None = None


SYSTEM: Caller = Caller(subject="system", role=Role.ADMIN)
