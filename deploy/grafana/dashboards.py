"""Grafana's dashboards of Packhouse: `python deploy/grafana/dashboards.py` writes them as JSON beside this file.

Panels read the figures of `docs/reference/metrics.md` from a data source that is a variable, without any plugin.
Every api replica shows the same figures of the record, so they are aggregated by max; figures that a process counts
itself are summed. `--check` writes nothing and fails if a file differs.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from grafana_foundation_sdk.builders import common, dashboard, prometheus, timeseries
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.common import LegendDisplayMode, LegendPlacement, TooltipDisplayMode
from grafana_foundation_sdk.models.dashboard import DashboardCursorSync, DataSourceRef

FOLDER: Final = Path(__file__).parent
RATE: Final = "$__rate_interval"
OWNERS: Final = 'catalog=~"$catalog",team=~"$team"'
CATALOGS: Final = 'catalog=~"$catalog"'
VERSIONS: Final = "count by (process, version, revision) (packhouse_build_info)"
_SOURCE: Final = DataSourceRef(type_val="prometheus", uid="${source}")
_HEIGHT: Final = 8
_SPAN: Final = 8
"""Of the 24 columns of a dashboard: three panels side by side."""


@dataclass(frozen=True)
class Panel:
    """A chart: its unit (a name of Grafana's), PromQL by legend, and a sentence on what it shows."""

    title: str
    unit: str
    queries: Mapping[str, str]
    description: str


@dataclass(frozen=True)
class Board:
    """A dashboard: its rows by title, and labels of which values can be chosen, each with a metric that has it."""

    name: str
    title: str
    rows: Mapping[str, Sequence[Panel]]
    variables: Mapping[str, str] = field(default_factory=dict)


def by_owner(metric: str) -> str:
    """Return PromQL of a gauge for each of the chosen catalogs and teams."""
    return f"max by (catalog, team) ({metric}{{{OWNERS}}})"


def owned(metric: str, by: str = "catalog") -> str:
    """Return PromQL of a gauge of the chosen catalogs and teams, summed by a label."""
    return f"sum by ({by}) ({by_owner(metric)})"


def of_table(figure: str) -> str:
    """Return PromQL of a figure of each of the chosen tables."""
    return f'max by (catalog, namespace, table) (packhouse_labelled_table_{figure}{{table=~"$table"}})'


def of_record(counter: str) -> str:
    """Return PromQL of the increase of a counter from the record within an hour, by the state of its runs."""
    return f"sum by (state) (max by (operation, state) (increase({counter}[1h])))"


def total(query: str) -> str:
    """Return PromQL of the sum of another query."""
    return f"sum({query})"


def counted(counter: str, by: str) -> str:
    """Return PromQL of the rate of a counter that each process has, summed by a label."""
    return f"sum by ({by}) (rate({counter}[{RATE}]))"


def quantile(share: float, histogram: str, by: str = "") -> str:
    """Return PromQL of a quantile of a histogram that each process has."""
    labels = f"le, {by}" if by else "le"
    return f"histogram_quantile({share}, sum by ({labels}) (rate({histogram}_bucket[{RATE}])))"


FLEET: Final = Board(
    "fleet",
    "Packhouse: fleet",
    {
        "Backlog": [
            Panel(
                "Files that rewrites would save",
                "short",
                {"{{team}}": owned("packhouse_avoidable_files", "team")},
                "Backlog by team; the empty name stands for tables without a team.",
            ),
            Panel(
                "Small files",
                "short",
                {"small, {{catalog}}": owned("packhouse_small_files"), "all, {{catalog}}": owned("packhouse_files")},
                "Small files beside all live data files of measured tables.",
            ),
            Panel(
                "Health",
                "none",
                {
                    f"{each}, {{{{catalog}}}} {{{{team}}}}": by_owner(f"packhouse_health_score_{each}")
                    for each in ("mean", "lowest")
                },
                "Health scores of measured tables, 0 to 100.",
            ),
            Panel(
                "Tables",
                "short",
                {
                    "all": f"sum({owned('packhouse_tables')})",
                    "due and held back": f"sum({owned('packhouse_due_tables')})",
                },
                "Registered tables, and those that are due but held back.",
            ),
            Panel(
                "Bytes of tables",
                "bytes",
                {
                    "live, {{catalog}}": owned("packhouse_table_bytes"),
                    "history, {{catalog}}": owned("packhouse_history_bytes"),
                },
                "Bytes of live files, and at most those that only old snapshots need.",
            ),
            Panel(
                "Looks at tables",
                "ops",
                {"{{verdict}}": counted("packhouse_watch_looks_total", "verdict")},
                "Looks by what they found; unchanged ones cost one request to the catalog.",
            ),
        ],
        "Runs": [
            Panel(
                "Live runs",
                "short",
                {"{{state}}": "max by (state) (packhouse_runs)"},
                "Queued runs and those at work.",
            ),
            Panel(
                "Ended runs in an hour",
                "short",
                {"{{state}}": of_record("packhouse_runs_ended_total")},
                "Refused runs wait for a change of the table or its policy; failed ones are faults.",
            ),
            Panel(
                "Failures and waste",
                "percentunit",
                {"failed runs": "packhouse:run_failures:ratio6h", "bytes written in vain": "packhouse:waste:ratio6h"},
                "Shares of the last six hours.",
            ),
            Panel(
                "Rate of rewrites",
                "Bps",
                {
                    "{{catalog}}": f"max by (catalog) (packhouse_rewrite_bytes_per_second{{{CATALOGS}}})",
                    "limit {{catalog}}": f"max by (catalog) (packhouse_rewrite_bytes_per_second_limit{{{CATALOGS}}})",
                },
                "Bytes that running rewrites read and write, and their limits; the empty name stands for all catalogs.",
            ),
            Panel(
                "Rewritten in an hour",
                "bytes",
                {
                    "replaced": total(of_record("packhouse_rewritten_bytes_total")),
                    "added": total(of_record("packhouse_added_bytes_total")),
                },
                "Bytes of the files that runs replaced, and of those in their place.",
            ),
            Panel(
                "File groups in an hour",
                "short",
                {
                    "committed": total(of_record("packhouse_groups_committed_total")),
                    "lost": total(of_record("packhouse_groups_lost_total")),
                },
                "Groups that were committed, and those that other writers changed first.",
            ),
        ],
        "Starts": [
            Panel(
                "From due to started",
                "s",
                {
                    "half within": quantile(0.5, "packhouse_due_to_started_seconds"),
                    "99 % within": quantile(0.99, "packhouse_due_to_started_seconds"),
                },
                "Wait of automatic runs since their table became due, quiet hours and pauses included.",
            ),
            Panel(
                "Longest present wait",
                "s",
                {"{{waiting_for}}": "max by (waiting_for) (packhouse_oldest_waiting_seconds)"},
                "Of queued runs, by the reason; none: of the oldest run that may start.",
            ),
            Panel(
                "Held back",
                "ops",
                {"{{code}}": counted("packhouse_watch_held_total", "code")},
                "Looks at due tables that were held back, by the codes of explain.",
            ),
        ],
    },
    variables=dict.fromkeys(("catalog", "team"), "packhouse_tables"),
)

SERVICE: Final = Board(
    "service",
    "Packhouse: service",
    {
        "Processes": [
            Panel(
                "Versions",
                "short",
                {"{{process}} {{version}} {{revision}}": VERSIONS},
                "Processes that are scraped, by what they were built from.",
            ),
            Panel(
                "Live workers and coordinators",
                "short",
                {
                    "{{process}}": "max by (process) (packhouse_live_processes)",
                    "leads the {{name}}": "max by (name) (packhouse_leads)",
                },
                "Those that reported in the last 30 seconds, and whether one leads.",
            ),
            Panel(
                "Attempts at work",
                "short",
                {"{{instance}}": "sum by (instance) (packhouse_attempts)"},
                "Runs that each worker advances.",
            ),
            Panel(
                "Memory",
                "bytes",
                {"{{instance}}": "sum by (instance) (process_resident_memory_bytes)"},
                "Resident memory of each process.",
            ),
            Panel(
                "CPU",
                "short",
                {"{{instance}}": f"sum by (instance) (rate(process_cpu_seconds_total[{RATE}]))"},
                "Cores that each process uses.",
            ),
            Panel(
                "Event loop",
                "s",
                {"99 % within, {{process}}": quantile(0.99, "packhouse_event_loop_lag_seconds", "process")},
                "How late tasks of a process get their turn: too little CPU, or a call that blocks.",
            ),
        ],
        "API": [
            Panel(
                "Requests",
                "reqps",
                {"{{status}}": counted("packhouse_http_requests_total", "status")},
                "Answered requests by status.",
            ),
            Panel(
                "Errors",
                "percentunit",
                {"5xx": "packhouse:http_errors:ratio5m"},
                "Share of the requests that ended in an error of the server.",
            ),
            Panel(
                "Slowest routes",
                "s",
                {"{{route}}": f"topk(5, {quantile(0.99, 'packhouse_http_request_seconds', 'route')})"},
                "Time within which 99 of 100 answers were complete; event streams are left out.",
            ),
        ],
        "Queue and dependencies": [
            Panel(
                "Queue",
                "short",
                {
                    "{{standing}}": "max by (standing) (packhouse_queue_entries)",
                    "not sent yet": "max(packhouse_outbox_entries)",
                },
                "Entries in Redis, and submitted runs that it does not have yet.",
            ),
            Panel(
                "Dependencies that answer",
                "bool_yes_no",
                {"{{dependency}}": "max by (dependency) (packhouse_dependency_up)"},
                "Database, Redis and Spark, as the apis see them.",
            ),
            Panel(
                "Time to answer",
                "s",
                {"{{dependency}}": "max by (dependency) (packhouse_dependency_seconds)"},
                "Of each dependency, at the last probe.",
            ),
            Panel(
                "Webhooks",
                "short",
                {"{{state}}": "max by (state) (packhouse_webhook_backlog)"},
                "Events that wait for receivers, and those that were given up in 30 days.",
            ),
            Panel(
                "Outages and breakers",
                "short",
                {
                    "outage of {{dependency}}": "max by (dependency) (packhouse_outages)",
                    "breaker of a {{kind}}": "max by (kind) (packhouse_breakers_open)",
                },
                "What runs wait for, and where none starts automatically after failures in a row.",
            ),
            Panel(
                "Stopped by hand or by a proof",
                "short",
                {
                    "frozen tables": "max(packhouse_frozen_tables)",
                    "paused, {{scope}}": "max by (scope) (packhouse_paused)",
                },
                "Frozen tables, paused tables and catalogs, and 1 while the fleet is paused.",
            ),
            Panel(
                "Faults in an hour",
                "short",
                {
                    "lost lease, {{by}}": "sum by (by) (increase(packhouse_leases_lost_total[1h]))",
                    "failed proof, {{outcome}}": "sum by (outcome) (increase(packhouse_failed_proofs_total[1h]))",
                    "stalled run": "sum(increase(packhouse_stalled_runs_total[1h]))",
                },
                "Leases that workers lost, snapshots that failed their proof, and tasks that moved nothing.",
            ),
            Panel(
                "Duties of the coordinator",
                "ops",
                {"{{duty}}, {{outcome}}": counted("packhouse_duties_total", "duty, outcome")},
                "Rounds by what became of them.",
            ),
        ],
    },
)
TABLE: Final = Board(
    "table",
    "Packhouse: tables with the label metrics: on",
    {
        "Tables": [
            Panel(
                "Files",
                "short",
                {
                    "all, {{table}}": of_table("files"),
                    "small, {{table}}": of_table("small_files"),
                    "a rewrite would save, {{table}}": of_table("avoidable_files"),
                },
                "Live data files at the last measurement.",
            ),
            Panel("Bytes", "bytes", {"{{table}}": of_table("bytes")}, "Bytes of live data files."),
            Panel("Health", "none", {"{{table}}": of_table("health_score")}, "Health scores, 0 to 100."),
            Panel(
                "Due and held back",
                "bool_yes_no",
                {"{{table}}": of_table("due")},
                "Whether a table was due at the last look and could not start; explain says why.",
            ),
        ],
    },
    variables={"table": "packhouse_labelled_table_due"},
)
BOARDS: Final = (FLEET, SERVICE, TABLE)


def as_json(board: Board) -> str:
    """Return the document that Grafana imports."""
    made = (
        dashboard.Dashboard(board.title)
        .uid(f"packhouse-{board.name}")
        .tags(["packhouse"])
        .time("now-24h", "now")
        .refresh("1m")
        .tooltip(DashboardCursorSync.CROSSHAIR)
        .with_variable(dashboard.DatasourceVariable("source").label("Data source").type("prometheus"))
    )
    for label, metric in board.variables.items():
        made = made.with_variable(_choice(label, metric))
    for title, panels in board.rows.items():
        made = made.with_row(dashboard.Row(title))
        for panel in panels:
            made = made.with_panel(_chart(panel))
    return JSONEncoder(sort_keys=True, indent=1).encode(made.build()) + "\n"


def _choice(label: str, metric: str) -> dashboard.QueryVariable:
    return (
        dashboard.QueryVariable(label)
        .label(label.title())
        .datasource(_SOURCE)
        .query(f"label_values({metric}, {label})")
        .multi(True)
        .include_all(True)
        .all_value(".*")
    )


def _chart(panel: Panel) -> timeseries.Panel:
    made = (
        timeseries.Panel()
        .title(panel.title)
        .description(panel.description)
        .unit(panel.unit)
        .datasource(_SOURCE)
        .min(0)
        .height(_HEIGHT)
        .span(_SPAN)
        .legend(
            common.VizLegendOptions()
            .display_mode(LegendDisplayMode.LIST)
            .placement(LegendPlacement.BOTTOM)
            .show_legend(True)
        )
        .tooltip(common.VizTooltipOptions().mode(TooltipDisplayMode.MULTI))
    )
    for at, (legend, query) in enumerate(panel.queries.items()):
        made = made.with_target(prometheus.Dataquery().ref_id(chr(ord("A") + at)).expr(query).legend_format(legend))
    return made


def main(arguments: Sequence[str]) -> int:
    """Write the files, or with `--check` compare them; return the exit code."""
    stale = 0
    for board in BOARDS:
        file, text = FOLDER / f"{board.name}.json", as_json(board)
        if "--check" not in arguments:
            file.write_text(text)
        elif not file.is_file() or file.read_text() != text:
            sys.stderr.write(f"{file} differs: run `python deploy/grafana/dashboards.py`\n")
            stale = 1
    return stale


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
