"""Authentication of requests to a REST catalog: by a bearer token, or by a signature for DLF (`dlf`)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

_REMEDY: Final = "give the catalog's property `token` one that may do this"


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A request before it is sent; `path` is below the address of the catalog, and percent-encoded."""

    method: str
    path: str
    query: Mapping[str, str]
    body: bytes


class RequestAuth(Protocol):
    """Authenticates requests. Thread-safe."""

    def headers(self, request: Outgoing) -> Mapping[str, str]:
        """Return the headers that authenticate a request.

        Raises:
            StateConflict: the credentials can't be used.
            Away: their source does not answer.
        """

    def remedy(self, server_date: str) -> str:
        """Return what to do if the server refuses them, a clause; `server_date` is its header `Date`, or empty."""

    def secrets(self) -> Sequence[str]:
        """Return the texts that must not appear in messages."""


@dataclass(frozen=True, slots=True)
class BearerAuth:
    """A fixed token."""

    token: str

    def headers(self, request: Outgoing) -> Mapping[str, str]:  # noqa: ARG002
        """Return the header with the token."""
        return {"Authorization": f"Bearer {self.token}"}

    def remedy(self, server_date: str) -> str:  # noqa: ARG002
        """Name the property of the token."""
        return _REMEDY

    def secrets(self) -> Sequence[str]:
        """Return the token."""
        return [self.token]
