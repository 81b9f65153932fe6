"""Expiries of Paimon tables by Packhouse in this process, without a record, and by Paimon's core."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from engine.domain.runs.expiry import Expiry, ExpiryRule, Needed
from engine.domain.runs.removals import RemovalPlan
from engine.formats.paimon.table import PaimonTable
from engine.formats.removal.scopes import RECORDS
from tests.support.paimon.lakes import PaimonLake

RUN: Final = "run_1"
_HINTS: Final = ("EARLIEST", "LATEST")


def expiry(keep_last: int, *, needed: Needed = Needed(), **rule: timedelta | bool) -> Expiry:  # noqa: B008 - frozen
    """Return an expiry for which every snapshot is old enough."""
    made = ExpiryRule(**{"older_than": timedelta(0), "keep_last": keep_last, "deletes_files": True, **rule})  # type: ignore[arg-type]
    return Expiry(made, datetime.now(UTC) + timedelta(days=1), needed)


def snapshots_expired(lake: PaimonLake, which: Expiry, *, run_id: str = RUN) -> Sequence[int]:
    """Remove the planned snapshots and store what only they need; return their ids."""
    table = lake.open()
    plan = table.expiry.plan(which)
    proof = table.expiry.expire(tuple(plan.expired), which, before_try=lambda: None, deletes_for=run_id)
    assert all(each.holds for each in proof), proof
    return tuple(plan.expired)


def tags_expired(lake: PaimonLake, which: Expiry, *, run_id: str = RUN) -> Sequence[str]:
    """Remove the planned tags and store what only they need; return their names."""
    table = lake.open()
    names = tuple(table.expiry.plan(which).tags)
    proof = table.expiry.expire_tags(names, which, before_try=lambda: None, deletes_for=run_id)
    assert all(each.holds for each in proof), proof
    assert not table.expiry.retained_tags(names)
    return names


def files_deleted(table: PaimonTable, *, run_id: str = RUN, others: Sequence[str] = ()) -> RemovalPlan:
    """Delete the files of expired snapshots, and prove it."""
    deletion = table.expired_removal.deletion(run_id, others)
    plan = deletion.record()
    while deletion.advance(lambda _requests: None, 60.0):
        pass
    proof = deletion.prove()
    assert all(each.holds for each in proof), proof
    deletion.close()
    assert deletion.figures().failed == {}
    return plan


def expired_with_files(lake: PaimonLake, which: Expiry) -> RemovalPlan:
    """Expire as a run does; what is deleted is what the preview showed."""
    planned = lake.open().expiry.plan(which)
    foreseen = lake.open().expired_removal.preview(tuple(planned.expired), (), tuple(planned.tags))
    tags_expired(lake, which)
    snapshots_expired(lake, which)
    plan = files_deleted(lake.open())
    assert plan.files == foreseen.files
    return plan


def files_of(lake: PaimonLake) -> set[str]:
    """Return every file of the table but Packhouse's records and hints, relative to its folder."""
    every = (each for each in lake.folder.rglob("*") if each.is_file() and each.name not in _HINTS)
    return {str(each.relative_to(lake.folder)) for each in every if RECORDS not in each.parts}


def stopped_after(count: int) -> Callable[[], None]:
    """Return a `before_try` that raises on its call after a number of calls."""
    calls = iter(range(count))

    def before_try() -> None:
        if next(calls, None) is None:
            raise KeyboardInterrupt

    return before_try
