"""The summary of explain as a whole: golden texts of typical and complex situations, its size, and its first sentences.

`tests.unit.services.explanations` writes the golden texts.
"""

from dataclasses import replace

import pytest

from engine.domain.runs.hot_partitions import HotPartition, HotPartitions
from engine.domain.runs.run import RunState
from engine.services.explain.document import explanation
from engine.services.explain.facts import too_small_budget
from engine.services.explain.summary import MOST, summarize
from engine.services.explain.timing import eligibility
from engine.services.runs.budgets import DayBudget
from engine.stores.tables.hot_partitions import MOST_HOT
from tests.support.digests import DigestFile
from tests.unit.services.explanations import (
    DUE,
    FOLDER,
    GOLDEN,
    MIB,
    NOW,
    RUN,
    SITUATIONS,
    a_run,
    ago,
    sentences,
    situation,
    summary,
)


@pytest.mark.parametrize("name", GOLDEN)
def test_the_summary_is_the_golden_text(name: str):
    assert summary(name) == (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", SITUATIONS)
def test_the_summary_has_whole_sentences_without_line_breaks(name: str):
    texts = sentences(SITUATIONS[name]())
    assert len(texts) <= MOST
    assert [text for text in texts if "\n" in text or "  " in text or not text.endswith(".")] == []


def test_what_a_person_can_end_has_its_remedy_as_an_operation():
    paused = explanation(SITUATIONS["paused_catalog"]())
    (hold,) = paused["next_eligible"]["held_by"]
    assert hold["remedy"] == {"operation": "resume_catalog", "parameters": {"name": "lake"}}
    assert hold["values"].keys() == {"reason", "by", "since"}
    said = [paused["starts"], paused["next_eligible"]["because"], *paused["summary"]]
    assert [each["code"] for each in said if each["remedy"] == hold["remedy"]] == [
        "catalog_paused",
        "catalog_paused",
        "starts",
        "held_by",
    ]


def test_every_golden_text_has_its_situation():
    assert {path.stem for path in FOLDER.iterdir()} == set(GOLDEN)


@pytest.mark.parametrize("name", SITUATIONS)
def test_the_summary_says_first_whether_the_table_is_due_and_then_whether_a_run_starts_automatically(name: str):
    first, *others = summary(name).splitlines()
    assert first.startswith("lake.")
    assert any("automatically" in line for line in others[:3])


@pytest.mark.parametrize("name", SITUATIONS)
def test_the_first_sentences_agree_with_what_holds_the_table_back(name: str):
    facts = SITUATIONS[name]()
    held_by = eligibility(facts).held_by
    headline, how_it_starts, *_ = sentences(facts)
    is_due = facts.sight.evaluation is not None and facts.sight.evaluation.is_due
    assert ("nothing holds it back" in headline) is (is_due and not held_by)
    if "can't be" not in headline:
        assert all(hold.words in headline for hold in held_by)
    if any(hold.holds_submission for hold in held_by):
        assert how_it_starts.startswith("No run starts automatically")


def test_a_daily_budget_is_told_as_what_a_run_fails_by_defers_or_holds_in_full():
    facts = situation(DUE, {"limits": {"bytes_per_day": "10MiB"}}, day=DayBudget(10 * MIB, 10 * MIB, None))
    told = explanation(replace(facts, refusals=tuple(too_small_budget(facts))))
    assert told["now"]["outcome"] == "refused"
    assert told["next_eligible"]["at"] is None
    assert "lower rewrite.max_group_bytes" in " ".join(each["text"] for each in told["summary"])
    day = DayBudget(100 * MIB, 30 * MIB, NOW)  # of groups of 40 MiB and 25 MiB
    (line,) = [line for line in summary_of(DUE, day) if "A run now would rewrite" in line]
    assert "25 files" in line
    assert not any("An automatic run" in line for line in summary_of(DUE, day))
    facts = situation(DUE, {"limits": {"bytes_per_day": "1GiB"}}, day=DayBudget(1024 * MIB, 0, None))
    assert not list(too_small_budget(facts))


def summary_of(files: list[DigestFile], day: DayBudget) -> list[str]:
    facts = situation(files, {"limits": {"bytes_per_day": "100MiB"}}, day=day)
    return [each.text for each in summarize(facts, eligibility(facts))]


def test_a_table_with_more_hot_partitions_than_are_kept_rests_as_a_whole_after_a_lost_run():
    lost = a_run(RunState.FAILED, reason="conflict", started_at=ago(hours=1), finished_at=ago(minutes=1))

    def held(count: int) -> list[str]:
        partitions = [
            HotPartition((0, str(at)), 1, ago(minutes=1), NOW, 0, "source_gone", RUN, 1) for at in range(count)
        ]
        facts = situation(
            DUE, {"schedule": {"min_interval": "0s"}}, hot=HotPartitions.at(NOW, partitions), ended=(lost,)
        )
        return [hold.code for hold in eligibility(facts).held_by]

    assert (held(MOST_HOT - 1), held(MOST_HOT)) == ([], ["runs_in_vain"])
