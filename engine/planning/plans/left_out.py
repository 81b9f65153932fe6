"""Partitions that a plan leaves out because they can't be rewritten, in contrast to those that need no rewrite."""

from collections.abc import Sequence
from typing import Final

from engine.domain.runs.left_out import LeftOutItem
from engine.domain.runs.plans import Plan
from engine.domain.runs.reasons import describe_reason
from engine.planning.plans.candidates import SkipReason

CANT: Final = frozenset(
    {
        SkipReason.EQUALITY_DELETES,
        SkipReason.ENCRYPTED,
        SkipReason.NOT_PARQUET,
        SkipReason.OUTSIDE_FILES,
        SkipReason.OTHER_FORMAT,
        SkipReason.UNKNOWN_STORAGE,
        SkipReason.SHARED_LOCATION,
        SkipReason.REPEATED_VALUES,
        SkipReason.NESTED_FILES,
        SkipReason.OUTSIDE_LOCATION,
        SkipReason.LONG_NAMES,
    }
)
"""Reasons of partitions that this version can't rewrite, whatever the policy says."""


def left_out_items(plan: Plan) -> Sequence[LeftOutItem]:
    """Return the partitions that a plan leaves out because they can't be rewritten, those with most files first."""
    return [
        LeftOutItem(each.partition, each.reason, describe_reason(each.reason), is_error=False)
        for each in plan.skipped
        if each.reason in CANT
    ]
