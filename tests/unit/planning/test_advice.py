"""What layout and upkeep suit a table."""

from engine.planning.advice import Layout, LayoutAdvice, UpkeepAdvice, Writes, advise_layout, advise_upkeep

COLUMNS = ["id", "day", "region", "customer", "price", "note"]
DAY = 86_400.0


def layout(*queries: tuple[str, int], partition: str = "day region") -> LayoutAdvice:
    """Advise on queries given as filtered columns and count."""
    return advise_layout([(frozenset(names.split()), n) for names, n in queries], partition.split(), COLUMNS)


def upkeep(
    ingested: int = 100, rewritten: int = 50, commits: int = 10, updates: int = 0, scans: float | None = 0.0
) -> UpkeepAdvice:
    writes = Writes(DAY, ingested, commits, updates, rewritten)
    return advise_upkeep(writes, expiry_seconds=5 * DAY, full_scan_share=scans)


def test_packing_is_enough_when_queries_name_all_partition_columns() -> None:
    """L8: bin-packing suffices for such queries."""
    found = layout(("day region", 60), ("day region customer", 35), ("customer", 5))
    assert (found.layout, found.cluster_by, found.partition_query_share) == (Layout.BINPACK, (), 0.95)
    assert "95% of the queries name all partition columns (day, region)" in found.because


def test_columns_to_cluster_by_are_those_most_filtered_by_and_none_of_the_partition() -> None:
    found = layout(("day customer", 100))
    assert (found.layout, found.cluster_by, found.partition_query_share) == (Layout.CLUSTER, ("customer",), 0.0)
    found = layout(("customer", 50), ("price day", 30), ("note", 5), ("day region", 15))
    assert found.cluster_by == ("customer", "price")
    assert [(use.column, use.query_share) for use in found.columns] == [
        ("customer", 0.5),
        ("price", 0.3),
        ("note", 0.05),
    ]
    found = layout(("customer", 100), partition="")
    assert (found.layout, found.cluster_by) == (Layout.CLUSTER, ("customer",))
    assert "not partitioned" in found.because
    found = layout(("id customer price note day", 100), partition="")
    assert found.cluster_by == ("id", "day", "customer", "price")


def test_without_queries_on_columns_that_a_table_has_nothing_is_gained_by_clustering() -> None:
    assert (layout().layout, layout().partition_query_share) == (Layout.UNKNOWN, None)
    found = layout(("", 95), ("customer", 5))
    assert (found.layout, found.full_scan_share) == (Layout.BINPACK, 0.95)
    found = layout(("nonsense; DROP TABLE", 100), partition="")
    assert (found.layout, found.columns) == (Layout.BINPACK, ())


def test_amplification_is_rewritten_by_ingested() -> None:
    """P1: bytes rewritten per byte ingested."""
    assert upkeep(ingested=400, rewritten=100).write_amplification == 0.25
    assert upkeep(ingested=0).write_amplification is None


def test_superseded_files_stay_until_their_snapshots_expire() -> None:
    """M12: replaced files need storage until then."""
    assert upkeep(rewritten=100).extra_storage_bytes == 500


def test_updates_and_full_scans_are_reasons_to_rewrite_more_often() -> None:
    """M12: the share of updates and the frequency of scans decide how often."""
    found = upkeep(updates=4, scans=0.8)
    assert found.update_share == 0.4
    assert ["40% of the commits" in found.because[0], "80% of the queries" in found.because[1]] == [True, True]


def test_rewriting_more_than_is_ingested_is_a_reason_to_wait_and_a_table_that_nobody_wrote_to_costs_nothing() -> None:
    [reason] = upkeep(ingested=10, rewritten=35).because
    assert "rewritten 3.5 times" in reason
    found = advise_upkeep(Writes(0, 0, 0, 0, 0), expiry_seconds=DAY, full_scan_share=None)
    assert (found.write_amplification, found.update_share, found.extra_storage_bytes, found.because) == (
        None,
        None,
        0,
        (),
    )
