"""Source of query latency: the Prometheus server and query that the settings define, checked, and its bearer token."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from engine.domain.errors import InvalidInput
from engine.domain.fleet.backoff import FRESH
from engine.prometheus.queries import ANSWER_SECONDS, LatencyQuery
from engine.services.catalogs.secrets import is_reference, resolve_secrets

_LABEL_CHARACTERS: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_EXAMPLE: Final = "histogram_quantile(0.95, sum by (le) (rate(query_seconds_bucket[2m])))"


@dataclass(frozen=True, slots=True)
class LatencySource:
    """A Prometheus server and the query for latencies.

    Attributes:
        url: the server's base address, before `/api/v1/query`.
        query: PromQL whose value is the 95th percentile of query times in seconds.
        token: a reference to a bearer token (`env:NAME`, `file:/path`), read again for each query.
        table_label: the label that names the table of each series; None: one series, about the whole fleet.
        seconds: interval between two queries.
    """

    url: str
    query: str
    token: str | None = None
    table_label: str | None = None
    seconds: float = 30.0

    @classmethod
    def of(
        cls, *, url: str | None, query: str | None, token: str | None, table_label: str | None, seconds: float
    ) -> "LatencySource | None":
        """Return the source that the settings define, None when they have no server.

        Raises:
            InvalidInput: a setting lacks another one that it needs, or one of them is not valid.
        """
        if url is not None and query is not None:
            return cls(url, query, token, table_label, seconds)
        if url is not None:
            raise InvalidInput(
                "PACKHOUSE_LATENCY_QUERY is not set: set it to a PromQL query that returns the 95th percentile of "
                f"query seconds, such as {_EXAMPLE}, or unset PACKHOUSE_PROMETHEUS_URL"
            )
        given = {"PROMETHEUS_TOKEN": token, "LATENCY_QUERY": query, "LATENCY_TABLE_LABEL": table_label}
        if useless := [f"PACKHOUSE_{name}" for name, value in given.items() if value is not None]:
            message = f"{', '.join(useless)} without PACKHOUSE_PROMETHEUS_URL has no effect; set it, or unset them"
            raise InvalidInput(message)
        return None

    def __post_init__(self) -> None:
        """Check the settings.

        Raises:
            InvalidInput: names the setting, what is wrong with it, and the remedy.
        """
        if "@" in self.url:
            message = "PACKHOUSE_PROMETHEUS_URL: it contains credentials; use PACKHOUSE_PROMETHEUS_TOKEN"
            raise InvalidInput(message)
        if not _is_server(self.url):
            raise InvalidInput(
                f"PACKHOUSE_PROMETHEUS_URL: {self.url!r} is not a server address; give http(s)://host:port, without "
                "/api/v1/query"
            )
        if not self.query.strip():
            raise InvalidInput(f"PACKHOUSE_LATENCY_QUERY is empty; for example: {_EXAMPLE}")
        if self.token is not None and not is_reference(self.token):
            raise InvalidInput(
                "PACKHOUSE_PROMETHEUS_TOKEN is given in clear; give a reference: env:NAME, or file:/absolute/path"
            )
        label = self.table_label
        if label is not None and (not label or set(label) - _LABEL_CHARACTERS or label[0].isdigit()):
            raise InvalidInput(
                f"PACKHOUSE_LATENCY_TABLE_LABEL: {label!r} is not a label name; use letters, digits and _"
            )
        if not ANSWER_SECONDS <= self.seconds < FRESH.total_seconds():
            raise InvalidInput(
                f"PACKHOUSE_LATENCY_SECONDS: {self.seconds:g} must be at least {ANSWER_SECONDS:g}, and less than "
                f"{FRESH.total_seconds():g}, the time for which a measurement is valid"
            )

    def open_query(self, *, environ: Mapping[str, str], own_folder: Path) -> LatencyQuery:
        """Return the query. `environ` resolves the token's reference, which may not lead into `own_folder`."""
        token = partial(self._read_token, environ, own_folder)
        return LatencyQuery(url=self.url, query=self.query, token=token, table_label=self.table_label)

    def _read_token(self, environ: Mapping[str, str], own_folder: Path) -> str | None:
        if self.token is None:
            return None
        try:
            found = resolve_secrets({"token": self.token}, environ=environ, own=own_folder)
        except InvalidInput as error:
            said = error.problems[0].message if error.problems else error.message
            raise InvalidInput(f"PACKHOUSE_PROMETHEUS_TOKEN: {said}") from None
        token = found["token"]
        if not token or not token.isascii() or not token.isprintable() or " " in token:
            raise InvalidInput(f"PACKHOUSE_PROMETHEUS_TOKEN: {self.token} holds no bearer token")
        return token


def _is_server(url: str) -> bool:
    try:
        parts = urlsplit(url)
        has_port = parts.port is None or parts.port > 0
    except ValueError:
        return False
    has_more = bool(parts.query or parts.fragment) or parts.path.rstrip("/").endswith("/api/v1/query")
    return parts.scheme in {"http", "https"} and bool(parts.hostname) and has_port and not has_more
