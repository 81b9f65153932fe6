"""What the coordinator and the worker of this process did since it started, counted for Prometheus.

Counts begin anew with the process, as Prometheus expects; what must outlive it is in the record and shown by the api. A
registry of its own: two processes' worth of services in one interpreter do not mix.
"""

from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

MOST_RULES: Final = 100
"""So many names of rules become labels; policies may make up any number, and each label is kept for ever."""

OTHER_RULES: Final = "other"
_BUCKETS: Final = (0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


class WorkMetrics:
    """The instruments, by what they count; whoever does the work counts it."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self.looks = self._counter("packhouse_watch_looks", "Looks at tables, by what they came to.", "verdict")
        self.held = self._counter("packhouse_watch_held", "Looks at due tables that were held back, by code.", "code")
        self.evaluation_seconds = Histogram(
            "packhouse_watch_evaluation_seconds",
            "How long evaluating a table took, with reading what changed of it.",
            buckets=_BUCKETS,
            registry=self._registry,
        )
        self.other_compactions = Counter(
            "packhouse_other_compactions",
            "Looks at tables that found files replaced by another compactor since the look before.",
            registry=self._registry,
        )
        self.claims = self._counter("packhouse_claims", "Tries to claim a run, by outcome.", "outcome")
        self.held_back = self._counter("packhouse_runs_held_back", "Ready runs held back at the claim, by what.", "by")
        self.parks = self._counter("packhouse_runs_parked", "Attempts that put their run back, by reason.", "reason")
        self.throttled_seconds = Counter(
            "packhouse_throttled_seconds",
            "Seconds that finished groups were held back for their budgets.",
            registry=self._registry,
        )
        self.failed_proofs = self._counter(
            "packhouse_failed_proofs", "Snapshots that did not hold what they should, by what was done.", "outcome"
        )
        self.attempts = Gauge("packhouse_attempts", "Attempts at work in this process.", registry=self._registry)
        self.duties = self._counter("packhouse_duties", "Rounds of the coordinator's duties.", "duty", "outcome")
        self.leads = Gauge("packhouse_leads", "1 while this process leads.", ("name",), registry=self._registry)
        self.latency_polls = self._counter(
            "packhouse_latency_polls", "Answers and series of the latency query, by what became of them.", "outcome"
        )
        self._begun = self._counter("packhouse_runs_begun", "Runs that began by themselves, by rule.", "rule")
        self._rules: set[str] = set()

    def count_begun(self, rule: str | None) -> None:
        """Count a run that began by itself; rules beyond `MOST_RULES` are counted together."""
        name = rule or OTHER_RULES
        if name not in self._rules and len(self._rules) >= MOST_RULES:
            name = OTHER_RULES
        self._rules.add(name)
        self._begun.labels(name).inc()

    def render(self) -> bytes:
        """Return everything in Prometheus' text format."""
        return generate_latest(self._registry)

    def _counter(self, name: str, purpose: str, *labels: str) -> Counter:
        return Counter(name, purpose, labels, registry=self._registry)
