"""Query a Prometheus server for query latency, and parse the answer.

The answer is untrusted: its size and time are bounded, no redirect is followed (a token would be sent along), and only
values that are clearly a number of seconds of a clearly named table are accepted.
"""

import asyncio
import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import httpx

from engine.domain.errors import InvalidInput, Transient
from engine.domain.fleet.backoff import FRESH
from engine.domain.tables.signals import MAX_SECONDS
from engine.services.catalogs.secrets import is_reference, resolve_secrets

ANSWER_SECONDS: Final = 5.0
MOST_BYTES: Final = 2 * 2**20
MOST_SERIES: Final = 1000
_LABEL_CHARACTERS: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_SHOWN: Final = 200
_EXAMPLE: Final = "histogram_quantile(0.95, sum by (le) (rate(query_seconds_bucket[2m])))"


class Unreadable(Transient):
    """An answer that is no result of the query; `outcome` is its name in metrics."""

    def __init__(self, message: str, *, outcome: str) -> None:
        super().__init__(message)
        self.outcome = outcome


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


@dataclass(frozen=True, slots=True)
class LatencyAnswer:
    """Parsed answer: seconds by the label's value ("" without a label), and counts of unusable series by reason.

    The reasons: `not_a_number`, `out_of_range`, `unlabelled`, `several` (more than one about the same).
    """

    seconds: Mapping[str, float] = field(default_factory=dict)
    refused: Mapping[str, int] = field(default_factory=dict)


class LatencyQuery:
    """Queries one source. `environ` resolves the token's reference, which may not lead into `own_folder`."""

    def __init__(self, *, source: LatencySource, environ: Mapping[str, str], own_folder: Path) -> None:
        self._source = source
        self._environ = environ
        self._own_folder = own_folder
        self._client: httpx.AsyncClient | None = None

    async def ask(self) -> LatencyAnswer:
        """Send the query once and return the parsed answer.

        Raises:
            Unreadable: the answer is no result; the message names the finding and the remedy.
            Transient: the server does not answer in time.
            InvalidInput: the token's reference can't be resolved.
        """
        headers = {"Accept-Encoding": "identity"} | await asyncio.to_thread(self._authorization)
        client = self._client = self._client or httpx.AsyncClient(
            timeout=ANSWER_SECONDS, follow_redirects=False, trust_env=False
        )
        address = f"{self._source.url.rstrip('/')}/api/v1/query"
        form = {"query": self._source.query, "timeout": f"{ANSWER_SECONDS:g}s"}
        try:
            async with (
                asyncio.timeout(ANSWER_SECONDS),
                client.stream("POST", address, data=form, headers=headers) as response,
            ):
                body = await _read(response)
        except (httpx.HTTPError, httpx.InvalidURL, TimeoutError, OSError) as error:
            what = str(error) or type(error).__name__
            raise Transient(f"{address} (PACKHOUSE_PROMETHEUS_URL) did not answer: {what}") from error
        return answer_of(result_of(response, body), self._source.table_label)

    async def close(self) -> None:
        """Close the connection."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    def _authorization(self) -> dict[str, str]:
        if self._source.token is None:
            return {}
        try:
            found = resolve_secrets({"token": self._source.token}, environ=self._environ, own=self._own_folder)
        except InvalidInput as error:
            said = error.problems[0].message if error.problems else error.message
            raise InvalidInput(f"PACKHOUSE_PROMETHEUS_TOKEN: {said}") from None
        token = found["token"]
        if not token or not token.isascii() or not token.isprintable() or " " in token:
            raise InvalidInput(f"PACKHOUSE_PROMETHEUS_TOKEN: {self._source.token} holds no bearer token")
        return {"Authorization": f"Bearer {token}"}


def _is_server(url: str) -> bool:
    try:
        parts = urlsplit(url)
        has_port = parts.port is None or parts.port > 0
    except ValueError:
        return False
    has_more = bool(parts.query or parts.fragment) or parts.path.rstrip("/").endswith("/api/v1/query")
    return parts.scheme in {"http", "https"} and bool(parts.hostname) and has_port and not has_more


async def _read(response: httpx.Response) -> bytes:
    if response.headers.get("Content-Encoding", "identity") != "identity":
        raise Unreadable("Prometheus compressed its answer although it was asked not to", outcome="refused")
    body = bytearray()
    async for part in response.aiter_raw():
        body += part
        if len(body) > MOST_BYTES:
            message = f"the answer to PACKHOUSE_LATENCY_QUERY is longer than {MOST_BYTES} bytes: aggregate it"
            raise Unreadable(message, outcome="refused")
    return bytes(body)


def result_of(response: httpx.Response, body: bytes) -> Mapping[str, Any]:
    """Return the `data` of an answer of Prometheus' HTTP API (`/api/v1/query`).

    Raises:
        Unreadable: it is an error, or no answer of this API.
    """
    if response.is_redirect:
        where = response.headers.get("Location", "")[:_SHOWN]
        message = f"Prometheus redirects to {where!r}, which is not followed: correct PACKHOUSE_PROMETHEUS_URL"
        raise Unreadable(message, outcome="refused")
    if response.status_code in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        message = f"Prometheus answers {response.status_code}: see PACKHOUSE_PROMETHEUS_TOKEN"
        raise Unreadable(message, outcome="refused")
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict) or document.get("status") not in {"success", "error"}:
        message = f"{response.url} answers {response.status_code} with something other than the Prometheus API does"
        raise Unreadable(message, outcome="refused")
    if document["status"] == "error":
        said = str(document.get("error"))[:_SHOWN]
        raise Unreadable(f"Prometheus refuses PACKHOUSE_LATENCY_QUERY: {said}", outcome="refused")
    data = document.get("data")
    return data if isinstance(data, dict) else {}


def answer_of(data: Mapping[str, Any], table_label: str | None) -> LatencyAnswer:
    """Parse a result by the values of the label (None: one series for the fleet).

    Raises:
        Unreadable: it is no instant vector and no scalar, or has more than `MOST_SERIES` series.
    """
    series = _series_of(data)
    if len(series) > MOST_SERIES:
        message = f"PACKHOUSE_LATENCY_QUERY has {len(series)} series; at most {MOST_SERIES} are accepted: aggregate it"
        raise Unreadable(message, outcome="refused")
    refused: Counter[str] = Counter()
    found: dict[str, list[float]] = {}
    for labels, value in series:
        name = "" if table_label is None else labels.get(table_label)
        if not isinstance(name, str) or (table_label is not None and not name):
            refused["unlabelled"] += 1
        elif (seconds := _seconds_of(value)) is None:
            refused["not_a_number"] += 1
        elif not 0 <= seconds <= MAX_SECONDS:
            refused["out_of_range"] += 1
        else:
            found.setdefault(name, []).append(seconds)
    refused["several"] = sum(len(values) for values in found.values() if len(values) > 1)
    alone = {name: values[0] for name, values in found.items() if len(values) == 1}
    return LatencyAnswer(alone, +refused)


def _series_of(data: Mapping[str, Any]) -> Sequence[tuple[Mapping[str, Any], Any]]:
    kind, result = data.get("resultType"), data.get("result")
    if not isinstance(result, list) or kind not in {"vector", "scalar"}:
        message = f"PACKHOUSE_LATENCY_QUERY is a {str(kind)[:_SHOWN]!r}; it must be an instant vector or a scalar"
        raise Unreadable(message, outcome="refused")
    if kind == "scalar":
        return [({}, result)]
    each = [entry if isinstance(entry, dict) else {} for entry in result]
    labels = [entry.get("metric") for entry in each]
    return [
        (metric if isinstance(metric, dict) else {}, entry.get("value"))
        for metric, entry in zip(labels, each, strict=True)
    ]


def _seconds_of(value: Any) -> float | None:
    """Return the number of a sample `[time, "text"]`; None if it is no number, as for 0/0 and empty histograms."""
    text = value[1] if isinstance(value, list) and len(value) == 2 else None  # noqa: PLR2004 - a pair
    try:
        seconds = float(text) if isinstance(text, str) else math.nan
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) else None
