"""Access keys for DLF: from properties, a file that another program renews, or the role of an ECS instance."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from threading import Lock
from typing import Any, Final, Protocol

from engine.domain.errors import Away, CredentialsExpired, StateConflict
from engine.domain.fleet.dependencies import DependencyKind
from engine.formats.intake.errors import printable
from engine.outgoing.bounds import CallLimits
from engine.outgoing.calls import CallFailed, send

ECS_URL: Final = "http://100.100.100.200/latest/meta-data/Ram/security-credentials/"
"""Address at which an instance of ECS asks for the keys of its role."""

_LIMITS: Final = CallLimits(10.0, 64 * 2**10, 5.0)
_SAFE_SECONDS: Final = 3600.0
"""Keys with less time left are asked for again, as in Paimon."""
_PAUSE_SECONDS: Final = 60.0
"""At least this time is between two questions for the keys of a role."""
_LONGEST: Final = 16 * 2**10
_LONGEST_ROLE: Final = 256


@dataclass(frozen=True, slots=True)
class DlfKeys:
    """An access key. `token` is that of temporary ones, empty without; `expires_at` is None for lasting ones."""

    key_id: str
    secret: str = field(repr=False)
    token: str = field(default="", repr=False)
    expires_at: datetime | None = None


class KeySource(Protocol):
    """A source of keys. Thread-safe."""

    @property
    def properties(self) -> str:
        """The properties that decide about the keys, in words."""

    def keys(self) -> DlfKeys:
        """Return keys that can be used.

        Raises:
            StateConflict: they can't be read.
            CredentialsExpired: their time is over, and the source has no newer ones.
            Away: the source does not answer.
        """


@dataclass(frozen=True, slots=True)
class FixedKeys:
    """Keys of properties, or of the text of a file, which is read again with each use of the catalog."""

    found: DlfKeys
    properties: str = "dlf.access-key-id, dlf.access-key-secret"

    def keys(self) -> DlfKeys:
        """Return the keys. Raises CredentialsExpired."""
        if self.found.expires_at is not None and self.found.expires_at <= datetime.now(UTC):
            raise CredentialsExpired(
                f"the keys of {self.properties} expired at {self.found.expires_at:%Y-%m-%d %H:%M:%S} UTC: let the "
                "program that renews this file write newer ones"
            )
        return self.found


class InstanceKeys:
    """The keys of the role of an ECS instance, which are kept until an hour before their end.

    `role`: its name, None: that which the instance names. `url`: the address to ask at.
    """

    properties = "dlf.token-loader (ecs), dlf.token-ecs-role-name"

    def __init__(self, role: str | None = None, *, url: str = ECS_URL) -> None:
        self._role, self._url = role, url
        self._lock = Lock()
        self._kept: DlfKeys | None = None
        self._asked_at = -_PAUSE_SECONDS

    def keys(self) -> DlfKeys:
        """Return the keys; the metadata service is asked at most once a minute. Raises StateConflict, Away."""
        with self._lock:
            kept = self._kept
            if kept is None or (self._is_old(kept) and time.monotonic() - self._asked_at >= _PAUSE_SECONDS):
                kept = self._kept = self._asked()
                self._asked_at = time.monotonic()
            return kept

    def _asked(self) -> DlfKeys:
        role = self._role or self._get("").strip()
        if not role or "/" in role or not role.isprintable() or len(role) > _LONGEST_ROLE:
            raise StateConflict(f"the ECS instance names no role whose keys DLF could get: give it one, or {_INSTEAD}")
        return keys_in(self._get(role), source="the metadata service of the ECS instance")

    def _get(self, name: str) -> str:
        try:
            answer = send("GET", f"{self._url}{name}", limits=_LIMITS)
        except CallFailed as error:
            raise Away(DependencyKind.CATALOG, f"the metadata service of the ECS instance: {error}") from error
        if answer.status != 200:  # noqa: PLR2004
            raise StateConflict(
                f"the metadata service of the ECS instance answers {answer.status} for the role "
                f"{printable(name[:80]) or 'of the instance'}: correct dlf.token-ecs-role-name, or {_INSTEAD}"
            )
        return answer.body.decode(errors="replace")

    @staticmethod
    def _is_old(keys: DlfKeys) -> bool:
        return keys.expires_at is not None and (keys.expires_at - datetime.now(UTC)).total_seconds() < _SAFE_SECONDS


_INSTEAD: Final = "give dlf.access-key-id and dlf.access-key-secret"


def keys_in(text: str, *, source: str) -> DlfKeys:
    """Return the keys of a JSON document, as `DLFToken` of Paimon reads them. Raises StateConflict."""
    found = _fields(text)
    names = ("AccessKeyId", "AccessKeySecret")
    if found is None or not all(isinstance(found.get(name), str) and found[name] for name in names):
        raise StateConflict(f"{source} is not a JSON object with {' and '.join(names)}")
    token, expiration = found.get("SecurityToken"), found.get("Expiration")
    try:
        until = None if expiration is None else datetime.strptime(expiration, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    except (TypeError, ValueError):
        raise StateConflict(f"{source} has an Expiration that is not of the form 2026-01-31T12:00:00Z") from None
    return DlfKeys(found["AccessKeyId"], found["AccessKeySecret"], token if isinstance(token, str) else "", until)


def _fields(text: str) -> Mapping[str, Any] | None:
    if len(text) > _LONGEST:
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
