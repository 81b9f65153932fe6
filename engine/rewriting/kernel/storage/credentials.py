"""Storage credentials of a task: renewed through the service before they end, and when the store refuses them.

The service opens the table again, so that a REST catalog vends new credentials; its own credentials never reach a task.
All tasks of an attempt in one process share theirs, and with them the connections to the store.
"""

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from engine.rewriting.kernel.kernel_task import SentKernelTask
from engine.rewriting.kernel.storage.posts import http_post

EARLY_SECONDS: Final = 60.0
"""Credentials are renewed this long before they end."""

RENEWED_SECONDS: Final = 1800.0
"""Temporary credentials that do not say when they end are renewed after this time, half of the hour that they last.

Unity Catalog vends such ones. Those that end earlier are renewed when a store refuses them.
"""

LEAST_SECONDS: Final = 5.0
"""Shortest time between two requests for credentials that are about to end."""

ANSWER_SECONDS: Final = 30.0
"""Longest wait for the service, which opens the table."""

_TOKENS: Final = ("s3.session-token", "client.session-token", "gcs.oauth2.token", "adls.sas-token", "adls.token")
_ENDS: Final = ("s3.session-token-expires-at-ms", "gcs.oauth2.token-expires-at", "adls.sas-token-expires-at-ms.")

Fetch = Callable[[], Mapping[str, str]]
"""Returns the properties of file access with new credentials. Raises OSError or ValueError."""


class Credentials:
    """The properties by which tasks reach a store, with the newest credentials. Thread safe."""

    def __init__(self, properties: Mapping[str, str], fetch: Fetch, clock: Callable[[], float] = time.time) -> None:
        self._properties = dict(properties)
        self._fetch = fetch
        self._clock = clock
        self._lock = threading.Lock()
        self._renewed_at = self._asked_at = clock()

    def current(self) -> Mapping[str, str]:
        """Return the properties, renewed first if they are about to end; the present ones if that fails."""
        now = self._clock()
        if now >= self._due_at() and now - self._asked_at >= LEAST_SECONDS:
            with self._lock:
                if self._clock() >= self._due_at() and self._clock() - self._asked_at >= LEAST_SECONDS:
                    self._renew()
        return self._properties

    def renew(self, refused: Mapping[str, str]) -> bool:
        """Renew credentials that a store refused; return whether there are others than `refused` now."""
        with self._lock:
            return self._properties != refused or self._renew()

    def newest(self) -> Mapping[str, str]:
        """Return the properties with credentials that are asked for now. Raises as `Fetch`."""
        found = {name: str(value) for name, value in self._fetch().items()}
        with self._lock:
            self._properties, self._renewed_at = found, self._clock()
        return found

    @property
    def present(self) -> Mapping[str, str]:
        """The properties as they are now; nothing is renewed."""
        return self._properties

    def _renew(self) -> bool:
        self._asked_at = self._clock()
        try:
            found = {name: str(value) for name, value in self._fetch().items()}
        except (OSError, ValueError, AttributeError):
            return False
        is_new = bool(found) and found != self._properties
        if is_new:
            self._properties, self._renewed_at = found, self._clock()
        return is_new

    def _due_at(self) -> float:
        """Return when to renew, as a Unix time."""
        properties = self._properties
        if not is_temporary(properties):
            return float("inf")
        ends = [int(value) / 1000 for name, value in properties.items() if name.startswith(_ENDS) and value.isdigit()]
        return min(ends) - EARLY_SECONDS if ends else self._renewed_at + RENEWED_SECONDS


class RenewedStorage(dict[str, str]):
    """The properties of file access from the load of a table, with the source of newer credentials.

    As a dictionary it does not change: connections to a store are kept by it, and ask `credentials` at each request.
    """

    def __init__(self, credentials: Credentials) -> None:
        super().__init__(credentials.present)
        self.credentials = credentials


def is_temporary(properties: Mapping[str, str]) -> bool:
    """Return whether properties of file access have credentials that end."""
    return any(name.startswith(_TOKENS) for name in properties)


@dataclass(frozen=True, slots=True)
class _CredentialSource:
    """The source of new credentials for an attempt's tasks."""

    url: str
    token: str
    run_id: str
    attempt: int

    def fetch(self) -> Mapping[str, str]:
        """Request the properties. Raises OSError, ValueError."""
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self.token}"}
        url = f"{self.url.rpartition('/')[0]}/credentials"
        answer = json.loads(http_post(url, headers, b"{}", ANSWER_SECONDS))
        storage: Mapping[str, str] = answer["storage"] if isinstance(answer, dict) and "storage" in answer else {}
        return storage


def credentials_of(sent: SentKernelTask) -> Credentials | None:
    """Return the credentials of a task; None for one without a channel to the service."""
    pace, identity = sent.pace, sent.task.identity
    if pace.channel_url is None:
        return None
    source = _CredentialSource(pace.channel_url, pace.channel_token or "", identity.run_id, identity.attempt)
    return _shared(source, tuple(sorted(sent.storage.items())))


@lru_cache(maxsize=64)
def _shared(source: _CredentialSource, given: tuple[tuple[str, str], ...]) -> Credentials:
    return Credentials(dict(given), source.fetch)
