"""What the connections to all object stores have in common: limits of time, private certificates, proxies."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

CONNECT_SECONDS: Final = 3.0
SILENT_SECONDS: Final = 10.0
"""Most seconds without a byte of an answer."""

_CERTIFICATES: Final = ("AWS_CA_BUNDLE", "SSL_CERT_FILE")
"""Variables with the file of a private certificate authority."""


@dataclass(frozen=True, slots=True)
class Connection:
    """How a bucket or container is reached, as options of `obstore`.

    `config` are those of its store and `client` those of its HTTP client. `credential`: the part of `config` that can
    be renewed while the connection is open, as a credential provider returns it; None if there is none. `renewed`:
    the options that it stands for.
    """

    config: Mapping[str, Any]
    client: Mapping[str, Any]
    credential: Mapping[str, Any] | None = None
    renewed: tuple[str, ...] = ()

    def without_credential(self) -> "Connection":
        """Return the connection without the options that its credential stands for."""
        config = {name: value for name, value in self.config.items() if name not in self.renewed}
        return replace(self, config=config)


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
        "timeout": timedelta(hours=1),  # of a whole answer, which a slow line takes its time for
    }
    if bundle := next((os.environ[name] for name in _CERTIFICATES if os.environ.get(name)), None):
        options["root_certificate"] = Path(bundle).read_bytes()
    if headers:
        options["default_headers"] = dict(headers)
    return options | ({"proxy_url": proxy} if proxy else {})


def with_scheme(endpoint: str) -> str:
    """Return an endpoint as a URL; without a scheme it is reached by HTTPS."""
    return endpoint if "://" in endpoint else f"https://{endpoint}"
