"""Expire snapshots of a Paimon table: delete their files in the folder `snapshot`. No other file is deleted.

Packhouse does it itself, without Paimon's core: the core deletes the files of a snapshot before the snapshot, without
a list and in one call that can be neither paced nor stopped, and it needs a JVM with access to the store. Here the
files are listed and stored first, the snapshots go, and then the files, as `formats.removal` deletes those of other
formats. So it works in every store that tables can be read from.

Paimon requires that the ids of snapshots are consecutive. Only the oldest can expire, the oldest first: one that has to
stay keeps every newer one. An interrupted expiry leaves a readable table, whose hint `EARLIEST` is out of date: readers
list the snapshots then. Tags and branches have copies of the snapshots that they need, and do not keep any from
expiring, only their files.

A file system has no transaction. A snapshot that a rollback makes the newest in the moment between the look at the head
and the deletion is lost, as with Paimon's own expire; every deletion of a snapshot looks at the head first.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import takewhile, zip_longest
from typing import Final

from engine.domain.errors import NotEligible, Transient
from engine.domain.runs.expiry import READER, UNREADABLE_CONSUMER, Expiry, ExpiryPlan, Needed, OldCopy, instant
from engine.formats.base import Condition
from engine.formats.intake.parameters import listed
from engine.formats.paimon.metadata.known_options import Activity
from engine.formats.paimon.metadata.snapshots import COMPACT, Snapshot
from engine.formats.paimon.rewrite.commits import RUN_ID, is_own
from engine.formats.paimon.upkeep.retention import (
    consumers_of,
    least_retained,
    time_retained,
)
from engine.formats.paimon.upkeep.tags import tags_over
from engine.formats.paimon.view import TableView

AFTER_KEPT: Final = "after_kept"
"""Reason of `ExpiryPlan.kept`: an older snapshot stays, and ids of snapshots are consecutive."""

CONSUMER: Final = "consumer"
"""Reason of `ExpiryPlan.kept`: a consumer reads it, or a newer one, next."""

Announce = Callable[[TableView, Sequence[Snapshot], Snapshot], None]


def plan_expiry(view: TableView, expiry: Expiry) -> ExpiryPlan:
    """Return which snapshots and tags would be removed, and what keeps the other snapshots.

    A snapshot is as old as the time since the next one was committed, as in Paimon: until then it was the newest.

    Raises:
        NotEligible: an option of the table forbids it or is unknown, or those of the retention can't be read.
    """
    return replace(_planned(view, view.every_snapshot(), expiry), tags=tags_over(view, expiry))


def _planned(view: TableView, every: Sequence[Snapshot], expiry: Expiry) -> ExpiryPlan:
    rule, options = expiry.rule, view.schema.options
    if problems := view.option_problems(Activity.EXPIRY):
        raise NotEligible(f"no snapshot expires: the table option {listed(problems)}")
    own_age, own_least = (timedelta(0), 0) if rule.overrides else (time_retained(options), least_retained(options))
    age, least = max(rule.older_than, own_age), max(1, rule.keep_last, own_least)
    at = {each.id: instant(each.committed_at_ms) for each in every}
    last = datetime.max.replace(tzinfo=UTC)
    replaced_at = {each: at.get(following, last) for each, following in zip_longest(at, list(at)[1:])}
    kept: dict[int, str] = dict.fromkeys(list(at)[-least:], "keep_last")
    for reason, some in _reasons(view, at, expiry):
        for each in some:
            kept.setdefault(each, reason)
    young = {each for each in at if expiry.now - replaced_at[each] <= age}
    expired = list(takewhile(lambda each: each not in kept and each not in young, at))
    left = list(at)[len(expired) :]
    counts = Counter(kept.get(each, "younger" if each in young else AFTER_KEPT) for each in left)
    next_at = _after(replaced_at[left[0]], age) if left and left[0] not in kept else None
    return ExpiryPlan(rule, {each: at[each] for each in expired}, dict(counts), next_at)


def _reasons(view: TableView, at: Mapping[int, datetime], expiry: Expiry) -> Iterator[tuple[str, Sequence[int]]]:
    """Yield what else keeps snapshots, the strongest reason first."""
    needed = expiry.needed
    yield "needed", [each for each in at if each in needed.ids]
    if needed.since is not None:
        earlier = [each for each in at if at[each] < needed.since]
        yield "needed", [*earlier[-1:], *(each for each in at if at[each] >= needed.since)]
    consumers = consumers_of(view.files)
    if consumers.oldest is not None:
        yield CONSUMER, [each for each in at if each >= consumers.oldest]
    if consumers.unreadable:
        yield UNREADABLE_CONSUMER, list(at)
    yield READER, list(_read(at, needed))
    if expiry.only is not None:
        yield "not_selected", [each for each in at if each not in expiry.only]


def _read(at: Mapping[int, datetime], needed: Needed) -> Iterator[int]:
    """Yield the snapshots that readers need: from the oldest on, and the one that was current at a given time."""
    if not needed.reader_ids <= at.keys():
        yield from at  # which snapshots are newer than an unknown one is not known
        return
    times = [at[each] for each in needed.reader_ids]
    if needed.readers_since is not None:
        earlier = [each for each in at.values() if each <= needed.readers_since]
        times.append(max(earlier, default=needed.readers_since))
    if times:
        yield from (each for each in at if at[each] >= min(times))


def expire(
    load: Callable[[], TableView],
    snapshot_ids: Sequence[int],
    expiry: Expiry,
    *,
    before_try: Callable[[], None],
    announce: Announce | None = None,
) -> Sequence[Condition]:
    """Remove snapshots that may still expire; see `formats.base.SnapshotExpiry.expire`.

    `announce` is called once before the first is removed, with the view, the snapshots, and the first that stays.

    Raises:
        Transient: the table was rolled back at the same time; some may be gone.
        NotEligible: as `plan_expiry`.
        OSError: the store does not answer; some may be gone.
    """
    view, wanted = load(), frozenset(snapshot_ids)
    every = view.every_snapshot()
    planned = _planned(view, every, expiry).expired
    count = sum(1 for _ in takewhile(lambda each: each in wanted, planned))
    if not count:
        return ()
    gone, following = every[:count], every[count]
    if announce is not None:
        announce(view, gone, following)
    for each in gone:
        before_try()
        _check_head(view)
        try:
            view.files.delete_snapshot(each.id)
        except FileNotFoundError:
            continue
    view.files.write_earliest(following.id)
    return _proof(view, load(), gone, following)


def _check_head(view: TableView) -> None:
    head = view.head
    if head is not None and view.files.snapshot(head.id) != head:
        raise Transient(f"snapshot {head.id} of {view.ref} is gone: the table was rolled back while snapshots expired")


def _proof(before: TableView, after: TableView, gone: Sequence[Snapshot], following: Snapshot) -> Sequence[Condition]:
    """Look at the snapshots that the table has now; another expiry may have removed more of the oldest.

    Raises:
        Transient: it was rolled back, after which a tag can be a snapshot again.
    """
    if before.head is not None and (after.head is None or after.head.id < before.head.id):
        raise Transient(f"{before.ref} was rolled back while snapshots expired")
    ids = list(after.snapshot_ids)
    left = {each.id for each in gone} & set(ids)
    is_kept = following.id in ids or (bool(ids) and ids[0] > following.id)
    told = f"{len(ids)} snapshots, {ids[0]} to {ids[-1]}" if ids else "no snapshot is left"
    return (
        Condition("expired_are_gone", not left, f"{len(gone) - len(left)} of {len(gone)} are gone"),
        Condition("others_are_kept", is_kept, f"{told}; snapshot {following.id} had to stay"),
    )


def old_copies(snapshots: Sequence[Snapshot]) -> Sequence[OldCopy]:
    """Return the snapshots whose child is a compaction by Packhouse, newest first; see `SnapshotExpiry`."""
    children = {each.id - 1: each for each in snapshots if each.kind == COMPACT and is_own(each)}
    return [
        OldCopy(each.id, child.id, child.properties[RUN_ID], instant(child.committed_at_ms))
        for each in reversed(snapshots)
        if (child := children.get(each.id)) is not None
    ]


def _after(at: datetime, age: timedelta) -> datetime | None:
    try:
        return at + age
    except OverflowError:
        return None
