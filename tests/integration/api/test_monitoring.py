"""Alerts fire where they have to; they and the dashboards name metrics and labels that real processes have."""

import json
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from deploy.grafana.dashboards import BOARDS, RATE, main
from tests.integration.api.conftest import Api
from tests.support.scrapes import Scraped, scrape

RULES: Final = Path("deploy/prometheus/packhouse.rules.yml")
PAGE: Final = Path("docs/how-to/alerts.md")
GROUPS: Final = yaml.safe_load(RULES.read_text())["groups"]
ALERTS: Final[Mapping[str, Any]] = {
    rule["alert"]: rule for group in GROUPS for rule in group["rules"] if "alert" in rule
}
_NAME: Final = re.compile(r"\b((?:packhouse|process)_[a-z_]+)(?:\{([^}]*)\})?")
_LABEL: Final = re.compile(r"(\w+)\s*[=!]~?\s*\"")
_RECORDED: Final = re.compile(r"\bpackhouse:[a-z_]+:\w+")
_BY: Final = re.compile(r"\bby \(([^)]*)\)")


@dataclass(frozen=True)
class Case:
    """Series for which an alert fires at minute `at`, those for which it does not, and what it says then.

    A value is Prometheus' notation of a series with a sample each minute: `0+1x10` counts from 0 to 10.
    """

    fires: Mapping[str, str]
    silent: Mapping[str, str]
    summary: str
    labels: Mapping[str, str] = field(default_factory=dict)
    at: int = 30


def _ended(state: str, series: str) -> dict[str, str]:
    return {
        f'packhouse_runs_ended_total{{operation="rewrite",state="{state}",instance="{one}"}}': series for one in "ab"
    }


def _buckets(name: str, le: Mapping[str, str], labels: str = "") -> dict[str, str]:
    return {f'{name}_bucket{{{labels}le="{bound}"}}': series for bound, series in le.items()}


_LAG: Final = "packhouse_event_loop_lag_seconds"
_LATE: Final = "packhouse_due_to_started_seconds"
CASES: Final[Mapping[str, Case]] = {
    "PackhouseApiDown": Case(
        {'packhouse_build_info{process="worker"}': "1x60"},
        {'packhouse_build_info{process="api"}': "1x60"},
        "No api of Packhouse is scraped.",
    ),
    "PackhouseNoLeader": Case(
        {'packhouse_leads{name="watch",instance="a"}': "0x60", 'packhouse_leads{name="latency",instance="a"}': "1x60"},
        {'packhouse_leads{name="watch",instance="a"}': "0x60", 'packhouse_leads{name="watch",instance="b"}': "1x60"},
        "No coordinator leads, so that no run starts automatically.",
    ),
    "PackhouseNoWorker": Case(
        {
            'packhouse_live_processes{process="worker"}': "0x60",
            'packhouse_live_processes{process="coordinator"}': "1x60",
        },
        {'packhouse_live_processes{process="worker"}': "1x60"},
        "No worker is alive.",
    ),
    "PackhouseDependencyDown": Case(
        {'packhouse_dependency_up{dependency="spark",instance="a"}': "0x60"},
        {
            f'packhouse_dependency_up{{dependency="spark",instance="{one}"}}': f"{up}x60"
            for one, up in (("a", 0), ("b", 1))
        },
        "spark has not answered for five minutes.",
        {"dependency": "spark"},
    ),
    "PackhouseFailedProof": Case(
        {'packhouse_failed_proofs_total{outcome="frozen"}': "0x28 1x30"},
        {'packhouse_failed_proofs_total{outcome="frozen"}': "0x60"},
        "A snapshot of a rewrite failed its proof: frozen.",
        {"outcome": "frozen"},
    ),
    "PackhouseOverBudget": Case(
        {
            'packhouse_rewrite_bytes_per_second{catalog="lake"}': "120x60",
            'packhouse_rewrite_bytes_per_second_limit{catalog="lake"}': "100x60",
        },
        {
            'packhouse_rewrite_bytes_per_second{catalog="lake"}': "104x60",
            'packhouse_rewrite_bytes_per_second_limit{catalog="lake"}': "100x60",
            'packhouse_rewrite_bytes_per_second{catalog="free"}': "900x60",
        },
        "Rewrites move 120% of their limit in lake.",
        {"catalog": "lake"},
    ),
    "PackhouseQueueStuck": Case(
        {'packhouse_oldest_waiting_seconds{waiting_for="none"}': "0+60x60"},
        {'packhouse_oldest_waiting_seconds{waiting_for="quiet_hours"}': "0+60x60"},
        "A run that may start has waited for 30m 0s.",
    ),
    "PackhouseApiErrors": Case(
        {
            'packhouse_http_requests_total{status="500"}': "0+1x60",
            'packhouse_http_requests_total{status="200"}': "0+9x60",
        },
        {
            'packhouse_http_requests_total{status="422"}': "0+9x60",
            'packhouse_http_requests_total{status="200"}': "0+9x60",
        },
        "10% of the requests end in an error of the server.",
    ),
    "PackhouseTableFrozen": Case(
        {f'packhouse_frozen_tables{{instance="{one}"}}': "2x60" for one in "ab"},
        {"packhouse_frozen_tables": "0x60"},
        "Tables frozen since a proof failed: 2.",
    ),
    "PackhouseWebhookDead": Case(
        {'packhouse_webhook_backlog{state="dead"}': "3x60"},
        {'packhouse_webhook_backlog{state="pending"}': "3x60"},
        "Events given up after two days of attempts: 3.",
    ),
    "PackhouseWebhooksLate": Case(
        {"packhouse_webhook_oldest_seconds": "0+60x200"},
        {"packhouse_webhook_oldest_seconds": "600x200"},
        "An event has waited for a webhook for 2h 0m 0s.",
        at=120,
    ),
    "PackhouseAuditExportStale": Case(
        {"packhouse_audit_export_lag_seconds": "0+60x200"},
        {"packhouse_audit_export_lag_seconds": "300x200"},
        "The audit log has not been exported for 2h 0m 0s.",
        at=120,
    ),
    "PackhouseDeadLetters": Case(
        {'packhouse_queue_entries{standing="dead"}': "1x60"},
        {'packhouse_queue_entries{standing="waiting"}': "9x60"},
        "Entries of the queue that could not be handled: 1.",
    ),
    "PackhouseOutboxStuck": Case(
        {"packhouse_outbox_oldest_seconds": "0+60x60"},
        {"packhouse_outbox_oldest_seconds": "2x60"},
        "A submitted run has not reached the queue for 30m 0s.",
    ),
    "PackhouseBreakersOpen": Case(
        {'packhouse_breakers_open{kind="catalog"}': "1x90"},
        {'packhouse_breakers_open{kind="catalog"}': "1x50 0x40"},
        "Breakers that have been open for an hour (catalog): 1.",
        {"kind": "catalog"},
        at=70,
    ),
    "PackhouseRunsFail": Case(
        {**_ended("failed", "0+1x120"), **_ended("succeeded", "0+3x120")},
        {**_ended("refused", "0+9x120"), **_ended("succeeded", "0+3x120"), **_ended("failed", "0x120")},
        "25% of the runs of the last six hours failed.",
        at=100,
    ),
    "PackhouseLeasesLost": Case(
        {'packhouse_leases_lost_total{by="reaper"}': "0+1x60"},
        {'packhouse_leases_lost_total{by="reaper"}': "0x59 1"},
        "Leases lost within an hour: 30.",
    ),
    "PackhouseStartsLate": Case(
        _buckets(_LATE, {"600": "0x60", "1800": "0+1x60", "+Inf": "0+1x60"}),
        _buckets(_LATE, {"600": "0+1x60", "1800": "0+1x60", "+Inf": "0+1x60"}),
        "One in a hundred automatic runs starts 29m 48s after its table was due.",
    ),
    "PackhouseDebtGrows": Case(
        {'packhouse_avoidable_files{catalog="lake",team="sales"}': "1000+1x2400"},
        {'packhouse_avoidable_files{catalog="lake",team="sales"}': "4000-1x2400"},
        "The backlog of team sales grew by more than a fifth in a day, and goes on.",
        {"team": "sales"},
        at=2000,
    ),
    "PackhouseLoopBlocked": Case(
        _buckets(_LAG, {"0.5": "0x60", "1": "0+1x60", "+Inf": "0+1x60"}, 'process="api",'),
        _buckets(_LAG, {"0.5": "0+1x60", "1": "0+1x60", "+Inf": "0+1x60"}, 'process="api",'),
        "The event loop of api processes is late by 995ms.",
        {"process": "api"},
    ),
}


def _promtool(*arguments: str, text: str | None = None) -> None:
    done = subprocess.run(["promtool", *arguments], input=text, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr


def _played(alert: str, case: Case, *, fires: bool) -> dict[str, Any]:
    rule = ALERTS[alert]
    annotations = {**rule["annotations"], "summary": case.summary}
    expected = [{"exp_labels": {**rule["labels"], **case.labels}, "exp_annotations": annotations}]
    series = case.fires if fires else case.silent
    return {
        "name": f"{alert} {'fires' if fires else 'is silent'}",
        "interval": "1m",
        "input_series": [{"series": name, "values": values} for name, values in series.items()],
        "alert_rule_test": [{"alertname": alert, "eval_time": f"{case.at}m", "exp_alerts": expected if fires else []}],
    }


def test_every_alert_fires_for_its_fault_and_for_nothing_near_it(tmp_path: Path) -> None:
    assert set(CASES) == set(ALERTS)
    played = [_played(alert, case, fires=fires) for alert, case in CASES.items() for fires in (True, False)]
    file = tmp_path / "test.json"  # JSON is YAML
    file.write_text(json.dumps({"rule_files": [str(RULES.absolute())], "evaluation_interval": "1m", "tests": played}))
    _promtool("test", "rules", str(file))


def test_every_alert_has_a_section_that_says_what_to_do() -> None:
    sections = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", PAGE.read_text(), re.MULTILINE | re.DOTALL))
    assert set(ALERTS) == set(sections)
    for alert, text in sections.items():
        assert ALERTS[alert]["annotations"]["runbook_url"] == f"docs/how-to/alerts.md#{alert.lower()}"
        assert "**Do**" in text, alert


@pytest.fixture
async def scraped(api: Api, table_id: str) -> Scraped:
    return await scrape(api, table_id)


PANELS: Final = [panel for board in BOARDS for panels in board.rows.values() for panel in panels]
QUERIES: Final = [rule["expr"] for group in GROUPS for rule in group["rules"]] + [
    query for panel in PANELS for query in panel.queries.values()
]


def test_rules_and_panels_name_metrics_and_labels_that_processes_have(scraped: Scraped) -> None:
    recorded = {rule["record"] for group in GROUPS for rule in group["rules"] if "record" in rule}
    for query in QUERIES:
        names = _NAME.findall(query)
        labels = {each for _, matchers in names for each in _LABEL.findall(matchers)}
        labels |= {each.strip() for by in _BY.findall(query) for each in by.split(",")} - {"instance"}
        known = {label for name, _ in names for label in scraped.labels(name)}
        assert set(_RECORDED.findall(query)) <= recorded
        assert names or _RECORDED.search(query), query
        assert not names or labels <= known, (query, labels - known)


def test_dashboards_are_those_of_their_source_and_every_panel_says_what_it_shows(tmp_path: Path) -> None:
    assert main(["--check"]) == 0
    for panel in PANELS:
        assert panel.unit
        assert panel.description.endswith(".")
        for legend, query in panel.queries.items():
            assert legend
            assert "rate(" not in query or RATE in query, query
    shown = [
        query.replace(RATE, "5m").replace("$catalog", ".*").replace("$team", ".*").replace("$table", ".*")
        for query in QUERIES
    ]
    rules = [{"record": f"query:{at}", "expr": query} for at, query in enumerate(shown)]
    file = tmp_path / "queries.json"
    file.write_text(json.dumps({"groups": [{"name": "queries", "rules": rules}]}))
    _promtool("check", "rules", str(file))


def test_what_processes_show_is_valid_and_counters_that_alerts_look_for_begin_at_zero(scraped: Scraped) -> None:
    """A series that begins at 1 has no increase, so that the first fault would be missed."""
    for text in scraped.texts:
        _promtool("check", "metrics", text=text)
    for line in (
        'packhouse_runs_ended_total{operation="rewrite",state="failed"} 0.0',
        'packhouse_failed_proofs_total{outcome="frozen"} 0.0',
        'packhouse_failed_proofs_total{outcome="rolled_back"} 0.0',
        'packhouse_leases_lost_total{by="reaper"} 0.0',
        'packhouse_breakers_open{kind="catalog"} 0.0',
        "packhouse_frozen_tables 0.0",
        'packhouse_paused{scope="fleet"} 0.0',
    ):
        assert any(f"\n{line}\n" in text for text in scraped.texts), line
