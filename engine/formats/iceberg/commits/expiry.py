"""Expire snapshots of an Iceberg table: remove them from its metadata. No file is deleted.

A snapshot is kept by the strictest of the policy, the table properties `history.expire.*` and the retention of each
branch. A branch's newest snapshots are counted along its whole history, also where snapshots of it were removed
(`lineages`). The heads of branches and the snapshots of tags are always kept, with them the parents that Packhouse
protects (`parents`). References are never removed. Each try plans again on the metadata it sends against. The commit
requires that references and properties are still those (`_SameHistory`); a REST catalog is sent the references that
there were, and can't be told that there may be no new one: a tag that is set on an expired snapshot within this request
is lost.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Final, Self

from pydantic import PrivateAttr
from pyiceberg.catalog import Catalog
from pyiceberg.exceptions import CommitFailedException
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.table.refs import SnapshotRef, SnapshotRefType
from pyiceberg.table.snapshots import Operation, Snapshot
from pyiceberg.table.update import (
    AssertRefSnapshotId,
    AssertTableUUID,
    RemovePartitionStatisticsUpdate,
    RemovePropertiesUpdate,
    RemoveSnapshotsUpdate,
    RemoveStatisticsUpdate,
    SetPropertiesUpdate,
    TableRequirement,
    TableUpdate,
)

from engine.domain.clock import doubled
from engine.domain.errors import LockHeld, NotEligible, OutcomeUnknown, RequestNotServed, Transient
from engine.domain.runs.expiry import (
    READER,
    UNKNOWN_HISTORY,
    Expiry,
    ExpiryPlan,
    ExpiryRule,
    Needed,
    OldCopy,
    instant,
)
from engine.formats.base import Condition
from engine.formats.iceberg.errors import summary_of as error_summary
from engine.formats.iceberg.features.rows import Activity
from engine.formats.iceberg.metadata.history import RUN_ID, history, summary_of
from engine.formats.iceberg.metadata.lineages import LINKS, Lineages
from engine.formats.iceberg.metadata.superseded import superseded_bytes
from engine.formats.iceberg.metadata.views import TableView

MAX_TRIES: Final = 8
FIRST_WAIT_SECONDS: Final = 0.1
GC_ENABLED: Final = "gc.enabled"
MAY_DELETE: Final = (
    "set it to true, unless branches or tags of the catalog itself use the same files, as those of Nessie do"
)
"""Remedy where the property forbids to delete. Nessie sets it: one state of its catalog does not show the others."""
MAX_AGE_MS: Final = "history.expire.max-snapshot-age-ms"
MIN_TO_KEEP: Final = "history.expire.min-snapshots-to-keep"
DEFAULT_EXPIRY: Final = timedelta(days=5)
"""Iceberg's default of `history.expire.max-snapshot-age-ms`."""
_LONGEST: Final = timedelta.max
_MOST_DIGITS: Final = 19


def plan_expiry(metadata: TableMetadata, expiry: Expiry) -> ExpiryPlan:
    """Return which snapshots would be removed, and what keeps the others.

    Raises:
        NotEligible: `gc.enabled` is false, or a property `history.expire.*` is not a number.
    """
    if (given := metadata.properties.get(GC_ENABLED, "true")).strip().lower() != "true":  # as Iceberg reads it
        raise NotEligible(
            f"the table property {GC_ENABLED} is {given[:40]!r}, so snapshots do not expire: {MAY_DELETE}"
        )
    rule, needed = expiry.rule, expiry.needed
    by_id = {each.snapshot_id: each for each in metadata.snapshots}
    default_age = rule.older_than if rule.overrides else max(rule.older_than, _age(_number(metadata, MAX_AGE_MS)))
    kept: dict[int, str] = {ref.snapshot_id: "reference" for ref in metadata.refs.values()}
    kept |= {each: "needed" for each in by_id if each in needed.ids}
    if expiry.only is not None:
        kept |= {each: "not_selected" for each in by_id if each not in expiry.only and each not in kept}
    if needed.since is not None:
        kept |= {each.snapshot_id: "needed" for each in by_id.values() if _at(each) >= needed.since}
        earlier = (each for each in by_id.values() if _at(each) < needed.since)
        if (base := max(earlier, key=_at, default=None)) is not None:  # what a run of that time was planned on
            kept[base.snapshot_id] = "needed"
    for each in _read(by_id, needed):
        kept.setdefault(each, READER)
    ages, reasons = _by_branches(metadata, rule, default_age)
    kept = reasons | kept
    rest = [each for each in by_id.values() if each.snapshot_id not in kept]
    young = {each.snapshot_id: _at(each) for each in rest if expiry.now - _at(each) <= ages[each.snapshot_id]}
    expired = {each.snapshot_id: _at(each) for each in sorted(rest, key=_at) if each.snapshot_id not in young}
    counts = Counter(kept.values()) + Counter({"younger": len(young)})
    ends = [end for each, at in young.items() if (end := _after(at, ages[each])) is not None]
    superseded = superseded_bytes(metadata, expired.keys())
    return ExpiryPlan(rule, expired, dict(counts), min(ends, default=None), superseded)


def _read(by_id: Mapping[int, Snapshot], needed: Needed) -> Iterator[int]:
    """Yield the snapshots that readers need: from the oldest on, and the one that was current at a given time."""
    if not needed.reader_ids <= by_id.keys():
        yield from by_id  # which snapshots are newer than an unknown one is not known
        return
    times = [_at(by_id[each]) for each in needed.reader_ids]
    if needed.readers_since is not None:
        earlier = [at for each in by_id.values() if (at := _at(each)) <= needed.readers_since]
        times.append(max(earlier, default=needed.readers_since))
    if times:
        yield from (each.snapshot_id for each in by_id.values() if _at(each) >= min(times))


def expire(
    catalog: Catalog,
    load: Callable[[], TableView],
    snapshot_ids: Sequence[int],
    expiry: Expiry,
    *,
    before_try: Callable[[], None],
    announce: Callable[[TableView, Sequence[int]], None] | None = None,
) -> Sequence[Condition]:
    """Remove snapshots that may still expire, in one commit; see `formats.base.SnapshotExpiry.expire`.

    `announce` is called before each request with the version that it is sent against, and the snapshots.

    Raises:
        OutcomeUnknown: the catalog did not answer; the snapshots may be gone.
        Transient: other commits were faster `MAX_TRIES` times.
        NotEligible: as `plan_expiry`, or a feature of the table forbids commits to it.
    """
    for number in range(MAX_TRIES):
        if number:
            time.sleep(doubled(FIRST_WAIT_SECONDS, number))
        view = load()
        before = view.metadata
        view.check_features(Activity.UPKEEP)
        still = plan_expiry(before, expiry).expired.keys() & set(snapshot_ids)
        if not still:
            return ()
        requirements: tuple[TableRequirement, ...] = (
            _SameHistory.of(before),
            *(AssertRefSnapshotId(ref=name, snapshot_id=ref.snapshot_id) for name, ref in before.refs.items()),
        )
        if announce is not None:
            announce(view, sorted(still))
        before_try()
        try:
            answer = catalog.commit_table(view.table, requirements, tuple(_updates(before, still)))
        except CommitFailedException:
            continue
        except (RequestNotServed, LockHeld):
            raise
        except Exception as error:
            raise OutcomeUnknown(f"no certain answer to an expiry of snapshots: {error_summary(error)}") from error
        return _proof(before, answer.metadata, still)
    raise Transient(f"other commits were faster {MAX_TRIES} times in a row; no snapshot was removed")


class _SameHistory(AssertTableUUID):
    """Requires that references and properties are as they were planned with; for other processes the table's uuid.

    Catalogs that make the new metadata in this process validate it against the metadata that they replace.
    """

    _before: TableMetadata = PrivateAttr()

    @classmethod
    def of(cls, before: TableMetadata) -> Self:
        """Return the requirement for a table with this metadata."""
        made = cls(uuid=before.table_uuid)
        made._before = before
        return made

    def validate(self, base_metadata: TableMetadata | None) -> None:  # type: ignore[override]
        """Raise `CommitFailedException` if another commit changed what the expiry was planned with."""
        super().validate(base_metadata)
        if base_metadata is None or (base_metadata.refs, base_metadata.properties) != (
            self._before.refs,
            self._before.properties,
        ):
            raise CommitFailedException("references or properties changed since the expiry was planned")


def old_copies(metadata: TableMetadata) -> Sequence[OldCopy]:
    """Return the snapshots of the main branch whose child there is a rewrite by Packhouse; see `SnapshotExpiry`."""
    found: list[OldCopy] = []
    for child, snapshot in pairwise(history(metadata)):
        run_id = summary_of(child).get(RUN_ID)
        is_rewrite = run_id and child.summary and child.summary.operation is Operation.REPLACE
        if run_id and is_rewrite and child.parent_snapshot_id == snapshot.snapshot_id:
            found.append(OldCopy(snapshot.snapshot_id, child.snapshot_id, run_id, _at(child)))
    return found


def _updates(metadata: TableMetadata, snapshot_ids: AbstractSet[int]) -> Iterator[TableUpdate]:
    """Yield the updates that remove snapshots, with the statistics that no other snapshot uses.

    The links across the removed snapshots are part of the commit.
    """
    for of_snapshot in metadata.statistics:
        if of_snapshot.snapshot_id in snapshot_ids:
            yield RemoveStatisticsUpdate(snapshot_id=of_snapshot.snapshot_id)
    for of_partitions in metadata.partition_statistics:
        if of_partitions.snapshot_id in snapshot_ids:
            yield RemovePartitionStatisticsUpdate(snapshot_id=of_partitions.snapshot_id)
    links = Lineages(metadata).links_without(snapshot_ids)
    if links:
        yield SetPropertiesUpdate(updates={LINKS: links})
    elif LINKS in metadata.properties:
        yield RemovePropertiesUpdate(removals=[LINKS])
    yield RemoveSnapshotsUpdate(snapshot_ids=sorted(snapshot_ids))


def _proof(before: TableMetadata, after: TableMetadata, snapshot_ids: AbstractSet[int]) -> Sequence[Condition]:
    """Compare the metadata that the catalog answered with the metadata before the commit."""
    had, has = ({each.snapshot_id for each in metadata.snapshots} for metadata in (before, after))
    left, lost = snapshot_ids & has, had - snapshot_ids - has
    named = {name: ref.snapshot_id for name, ref in before.refs.items() if ref.snapshot_id in had}
    dangling = [name for name, ref in after.refs.items() if ref.snapshot_id in had - has]
    moved = [name for name, at in named.items() if name not in after.refs or after.refs[name].snapshot_id != at]
    return (
        Condition("expired_are_gone", not left, f"{len(snapshot_ids) - len(left)} of {len(snapshot_ids)} are gone"),
        Condition("others_are_kept", not lost, f"{len(had - snapshot_ids) - len(lost)} others, {len(lost)} missing"),
        Condition("references_resolve", not dangling, f"{len(dangling)} of {len(after.refs)} have no snapshot"),
        Condition("references_unchanged", not moved, f"{len(named)} references, {len(moved)} changed"),
    )


def _by_branches(
    metadata: TableMetadata, rule: ExpiryRule, default_age: timedelta
) -> tuple[dict[int, timedelta], dict[int, str]]:
    """Return the age up to which each snapshot is kept, and the reasons of those that are kept at any age.

    As long as a branch is not known to have as many snapshots as it keeps, so is each older one that it may have had.
    """
    ages = dict.fromkeys((each.snapshot_id for each in metadata.snapshots), default_age)
    lineages, counted, unsure = Lineages(metadata), dict[int, str](), dict[int, str]()
    for ref in metadata.refs.values():
        if ref.snapshot_ref_type is not SnapshotRefType.BRANCH:
            continue
        least, age = _retention(metadata, ref, rule, default_age)
        lineage = lineages.of(ref.snapshot_id)
        earlier = [each for each in metadata.snapshots if lineage.may_be_earlier(each)]
        for snapshot in (*lineage.snapshots, *earlier):
            ages[snapshot.snapshot_id] = max(ages[snapshot.snapshot_id], age)
        counted |= {each.snapshot_id: "keep_last" for each in lineage.snapshots[:least]}
        if len(lineage.snapshots) < least:
            unsure |= {each.snapshot_id: UNKNOWN_HISTORY for each in earlier}
    return ages, unsure | counted


def _retention(
    metadata: TableMetadata, ref: SnapshotRef, rule: ExpiryRule, default_age: timedelta
) -> tuple[int, timedelta]:
    """Return how many snapshots of a branch are kept, and the age up to which all are."""
    if rule.overrides:
        return rule.keep_last, rule.older_than
    least = max(rule.keep_last, _number(metadata, MIN_TO_KEEP), ref.min_snapshots_to_keep or 0)
    age = max(rule.older_than, _age(ref.max_snapshot_age_ms)) if ref.max_snapshot_age_ms else default_age
    return least, age


def _at(snapshot: Snapshot) -> datetime:
    return instant(snapshot.timestamp_ms)


def _after(at: datetime, age: timedelta) -> datetime | None:
    try:
        return at + age
    except OverflowError:
        return None


def _age(milliseconds: int) -> timedelta:
    try:
        return timedelta(milliseconds=max(0, milliseconds))
    except OverflowError:
        return _LONGEST


def _number(metadata: TableMetadata, name: str) -> int:
    """Return a table property that is a number, 0 if it is not set."""
    text = metadata.properties.get(name, "0").strip()
    if not (text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS):
        raise NotEligible(f"the table property {name} is {text[:40]!r}, which is not a number of at most 19 digits")
    return int(text)
