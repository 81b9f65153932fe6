"""The contract of the roles besides rewriting (`HistoryKeeper`, `FileKeeper`, `ManifestKeeper`), of table formats.

The subjects are those of `test_formats` that have the roles.
"""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engine.domain.errors import LeaseLost
from engine.domain.runs.expiry import Expiry, ExpiryRule, Needed
from engine.formats.base import FileKeeper, HistoryKeeper, ManifestKeeper, OpenTable
from tests.contract.test_formats import (
    DAYS,
    REF,
    RUN,
    IcebergSubject,
    ModelSubject,
    Subject,
    committed,
    connect,
    machine,
    no_lease,
    opened,
)
from tests.simulation.world import Machine, open_world
from tests.support.world import make_lake

__all__ = ["machine"]

Part = Callable[[Subject], None]
CONTRACT: list[Part] = []


def contract(part: Part) -> Part:
    """Register a part of the contract; it is played on every subject."""
    CONTRACT.append(part)
    return part


@contract
def old_snapshots_expire_once_except_the_newest(subject: Subject) -> None:
    subject.append(DAYS[0])
    table = opened(subject)
    assert isinstance(table, HistoryKeeper)
    every = [each.snapshot_id for each in table.snapshots(100)]
    expiry = expiry_of_all(table, keep_last=2)
    plan = table.plan_expiry(expiry)
    assert sorted(plan.expired) == sorted(every[2:])
    assert list(plan.expired.values()) == sorted(plan.expired.values())
    assert sum(plan.kept.values()) == 2
    pointer = connect(subject).pointers([REF])[REF]
    proof = table.expire(tuple(plan.expired), expiry, before_try=lambda: None)
    assert proof
    assert all(each.holds for each in proof)
    assert table.retained(every) == set(every[:2])
    assert opened(subject).head_snapshot_id == every[0]
    assert connect(subject).pointers([REF])[REF] != pointer
    assert table.expire(tuple(plan.expired), expiry, before_try=no_lease) == ()
    assert opened(subject).digest().num_rows == 7


@contract
def young_snapshots_and_needed_ones_stay(subject: Subject) -> None:
    subject.append(DAYS[0])
    table = opened(subject)
    assert isinstance(table, HistoryKeeper)
    expiry = expiry_of_all(table, keep_last=1)
    old = replace(expiry, rule=ExpiryRule(timedelta(days=2), 1))
    assert not table.plan_expiry(old).expired
    assert table.plan_expiry(old).next_at is not None
    oldest = table.snapshots(100)[-1].snapshot_id
    needed = replace(expiry, needed=Needed(frozenset({oldest})))
    assert oldest not in table.plan_expiry(needed).expired
    table.expire([oldest], needed, before_try=no_lease)
    assert not table.plan_expiry(replace(expiry, only=frozenset())).expired
    with pytest.raises(LeaseLost):
        table.expire([oldest], expiry, before_try=no_lease)
    assert table.retained([oldest]) == {oldest}


@contract
def copies_that_a_rewrite_replaced_are_named(subject: Subject) -> None:
    subject.append(DAYS[0])
    table = opened(subject)
    assert isinstance(table, HistoryKeeper)
    assert not table.old_copies()
    parent = table.head_snapshot_id
    snapshot_id = committed(subject, DAYS)
    found = opened(subject)
    assert isinstance(found, HistoryKeeper)
    assert [(each.snapshot_id, each.rewrite_id, each.run_id) for each in found.old_copies()] == [
        (parent, snapshot_id, RUN)
    ]


@contract
def files_that_only_expired_snapshots_needed_are_deleted(subject: Subject) -> None:
    snapshot_id = committed(subject, DAYS)
    table = opened(subject)
    assert isinstance(table, HistoryKeeper)
    assert isinstance(table, FileKeeper)
    expiry = expiry_of_all(table, keep_last=1)
    plan = table.plan_expiry(expiry)
    foreseen = table.preview_removal(tuple(plan.expired), ()).files["data"]
    assert foreseen.files == 6
    table.expire(tuple(plan.expired), expiry, before_try=lambda: None, deletes_for=RUN)
    deletion = table.deletion(RUN, ())
    assert deletion.is_pending()
    assert deletion.record().files["data"] == foreseen
    while deletion.advance(lambda _requests: None, 60.0):
        pass
    assert deletion.figures().deleted["data"] == foreseen
    assert all(each.holds for each in deletion.prove())
    deletion.close()
    assert not table.deletion(RUN, ()).is_pending()
    assert opened(subject).head_snapshot_id == snapshot_id
    assert opened(subject).digest().num_rows == 2


@contract
def manifests_are_merged_once(subject: Subject) -> None:
    table = opened(subject)
    assert isinstance(table, ManifestKeeper)
    for _ in range(3):
        subject.append(DAYS[0])
    table = opened(subject)
    assert isinstance(table, ManifestKeeper)
    files, plan = table.digest().num_rows, table.plan_manifests()
    assert (plan.manifests, plan.rewritten, plan.added) == (table.figures().manifest_count, plan.manifests, 1)
    with pytest.raises(LeaseLost):
        table.rewrite_manifests(RUN, 1, before_try=no_lease)
    made = table.rewrite_manifests(RUN, 1, before_try=lambda: None)
    assert made == opened(subject).head_snapshot_id
    proof = table.prove_manifests(made or 0)
    assert proof.figures is not None
    assert all(each.holds for each in proof.checks)
    assert (proof.figures.manifests_before, proof.figures.manifests_after) == (plan.manifests, 1)
    assert [each.snapshot_id for each in opened(subject).find_commits(RUN)] == [made]
    after = opened(subject)
    assert isinstance(after, ManifestKeeper)
    assert (after.digest().num_rows, after.figures().manifest_count) == (files, 1)
    assert after.rewrite_manifests(RUN, 2, before_try=no_lease) is None


def expiry_of_all(table: OpenTable, keep_last: int) -> Expiry:
    """Return an expiry for which every snapshot is old enough."""
    newest = table.snapshots(1)[0].committed_at_ms / 1000
    return Expiry(ExpiryRule(timedelta(hours=1), keep_last), datetime.fromtimestamp(newest, UTC) + timedelta(days=1))


@pytest.mark.parametrize("part", CONTRACT, ids=lambda part: part.__name__)
def test_iceberg_tables(part: Part, tmp_path: Path) -> None:
    part(IcebergSubject(make_lake(tmp_path, days=2, files=3)))


@pytest.mark.parametrize("part", CONTRACT, ids=lambda part: part.__name__)
def test_modelled_tables(part: Part, machine: Machine) -> None:
    with open_world(machine, seed=1) as world:
        world.run(asyncio.to_thread(lambda: part(ModelSubject(world))))
