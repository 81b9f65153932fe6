"""What the summary of explain says, word for word. `tests.unit.services.explanations` writes the expected texts."""

from dataclasses import replace

import pytest

from engine.services.budgets import DayBudget
from engine.services.explain_document import explanation
from engine.services.explain_facts import too_small_budget
from tests.unit.services.explanations import DUE, FOLDER, MIB, SITUATIONS, situation, summary


@pytest.mark.parametrize("name", SITUATIONS)
def test_the_summary_says_what_it_said_before(name: str):
    assert summary(name) == (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", SITUATIONS)
def test_the_summary_fits_on_a_screen(name: str):
    lines = summary(name).splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 100


def test_every_expected_text_has_its_situation():
    assert {path.stem for path in FOLDER.iterdir()} == set(SITUATIONS)


@pytest.mark.parametrize("name", SITUATIONS)
def test_the_summary_says_first_whether_the_table_is_due_and_then_whether_a_run_starts_by_itself(name: str):
    first, *others = summary(name).splitlines()
    assert first.startswith("lake.")
    assert any("start by themselves" in line or "starts by itself" in line for line in others[:3])


def test_a_daily_budget_below_one_file_group_is_told_as_what_a_run_would_fail_by():
    facts = situation(DUE, {"limits": {"bytes_per_day": "10MiB"}}, day=DayBudget(10 * MIB, 10 * MIB, None))
    told = explanation(replace(facts, refusals=tuple(too_small_budget(facts))))
    assert told["now"]["outcome"] == "refused"
    assert told["next_eligible"]["at"] is None
    assert "lower rewrite.max_group_bytes" in " ".join(line.strip() for line in told["summary"])


def test_a_daily_budget_that_holds_every_file_group_stands_in_no_way():
    facts = situation(DUE, {"limits": {"bytes_per_day": "1GiB"}}, day=DayBudget(1024 * MIB, 0, None))
    assert not list(too_small_budget(facts))
