"""Collectors of metrics that are read from the database at each scrape: every replica shows the same figures."""

from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from typing import Final, Generic, TypeVar

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from engine.domain.fleet.endpoints import EndpointState, SparkEndpoint
from engine.domain.fleet.figures import MOST_UNSENT, LabelledTable, OwnerFigures, Stoppages
from engine.domain.runs.run import TERMINAL_STATES, EndedRuns, Operation


class EndedRunTotals(Collector):
    """Counters of ended runs by operation and state, from the database."""

    def __init__(self) -> None:
        self.totals: Sequence[EndedRuns] | None = None

    def collect(self) -> Iterator[CounterMetricFamily]:
        """Yield runs, bytes of files that they replaced and added, file groups won and lost, and wasted bytes.

        Every operation and state is there from the first scrape on: a series that begins at 1 has no increase. Nothing
        is yielded while the totals can't be read, as a counter that drops to 0 counts as one that begins again.
        """
        if self.totals is None:
            return
        zero = {(operation, state): 0 for operation in Operation for state in TERMINAL_STATES}
        for name, column, help_text in (
            ("packhouse_runs_ended", "runs", "Ended runs."),
            ("packhouse_rewritten_bytes", "rewritten_bytes", "Bytes of files that ended runs replaced."),
            ("packhouse_added_bytes", "added_bytes", "Bytes of files that ended runs added."),
            ("packhouse_groups_committed", "groups_committed", "File groups that ended runs committed."),
            ("packhouse_groups_lost", "groups_lost", "File groups that ended runs lost to other writers."),
            (
                "packhouse_wasted_bytes",
                "wasted_bytes",
                "Bytes that ended runs wrote for file groups that were not committed.",
            ),
        ):
            family = CounterMetricFamily(name, help_text, labels=("operation", "state"))
            found = {(each.operation, each.state): getattr(each, column) for each in self.totals}
            for (operation, state), value in sorted((zero | found).items()):
                family.add_metric((operation.value, state.value), value)
            yield family


_Row = TypeVar("_Row")


class RowGauges(Collector, Generic[_Row]):
    """Gauges from the database with one series for each row, such as a team's tables in a catalog.

    Args:
        labels: names of the labels.
        values: returns the labels' values of a row.
        figures: name, help text and value of each gauge; a row without the value (None) has no series.
    """

    def __init__(
        self,
        labels: Sequence[str],
        values: Callable[[_Row], Sequence[str]],
        figures: Sequence[tuple[str, str, Callable[[_Row], float | None]]],
    ) -> None:
        self._labels, self._values, self._figures = labels, values, figures
        self.rows: Sequence[_Row] = ()

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield every gauge."""
        for name, help_text, value in self._figures:
            family = GaugeMetricFamily(name, help_text, labels=self._labels)
            for row in self.rows:
                found = value(row)
                if found is not None:
                    family.add_metric(self._values(row), found)
            yield family


def _mean_score(owner: OwnerFigures) -> float | None:
    return owner.score_sum / owner.measured_tables if owner.measured_tables else None


OF_OWNERS: Final[Sequence[tuple[str, str, Callable[[OwnerFigures], float | None]]]] = (
    ("packhouse_tables", "Registered tables.", attrgetter("tables")),
    ("packhouse_due_tables", "Tables that are due and held back.", attrgetter("due_tables")),
    ("packhouse_files", "Live data files of measured tables.", attrgetter("file_count")),
    ("packhouse_small_files", "Small files of measured tables.", attrgetter("small_file_count")),
    ("packhouse_avoidable_files", "Backlog: files that rewrites would save.", attrgetter("avoidable_file_count")),
    ("packhouse_table_bytes", "Bytes of live data files of measured tables.", attrgetter("total_bytes")),
    (
        "packhouse_history_bytes",
        "Upper bound of the bytes of files that only old snapshots need.",
        attrgetter("history_bytes"),
    ),
    ("packhouse_health_score_mean", "Mean health score of measured tables, 0 to 100.", _mean_score),
    ("packhouse_health_score_lowest", "Lowest health score of a measured table.", attrgetter("lowest_score")),
)


def owner_labels(row: OwnerFigures) -> Sequence[str]:
    """Return the labels of a catalog's tables of one team: catalog and team, empty without one."""
    return row.catalog, row.owner_team or ""


def table_labels(row: LabelledTable) -> Sequence[str]:
    """Return the labels of a table: catalog, namespace and name."""
    return row.catalog, ".".join(row.namespace), row.name


OF_TABLES: Final[Sequence[tuple[str, str, Callable[[LabelledTable], float | None]]]] = (
    ("packhouse_labelled_table_due", "1 if the table is due and held back.", attrgetter("is_due")),
    ("packhouse_labelled_table_files", "Live data files of the table.", attrgetter("file_count")),
    ("packhouse_labelled_table_small_files", "Small files of the table.", attrgetter("small_file_count")),
    (
        "packhouse_labelled_table_avoidable_files",
        "Files that a rewrite of the table would save.",
        attrgetter("avoidable_file_count"),
    ),
    ("packhouse_labelled_table_bytes", "Bytes of live data files of the table.", attrgetter("total_bytes")),
    ("packhouse_labelled_table_health_score", "Health score of the table, 0 to 100.", attrgetter("score")),
)


OF_ENDPOINTS: Final[Sequence[tuple[str, str, Callable[[SparkEndpoint], float | None]]]] = (
    (
        "packhouse_spark_endpoint_up",
        "1 unless the last probe of the Spark endpoint found that it does not answer or can't run the tasks.",
        lambda endpoint: int(endpoint.state in (EndpointState.OK, EndpointState.UNKNOWN)),
    ),
    ("packhouse_spark_endpoint_runs", "Rewrites at work on the Spark endpoint.", attrgetter("runs")),
)


class StoppageGauges(Collector):
    """Gauges of what is stopped, from the database; none while it can't be read."""

    def __init__(self) -> None:
        self.found: Stoppages | None = None

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield frozen tables, pauses by scope, and the number and the longest wait of runs that are not queued yet."""
        if (found := self.found) is None:
            return
        for name, help_text, value in (
            ("packhouse_frozen_tables", "Tables on which no run starts since a proof failed.", found.frozen_tables),
            (
                "packhouse_outbox_entries",
                f"Submitted runs that the queue does not have yet, at most {MOST_UNSENT:,}.",
                found.unsent_runs,
            ),
            ("packhouse_outbox_oldest_seconds", "For how long the oldest of them has waited.", found.unsent_seconds),
            (
                "packhouse_webhook_oldest_seconds",
                "For how long the oldest delivery to a webhook has waited.",
                found.delivery_seconds,
            ),
        ):
            yield GaugeMetricFamily(name, help_text, value=value)
        paused = GaugeMetricFamily(
            "packhouse_paused", "Paused tables and catalogs; 1 if the whole fleet is paused.", labels=("scope",)
        )
        for scope, count in found.paused.items():
            paused.add_metric((scope,), count)
        yield paused
        waiting = GaugeMetricFamily(
            "packhouse_webhook_backlog",
            f"What waits for webhooks, and was given up in 30 days, at most {MOST_UNSENT:,} each.",
            labels=("state",),
        )
        for state, count in found.deliveries.items():
            waiting.add_metric((state,), count)
        yield waiting
