"""What a rewrite is worth."""

from engine.planning.ranking import OPEN_COST_BYTES, benefit_per_cost

MIB = 2**20


def test_the_open_cost_is_icebergs_default() -> None:
    assert OPEN_COST_BYTES == 4_194_304


def test_a_scan_wins_back_what_a_rewrite_of_4_mib_files_reads() -> None:
    assert benefit_per_cost(avoidable_files=100, rewritten_bytes=400 * MIB) == 1


def test_smaller_files_are_worth_more_for_each_byte() -> None:
    tiny = benefit_per_cost(avoidable_files=10, rewritten_bytes=10 * 2**10)
    assert tiny > benefit_per_cost(avoidable_files=1000, rewritten_bytes=1000 * MIB)


def test_nothing_to_win_is_worth_nothing() -> None:
    assert benefit_per_cost(avoidable_files=0, rewritten_bytes=0) == 0


def test_empty_files_are_worth_something_finite() -> None:
    assert benefit_per_cost(avoidable_files=1, rewritten_bytes=0) == OPEN_COST_BYTES
