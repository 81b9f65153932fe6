"""Query a Prometheus server for query latency, and parse the answer.

The answer is untrusted: its size and time are bounded, no redirect is followed (a token would be sent along), and only
values that are clearly a number of seconds of a clearly named table are accepted.
"""

import asyncio
import json
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlencode

from engine.domain.errors import Transient
from engine.domain.tables.signals import MAX_SECONDS
from engine.outgoing.bounds import CallLimits
from engine.outgoing.calls import CallFailed, HttpAnswer, Unacceptable, origin, send

ANSWER_SECONDS: Final = 5.0
MOST_BYTES: Final = 2 * 2**20
MOST_SERIES: Final = 1000
_SHOWN: Final = 200


class Unreadable(Transient):
    """An answer that is not a result of the query; `outcome` is its name in metrics."""

    def __init__(self, message: str, *, outcome: str) -> None:
        super().__init__(message)
        self.outcome = outcome


@dataclass(frozen=True, slots=True)
class LatencyAnswer:
    """Parsed answer: seconds by the label's value ("" without a label), and counts of unusable series by reason.

    The reasons: `not_a_number`, `out_of_range`, `unlabelled`, `several` (more than one about the same).
    """

    seconds: Mapping[str, float] = field(default_factory=dict)
    refused: Mapping[str, int] = field(default_factory=dict)


class LatencyQuery:
    """Sends one query to one server.

    Args:
        url: the server's base address, before `/api/v1/query`.
        query: PromQL whose value is the 95th percentile of query times in seconds.
        token: returns the bearer token, None for none; called in a thread for each query.
        table_label: the label that names the table of each series; None: one series, about the whole fleet.
    """

    def __init__(self, *, url: str, query: str, token: Callable[[], str | None], table_label: str | None) -> None:
        self._address = f"{url.rstrip('/')}/api/v1/query"
        self._query = query
        self._token = token
        self._table_label = table_label

    async def ask(self) -> LatencyAnswer:
        """Send the query once and return the parsed answer.

        Raises:
            Unreadable: the answer is not a result; the message names the finding and the remedy.
            Transient: the server does not answer in time.
            InvalidInput: there is no usable token.
        """
        token = await asyncio.to_thread(self._token)
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        form = urlencode({"query": self._query, "timeout": f"{ANSWER_SECONDS:g}s"}).encode()
        limits = CallLimits(ANSWER_SECONDS, MOST_BYTES, ANSWER_SECONDS)
        try:
            answer = await asyncio.to_thread(send, "POST", self._address, limits=limits, headers=headers, body=form)
        except Unacceptable as error:
            raise Unreadable(f"PACKHOUSE_LATENCY_QUERY: aggregate it: {error}", outcome="refused") from error
        except CallFailed as error:
            raise Transient(f"PACKHOUSE_PROMETHEUS_URL: {error}") from error
        return answer_of(result_of(self._address, answer), self._table_label)


def result_of(address: str, answer: HttpAnswer) -> Mapping[str, Any]:
    """Return the `data` of an answer of Prometheus' HTTP API (`/api/v1/query`).

    Raises:
        Unreadable: it is an error, or no answer of this API.
    """
    if answer.redirect is not None:
        where = f"{origin(address)} redirects to {answer.redirect[:_SHOWN]!r}"
        message = f"{where}, which is not followed: correct PACKHOUSE_PROMETHEUS_URL"
        raise Unreadable(message, outcome="refused")
    if answer.status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        message = f"{origin(address)} answers {answer.status}: see PACKHOUSE_PROMETHEUS_TOKEN"
        raise Unreadable(message, outcome="refused")
    try:
        document = json.loads(answer.body)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict) or document.get("status") not in {"success", "error"}:
        message = f"{origin(address)} answers {answer.status} with something other than the Prometheus API does"
        raise Unreadable(message, outcome="refused")
    if document["status"] == "error":
        said = str(document.get("error"))[:_SHOWN]
        raise Unreadable(f"Prometheus refuses PACKHOUSE_LATENCY_QUERY: {said}", outcome="refused")
    data = document.get("data")
    return data if isinstance(data, dict) else {}


def answer_of(data: Mapping[str, Any], table_label: str | None) -> LatencyAnswer:
    """Parse a result by the values of the label (None: one series for the fleet).

    Raises:
        Unreadable: it is not an instant vector and no scalar, or has more than `MOST_SERIES` series.
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
    """Return the number of a sample `[time, "text"]`; None if it is not a number, as for 0/0 and empty histograms."""
    text = value[1] if isinstance(value, list) and len(value) == 2 else None  # noqa: PLR2004 - a pair
    try:
        seconds = float(text) if isinstance(text, str) else math.nan
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) else None
