"""What workers and coordinators count of themselves."""

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


def test_a_rule_without_a_name_is_counted_with_the_others() -> None:
    metrics = WorkMetrics()
    metrics.count_begun(None)
    assert lines(metrics, "packhouse_runs_begun_total") == {'packhouse_runs_begun_total{rule="other"}': 1.0}


def test_two_processes_worth_of_services_do_not_mix() -> None:
    one, other = WorkMetrics(), WorkMetrics()
    one.claims.labels("claimed").inc()
    assert (lines(one, "packhouse_claims_total"), lines(other, "packhouse_claims_total")) == (
        {'packhouse_claims_total{outcome="claimed"}': 1.0},
        {},
    )
