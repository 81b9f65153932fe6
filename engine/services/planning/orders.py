"""What a policy's order of rows means on an open table, and what a rewrite did for it."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, Protocol

import numpy as np
import pyarrow as pa

from engine.domain.errors import NotEligible
from engine.domain.policies import EffectivePolicy
from engine.domain.runs.hot_partitions import Place
from engine.domain.tables.orders import OrderWish, RowOrdering
from engine.formats.base import OpenTable
from engine.planning.measures.overlaps import ColumnRanges, measure_overlap, overlap_document
from engine.planning.measures.partitions import Ints, partition_files

MOST_SHOWN: Final = 20
"""Partitions whose overlap a run's result, or a table's health, shows."""

Overlaps = Mapping[Place, Mapping[str, Any]]


class Orderable(Protocol):
    """What is asked of an open table (`formats.base.OpenTable`)."""

    def resolve_order(self, wish: OrderWish) -> RowOrdering:
        """Return what an order by names means on the table. Raises `NotEligible` where it means nothing."""

    def order_ranges(self, order: RowOrdering, paths: pa.ChunkedArray | None = None) -> Sequence[ColumnRanges]:
        """Return the ranges of an order's columns in files, by default in all, in the order of the digest."""


def planned_order(opened: Orderable, policy: EffectivePolicy) -> RowOrdering | None:
    """Return the order that a plan is made for; None for none, and where it is impossible, as the conditions say."""
    wish = OrderWish.of(policy.values)
    with suppress(NotEligible):
        return None if wish is None else opened.resolve_order(wish)
    return None


def order_keys(opened: Orderable, order: RowOrdering | None) -> Callable[[pa.ChunkedArray], Ints] | None:
    """Return what tells where files begin in a `sort`; None for other orders: a place on a curve is in no manifest."""
    if order is None or order.strategy != "sort":
        return None
    return lambda paths: opened.order_ranges(order, paths)[0].lower


def overlaps_of(opened: OpenTable, order: RowOrdering, places: Collection[Place]) -> Overlaps:
    """Return how far files overlap in some partitions, JSON-ready. Reads manifests: call in a thread."""
    files = partition_files(opened.digest())
    found = measure_overlap(files, opened.order_ranges(order))
    here = enumerate(zip(files.spec_ids.tolist(), files.names, strict=True))
    return {place: overlap_document(files, found, at) for at, place in here if place in places}


def order_health(opened: OpenTable, policy: EffectivePolicy) -> dict[str, Any] | None:
    """Return how far files overlap in the order that a policy puts rows into, the deepest partitions first, JSON-ready.

    None where it puts them into none. Reads manifests: call in a thread.
    """
    order = planned_order(opened, policy)
    if order is None:
        return None
    files = partition_files(opened.digest())
    found = measure_overlap(files, opened.order_ranges(order))
    shown = [
        {"spec_id": int(files.spec_ids[at]), "partition": files.names[at], **overlap_document(files, found, at)}
        for at in np.lexsort((-found.lookup_files, -found.depth))[:MOST_SHOWN].tolist()
    ]
    return {**order.document(), "partitions": shown, "partitions_total": len(files.names)}


def order_result(order: RowOrdering, before: Overlaps, after: Overlaps) -> dict[str, Any]:
    """Return what a run's result says of the order: each partition before and after, those with most files first."""
    places = sorted(before, key=lambda place: (-before[place]["files"], place))
    shown = [
        {"spec_id": place[0], "partition": place[1], "before": before[place], "after": after.get(place)}
        for place in places[:MOST_SHOWN]
    ]
    return {**order.document(), "partitions": shown, "partitions_total": len(places)}
