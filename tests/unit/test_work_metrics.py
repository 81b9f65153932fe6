"""What workers and coordinators count of themselves."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from engine.domain.access.callers import COORDINATOR
from engine.domain.ids import RunId, TableId
from engine.domain.runs.left_out import LeftOut, LeftOutItem
from engine.domain.runs.results import RunResult
from engine.domain.runs.run import Operation, Run, RunState
from engine.metrics import MOST_RULES, OTHER_RULES, WorkMetrics


def lines(metrics: WorkMetrics, name: str) -> dict[str, float]:
    shown = [line for line in metrics.render().decode().splitlines() if line.startswith(f"{name}{{")]
    return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in shown}


def test_rules_that_policies_make_up_become_a_bounded_number_of_labels() -> None:
    metrics = WorkMetrics()
    for _ in range(2):
        for number in range(MOST_RULES * 3):
            metrics.count_begun(f"rule {number}")
    found = lines(metrics, "packhouse_runs_begun_total")
    assert len(found) == MOST_RULES + 1
    assert sum(found.values()) == MOST_RULES * 6
    assert found[f'packhouse_runs_begun_total{{rule="{OTHER_RULES}"}}'] == MOST_RULES * 4


def test_a_rule_without_a_name_is_counted_with_the_others_and_two_services_do_not_mix() -> None:
    one, other = WorkMetrics(), WorkMetrics()
    one.count_begun(None)
    one.claims.labels("claimed").inc()
    assert lines(one, "packhouse_runs_begun_total") == {'packhouse_runs_begun_total{rule="other"}': 1.0}
    assert lines(one, "packhouse_claims_total") == {'packhouse_claims_total{outcome="claimed"}': 1.0}
    assert lines(other, "packhouse_runs_begun_total") == lines(other, "packhouse_claims_total") == {}


NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)


def a_run(*, requested_by: str, attempt: int = 1, state: RunState = RunState.PLANNING) -> Run:
    """Return a run that was submitted at noon, started 40 s later and ended 100 s after that."""
    started = NOON + timedelta(seconds=40)
    return Run(
        RunId("run_1"),
        TableId("tbl_1"),
        Operation.REWRITE,
        state,
        requested_by,
        NOON,
        NOON,
        request={"due_since": (NOON - timedelta(seconds=20)).isoformat()},
        attempt=attempt,
        started_at=started,
        finished_at=started + timedelta(seconds=100),
    )


def sums(metrics: WorkMetrics, name: str) -> dict[str, float]:
    return {key.partition("{")[2]: value for key, value in lines(metrics, f"{name}_sum").items()}


def test_the_first_start_observes_the_wait_of_a_run() -> None:
    metrics = WorkMetrics()
    metrics.observe_first_start(a_run(requested_by="key:ada"))
    metrics.observe_first_start(a_run(requested_by=COORDINATOR.subject))
    metrics.observe_first_start(a_run(requested_by=COORDINATOR.subject, attempt=2))
    assert sums(metrics, "packhouse_run_queue_wait_seconds") == {
        'operation="rewrite",origin="requested"}': 40.0,
        'operation="rewrite",origin="automatic"}': 40.0,
    }
    assert sums(metrics, "packhouse_due_to_started_seconds") == {'operation="rewrite"}': 60.0}


def test_f54_items_that_runs_left_out_are_counted_from_zero_on() -> None:
    metrics = WorkMetrics()
    name = "packhouse_left_out_items_total"
    assert set(lines(metrics, name).values()) == {0.0}
    left_out = LeftOut.of([LeftOutItem("a.parquet", "unreadable"), LeftOutItem("b.parquet", "unreadable")])
    run = a_run(requested_by="key:ada", state=RunState.SUCCEEDED)
    for result in ({}, {"left_out": left_out.document()}):
        metrics.observe_end(replace(run, result=RunResult(result)))
    assert lines(metrics, name)[f'{name}{{operation="rewrite"}}'] == 2.0


def test_the_end_observes_the_duration_of_a_run() -> None:
    metrics = WorkMetrics()
    metrics.observe_end(a_run(requested_by="key:ada", attempt=3, state=RunState.SUCCEEDED))
    assert sums(metrics, "packhouse_run_seconds") == {'operation="rewrite",state="succeeded"}': 100.0}
