"""Every reason code has words."""

import re
from pathlib import Path

from engine.domain.runs.drops import Loss
from engine.domain.runs.reasons import OF_GROUPS, OF_PARTITIONS, OF_RUNS, OF_TABLES, describe_reason
from engine.domain.runs.run import WaitingFor
from engine.planning.due.full_rewrites import NOT_ELIGIBLE
from engine.planning.due.partition_decisions import FULL_FIRST, NOT_DUE
from engine.planning.due.remainders import REMAINDER
from engine.planning.plans.candidates import SkipReason

ROOT = Path(__file__).parents[2]


def test_every_reason_to_leave_a_partition_alone_has_words():
    codes = {*SkipReason, NOT_ELIGIBLE, REMAINDER, NOT_DUE, FULL_FIRST, "unchanged", "not_sealed"}
    assert codes == set(OF_PARTITIONS)


def test_every_change_of_another_writer_that_drops_a_group_has_words():
    assert set(Loss) == set(OF_GROUPS)
    assert describe_reason(Loss.NEW_DELETES) == OF_GROUPS[Loss.NEW_DELETES]


def test_every_reason_to_wait_has_words():
    assert set(WaitingFor) <= set(OF_RUNS)


def test_every_reason_that_services_end_runs_with_has_words():
    sources = " ".join(path.read_text() for path in (ROOT / "engine" / "services").rglob("*.py"))
    given = set(re.findall(r"\b(?:Ended|Parked)\(\s*[\w.()]+,\s*\"(\w+)\"", sources))
    assert given >= {"committed", "nothing_to_do", "conflict", "worker_stopped", "groups_failed", "disabled"}
    assert given <= set(OF_RUNS)


def test_every_hold_of_a_table_has_words():
    source = (ROOT / "engine" / "services" / "explain" / "timing.py").read_text()
    given = set(re.findall(r"TableHold\(\"(\w+)\"", source))
    assert given >= {"disabled", "table_frozen", "cooling_down"}
    assert given <= set(OF_TABLES)


def test_words_fit_into_a_sentence():
    for words in (text for of in (OF_PARTITIONS, OF_GROUPS, OF_RUNS, OF_TABLES) for text in of.values()):
        assert words == words.strip()
        assert not words.endswith("."), words
        assert not words[0].isupper(), words


def test_a_code_without_words_is_readable_all_the_same():
    assert describe_reason("some_new_code") == "some new code"
