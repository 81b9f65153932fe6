"""Spark Connect servers that rewrites run on, and the choice of one for an attempt.

The endpoint `default` is the server of `PACKHOUSE_SPARK_URL`; admins add others. A policy names the ones it allows by
labels (`spark.require`), and among them those that it would rather have (`spark.prefer`). An attempt stays on the
endpoint on which it began: only there its tasks can be stopped.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final, Self

from engine.domain.fleet.outages import spark_key

NAME_LABEL: Final = "name"
"""Label that every endpoint has: its name."""

MOST_ENDPOINTS: Final = 50
PROBE_SECONDS: Final = 60.0
AWAY_PROBE_SECONDS: Final = 10.0
PROBE_LEASE_SECONDS: Final = 90.0
"""Time after which another worker takes over the probe of an endpoint: a task of it may wait for an executor."""

REQUIRE: Final = "spark.require"
PREFER: Final = "spark.prefer"


class EndpointState(StrEnum):
    """State of an endpoint, as its last probe found it."""

    UNKNOWN = "unknown"
    """It was not probed since it was written, no executor reported on itself, or it is the only endpoint, which is not
    probed. Runs go there."""

    OK = "ok"
    AWAY = "away"
    UNSUITABLE = "unsuitable"
    """It answers, but can't run the tasks, such as for its version or the packages of its executors."""


class Unavailable(StrEnum):
    """Reason why no endpoint can take a run: the code of the run's wait."""

    NONE = "no_endpoint"
    UNSUITABLE = "spark_unsuitable"


@dataclass(frozen=True, slots=True)
class EndpointRequest:
    """The fields of an endpoint that an admin writes.

    Attributes:
        url: `sc://host:port`, with `/;use_ssl=true` for TLS; None for the default one, whose URL is a setting.
        token: a reference to the bearer token (`env:NAME` or `file:/PATH`); None: it needs none.
        labels: what policies choose it by.
        parallel_groups: file groups of all runs that are rewritten there at once; None: any number.
        drained: no attempt begins there; those at work go on.
    """

    url: str | None = None
    token: str | None = None
    labels: Mapping[str, str] | None = None
    parallel_groups: int | None = None
    drained: bool = False

    def document(self) -> dict[str, Any]:
        """Return the fields for the audit log; the token is a reference."""
        return {
            "url": self.url,
            "token": self.token,
            "labels": dict(self.labels or {}),
            "parallel_groups": self.parallel_groups,
            "drained": self.drained,
        }


@dataclass(frozen=True, slots=True)
class SparkEndpoint:
    """A stored endpoint. `next_probe_at`: when a worker probes it; `runs`: rewrites at work on it."""

    name: str
    version: int
    labels: Mapping[str, str]
    url: str | None = None
    token: str | None = None
    parallel_groups: int | None = None
    drained: bool = False
    state: EndpointState = EndpointState.UNKNOWN
    detail: str = ""
    spark_version: str | None = None
    probed_at: datetime | None = None
    next_probe_at: datetime | None = None
    updated_at: datetime | None = None
    updated_by: str = ""
    runs: int = 0

    @property
    def outage_key(self) -> str:
        """The key of its outages."""
        return spark_key(self.name)

    @property
    def all_labels(self) -> Mapping[str, str]:
        """Its labels and its name."""
        return {**self.labels, NAME_LABEL: self.name}

    def count_labels(self, wanted: Mapping[str, str]) -> int:
        """Return how many of these labels it has."""
        own = self.all_labels
        return sum(own.get(key) == value for key, value in wanted.items())

    def request(self) -> EndpointRequest:
        """Return what was written."""
        return EndpointRequest(self.url, self.token, self.labels, self.parallel_groups, self.drained)


@dataclass(frozen=True, slots=True)
class SparkNeeds:
    """The labels that a policy requires and prefers."""

    require: Mapping[str, str]
    prefer: Mapping[str, str]

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """Return the needs in effective policy values; stored ones of earlier versions have none."""
        return cls(values.get(REQUIRE) or {}, values.get(PREFER) or {})


@dataclass(frozen=True, slots=True)
class NoEndpoint:
    """No endpoint can take a run now: the code and a text for people."""

    code: Unavailable
    detail: str


def choose_endpoint(
    endpoints: Sequence[SparkEndpoint], needs: SparkNeeds, away: Collection[str]
) -> SparkEndpoint | NoEndpoint:
    """Return the endpoint for a new attempt: most preferred labels, then least loaded, then by name.

    Args:
        endpoints: all endpoints.
        needs: the labels that the policy requires and prefers.
        away: keys of the present outages. A lone endpoint is chosen even if it is away: runs wait for its outage.
    """
    matching = [each for each in endpoints if each.count_labels(needs.require) == len(needs.require)]
    if not matching:
        return NoEndpoint(Unavailable.NONE, f"no Spark endpoint has the labels {_words(needs.require)}")
    open_ones = [each for each in matching if not each.drained]
    if not open_ones:
        return NoEndpoint(Unavailable.NONE, f"{_named(matching)} {'is' if len(matching) == 1 else 'are'} drained")
    suitable = [each for each in open_ones if each.state is not EndpointState.UNSUITABLE]
    if not suitable:
        why = "; ".join(f"{each.name}: {each.detail}" for each in open_ones)
        return NoEndpoint(Unavailable.UNSUITABLE, f"{_named(open_ones)} can't run the tasks ({why})")
    there = [
        each
        for each in suitable
        if len(endpoints) == 1 or (each.state is not EndpointState.AWAY and each.outage_key not in away)
    ]
    if not there:
        verb = "does" if len(suitable) == 1 else "do"
        return NoEndpoint(Unavailable.NONE, f"{_named(suitable)} {verb} not answer")
    return min(there, key=lambda each: (-each.count_labels(needs.prefer), _load(each), each.name))


def _load(endpoint: SparkEndpoint) -> float:
    return endpoint.runs / (endpoint.parallel_groups or 1_000)


def _words(labels: Mapping[str, str]) -> str:
    return ", ".join(f"{key}={value}" for key, value in sorted(labels.items()))


def _named(endpoints: Sequence[SparkEndpoint]) -> str:
    names = ", ".join(sorted(each.name for each in endpoints))
    return f"the Spark endpoint {names}" if len(endpoints) == 1 else f"the Spark endpoints {names}"
