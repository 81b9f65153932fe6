"""Every reason code has words."""

import re
from pathlib import Path

import pytest

from engine.domain.runs.reasons import OF_PARTITIONS, OF_RUNS, OF_TABLES, in_words
from engine.domain.runs.run import WaitingFor
from engine.planning.due.full_rewrites import NOT_ELIGIBLE
from engine.planning.due.remainders import REMAINDER
from engine.planning.plans.candidates import SkipReason
from engine.services.planning.due_partitions import NOT_DUE

ROOT = Path(__file__).parents[2]


def test_every_reason_to_leave_a_partition_alone_has_words():
    assert {*SkipReason, NOT_ELIGIBLE, REMAINDER, NOT_DUE, "unchanged", "not_sealed"} == set(OF_PARTITIONS)


@pytest.mark.parametrize("waiting_for", WaitingFor)
def test_every_reason_to_wait_has_words(waiting_for: WaitingFor):
    assert waiting_for in OF_RUNS


def test_every_reason_that_services_end_runs_with_has_words():
    sources = " ".join(path.read_text() for path in (ROOT / "engine" / "services").rglob("*.py"))
    ended = re.findall(r"\.(?:end|_wait)\(\s*(?:RunState|WaitingFor)\.\w+,\s*\"(\w+)\"", sources)
    given = re.findall(r"fail\(\s*reason=\"(\w+)\"", sources)
    assert {*ended, *given} >= {"committed", "nothing_to_do", "conflict"}
    assert {*ended, *given} <= set(OF_RUNS)


def test_every_hold_of_a_table_has_words():
    source = (ROOT / "engine" / "services" / "explain" / "timing.py").read_text()
    assert set(re.findall(r"Hold\(\"(\w+)\"", source)) <= set(OF_TABLES)


@pytest.mark.parametrize("words", [*OF_PARTITIONS.values(), *OF_RUNS.values(), *OF_TABLES.values()])
def test_words_fit_into_a_sentence(words: str):
    assert words == words.strip()
    assert not words.endswith(".")
    assert not words[0].isupper()


def test_a_code_without_words_is_readable_all_the_same():
    assert in_words("some_new_code") == "some new code"
