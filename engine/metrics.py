"""Prometheus metrics of the coordinator and the worker of this process since its start.

Counters start at 0 with the process, as Prometheus expects; figures that must outlive it are in the record and exposed
by the api. Each instance has its own registry, so that the services of two processes in one interpreter do not mix.
"""

from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from engine.domain.runs.run import Operation, Run
from engine.domain.tables.cloud_events import EventOutcome, EventSource
from engine.domain.tables.signals import SignalKind

MOST_RULES: Final = 100
"""The most rule names that become labels: policies may have any number of names, and each label is kept forever."""

OTHER_RULES: Final = "other"
ROLLED_BACK: Final = "rolled_back"
FROZEN: Final = "frozen"
"""Answers to a snapshot that failed its proof; the first is also the reason of its dropped groups."""

TAKEN: Final = "taken"
UNREADABLE: Final = "unreadable"
"""Fate of a message with events: their signals are stored and it is deleted; or it is left in the queue."""

_BUCKETS: Final = (0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
_RUN_BUCKETS: Final = (0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14_400, 28_800, 86_400)


class WorkMetrics:
    """The instruments; the component that does the work updates them."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self.looks = self._counter("packhouse_watch_looks", "Looks at tables, by verdict.", "verdict")
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
        self.leases_lost = self._counter(
            "packhouse_leases_lost",
            "Attempts that lost their lease: taken back by a reaper, noticed by a holder.",
            "by",
        )
        for by in ("reaper", "holder"):  # a series that begins at 1 has no increase
            self.leases_lost.labels(by)
        self.webhook_deliveries = self._counter(
            "packhouse_webhook_deliveries", "Attempts to send an event to a webhook, by outcome.", "outcome"
        )
        for outcome in ("delivered", "retried", "dead"):
            self.webhook_deliveries.labels(outcome)
        self.audit_export_lag = Gauge(
            "packhouse_audit_export_lag_seconds",
            "For how long the oldest sealed entry of the audit log has waited for its export.",
            registry=self._registry,
        )
        self.stuck_seconds = Gauge(
            "packhouse_stuck_read_seconds",
            "For how long a read of a table has computed on after it was ended.",
            registry=self._registry,
        )
        self.stalled_runs = Counter(
            "packhouse_stalled_runs",
            "Attempts whose tasks moved nothing for 15 minutes and were stopped.",
            registry=self._registry,
        )
        self.left_out = self._counter(
            "packhouse_left_out_items",
            "Files, partitions and manifests that ended runs left out of their work, by operation.",
            "operation",
        )
        for operation in Operation:
            self.left_out.labels(operation.value)
        self.throttled_seconds = Counter(
            "packhouse_throttled_seconds",
            "Seconds that finished groups were held back for their budgets.",
            registry=self._registry,
        )
        self.merged_columns = Counter(
            "packhouse_merged_columns",
            "Columns of row groups that tasks merged by the compiled pass.",
            registry=self._registry,
        )
        self.failed_proofs = self._counter(
            "packhouse_failed_proofs", "Snapshots that failed their proof, by what was done about them.", "outcome"
        )
        for outcome in (ROLLED_BACK, FROZEN):
            self.failed_proofs.labels(outcome)
        self.pruned = self._counter("packhouse_pruned_rows", "Rows deleted since their retention is over.", "kind")
        self.run_seconds = self._run_histogram(
            "packhouse_run_seconds",
            "Seconds from the first start of a run to its end, waits between its attempts included.",
            "operation",
            "state",
        )
        self.queue_wait_seconds = self._run_histogram(
            "packhouse_run_queue_wait_seconds",
            "Seconds from the submission of a run to its first start, quiet hours and pauses included.",
            "operation",
            "origin",
        )
        self.due_to_started_seconds = self._run_histogram(
            "packhouse_due_to_started_seconds",
            "Seconds from the instant at which a table became due to the first start of its automatic run.",
            "operation",
        )
        self.attempts = Gauge("packhouse_attempts", "Attempts at work in this process.", registry=self._registry)
        self.duties = self._counter("packhouse_duties", "Rounds of the coordinator's duties.", "duty", "outcome")
        self.leads = Gauge("packhouse_leads", "1 while this process leads.", ("name",), registry=self._registry)
        self.latency_polls = self._counter(
            "packhouse_latency_polls", "Answers and series of the latency query, by what became of them.", "outcome"
        )
        self.signals = self._counter(
            "packhouse_signals",
            "Signals about tables, by kind, by how they arrived and by what became of them.",
            "kind",
            "source",
            "outcome",
        )
        for source in EventSource:
            for outcome in EventOutcome:
                self.signals.labels(SignalKind.COMMIT.value, source.value, outcome.value)
        self.event_messages = self._counter(
            "packhouse_event_messages",
            "Messages of the event queue, by what became of them.",
            "outcome",
        )
        for outcome in (TAKEN, UNREADABLE):
            self.event_messages.labels(outcome)
        self.event_queue_up = Gauge(
            "packhouse_event_queue_up",
            "1 if the event queue answered the last request, 0 while it does not or there is none.",
            registry=self._registry,
        )
        self._begun = self._counter("packhouse_runs_begun", "Runs that started automatically, by rule.", "rule")
        self._rules: set[str] = set()

    def count_begun(self, rule: str | None) -> None:
        """Count a run that started automatically; rules beyond `MOST_RULES` are counted together."""
        name = rule or OTHER_RULES
        if name not in self._rules and len(self._rules) >= MOST_RULES:
            name = OTHER_RULES
        self._rules.add(name)
        self._begun.labels(name).inc()

    def observe_first_start(self, run: Run) -> None:
        """Observe the wait of a run, if the claim that returned it is its first."""
        if run.attempt != 1 or run.started_at is None:
            return
        origin = "automatic" if run.is_automatic else "requested"
        wait = (run.started_at - run.created_at).total_seconds()
        self.queue_wait_seconds.labels(run.operation.value, origin).observe(max(0.0, wait))
        if run.is_automatic:
            since_due = (run.started_at - run.due_since).total_seconds()
            self.due_to_started_seconds.labels(run.operation.value).observe(max(0.0, since_due))

    def observe_end(self, run: Run) -> None:
        """Observe the duration of an ended run, unless it never started, and count the items that it left out."""
        self.left_out.labels(run.operation.value).inc(run.result.left_out_count)
        if run.started_at is not None and run.finished_at is not None:
            seconds = (run.finished_at - run.started_at).total_seconds()
            self.run_seconds.labels(run.operation.value, run.state.value).observe(max(0.0, seconds))

    def render(self) -> bytes:
        """Return all metrics in Prometheus' text format."""
        return generate_latest(self._registry)

    def _run_histogram(self, name: str, purpose: str, *labels: str) -> Histogram:
        return Histogram(name, purpose, labels, buckets=_RUN_BUCKETS, registry=self._registry)

    def _counter(self, name: str, purpose: str, *labels: str) -> Counter:
        return Counter(name, purpose, labels, registry=self._registry)
