"""Requests with an `Idempotency-Key`, and their stored answers."""

from collections.abc import Mapping
from dataclasses import dataclass

from engine.domain.errors import StateConflict


@dataclass(frozen=True, slots=True)
class KeyedRequest:
    """One sending of a request with a key. `caller` and `route` are the scope of the key.

    `refusals`: how many sendings with this key had been refused when this one began.
    """

    caller: str
    route: str
    key: str
    body_hash: str
    refusals: int = 0

    @property
    def scope(self) -> tuple[str, str, str]:
        """The caller, the route and the key: each has one stored answer."""
        return self.caller, self.route, self.key


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """The answer of a request: sent now, and again for each repeat of the request."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Superseded(StateConflict):
    """Another sending of the same request was answered or refused first: this one must not change anything."""

    def __init__(self, requests: frozenset[KeyedRequest] = frozenset()) -> None:
        message = (
            "another sending of this request with the same Idempotency-Key was refused while this one was in flight, "
            "so this one changed nothing: send the request again"
        )
        super().__init__(message, details={"constraint": "superseded"})
        self.requests = requests
