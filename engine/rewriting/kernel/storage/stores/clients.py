"""Settings of the connections to all object stores: limits of time, private certificates, proxies."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from engine.outgoing.bounds import CallLimits
from engine.outgoing.relay import Relay
from engine.rewriting.kernel.errors import UNSUPPORTED_STORAGE, Refused

CONNECT_SECONDS: Final = 3.0
SILENT_SECONDS: Final = 10.0
"""Most seconds without a byte of an answer."""

WHOLE_SECONDS: Final = 900.0
"""Most seconds for a whole answer. A manifest of 512 MiB takes it at 5 Mbit/s."""

_CERTIFICATES: Final = ("AWS_CA_BUNDLE", "SSL_CERT_FILE")
"""Variables with the file of a private certificate authority."""


@dataclass(frozen=True, slots=True)
class Connection:
    """The connection to a bucket or container, as options of `obstore`.

    `config` are those of its store and `client` those of its HTTP client. `credential`: the part of `config` that can
    be renewed while the connection is open, as a credential provider returns it; None if there is none. `renewed`:
    the options that it stands for. `endpoint`: the address of a server that the properties name instead of the cloud's.
    """

    config: Mapping[str, Any]
    client: Mapping[str, Any]
    credential: Mapping[str, Any] | None = None
    renewed: tuple[str, ...] = ()
    endpoint: str = ""

    def without_credential(self) -> "Connection":
        """Return the connection without the options that its credential stands for."""
        config = {name: value for name, value in self.config.items() if name not in self.renewed}
        return replace(self, config=config)

    @property
    def is_complete(self) -> bool:
        """Whether the properties have the credentials for a request, or that none are sent."""
        return self.credential is not None or bool(self.config.get("skip_signature"))

    def limited(self, relay: Relay | None, *, body_bytes: int, seconds: float) -> Mapping[str, Any]:
        """Return the options of a client whose answers are limited by the relay, if the connection can go through it.

        It can with an endpoint of its own, credentials that need no other server, and without another proxy.

        Raises:
            Refused: `unsupported_storage`, for an endpoint that is not an address.
        """
        is_direct = "proxy_url" not in self.client and not _has_proxy()
        if relay is None or not self.endpoint or not self.is_complete or not is_direct:
            return self.client
        limits = CallLimits(seconds, body_bytes, self.client["connect_timeout"].total_seconds())
        try:
            return {**self.client, "proxy_url": relay.address_for(self.endpoint, limits)}
        except ValueError as error:
            raise Refused(UNSUPPORTED_STORAGE, f"the endpoint of the store: {error}") from None


def _has_proxy() -> bool:
    return any(
        os.environ.get(name) for each in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY") for name in (each, each.lower())
    )


def client_options(
    endpoint: str,
    *,
    connect_seconds: float = CONNECT_SECONDS,
    silent_seconds: float = SILENT_SECONDS,
    headers: Mapping[str, str] | None = None,
    proxy: str | None = None,
) -> dict[str, Any]:
    """Return the options of the HTTP client for a server; plain HTTP is used only if the endpoint says so."""
    options: dict[str, Any] = {
        "allow_http": endpoint.startswith("http://"),
        "connect_timeout": timedelta(seconds=connect_seconds),
        "read_timeout": timedelta(seconds=silent_seconds),
        "timeout": timedelta(seconds=WHOLE_SECONDS),
    }
    if bundle := next((os.environ[name] for name in _CERTIFICATES if os.environ.get(name)), None):
        options["root_certificate"] = Path(bundle).read_bytes()
    if headers:
        options["default_headers"] = dict(headers)
    return options | ({"proxy_url": proxy} if proxy else {})


def with_scheme(endpoint: str) -> str:
    """Return an endpoint as a URL; without a scheme it is reached by HTTPS."""
    return endpoint if "://" in endpoint else f"https://{endpoint}"
