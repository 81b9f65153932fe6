"""How long partitions cool down after lost races, and how small their file groups get."""

from datetime import UTC, datetime, timedelta

import pytest

from engine.domain.ids import RunId
from engine.domain.runs.hot_partitions import HotPartition, HotPartitions, Place, cool_down

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
MIB = 2**20


def lost(place: Place, losses: int = 1, *, cools: timedelta = timedelta(minutes=5)) -> HotPartition:
    return HotPartition(place, losses, NOW, NOW + cools, 0, "source_gone", RunId("run_1"), 1)


@pytest.mark.parametrize(("losses", "minutes"), [(1, 5), (2, 10), (3, 20), (7, 320), (8, 360), (9, 360), (10_000, 360)])
def test_each_loss_in_a_row_doubles_the_cool_down_up_to_six_hours(losses: int, minutes: int) -> None:
    assert cool_down(losses) == timedelta(minutes=minutes)


@pytest.mark.parametrize(
    ("usual", "losses", "least", "allowed"),
    [
        (1024 * MIB, 1, 128 * MIB, 512 * MIB),
        (1024 * MIB, 2, 128 * MIB, 256 * MIB),
        (1024 * MIB, 9, 128 * MIB, 128 * MIB),  # not below the target: it could not be written
        (1024 * MIB, 9, 8 * MIB, 64 * MIB),  # nor below what costs more than it saves
        (1024 * MIB, 10_000, 8 * MIB, 64 * MIB),
        (32 * MIB, 3, 8 * MIB, 32 * MIB),  # and never above the policy's own
    ],
)
def test_groups_are_halved_with_each_loss_down_to_a_floor(usual: int, losses: int, least: int, allowed: int) -> None:
    assert lost((0, "a"), losses).group_bytes(usual, least=least) == allowed


def test_a_partition_cools_until_its_time_is_over_or_it_is_let_in_and_stays_small() -> None:
    hot = HotPartitions.at(NOW, [lost((0, "a")), lost((0, "b"), cools=timedelta(0))])
    assert hot.cooling_until((0, "a")) == NOW + timedelta(minutes=5)
    assert hot.cooling_until((0, "b")) is None
    assert hot.cooling_until((1, "a")) is None  # of another spec
    assert [each.place for each in hot.cooling] == [(0, "a")]
    hot = HotPartitions.at(NOW, [lost((0, "a")), lost((0, "b"))])
    some = hot.without_cool_down(frozenset({(0, "a"), (7, "unknown")}))
    assert [each.place for each in some.cooling] == [(0, "b")]
    assert some.group_bytes((0, "a"), 1024 * MIB, least=MIB) == 512 * MIB
    assert hot.without_cool_down().cooling == []
