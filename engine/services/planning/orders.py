"""The order of rows of a policy, resolved on an open table, and the overlap of files in this order."""

from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from typing import Any, Final

import numpy as np
import pyarrow as pa

from engine.domain.errors import NotEligible
from engine.domain.policies import EffectivePolicy
from engine.domain.runs.hot_partitions import Place
from engine.domain.runs.plans import Plan
from engine.domain.tables.orders import RequestedOrder, RowOrdering
from engine.formats.base import OpenTable
from engine.planning.measures.ordered_files import are_unordered
from engine.planning.measures.overlaps import measure_overlap, overlap_document
from engine.planning.measures.partitions import Ints, partition_files
from engine.services.planning.wording import count_of

MOST_SHOWN: Final = 20
"""Most partitions whose overlap is in a run's result or a table's health."""

Overlaps = Mapping[Place, Mapping[str, Any]]


def planned_order(opened: OpenTable, policy: EffectivePolicy) -> RowOrdering | None:
    """Return the order of a plan; None without one, or if it is impossible, which the conditions report."""
    requested = RequestedOrder.of(policy.values)
    with suppress(NotEligible):
        return None if requested is None else opened.resolve_order(requested)
    return None


def order_keys(opened: OpenTable, order: RowOrdering | None) -> Callable[[pa.ChunkedArray], Ints] | None:
    """Return a function from paths to the files' first keys in a `sort`; None for curves, which no manifest has."""
    if order is None or order.strategy != "sort":
        return None
    return lambda paths: opened.order_ranges(order, paths)[0].lower


def overlaps_of(opened: OpenTable, order: RowOrdering, places: Collection[Place]) -> Overlaps:
    """Return how far files overlap in the given partitions, JSON-ready. Reads manifests: call in a thread."""
    files = partition_files(opened.digest())
    found = measure_overlap(files, opened.order_ranges(order))
    here = enumerate(zip(files.spec_ids.tolist(), files.names, strict=True))
    return {place: overlap_document(files, found, at) for at, place in here if place in places}


def order_health(opened: OpenTable, policy: EffectivePolicy) -> dict[str, Any] | None:
    """Return how far files are in the policy's order of rows, and overlap in it, deepest partitions first, JSON-ready.

    None if the policy has no order. Reads manifests: call in a thread.
    """
    order = planned_order(opened, policy)
    if order is None:
        return None
    files = partition_files(opened.digest())
    found = measure_overlap(files, opened.order_ranges(order))
    unordered = are_unordered(files, order)
    left, whole = files.total(files.file_bytes, unordered), files.total(files.file_bytes)
    shown = [
        {
            "spec_id": int(files.spec_ids[at]),
            "partition": files.names[at],
            **overlap_document(files, found, at),
            "unordered_share": _share(left[at], whole[at]),
        }
        for at in np.lexsort((-left, -found.lookup_files, -found.depth))[:MOST_SHOWN].tolist()
    ]
    return {
        **order.document(),
        "unordered_file_count": int(unordered.sum()),
        "unordered_share": _share(left.sum(), whole.sum()),
        "partitions": shown,
        "partitions_total": len(files.names),
    }


def order_state(plan: Plan) -> str | None:
    """Return, as a clause, how many files are not in the order of a plan; None without an order, or without files."""
    if plan.order is None or not (plan.groups or plan.skipped_total):
        return None
    if not plan.unordered_files:
        return f"every file is in the requested order ({plan.order.words})"
    count = plan.unordered_files
    return f"{count_of(count, 'file')} {'is' if count == 1 else 'are'} not in the requested order ({plan.order.words})"


def _share(part: Any, whole: Any) -> float:
    return round(int(part) / max(1, int(whole)), 4)


def order_result(order: RowOrdering, before: Overlaps, after: Overlaps) -> dict[str, Any]:
    """Return the order in a run's result: the overlap of partitions before and after, those with most files first."""
    places = sorted(before, key=lambda place: (-before[place]["files"], place))
    shown = [
        {"spec_id": place[0], "partition": place[1], "before": before[place], "after": after.get(place)}
        for place in places[:MOST_SHOWN]
    ]
    return {**order.document(), "partitions": shown, "partitions_total": len(places)}
