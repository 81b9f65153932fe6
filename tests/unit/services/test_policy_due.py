"""What a change of policy would make due, by measured health."""

from dataclasses import asdict

from engine.planning.measures.digest import TableMeasures
from engine.planning.measures.health import health
from engine.services.policies.due import DueRules, decisive
from tests.support.digests import DigestFile, digest_of
from tests.support.planning import policy_of

MIB = 2**20


def holding(files: list[DigestFile]) -> tuple[tuple[str, str] | None, bool]:
    rules = DueRules.of(policy_of({}))
    assert rules.small_bytes is not None
    return rules.holding(
        asdict(
            health(digest_of(files), small_bytes=rules.small_bytes, large_bytes=rules.large_bytes, current_spec_id=0)
        )
    )


def test_a_partition_that_doubled_is_told_from_a_large_remainder_unless_its_measurement_is_older() -> None:
    assert holding([DigestFile(MIB)] * 20) == (("many small files", "{}"), False)
    found, is_untold = holding([DigestFile(90 * MIB)] + [DigestFile(MIB)] * 30)
    assert (found, is_untold) == (None, True)  # ages of files are not measured: it may have settled
    rules = DueRules.of(policy_of({}))
    assert rules.small_bytes is not None
    files = digest_of([DigestFile(MIB)] * 20)
    measured = asdict(health(files, small_bytes=rules.small_bytes, large_bytes=rules.large_bytes, current_spec_id=0))
    for partition in (partitions := [dict(each) for each in measured["worst_partitions"]]):
        del partition["largest_small_file_share"]
    assert rules.holding({**measured, "worst_partitions": partitions}) == (None, True)


def test_the_order_of_rows_is_not_measured_so_a_rule_on_it_is_untold_unless_there_is_no_order() -> None:
    rule = {"name": "order", "all": [{"metric": "unordered_share", "above": 0}]}
    well_sized = [DigestFile(120 * MIB)] * 2
    for strategy, is_untold in (("sort", True), ("binpack", False)):
        rules = DueRules.of(policy_of({"rewrite": {"strategy": strategy}, "triggers": [rule]}))
        assert rules.small_bytes is not None
        for files in (well_sized, [DigestFile(MIB)] * 30):
            measured = health(
                digest_of(files), small_bytes=rules.small_bytes, large_bytes=rules.large_bytes, current_spec_id=0
            )
            assert rules.holding(asdict(measured)) == (None, is_untold)
        assert decisive(["rewrite.columns"], rules) is is_untold
    assert not decisive(["rewrite.columns"], DueRules.of(policy_of({"rewrite": {"strategy": "sort"}})))


def test_p24_a_rule_on_sorted_runs_is_judged_by_the_measured_ones() -> None:
    rule = {"name": "runs", "all": [{"metric": "sorted_run_count", "at_least": 5}]}
    rules = DueRules.of(policy_of({"triggers": [rule]}))
    assert rules.small_bytes is not None
    digest = digest_of([DigestFile(MIB, bucket=0, level=0)] * 5)
    for has_levels, expected in ((True, (("runs", "{}"), False)), (False, (None, True))):
        figures = TableMeasures(has_levels=has_levels)
        measured = health(digest, small_bytes=rules.small_bytes, large_bytes=None, current_spec_id=0, figures=figures)
        assert rules.holding(asdict(measured)) == expected
